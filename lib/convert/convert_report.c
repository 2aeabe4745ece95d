/* SPDX-License-Identifier: MIT */
/*
 * convert_report.c - errors and diagnostics of the conversion itself.
 */
#include <stdarg.h>
#include <stdio.h>

#include "convert/convert.h"
#include "base/error.h"

void hp_cv_say(struct hp_convert *c, enum hprof_severity severity,
	       enum hp_diag_code code, uint64_t offset, const char *text)
{
	const struct hprof_convert_options *o = &c->plan->options;
	const struct hprof_diagnostic diagnostic =
		hp_diag_make(severity, code, offset, text);

	if (o->diagnostic)
		o->diagnostic(o->user, &diagnostic);
}

enum hprof_status hp_cv_fail(struct hp_convert *c, enum hprof_status status,
			     uint64_t offset, const char *format, ...)
{
	char text[256];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof text, format, values);
	va_end(values);
	return hp_fail(c->error, status, offset, "%s", text);
}
