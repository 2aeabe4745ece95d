/* SPDX-License-Identifier: MIT */
/*
 * thresholds_junit.c - the verdicts as JUnit's XML, which CI servers display.
 *
 * XML 1.0 cannot have control characters in any form, so the text is escaped as
 * for a terminal first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/escape.h"
#include "tools/diff/thresholds.h"

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

static void put_fault(FILE *out, const struct thresholds_fault *fault)
{
	put_case(out, fault->path);
	fputs(">\n      <error type=\"trouble\" message=\"", out);
	put_text(out, fault->text);
	fputs("\"/>\n    </testcase>\n", out);
}

static void put_all(FILE *out, const struct thresholds *thresholds,
		    const struct thresholds_fault *faults, size_t count)
{
	size_t failures = 0;

	for (size_t i = 0; i < thresholds->count; i++)
		failures += thresholds->verdicts[i].failed;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
	      out);
	fprintf(out,
		"  <testsuite name=\"hprof-diff\" tests=\"%zu\" "
		"failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"0\">\n",
		thresholds->count + count, failures, count);
	for (size_t i = 0; i < thresholds->count; i++)
		put_verdict(out, &thresholds->verdicts[i]);
	for (size_t i = 0; i < count; i++)
		put_fault(out, &faults[i]);
	fputs("  </testsuite>\n</testsuites>\n", out);
}

/* True if the file is XML or empty. Any other file must not be overwritten. */
static bool is_xml(const char *path)
{
	static const char begin[] = "<?xml";
	char text[sizeof(begin) - 1];
	FILE *file = fopen(path, "re");
	size_t size;

	if (!file)
		return false;
	size = fread(text, 1, sizeof(text), file);
	fclose(file);
	return !memcmp(text, begin, size);
}

static struct hprof_output *create(const char *path)
{
	struct hprof_output *output = NULL;
	struct hprof_error error = { 0 };

	if (hprof_output_create(path, NULL, &output, &error) >= 0)
		return output;
	cli_message("--junit: %s: %s", path, error.text);
	return NULL;
}

bool thresholds_junit_begin(const char *path)
{
	char *real = realpath(path, NULL);
	struct stat about;
	bool regular = real && !stat(real, &about) && S_ISREG(about.st_mode);
	bool good = !regular || is_xml(real);
	struct hprof_output *output = NULL;

	/* If FILE was forgotten, PATH may be the first dump. */
	if (!good)
		cli_message("--junit: '%s' is there and no XML, it is not "
			    "overwritten",
			    path);
	else
		output = create(path);
	/*
	 * Results of an earlier run must not be taken for those of this one,
	 * even if this one fails.
	 */
	if (output && regular)
		unlink(real);
	good = output != NULL;
	hprof_output_free(output);
	free(real);
	return good;
}

bool thresholds_junit(const struct thresholds *thresholds, const char *path,
		      const struct thresholds_fault *faults, size_t count)
{
	struct hprof_output *output = create(path);
	char *text = NULL;
	size_t size = 0;
	FILE *memory = output ? open_memstream(&text, &size) : NULL;
	bool good = memory != NULL;

	if (memory) {
		put_all(memory, thresholds, faults, count);
		good = cli_close_text(memory, &text);
	}
	if (output && !good)
		cli_message("--junit: out of memory");
	if (good && (hprof_output_write(output, text, size) < 0 ||
		     hprof_output_finish(output) < 0)) {
		cli_message("--junit: %s", hprof_output_error(output)->text);
		good = false;
	}
	free(text);
	hprof_output_free(output);
	return good;
}
