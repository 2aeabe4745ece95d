/* SPDX-License-Identifier: MIT */
/*
 * hprof/recipe.h - a dump as text that a person can read and edit, and back.
 *
 * A recipe is complete: dump to recipe to dump gives the same bytes, damaged
 * ones included. hprof_recipe_assemble also writes what no sane writer would:
 * wrong lengths, wrong counts, raw bytes.
 *
 *	header "JAVA PROFILE 1.0.2" id_size=8 time_ms=1700000000000
 *	UTF8 string_id=0x101 text="java/lang/Object"
 *	LOAD_CLASS class_serial=1 class_id=0x1000 name_id=0x101
 *	HEAP_DUMP_SEGMENT {
 *		CLASS_DUMP class_id=0x1000
 *		INSTANCE_DUMP object_id=0x2000 class_id=0x1000
 *	}
 *	HEAP_DUMP_END
 *
 * ---- lines
 *
 * One item per line, '#' starts a comment, blanks separate. Inside [ ] and
 * { } of a list's element a line may end anywhere between items.
 *
 *	line      = header | id-size | raw | record | "}" | empty
 *	header    = "header" STRING [ "id_size=" N ] [ "time_ms=" N ]
 *	id-size   = "id_size" N
 *	raw       = "raw" { bytes }
 *	record    = NAME { key "=" value } [ "{" ]
 *
 * header: the defaults are id_size=8 time_ms=0. Records need the width of
 * ids: that of the header, or, where the header's is not 1, 2, 4 or 8 or is
 * to be a lie, that of an id_size line.
 *
 * NAME and keys are those of hprof_record_describe, in any order, each at
 * most once; a number that is missing is 0, a list or bytes that are missing
 * are empty. After the '{' of HEAP_DUMP and HEAP_DUMP_SEGMENT come lines with
 * sub-records and raw, then a line "}". Sub-records stand nowhere else.
 *
 * Keys of every top-level record beside its own:
 *
 *	time_us=N    microseconds since the header's time
 *	length=N     instead of the length that the body has
 *	rest=bytes   behind the last field
 *	body=bytes   instead of all fields
 *
 * RECORD tag=N body=bytes is a top-level record of any tag.
 *
 * Counts are computed; a count that is given replaces the right one. Counts
 * and length= may also be relative to it: length=-4, frame_count=+1.
 *
 * ---- values
 *
 *	N         = [ "+" | "-" ] ( decimal digits | "0x" hexadecimal digits )
 *	type      = object | boolean | char | float | double | byte | short |
 *		    int | long | N, a code
 *	STRING    = '"' characters '"', with \\ \" \n \t \r \xHH
 *	bytes     = piece [ "*" N ] | "[" { piece [ "*" N ] } "]"
 *	piece     = HEX | "hex:" HEX | STRING | type-name ":" typed
 *	HEX       = pairs of hexadecimal digits, without blanks
 *	typed     = N | for float and double: decimal with a point, or the bits
 *		    as 0x...; for a code that is no type: HEX
 *
 * "*" N repeats the item before it N times: 00*1000. Characters in strings
 * stand for their bytes.
 *
 *	text, data, body, rest  bytes
 *	frames, elements        "[" { N [ "*" N ] } "]", of ids
 *	elements                "[" { element [ "*" N ] } "]", of a primitive
 *	                        array; type= stands before it
 *	sites, samples          "[" { "{" { key "=" N } "}" [ "*" N ] } "]"
 *	constants               "[" { N ":" type ":" typed [ "*" N ] } "]"
 *	statics                 the same, N is the id of the name
 *	fields                  "[" { N ":" type [ "*" N ] } "]"
 *	element   = typed | "hex:" HEX | STRING, for char in UTF-16
 *
 * CLASS_DUMP also takes constant_count=, static_count= and field_count=.
 *
 * A repetition may give 64 MiB, all of a recipe 1 GiB. A block whose length=
 * is absolute is passed on as it comes; others are held until their end.
 *
 * ---- threads
 *
 * Nothing here keeps state between calls: any thread, any number at a time.
 */
#ifndef HPROF_RECIPE_H
#define HPROF_RECIPE_H

#include <hprof/error.h>
#include <hprof/input.h>
#include <hprof/record.h>
#include <hprof/writer.h> /* hprof_write_fn */

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes the recipe of the SIZE bytes of a dump. Never fails on the content:
 * what cannot be decoded is written as raw bytes. HPROF_E_SYS if write fails;
 * HPROF_E_USAGE without bytes or write. Allocates nothing.
 */
HPROF_API enum hprof_status hprof_recipe_write(const void *bytes, size_t size,
					       hprof_write_fn *write,
					       void *user);

/*
 * Assembles the recipe TEXT to bytes, passed on record by record: after a
 * failure those before it are written.
 *
 * HPROF_E_CORRUPT: the error's text names line and column, its offset is the
 * offset in TEXT. HPROF_E_LIMIT: a repetition or the output is too large.
 * HPROF_E_NOMEM, HPROF_E_SYS (write failed), HPROF_E_USAGE. RET_ERROR may be
 * NULL.
 */
HPROF_API enum hprof_status
hprof_recipe_assemble(const char *text, size_t size, hprof_write_fn *write,
		      void *user, struct hprof_error *ret_error);

/* ---- inputs of any size -------------------------------------------------- */

/*
 * The same for INPUT, compressed or not, in a few MiB of memory. Of a dump all
 * of the file is written, whatever it holds: a path is taken as it is, without
 * "#N", and the input's dump must be 0. The phase of the progress is "recipe",
 * in bytes of the file. RET_ERROR may be NULL.
 *
 * HPROF_E_TRUNCATED, HPROF_E_CORRUPT: the compressed file ends too early or is
 * damaged; HPROF_E_CANCELLED; what came before has been written. The limits of
 * hprof_recipe_assemble are those of one record here, and a list may have
 * 1 GiB of text.
 */
HPROF_API enum hprof_status
hprof_recipe_write_input(const struct hprof_input *input,
			 hprof_write_fn *write, void *user,
			 struct hprof_error *ret_error);
HPROF_API enum hprof_status
hprof_recipe_assemble_input(const struct hprof_input *input,
			    hprof_write_fn *write, void *user,
			    struct hprof_error *ret_error);

/*
 * True if INPUT, compressed or not, begins like a recipe: with one of its
 * words, or a comment. False for what cannot be read twice, which is not
 * touched: "-", a pipe, a callback.
 */
HPROF_API bool hprof_recipe_is(const struct hprof_input *input);

#ifdef __cplusplus
}
#endif

#endif
