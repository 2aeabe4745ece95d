/* SPDX-License-Identifier: MIT */
/*
 * reader_open.c - opens a dump and reads the file header, with a clear error
 * message for what is not a dump.
 */
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/options.h"
#include "io/input.h"
#include "stream/reader.h"
#include "base/tempfile.h"
#include "base/utf8.h"
#include "base/wire.h"

/* ---- other file formats -------------------------------------------------- */

static bool starts(const uint8_t *p, size_t n, const char *magic, size_t size)
{
	return n >= size && memcmp(p, magic, size) == 0;
}

/* A message about bytes that are no HPROF header. */
static const char *name_other_format(const uint8_t *p, size_t n)
{
	static const char ascii[] = "JAVA PROFILE 1.0";
	static const char phd[] = "portable heap dump";

	if (n == 0)
		return "the file is empty";
	if (starts(p, n, ascii, sizeof ascii - 1) &&
	    memmem(p, n < 64 ? n : 64, ", created ", 10))
		return "this is a text file of the old hprof agent (format=a), "
		       "not a binary dump";
	if (n > 2 && starts(p + 2, n - 2, phd, sizeof phd - 1))
		return "this is a portable heap dump (PHD) of OpenJ9, not an "
		       "HPROF dump";
	if (starts(p, n, "\177ELF", 4))
		return "this is an ELF file (a core dump or a program), not an "
		       "HPROF dump";
	if (starts(p, n, "FLR\0", 4))
		return "this is a JFR recording, not an HPROF dump";
	if (p[0] == '{' || p[0] == '[')
		return "this looks like JSON, not an HPROF dump";
	return "not an HPROF dump";
}

/* Skips the chunk header of a DDMS stream before a dump (Q46). */
static bool skip_prefix(struct hprof_reader *r)
{
	enum { LOOK = 1024 };
	size_t n = hp_window_need(&r->window, LOOK);
	const uint8_t *p = hp_window_bytes(&r->window);
	const uint8_t *found =
		memmem(p, n < LOOK ? n : LOOK, "JAVA PROFILE 1.0.", 17);

	if (!found || found == p)
		return false;
	hp_window_consume(&r->window, (size_t)(found - p));
	return true;
}

static enum hprof_status check_header(struct hprof_reader *r,
				      struct hprof_error *error)
{
	const char *version = r->header.version;

	if (r->header.id_size != 4 && r->header.id_size != 8)
		return hp_fail(error, HPROF_E_UNSUPPORTED, 0,
			       "the file claims identifiers of %u bytes; only "
			       "4 and 8 are supported",
			       r->header.id_size);
	if (strcmp(version, "JAVA PROFILE 1.0") == 0)
		return hp_fail(error, HPROF_E_UNSUPPORTED, 0,
			       "version 1.0 (before JDK 1.2) is not supported");
	r->id_size = r->header.id_size;
	if (strcmp(version, "JAVA PROFILE 1.0.1") != 0 &&
	    strcmp(version, "JAVA PROFILE 1.0.2") != 0 &&
	    strcmp(version, "JAVA PROFILE 1.0.3") != 0)
		return hp_reader_say(r, HPROF_WARNING, HP_DIAG_UNKNOWN_VERSION,
				     0, "unknown version '%s'", version);
	return HPROF_OK;
}

/* Why there is no header: the source failed, or it holds something else. */
static enum hprof_status no_header(struct hprof_reader *r,
				   enum hprof_status status, size_t n,
				   struct hprof_error *error)
{
	const struct hp_window *w = &r->window;

	if (hp_window_failed(w) || (n == 0 && w->status < 0)) {
		*error = w->error;
		return w->status;
	}
	if (status == HPROF_E_TRUNCATED && n > 0)
		return hp_fail(error, HPROF_E_TRUNCATED, n,
			       "the file ends inside its header");
	return hp_fail(error, HPROF_E_FORMAT, 0, "%s",
		       name_other_format(hp_window_bytes(w), n));
}

static enum hprof_status read_header(struct hprof_reader *r,
				     struct hprof_error *error)
{
	struct hp_window *w = &r->window;
	size_t n = hp_window_need(w, 64);
	size_t used = 0;
	enum hprof_status status =
		hprof_header_decode(hp_window_bytes(w), n, &r->header, &used);

	if (status == HPROF_E_FORMAT && skip_prefix(r)) {
		uint64_t prefix = w->offset;
		n = hp_window_need(w, 64);
		status = hprof_header_decode(hp_window_bytes(w), n, &r->header,
					     &used);
		if (status == HPROF_OK)
			hp_reader_say(r, HPROF_WARNING, HP_DIAG_LEADING_BYTES,
				      0, "%llu bytes before the header",
				      (unsigned long long)prefix);
	}
	if (status != HPROF_OK)
		return no_header(r, status, n, error);
	hp_window_consume(w, used);
	return check_header(r, error);
}

/* ---- options, construction ----------------------------------------------- */

/* DUMP: the number of the dump to read; 0: the first. */
static struct hprof_reader *new_reader(const struct hprof_reader_options *o,
				       unsigned dump)
{
	struct hprof_reader *r = hp_calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->options.strict = o->strict;
	r->options.exact = o->exact;
	r->listener.diagnostic = o->diagnostic;
	r->listener.diagnostic_user = o->user;
	r->units.stop = UINT64_MAX;
	r->window.copy_fd = -1;
	r->dumps.chosen = dump ? dump : 1;
	r->listener.phase = "records";
	return r;
}

/* Opens INPUT and a window on it. R has its path. */
static enum hprof_status open_window(struct hprof_reader *r,
				     const struct hprof_input *input,
				     struct hprof_error *error)
{
	struct hp_source *bottom;
	enum hprof_status status;

	HP_TRY(hp_input_bottom(input, r->path, &bottom, error));
	status = hp_source_open(bottom, input->member, input->threads,
				&r->source, error);
	if (status != HPROF_OK) {
		r->source = NULL; /* closed already */
		return status;
	}
	status = hp_window_init(&r->window, r->source, 0);
	if (status != HPROF_OK)
		*error = r->window.error;
	return status;
}

static enum hprof_status open_reader(struct hprof_reader *r,
				     const struct hprof_input *input,
				     const struct hprof_reader_options *o,
				     struct hprof_error *error)
{
	enum hprof_status status;

	HP_TRY(open_window(r, input, error));
	r->options.units = o->units && r->source->ops->pread;
	if (o->keep_copy && !r->source->ops->pread)
		HP_TRY(hp_tempfile_open(&r->window.copy_fd, error));
	status = read_header(r, error);
	if (status == r->status && status < 0)
		*error = r->error; /* strict, and a bad header */
	return status;
}

enum hprof_status hprof_reader_open(const struct hprof_input *given,
				    const struct hprof_reader_options *options,
				    struct hprof_reader **ret,
				    struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hprof_reader_options o;
	struct hprof_input input;
	struct hprof_reader *r;
	enum hprof_status status;
	unsigned dump;
	char *path;

	HP_NEED(error, ret);
	HP_TRY(hp_input_take(given, &input, error));
	if (!HP_OPTIONS_TAKE(options, &o))
		return hp_bad_options(error);
	HP_TRY(hp_input_split(&input, &path, &dump, error));
	r = new_reader(&o, dump);
	if (!r) {
		hp_free(path);
		return hp_no_memory(error);
	}
	r->path = path;
	r->owns_source = true;
	r->listener.progress = input.progress;
	r->listener.progress_user = input.progress_user;
	status = open_reader(r, &input, &o, error);
	if (status < 0) {
		hprof_reader_close(r);
		return status;
	}
	*ret = r;
	return HPROF_OK;
}

void hprof_reader_close(struct hprof_reader *r)
{
	if (!r)
		return;
	if (r->window.copy_fd >= 0)
		close(r->window.copy_fd);
	hp_window_done(&r->window);
	if (r->owns_source)
		hp_source_close(r->source);
	hp_free(r->units.class_ids);
	hp_free(r->path);
	hp_free(r);
}

/* ---- units --------------------------------------------------------------- */

enum hprof_status
hprof_reader_open_unit(const struct hprof_reader *parent,
		       const struct hprof_unit *unit,
		       const struct hprof_reader_options *options,
		       struct hprof_reader **ret, struct hprof_error *ret_error)
{
	struct hprof_reader_options o;
	struct hprof_error local, *error = ret_error ? ret_error : &local;

	HP_NEED(error, parent);
	HP_NEED(error, unit);
	HP_NEED(error, ret);
	if (!parent->source->ops->pread)
		return hp_bad_argument(error, "parent",
				       "its input has no units");
	if (!HP_OPTIONS_TAKE(options, &o))
		return hp_bad_options(error);
	struct hprof_reader *r = new_reader(&o, 0);
	if (!r)
		return hp_no_memory(error);
	r->source = parent->source;
	r->header = parent->header;
	r->id_size = parent->id_size;
	r->units.is_unit = true;
	r->units.unit = *unit;
	r->units.stop = unit->end;
	if (unit->in_record) {
		r->heap.inside = true;
		r->heap.chosen = true;
		r->heap.tag = HPROF_HEAP_DUMP_SEGMENT;
		r->heap.offset = unit->offset;
		r->heap.end = UINT64_MAX;
	}
	enum hprof_status status =
		hp_window_init(&r->window, r->source, unit->offset);
	if (status < 0) {
		*error = r->window.error;
		hprof_reader_close(r);
		return status;
	}
	r->window.read_ahead = unit->end;
	*ret = r;
	return HPROF_OK;
}

void hp_reader_go(struct hprof_reader *r, uint64_t offset, uint64_t end)
{
	hp_window_skip(&r->window, offset - r->window.offset);
	r->record.visible = 0;
	r->record.rest = 0;
	r->record.long_body = NULL;
	r->heap.inside = r->heap.chosen = true;
	r->heap.tag = HPROF_HEAP_DUMP_SEGMENT;
	r->heap.offset = offset;
	r->heap.end = UINT64_MAX;
	r->units.unit.in_record = r->units.unit.ends_in_record = true;
	r->units.unit.end = r->units.stop = end;
	r->units.stopped_early = false;
	if (r->status == HPROF_END)
		r->status = HPROF_OK;
}

void hp_reader_read_between(struct hprof_reader *r, unsigned tag)
{
	r->units.goes_on = true;
	r->dumps.chosen = 1;
	if (tag == 0)
		return;
	r->dumps.current = 1;
	r->dumps.state = tag == HPROF_HEAP_DUMP ? DUMP_RECORD : DUMP_SEGMENTS;
}

bool hp_reader_arrived(const struct hprof_reader *r)
{
	return r->status == HPROF_END && !r->units.stopped_early &&
	       r->window.offset == r->units.unit.end;
}

bool hprof_reader_unit_proved(const struct hprof_reader *r)
{
	return r->units.is_unit && r->counts.errors == 0 &&
	       hp_reader_arrived(r);
}

/* ---- queries ------------------------------------------------------------- */

const struct hprof_header *hprof_reader_header(const struct hprof_reader *r)
{
	return &r->header;
}

int hprof_reader_copy(const struct hprof_reader *r)
{
	return r->window.copy_fd;
}

const struct hprof_error *hprof_reader_error(const struct hprof_reader *r)
{
	return &r->error;
}
