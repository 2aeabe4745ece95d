/*
 * gate_junit.c - the verdicts as JUnit's XML, which CI servers show.
 *
 * XML 1.0 cannot hold control characters in any form, so the text is escaped
 * as for a terminal first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "gate.h"

static void put_text(FILE *out, const char *text)
{
	char *safe = escape_copy(text, 0);

	for (const char *p = safe; *p; p++) {
		switch (*p) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&apos;", out);
			break;
		default:
			putc(*p, out);
		}
	}
	free(safe);
}

static void put_case(FILE *out, const char *name)
{
	fputs("    <testcase classname=\"hprof-diff\" name=\"", out);
	put_text(out, name);
	fputs("\" time=\"0\"", out);
}

static void put_verdict(FILE *out, const struct verdict *verdict)
{
	put_case(out, verdict->expression->text);
	if (!verdict->failed) {
		fputs("/>\n", out);
		return;
	}
	fputs(">\n      <failure type=\"fail-if\" message=\"", out);
	put_text(out, verdict->sentence);
	fputs("\"/>\n    </testcase>\n", out);
}

static void put_fault(FILE *out, const struct gate_fault *fault)
{
	put_case(out, fault->path);
	fputs(">\n      <error type=\"damaged\" message=\"the dump ", out);
	put_text(out, fault->text);
	fputs("\"/>\n    </testcase>\n", out);
}

static void put_all(FILE *out, const struct gate *gate,
		    const struct gate_fault *faults, size_t count)
{
	size_t failures = 0;

	for (size_t i = 0; i < gate->count; i++)
		failures += gate->verdicts[i].failed;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
	      out);
	fprintf(out,
		"  <testsuite name=\"hprof-diff\" tests=\"%zu\" "
		"failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"0\">\n",
		gate->count + count, failures, count);
	for (size_t i = 0; i < gate->count; i++)
		put_verdict(out, &gate->verdicts[i]);
	for (size_t i = 0; i < count; i++)
		put_fault(out, &faults[i]);
	fputs("  </testsuite>\n</testsuites>\n", out);
}

bool gate_junit(const struct gate *gate, const char *path,
		const struct gate_fault *faults, size_t count)
{
	FILE *out = fopen(path, "we");
	bool good = out != NULL;

	if (out) {
		put_all(out, gate, faults, count);
		good = !ferror(out);
		good = !fclose(out) && good;
	}
	if (!good)
		cli_message("%s: %s", path, strerror(errno));
	return good;
}
