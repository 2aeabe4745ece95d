/* SPDX-License-Identifier: MIT */
/*
 * name_table.c - see name_table.h.
 */
#include "model/name_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/wire.h"

enum {
	TEXT_MAX = 1 << 20, /* of longer strings only the start is kept */
	FRAMES_MAX = 1 << 20,
	PROFILE_MAX = 64 << 20
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
	if (value && hp_u64_map_put(map, key, value) != HPROF_OK)
		s->no_memory = true;
}

/* ---- records ------------------------------------------------------------- */

static const char *const known_texts[HP_KNOWN_NAMES] = {
	[HP_NAME_SIZE] = "size",
	[HP_NAME_RESOLVED_REFERENCES] = "<resolved_references>",
	[HP_NAME_INIT_LOCK] = "<init_lock>",
	[HP_NAME_INIT_LOCK_8] = "init_lock",
	[HP_NAME_SECONDARY_SEED] = "threadLocalRandomSecondarySeed",
};

static void note_known(struct hp_name_table *s, uint64_t string_id)
{
	const struct hp_string *string =
		hp_string_table_get(&s->strings, string_id);

	for (unsigned i = 0; i < HP_KNOWN_NAMES; i++)
		if (hp_string_is(string, known_texts[i]))
			s->known[i] = string_id;
}

static void note_string(struct hp_name_table *s, struct hprof_reader *reader,
			const struct hprof_record *record)
{
	const struct hprof_utf8 *utf8 = &record->u.utf8;

	switch (hp_string_table_take(&s->strings, utf8, reader)) {
	case HP_STRING_NEW:
		note_known(s, utf8->string_id);
		break;
	case HP_STRING_CLASH:
		if (s->string_clashes++ == 0)
			s->string_clash = record->offset;
		break;
	case HP_STRING_NO_MEMORY:
		s->no_memory = true;
		break;
	default: /* GraalVM repeats strings */
		break;
	}
}

static void note_class(struct hp_name_table *s,
		       const struct hprof_load_class *load)
{
	const struct hp_known_class *known =
		hp_known_classes_load(&s->classes, load);

	if (!known)
		s->no_memory = true;
	else if (hp_string_is(hp_string_table_get(&s->strings, known->name_id),
			      "jdk/internal/vm/StackChunk"))
		s->chunk_class_id = known->id;
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
		    sizeof *s->threads) != HPROF_OK) {
		s->no_memory = true;
		return;
	}
	s->threads[s->thread_count++] =
		(struct hp_started_thread){ start->thread_id, start->name_id,
					    start->thread_serial,
					    start->trace_serial };
}

/* Profiles of the old agents are few, so their records are kept unchanged. */
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
			hp_read_long_field(reader, bytes, (size_t)body->size);
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

const struct hp_string *
hp_name_table_raw_class_name(const struct hp_name_table *s, uint64_t class_id)
{
	const struct hp_known_class *known =
		hp_known_classes_loaded(&s->classes, class_id);

	return known ? hp_string_table_find(&s->strings, known->name_id) : NULL;
}

static const struct hp_text *unknown_class(struct hp_name_table *s, uint64_t id)
{
	enum { ROOM = 48 };
	struct hp_text *name = take(s, sizeof *name + ROOM);

	if (name)
		name->size = (size_t)snprintf(name->text, ROOM,
					      "unknown-class@0x%" PRIx64, id);
	return name;
}

const struct hp_text *hp_name_table_class_name(struct hp_name_table *s,
					       uint64_t class_id)
{
	const struct hp_known_class *known =
		hp_known_classes_loaded(&s->classes, class_id);

	return known ? hp_decoded_class_name_or_id(&s->names, known->name_id)
		     : unknown_class(s, class_id);
}

/* ---- life ---------------------------------------------------------------- */

enum hprof_status hp_name_table_init(struct hp_name_table *s, size_t class_size,
				     unsigned quarters)
{
	memset(s, 0, sizeof *s);
	s->profile_end = &s->profile;
	HP_TRY(hp_string_table_init(&s->strings, sizeof(struct hp_string),
				    TEXT_MAX));
	HP_TRY(hp_known_classes_init(&s->classes, class_size, quarters));
	HP_TRY(hp_decoded_names_init(&s->names, &s->strings, &s->arena));
	HP_TRY(hp_u64_map_init(&s->frames, 3));
	return hp_u64_map_init(&s->traces, 3);
}

void hp_name_table_done(struct hp_name_table *s)
{
	hp_string_table_done(&s->strings);
	hp_known_classes_done(&s->classes);
	hp_decoded_names_done(&s->names);
	hp_u64_map_done(&s->frames);
	hp_u64_map_done(&s->traces);
	hp_free(s->threads);
	hp_arena_done(&s->arena);
}
