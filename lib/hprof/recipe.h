/* SPDX-License-Identifier: MIT */
/*
 * hprof/recipe.h - a dump as text that a person can read and edit, and back.
 *
 * A recipe is complete: converting a dump to a recipe and back gives the same
 * bytes, even if the dump is damaged. A recipe can also describe what no
 * correct program writes: wrong lengths, wrong counts, raw bytes.
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
 * There is one item per line; '#' starts a comment; blanks separate words. In
 * a list, and in the { } of an element, a line may end between any two items.
 *
 *	line      = header | id-size | raw | record | "}" | empty
 *	header    = "header" STRING [ "id_size=" N ] [ "time_ms=" N ]
 *	id-size   = "id_size" N
 *	raw       = "raw" { bytes }
 *	record    = NAME { key "=" value } [ "{" ]
 *
 * header: the defaults are id_size=8 and time_ms=0. Ids in records have the
 * width that the header says. If that is not 1, 2, 4 or 8, or is meant to be
 * wrong, a line id_size gives the width.
 *
 * NAME and keys are those of hprof_record_describe. Keys may be in any order,
 * each at most once. A number that is not given is 0; a list or bytes not
 * given are empty. Lines with sub-records or raw bytes follow the '{' of
 * HEAP_DUMP and HEAP_DUMP_SEGMENT, and a line "}" ends them. Sub-records are
 * allowed nowhere else.
 *
 * Every top-level record also takes these keys:
 *
 *	time_us=N    microseconds since the header's time
 *	length=N     written instead of the real length of the body
 *	rest=bytes   added after the last field
 *	body=bytes   replaces all fields
 *
 * RECORD tag=N body=bytes is a top-level record of any tag.
 *
 * Counts are computed, unless the line gives one. A count or length= with a
 * sign is relative to the right value: length=-4, frame_count=+1.
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
 * "*" N writes the item before it N times: 00*1000 is 1000 zero bytes. A
 * character in a string stands for its bytes.
 *
 *	text, data, body, rest  bytes
 *	frames, elements        "[" { N [ "*" N ] } "]", of ids
 *	elements                "[" { element [ "*" N ] } "]", of a primitive
 *	                        array; type= must precede it
 *	sites, samples          "[" { "{" { key "=" N } "}" [ "*" N ] } "]"
 *	constants               "[" { N ":" type ":" typed [ "*" N ] } "]"
 *	statics                 the same, N is the id of the name
 *	fields                  "[" { N ":" type [ "*" N ] } "]"
 *	element   = typed | "hex:" HEX | STRING, for char in UTF-16
 *
 * CLASS_DUMP also takes constant_count=, static_count= and field_count=.
 *
 * A repetition may produce at most 64 MiB, a whole recipe 1 GiB. A block with
 * an absolute length= is written while it is read; other blocks are held in
 * memory until their end.
 *
 * ---- threads
 *
 * These functions keep no state between calls. Any number of threads may call
 * them at the same time.
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
 * Writes the recipe of a dump of SIZE bytes, in pieces, to WRITE. No content
 * makes it fail: what cannot be decoded is written as raw bytes. HPROF_E_SYS if
 * WRITE fails; HPROF_E_USAGE if BYTES or WRITE is NULL. Allocates nothing.
 */
HPROF_API enum hprof_status hprof_recipe_write(const void *bytes, size_t size,
					       hprof_write_fn *write,
					       void *user);

/*
 * Assembles the recipe TEXT and passes the bytes of each record to WRITE. If it
 * fails, the records before the failure have been written.
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
 * Like the functions above, for INPUT, compressed or not, in a few MiB of
 * memory. The whole file is converted, even if it holds several dumps: a "#N"
 * at the end of a path has no meaning, and the input's dump must be 0. The
 * phase of the progress is "recipe", in bytes of the file. RET_ERROR may be
 * NULL.
 *
 * HPROF_E_TRUNCATED, HPROF_E_CORRUPT: the compressed file ends too early or is
 * damaged. HPROF_E_CANCELLED: the progress function cancelled. In each case
 * everything before that point has been written. The limits of
 * hprof_recipe_assemble apply to each record here, and the text of a list may
 * have 1 GiB.
 */
HPROF_API enum hprof_status
hprof_recipe_write_input(const struct hprof_input *input, hprof_write_fn *write,
			 void *user, struct hprof_error *ret_error);
HPROF_API enum hprof_status
hprof_recipe_assemble_input(const struct hprof_input *input,
			    hprof_write_fn *write, void *user,
			    struct hprof_error *ret_error);

/*
 * True if INPUT, compressed or not, starts with a comment or a word that starts
 * a line of a recipe. False for inputs that cannot be read twice, from which
 * nothing is read: "-", a pipe, a callback.
 */
HPROF_API bool hprof_recipe_is(const struct hprof_input *input);

#ifdef __cplusplus
}
#endif

#endif
