/* SPDX-License-Identifier: MIT */
/*
 * plain_value.c - see plain_value.h.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/report/plain_big.h"
#include "tools/report/plain_fields.h"
#include "tools/report/plain_time.h"
#include "tools/report/plain_value.h"

#define TEXT_MOST 200

/* ---- one field ----------------------------------------------------------- */

/* A class whose instances stand for what is in a field. */
struct box {
	const char *class_name, *field;
	unsigned type; /* of the field; OBJECT: a container of one object */
	unsigned as;   /* the type that it means, if that is another */
};

static const struct box boxes[] = {
	{ "java.lang.Boolean", "value", HPROF_TYPE_BOOLEAN, 0 },
	{ "java.lang.Byte", "value", HPROF_TYPE_BYTE, 0 },
	{ "java.lang.Character", "value", HPROF_TYPE_CHAR, 0 },
	{ "java.lang.Double", "value", HPROF_TYPE_DOUBLE, 0 },
	{ "java.lang.Float", "value", HPROF_TYPE_FLOAT, 0 },
	{ "java.lang.Integer", "value", HPROF_TYPE_INT, 0 },
	{ "java.lang.Long", "value", HPROF_TYPE_LONG, 0 },
	{ "java.lang.Short", "value", HPROF_TYPE_SHORT, 0 },
	{ "java.util.concurrent.atomic.AtomicBoolean", "value", HPROF_TYPE_INT,
	  HPROF_TYPE_BOOLEAN },
	{ "java.util.concurrent.atomic.AtomicInteger", "value", HPROF_TYPE_INT,
	  0 },
	{ "java.util.concurrent.atomic.AtomicLong", "value", HPROF_TYPE_LONG,
	  0 },
	{ "java.util.concurrent.atomic.AtomicReference", "value",
	  HPROF_TYPE_OBJECT, 0 },
	{ "java.util.Optional", "value", HPROF_TYPE_OBJECT, 0 },
};

static bool open_box(struct hprof_cursor *cursor, uint64_t object,
		     const struct box *box, struct plain_value *ret)
{
	struct hprof_object at;
	struct hprof_field field;

	if (hprof_cursor_seek(cursor, object, &at) != HPROF_OK ||
	    hprof_cursor_field_named(cursor, box->class_name, box->field,
				     &field) != HPROF_OK ||
	    field.type != box->type)
		return false;
	ret->type = box->as ? box->as : field.type;
	ret->bits = field.value;
	ret->text = NULL;
	if (box->type == HPROF_TYPE_OBJECT)
		ret->text = cli_strdup(strrchr(box->class_name, '.') + 1);
	return true;
}

/* ---- texts --------------------------------------------------------------- */

static char *uuid_text(struct hprof_cursor *cursor,
		       const struct hprof_heap *heap, uint64_t object)
{
	int64_t high, low;
	uint64_t h, l;

	(void)heap;
	if (!plain_number(cursor, object, "mostSigBits", &high) ||
	    !plain_number(cursor, object, "leastSigBits", &low))
		return NULL;
	h = (uint64_t)high;
	l = (uint64_t)low;
	return describe_format("%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64
			       "-%04" PRIx64 "-%012" PRIx64,
			       h >> 32, h >> 16 & 0xffff, h & 0xffff, l >> 48,
			       l & 0xffffffffffff);
}

static char *uri_text(struct hprof_cursor *cursor,
		      const struct hprof_heap *heap, uint64_t object)
{
	return plain_text(cursor, object, "string", heap, TEXT_MOST);
}

static char *file_text(struct hprof_cursor *cursor,
		       const struct hprof_heap *heap, uint64_t object)
{
	return plain_text(cursor, object, "path", heap, TEXT_MOST);
}

static const struct {
	const char *class_name;
	char *(*text)(struct hprof_cursor *cursor,
		      const struct hprof_heap *heap, uint64_t object);
} texts[] = {
	{ "java.io.File", file_text },
	{ "java.math.BigDecimal", plain_big_decimal },
	{ "java.math.BigInteger", plain_big_integer },
	{ "java.net.URI", uri_text },
	{ "java.sql.Date", plain_util_date },
	{ "java.sql.Timestamp", plain_util_date },
	{ "java.time.Instant", plain_instant },
	{ "java.time.LocalDate", plain_local_date },
	{ "java.time.LocalDateTime", plain_local_date_time },
	{ "java.time.LocalTime", plain_local_time },
	{ "java.util.Date", plain_util_date },
	{ "java.util.UUID", uuid_text },
};

/* The name of an enum constant, whose class may be one of its own. */
static bool enum_constant(struct hprof_cursor *cursor,
			  const struct hprof_heap *heap,
			  const struct hprof_object *object,
			  struct plain_value *ret)
{
	size_t row = hprof_heap_class_named(heap, "java.lang.Enum", 0);
	const char *text;
	struct hprof_field field;
	struct hprof_object at;
	uint64_t name;

	if (row == SIZE_MAX ||
	    !hprof_heap_class_is(heap, object->class_row, row) ||
	    hprof_cursor_seek(cursor, object->index, &at) != HPROF_OK ||
	    hprof_cursor_field_named(cursor, "java.lang.Enum", "name",
				     &field) != HPROF_OK)
		return false;
	name = hprof_heap_find(heap, field.value);
	if (name == HPROF_NO_OBJECT ||
	    hprof_cursor_seek(cursor, name, &at) != HPROF_OK ||
	    hprof_cursor_text(cursor, TEXT_MOST, &text, NULL) != HPROF_OK)
		return false;
	*ret = (struct plain_value){ .text = cli_strdup(text) };
	return true;
}

bool plain_value_take(struct hprof_cursor *cursor,
		      const struct hprof_heap *heap, uint64_t object,
		      struct plain_value *ret)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap);
	struct hprof_object at;
	const char *name;

	if (hprof_cursor_seek(cursor, object, &at) != HPROF_OK ||
	    at.kind != HPROF_OBJECT_INSTANCE ||
	    at.class_row >= summary->class_count)
		return false;
	name = summary->class_rows[at.class_row].name;
	if (strncmp(name, "java.", 5) != 0)
		return enum_constant(cursor, heap, &at, ret);
	for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++)
		if (strcmp(name, boxes[i].class_name) == 0)
			return open_box(cursor, object, &boxes[i], ret);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *text;

		if (strcmp(name, texts[i].class_name) != 0)
			continue;
		text = texts[i].text(cursor, heap, object);
		if (text)
			*ret = (struct plain_value){ .text = text };
		return text != NULL;
	}
	return enum_constant(cursor, heap, &at, ret);
}
