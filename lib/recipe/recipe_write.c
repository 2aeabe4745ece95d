/* SPDX-License-Identifier: MIT */
/*
 * recipe_write.c - writes the recipe of a dump, from which the assembler makes
 * the same bytes again: records where they decode, otherwise plain bytes.
 *
 * At most HP_WINDOW_MAX bytes are decoded at a time, from a file and from
 * memory alike, so that both give the same text. A larger record is written
 * with its length and then in parts, so that the assembler need not hold it
 * either; a larger array is a line with its count, followed by raw bytes.
 */
#include "codec/decode.h"
#include "recipe/recipe_out.h"
#include "io/window.h"

enum {
	MOST = HP_WINDOW_MAX,
	RAW_PART = 64 << 10, /* raw bytes divided into pieces at once */
};

/* The bytes of the dump, either in a window or all in memory. */
struct input {
	struct hp_window *window; /* NULL if all is in memory */
	const uint8_t *p;	  /* the next bytes */
	size_t left;		  /* how many are left in memory */
};

/*
 * Makes N bytes, at most MOST, available at in->p. Returns how many there are,
 * fewer than N only at the end.
 */
static size_t need(struct input *in, size_t n)
{
	if (!in->window)
		return in->left < n ? in->left : n;
	size_t seen = hp_window_need(in->window, n);
	in->p = hp_window_bytes(in->window);
	return seen < n ? seen : n;
}

static void consume(struct input *in, size_t n)
{
	if (in->window)
		hp_window_consume(in->window, n);
	else
		in->left -= n;
	in->p += n;
}

/* Writes the next SIZE bytes, or fewer at the end, as lines "raw ...". */
static void write_raw(struct hp_recipe_out *o, struct input *in, uint64_t size)
{
	while (size > 0 && o->status == HPROF_OK) {
		size_t n = need(in, size < RAW_PART ? (size_t)size : RAW_PART);
		if (n == 0)
			return;
		hp_out_raw(o, in->p, n);
		consume(in, n);
		size -= n;
	}
}

/* ---- sub-records --------------------------------------------------------- */

/*
 * Writes an array or instance that is larger than the window: a line without
 * its elements, which follow as raw bytes. Returns the size of the sub-record,
 * 0 if it is something else.
 */
static uint64_t write_long_sub(struct hp_recipe_out *o, struct input *in,
			       size_t seen, uint64_t limit, unsigned id_size)
{
	struct hprof_record r = { .tag = (uint16_t)(HPROF_SUB + in->p[0]),
				  .id_size = (uint8_t)id_size };
	const uint8_t *end;
	struct hp_tail tail;

	if (hp_decode_body(in->p + 1, in->p + seen, id_size, &r, &tail, &end) !=
		    HPROF_OK ||
	    !tail.bytes || tail.rest)
		return 0;
	size_t head = (size_t)(end - in->p);
	if (head + tail.size <= MOST || head + tail.size > limit)
		return 0;
	*tail.bytes = (struct hprof_bytes){ 0 };
	hp_out_format(o, "\t%s", hprof_tag_name(r.tag));
	hp_out_fields(o, hprof_record_describe(r.tag), &r, true);
	hp_out_line(o);
	consume(in, head);
	write_raw(o, in, tail.size);
	return head + tail.size;
}

/*
 * Writes one sub-record of at most LIMIT bytes. Returns its size, 0 if the
 * bytes cannot be decoded.
 */
static uint64_t write_sub(struct hp_recipe_out *o, struct input *in,
			  uint64_t limit, unsigned id_size)
{
	size_t most = limit < MOST ? (size_t)limit : MOST;
	struct hprof_record sub;
	enum hprof_status status = HPROF_E_TRUNCATED;
	size_t used, seen = 0;

	for (size_t want = 4096; status == HPROF_E_TRUNCATED; want *= 4) {
		want = want < most ? want : most;
		size_t n = need(in, want);
		if (n == seen)
			break;
		seen = n;
		status = hprof_sub_decode(in->p, seen, id_size, &sub, &used);
	}
	if (status == HPROF_E_TRUNCATED && seen == MOST)
		return write_long_sub(o, in, seen, limit, id_size);
	if (status != HPROF_OK)
		return 0;
	hp_out_text(o, "\t");
	hp_out_text(o, hprof_tag_name(sub.tag));
	hp_out_fields(o, hprof_record_describe(sub.tag), &sub, false);
	hp_out_line(o);
	consume(in, used);
	return used;
}

static void write_subs(struct hp_recipe_out *o, struct input *in, uint64_t size,
		       unsigned id_size)
{
	while (size > 0 && o->status == HPROF_OK && need(in, 1)) {
		uint64_t used = write_sub(o, in, size, id_size);
		if (used == 0) {
			write_raw(o, in, size);
			return;
		}
		size -= used;
	}
}

/* ---- records ------------------------------------------------------------- */

/*
 * Writes the name of a top-level record and the fields of its header. WHOLE
 * says that all of the body follows, so that length= can be omitted.
 */
static void begin_record(struct hp_recipe_out *o, const uint8_t *p, bool whole)
{
	uint32_t time_us = hp_get32(p + 1);
	uint32_t length = hp_get32(p + 5);

	if (hprof_record_describe(p[0]))
		hp_out_format(o, "%s", hprof_tag_name(p[0]));
	else
		hp_out_format(o, "RECORD tag=0x%x", p[0]);
	if (time_us) {
		hp_out_key(o, "time_us");
		hp_out_format(o, "%lu", (unsigned long)time_us);
	}
	if (!whole) {
		hp_out_key(o, "length");
		hp_out_format(o, "%lu", (unsigned long)length);
	}
}

static bool is_heap(uint8_t tag)
{
	return tag == HPROF_HEAP_DUMP || tag == HPROF_HEAP_DUMP_SEGMENT;
}

/* True if AT bytes from here a record could start that is complete. */
static bool plausible(struct input *in, size_t at)
{
	size_t n = need(in, at + HPROF_RECORD_HEADER);
	uint64_t end;

	if (n < at + HPROF_RECORD_HEADER || !hprof_record_describe(in->p[at]))
		return false;
	end = (uint64_t)at + HPROF_RECORD_HEADER + hp_get32(in->p + at + 5);
	if (end > MOST)
		return need(in, MOST) == MOST;
	return need(in, (size_t)end) == end;
}

/*
 * Writes a heap dump. If its length is 0 and no record follows, its writer did
 * not finish it, and it extends to the end of the file.
 */
static void write_heap(struct hp_recipe_out *o, struct input *in,
		       unsigned id_size)
{
	uint64_t size = hp_get32(in->p + 5);
	size_t most = MOST - HPROF_RECORD_HEADER;
	size_t look = size < most ? (size_t)size : most;
	bool to_end = size == 0 && !plausible(in, HPROF_RECORD_HEADER) &&
		      need(in, HPROF_RECORD_HEADER + 1) > HPROF_RECORD_HEADER;
	size_t seen = need(in, HPROF_RECORD_HEADER + look);
	bool empty = !to_end && seen == HPROF_RECORD_HEADER;

	begin_record(o, in->p, !to_end && seen == HPROF_RECORD_HEADER + size);
	consume(in, HPROF_RECORD_HEADER);
	if (!empty) {
		hp_out_format(o, " {");
		hp_out_line(o);
		o->indent = 1;
		write_subs(o, in, to_end ? UINT64_MAX : size, id_size);
		o->indent = 0;
		hp_out_format(o, "}");
	}
	hp_out_line(o);
}

/* Writes a record larger than the window as its length and raw bytes. */
static void write_long(struct hp_recipe_out *o, struct input *in,
		       uint64_t length)
{
	begin_record(o, in->p, false);
	hp_out_format(o, " body=[]");
	hp_out_line(o);
	consume(in, HPROF_RECORD_HEADER);
	write_raw(o, in, length);
}

/* Writes the record at in->p, whose header is complete. */
static void write_record(struct hp_recipe_out *o, struct input *in,
			 unsigned id_size)
{
	const struct hprof_record_info *info = hprof_record_describe(in->p[0]);
	uint64_t length = hp_get32(in->p + 5);
	struct hprof_record r;
	size_t seen, used;

	if (is_heap(in->p[0])) {
		write_heap(o, in, id_size);
		return;
	}
	if (length > MOST - HPROF_RECORD_HEADER && need(in, MOST) == MOST) {
		write_long(o, in, length);
		return;
	}
	if (length > MOST - HPROF_RECORD_HEADER)
		length = MOST - HPROF_RECORD_HEADER;
	seen = need(in, HPROF_RECORD_HEADER + (size_t)length);
	begin_record(o, in->p, seen == HPROF_RECORD_HEADER + length);
	if (info &&
	    hprof_record_decode(in->p, seen, id_size, &r, &used) == HPROF_OK) {
		hp_out_fields(o, info, &r, false);
		hp_out_bytes(o, "rest", r.rest.data, (size_t)r.rest.size,
			     false);
	} else if (seen > HPROF_RECORD_HEADER) {
		hp_out_bytes(o, "body", in->p + HPROF_RECORD_HEADER,
			     seen - HPROF_RECORD_HEADER, false);
	} else {
		hp_out_format(o, " body=[]"); /* the fields are missing */
	}
	hp_out_line(o);
	consume(in, seen);
}

static void write_header(struct hp_recipe_out *o,
			 const struct hprof_header *header)
{
	hp_out_format(o, "header ");
	hp_out_string(o, (const uint8_t *)header->version,
		      strlen(header->version));
	hp_out_format(o, " id_size=%lu time_ms=%llu",
		      (unsigned long)header->id_size,
		      (unsigned long long)header->time_ms);
	hp_out_line(o);
}

static enum hprof_status write_dump(struct hp_recipe_out *o, struct input *in,
				    enum hprof_status (*progress)(void *user),
				    void *user)
{
	struct hprof_header header;
	enum hprof_status status = HPROF_OK;
	size_t used, seen = need(in, 1024);

	if (hprof_header_decode(in->p, seen, &header, &used) == HPROF_OK) {
		write_header(o, &header);
		consume(in, used);
		while (hprof_id_size_valid(header.id_size) &&
		       o->status == HPROF_OK &&
		       need(in, HPROF_RECORD_HEADER) == HPROF_RECORD_HEADER) {
			write_record(o, in, header.id_size);
			if (progress)
				status = progress(user);
			if (status < 0)
				return status;
		}
	}
	write_raw(o, in, UINT64_MAX);
	return hp_out_flush(o);
}

enum hprof_status
hp_recipe_write_window(struct hp_window *window, hprof_write_fn *write,
		       void *user, enum hprof_status (*progress)(void *user),
		       void *progress_user)
{
	struct hp_recipe_out o = { .write = write, .user = user };
	struct input in = { .window = window };

	return write_dump(&o, &in, progress, progress_user);
}

enum hprof_status hprof_recipe_write(const void *bytes, size_t size,
				     hprof_write_fn *write, void *user)
{
	struct hp_recipe_out o = { .write = write, .user = user };
	struct input in = { .p = bytes, .left = size };

	if ((!bytes && size) || !write)
		return HPROF_E_USAGE;
	return write_dump(&o, &in, NULL, NULL);
}
