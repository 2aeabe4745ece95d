/* SPDX-License-Identifier: MIT */
/*
 * name_table.c - see name_table.h. Everything lies in an arena: it is never
 * freed one by one, and strings are many and short.
 */
#include "model/name_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/wire.h"

enum {
	TEXT_MAX = 1 << 20, /* of a longer string only the start is kept */
	FRAMES_MAX = 1 << 20,
	PROFILE_MAX = 64 << 20,
	NAME_MAX_SIZE = 65535 /* of a class, in any JVM */
};

static void *take(struct hp_name_table *s, size_t size)
{
	void *p = hp_arena_take(&s->arena, size);

	s->no_memory = s->no_memory || !p;
	return p;
}

static void put(struct hp_name_table *s, struct hp_u64_map *map, uint64_t key,
		void *value)
{
	if (value && hp_u64_map_put(map, key, value) != 0)
		s->no_memory = true;
}

/* ---- records ------------------------------------------------------------- */

/* As much as there is of SIZE bytes. */
static size_t read_long(struct hprof_reader *reader, uint8_t *to, size_t size)
{
	size_t done = 0, n;

	while (done < size &&
	       hprof_reader_body(reader, to + done, size - done, &n) ==
		       HPROF_OK &&
	       n > 0)
		done += n;
	return done;
}

static bool is_text(const struct hp_string *string, const char *text)
{
	return string->size == strlen(text) &&
	       memcmp(string->bytes, text, string->size) == 0;
}

static void note_string(struct hp_name_table *s, struct hprof_reader *reader,
			const struct hprof_record *record)
{
	const struct hprof_utf8 *utf8 = &record->u.utf8;
	size_t size =
		utf8->text.size < TEXT_MAX ? (size_t)utf8->text.size : TEXT_MAX;
	struct hp_string *old = hp_u64_map_get(&s->strings, utf8->string_id);

	if (old && utf8->text.data && old->size == size &&
	    memcmp(old->bytes, utf8->text.data, size) == 0)
		return; /* GraalVM repeats strings */
	if (old) {	/* the first definition stays */
		if (s->string_clashes++ == 0)
			s->string_clash = record->offset;
		return;
	}
	struct hp_string *string = take(s, sizeof *string + size);
	if (!string)
		return;
	string->size = (uint32_t)size;
	if (utf8->text.data)
		memcpy(string->bytes, utf8->text.data, size);
	else
		string->size = (uint32_t)read_long(reader, string->bytes, size);
	if (is_text(string, "size"))
		s->size_name_id = utf8->string_id;
	put(s, &s->strings, utf8->string_id, string);
}

/* A class may be loaded under several serials (Q20). */
static void note_class(struct hp_name_table *s,
		       const struct hprof_load_class *load)
{
	struct hp_loaded_class *loaded =
		hp_u64_map_get(&s->classes, load->class_id);

	if (!loaded) {
		loaded = take(s, sizeof *loaded);
		if (!loaded || hp_grow((void **)&s->loaded, &s->loaded_room,
				       s->loaded_count, sizeof *s->loaded)) {
			s->no_memory = true;
			return;
		}
		s->loaded[s->loaded_count++] = loaded;
		put(s, &s->classes, load->class_id, loaded);
		*loaded =
			(struct hp_loaded_class){ load->class_id, load->name_id,
						  load->class_serial };
		const struct hp_string *name =
			hp_u64_map_get(&s->strings, load->name_id);
		if (name && is_text(name, "jdk/internal/vm/StackChunk"))
			s->chunk_class_id = load->class_id;
	}
	put(s, &s->serials, load->class_serial, loaded);
}

static void note_frame(struct hp_name_table *s, const struct hprof_frame *frame)
{
	struct hp_frame_info *info = take(s, sizeof *info);

	if (!info)
		return;
	*info = (struct hp_frame_info){ frame->method_id, frame->signature_id,
					frame->source_id, frame->class_serial,
					frame->line };
	put(s, &s->frames, frame->frame_id, info);
}

/* The first definition wins unless it has no frames (Q18). */
static void note_trace(struct hp_name_table *s,
		       const struct hprof_record *record)
{
	const struct hprof_trace *trace = &record->u.trace;
	struct hp_trace_info *old =
		hp_u64_map_get(&s->traces, trace->trace_serial);
	uint32_t count = trace->frame_count < FRAMES_MAX ? trace->frame_count
							 : FRAMES_MAX;

	if (!trace->frames.data && count)
		return;
	if (old && (old->frame_count > 0 || count == 0))
		return;
	struct hp_trace_info *info =
		take(s, sizeof *info + count * sizeof info->frames[0]);
	if (!info)
		return;
	info->thread_serial = trace->thread_serial;
	info->frame_count = count;
	for (uint32_t i = 0; i < count; i++)
		info->frames[i] =
			hprof_id_at(trace->frames, record->id_size, i);
	put(s, &s->traces, trace->trace_serial, info);
}

static void note_thread(struct hp_name_table *s,
			const struct hprof_start_thread *start)
{
	if (hp_grow((void **)&s->threads, &s->thread_room, s->thread_count,
		    sizeof *s->threads) != 0) {
		s->no_memory = true;
		return;
	}
	s->threads[s->thread_count++] =
		(struct hp_started_thread){ start->thread_id, start->name_id,
					    start->thread_serial,
					    start->trace_serial };
}

/* Profiles of the old agents are few: kept as they are. */
static void note_profile(struct hp_name_table *s, struct hprof_reader *reader,
			 const struct hprof_record *record)
{
	struct hprof_bytes *body = NULL;
	struct hp_profile_record *kept = take(s, sizeof *kept);
	uint8_t *bytes;

	if (!kept)
		return;
	kept->record = *record;
	kept->next = NULL;
	if (record->tag == HPROF_ALLOC_SITES)
		body = &kept->record.u.alloc_sites.sites;
	else if (record->tag == HPROF_CPU_SAMPLES)
		body = &kept->record.u.cpu_samples.samples;
	if (body && body->size) {
		if (body->size > PROFILE_MAX)
			body->size = PROFILE_MAX;
		bytes = take(s, (size_t)body->size);
		if (!bytes)
			return;
		if (body->data)
			memcpy(bytes, body->data, (size_t)body->size);
		else
			read_long(reader, bytes, (size_t)body->size);
		body->data = bytes;
	}
	*s->profile_end = kept;
	s->profile_end = &kept->next;
}

void hp_name_table_record(struct hp_name_table *s, struct hprof_reader *reader,
			  const struct hprof_record *record)
{
	s->tag_count[record->tag & 0xff]++;
	s->tag_bytes[record->tag & 0xff] += HPROF_RECORD_HEADER;
	if (record->tag != HPROF_HEAP_DUMP &&
	    record->tag != HPROF_HEAP_DUMP_SEGMENT)
		s->tag_bytes[record->tag & 0xff] += record->length;
	switch (record->tag) {
	case HPROF_UTF8:
		note_string(s, reader, record);
		break;
	case HPROF_LOAD_CLASS:
		note_class(s, &record->u.load_class);
		break;
	case HPROF_UNLOAD_CLASS:
		/* The serial may be used again; the class id still has its
		 * name for objects seen before. */
		break;
	case HPROF_FRAME:
		note_frame(s, &record->u.frame);
		break;
	case HPROF_TRACE:
		note_trace(s, record);
		break;
	case HPROF_START_THREAD:
		note_thread(s, &record->u.start_thread);
		break;
	case HPROF_ALLOC_SITES:
	case HPROF_CPU_SAMPLES:
	case HPROF_HEAP_SUMMARY:
	case HPROF_CONTROL_SETTINGS:
		note_profile(s, reader, record);
		break;
	}
}

/* ---- names --------------------------------------------------------------- */

bool hp_name_table_has_string(const struct hp_name_table *s, uint64_t string_id)
{
	return string_id != 0 && hp_u64_map_get(&s->strings, string_id);
}

/* Id 0 is no string in a reference, even if one defines it (Q33). */
static const struct hp_string *find(const struct hp_name_table *s, uint64_t id)
{
	return id ? hp_u64_map_get(&s->strings, id) : NULL;
}

static struct hp_class_name *unknown(struct hp_name_table *s, const char *what,
				     uint64_t id)
{
	enum { ROOM = 48 };
	struct hp_class_name *name = take(s, sizeof *name + ROOM);

	if (name)
		name->size = (size_t)snprintf(
			name->text, ROOM, "unknown-%s@0x%" PRIx64, what, id);
	return name;
}

static struct hp_class_name *decode(struct hp_name_table *s,
				    const struct hp_string *string)
{
	uint32_t size =
		string->size < NAME_MAX_SIZE ? string->size : NAME_MAX_SIZE;
	size_t room = hprof_class_name_decode(string->bytes, size, NULL, 0);
	struct hp_class_name *name = take(s, sizeof *name + room + 1);

	if (!name)
		return NULL;
	hprof_class_name_decode(string->bytes, size, name->text, room);
	name->text[room] = '\0';
	name->size = room;
	return name;
}

const struct hp_class_name *hp_name_table_class_name(struct hp_name_table *s,
						     uint64_t class_id)
{
	const struct hp_loaded_class *loaded =
		hp_u64_map_get(&s->classes, class_id);
	const struct hp_string *string;
	struct hp_class_name *name;

	if (!loaded)
		return unknown(s, "class", class_id);
	name = hp_u64_map_get(&s->names, loaded->name_id);
	if (name)
		return name;
	string = find(s, loaded->name_id);
	name = string ? decode(s, string) : unknown(s, "name", loaded->name_id);
	put(s, &s->names, loaded->name_id, name);
	return name;
}

/* ---- life ---------------------------------------------------------------- */

int hp_name_table_init(struct hp_name_table *s)
{
	memset(s, 0, sizeof *s);
	s->profile_end = &s->profile;
	if (hp_u64_map_init(&s->strings, 3) ||
	    hp_u64_map_init(&s->classes, 3) || hp_u64_map_init(&s->names, 3) ||
	    hp_u64_map_init(&s->serials, 3) || hp_u64_map_init(&s->frames, 3) ||
	    hp_u64_map_init(&s->traces, 3))
		return -1;
	return 0;
}

void hp_name_table_done(struct hp_name_table *s)
{
	hp_u64_map_done(&s->strings);
	hp_u64_map_done(&s->classes);
	hp_u64_map_done(&s->names);
	hp_u64_map_done(&s->serials);
	hp_u64_map_done(&s->frames);
	hp_u64_map_done(&s->traces);
	hp_free(s->loaded);
	hp_free(s->threads);
	hp_arena_done(&s->arena);
}
