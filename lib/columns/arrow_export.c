/* SPDX-License-Identifier: MIT */
/*
 * arrow_export.c - see arrow_export.h.
 *
 * A consumer may move children out of their parent, and release them later than
 * it. So each has what it owns in its own private data: an array its buffers, a
 * parent the memory of the structs of its children, and of its dictionary.
 */
#include "columns/arrow_export.h"

#include <string.h>

#include "base/mem.h"

/* ---- schemas ------------------------------------------------------------- */

/* The structs that a schema has below it. */
struct schema_owner {
	char *name;
	struct ArrowSchema **pointers;
	struct ArrowSchema *structs;
	size_t count;
};

static void release_schema(struct ArrowSchema *schema)
{
	struct schema_owner *owner = schema->private_data;

	for (size_t i = 0; owner && i < owner->count; i++)
		if (owner->structs[i].release)
			owner->structs[i].release(&owner->structs[i]);
	if (owner) {
		hp_free(owner->name);
		hp_free(owner->pointers);
		hp_free(owner->structs);
	}
	hp_free(owner);
	schema->release = NULL;
}

static struct schema_owner *own_schemas(size_t count)
{
	struct schema_owner *owner = hp_calloc(1, sizeof *owner);

	if (!owner)
		return NULL;
	owner->count = count;
	owner->structs = hp_calloc(count + 1, sizeof *owner->structs);
	owner->pointers = hp_calloc(count + 1, sizeof(void *));
	if (owner->structs && owner->pointers) {
		for (size_t i = 0; i < count; i++)
			owner->pointers[i] = &owner->structs[i];
		return owner;
	}
	hp_free(owner->structs);
	hp_free(owner->pointers);
	hp_free(owner);
	return NULL;
}

static const char *format_of(enum hp_column_form form)
{
	static const char *const formats[] = {
		[HP_COLUMN_INT64] = "l",  [HP_COLUMN_UINT64] = "L",
		[HP_COLUMN_DOUBLE] = "g", [HP_COLUMN_TEXT] = "u",
		[HP_COLUMN_WORD] = "i",	  [HP_COLUMN_CLASS] = "i",
	};

	return formats[form];
}

/* The names of fields are the heap's, which a schema may outlive. */
static bool column_schema(const struct hp_column *column,
			  struct ArrowSchema *ret)
{
	bool has_words = hp_column_has_words(column);
	size_t size = strlen(column->name) + 1;
	struct schema_owner *owner = own_schemas(has_words);

	if (!owner)
		return false;
	*ret = (struct ArrowSchema){
		.format = format_of(column->form),
		.flags = ARROW_FLAG_NULLABLE,
		.dictionary = has_words ? owner->structs : NULL,
		.release = release_schema,
		.private_data = owner,
	};
	owner->name = hp_alloc(size);
	if (!owner->name)
		return false;
	memcpy(owner->name, column->name, size);
	ret->name = owner->name;
	if (has_words)
		owner->structs[0] = (struct ArrowSchema){
			.format = "u", .name = "", .release = release_schema
		};
	return true;
}

enum hprof_status hp_arrow_schema(const struct hp_column *columns, size_t count,
				  struct ArrowSchema *ret_schema)
{
	struct schema_owner *owner = own_schemas(count);
	struct ArrowSchema schema = {
		.format = "+s",
		.name = "",
		.n_children = (int64_t)count,
		.children = owner ? owner->pointers : NULL,
		.release = release_schema,
		.private_data = owner,
	};

	if (!owner)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < count; i++)
		if (!column_schema(&columns[i], &owner->structs[i])) {
			release_schema(&schema);
			return HPROF_E_NOMEM;
		}
	*ret_schema = schema;
	return HPROF_OK;
}

/* ---- arrays -------------------------------------------------------------- */

enum { BUFFERS_MOST = 3 };

struct array_owner {
	const void *buffers[BUFFERS_MOST];
	void *owned[BUFFERS_MOST];
	struct ArrowArray **pointers;
	struct ArrowArray *structs;
	size_t count;
};

static void release_array(struct ArrowArray *array)
{
	struct array_owner *owner = array->private_data;

	for (size_t i = 0; i < owner->count; i++)
		if (owner->structs[i].release)
			owner->structs[i].release(&owner->structs[i]);
	for (size_t i = 0; i < BUFFERS_MOST; i++)
		hp_free(owner->owned[i]);
	hp_free(owner->pointers);
	hp_free(owner->structs);
	hp_free(owner);
	array->release = NULL;
}

/* An array of ROWS rows with COUNT structs below it, without buffers. */
static bool begin_array(struct ArrowArray *ret, size_t rows, size_t count)
{
	struct array_owner *owner = hp_calloc(1, sizeof *owner);

	if (!owner)
		return false;
	owner->structs = hp_calloc(count + 1, sizeof *owner->structs);
	owner->pointers = hp_calloc(count + 1, sizeof(void *));
	*ret = (struct ArrowArray){
		.length = (int64_t)rows,
		.buffers = owner->buffers,
		.release = release_array,
		.private_data = owner,
	};
	if (!owner->structs || !owner->pointers) {
		release_array(ret);
		return false;
	}
	owner->count = count;
	for (size_t i = 0; i < count; i++)
		owner->pointers[i] = &owner->structs[i];
	return true;
}

/* Buffers without rows need not exist, but some readers want them to. */
static const int64_t nothing;

static void take_buffer(struct ArrowArray *array, void *buffer, bool optional)
{
	struct array_owner *owner = array->private_data;

	owner->owned[array->n_buffers] = buffer;
	owner->buffers[array->n_buffers] =
		buffer || optional ? buffer : &nothing;
	array->n_buffers++;
}

static void take_texts(struct ArrowArray *array, struct hp_texts *texts)
{
	take_buffer(array, texts->ends, false);
	take_buffer(array, texts->bytes, false);
	*texts = (struct hp_texts){ 0 };
}

static bool begin_column(const struct hp_column *column, struct ArrowArray *ret)
{
	bool is_word = hp_column_has_words(column);
	struct array_owner *owner;

	if (!begin_array(ret, column->count, is_word))
		return false;
	ret->null_count = (int64_t)column->nulls;
	if (!is_word)
		return true;
	owner = ret->private_data;
	if (!begin_array(owner->structs, column->texts.count, 0)) {
		release_array(ret);
		return false;
	}
	ret->dictionary = owner->structs;
	return true;
}

/* Nothing can fail any more. */
static void fill_column(struct hp_column *column, struct ArrowArray *array)
{
	take_buffer(array, column->valid, true);
	if (column->form == HP_COLUMN_TEXT) {
		take_texts(array, &column->texts);
	} else {
		take_buffer(array, column->values, false);
		if (array->dictionary) {
			take_buffer(array->dictionary, NULL, true);
			take_texts(array->dictionary, &column->texts);
		}
	}
	column->valid = NULL;
	column->values = NULL;
	hp_column_clear(column);
}

enum hprof_status hp_arrow_batch(struct hp_column *columns, size_t count,
				 size_t rows, struct ArrowArray *ret_array)
{
	struct ArrowArray array;
	struct array_owner *owner;

	if (!begin_array(&array, rows, count))
		return HPROF_E_NOMEM;
	owner = array.private_data;
	for (size_t i = 0; i < count; i++)
		if (!begin_column(&columns[i], &owner->structs[i])) {
			memset(&owner->structs[i], 0, sizeof *owner->structs);
			release_array(&array);
			return HPROF_E_NOMEM;
		}
	for (size_t i = 0; i < count; i++)
		fill_column(&columns[i], &owner->structs[i]);
	take_buffer(&array, NULL, true);
	array.n_children = (int64_t)count;
	array.children = owner->pointers;
	*ret_array = array;
	return HPROF_OK;
}
