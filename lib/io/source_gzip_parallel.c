/* SPDX-License-Identifier: MIT */
/*
 * source_gzip_parallel.c - inflates gzip files of small members with several
 * threads.
 *
 * gzip_split.c cuts the input into pieces and inflates them. If a piece cannot
 * be inflated, the file is damaged or does not have small members; the ordinary
 * source then continues with that piece. So for any input the bytes and the
 * final status are those of the ordinary source.
 */
#include <string.h>

#include "base/error.h"
#include "io/gzip_split.h"
#include "base/mem.h"
#include "io/source.h"
#include "io/source_stream.h"

struct parallel {
	struct hp_source source;
	struct hp_gzip_split pieces;
	size_t at; /* in the output of piece OUT, if HOLDING */
	bool holding;
	uint64_t in_total, out_total; /* bytes of the pieces handed out */
	struct hp_source *rest;	      /* the ordinary source; NULL: not yet */
};

/* ---- pieces -------------------------------------------------------------- */

static struct hp_gzip_piece *piece_out(struct parallel *parallel)
{
	return hp_gzip_piece_at(&parallel->pieces, parallel->pieces.out);
}

static void give_back(struct parallel *parallel)
{
	struct hp_gzip_piece *piece = piece_out(parallel);

	parallel->holding = false;
	parallel->in_total += piece->size;
	parallel->out_total += piece->out_end;
	hp_gzip_split_release(&parallel->pieces);
}

static size_t give_bytes(struct parallel *parallel, unsigned char *buffer,
			 size_t room)
{
	struct hp_gzip_piece *piece = piece_out(parallel);
	size_t n = piece->out_end - parallel->at;

	if (n > room)
		n = room;
	memcpy(buffer, piece->out + parallel->at, n);
	parallel->at += n;
	if (parallel->at == piece->out_end)
		give_back(parallel);
	return n;
}

/* ---- the rest of the input, in order ------------------------------------- */

struct rest_source {
	struct hp_source source; /* shares below with the parallel source */
	struct hp_gzip_split *pieces;
	uint64_t piece;
	size_t at; /* in the piece, then in the carry */
};

/* Reads from pieces that were cut already. */
static size_t rest_cut(struct rest_source *rest, void *buffer, size_t room)
{
	struct hp_gzip_split *pieces = rest->pieces;
	const struct hp_gzip_piece *piece =
		hp_gzip_piece_at(pieces, rest->piece);
	bool in_piece = rest->piece < pieces->in;
	const unsigned char *bytes = in_piece ? piece->in : pieces->carry;
	size_t n = (in_piece ? piece->size : pieces->carry_size) - rest->at;

	if (n > room)
		n = room;
	memcpy(buffer, bytes + rest->at, n);
	rest->at += n;
	if (in_piece && rest->at == piece->size) {
		rest->piece++;
		rest->at = 0;
	}
	return n;
}

static enum hprof_status rest_read(struct hp_source *source, void *buffer,
				   size_t room, size_t *ret_n)
{
	struct rest_source *rest = (struct rest_source *)source;
	enum hprof_status *below = &rest->pieces->status, status;

	if (hp_source_early(source, buffer, room, ret_n, &status))
		return status;
	*ret_n = rest_cut(rest, buffer, room);
	if (*ret_n > 0)
		return HPROF_OK;
	if (*below == HPROF_E_NOMEM && source->below->error.status >= 0)
		return hp_no_memory(&source->error);
	if (*below == HPROF_OK)
		*below = source->below->ops->read(source->below, buffer, room,
						  ret_n);
	if (*below != HPROF_OK)
		hp_source_inherit(source);
	return *below;
}

static void rest_close(struct hp_source *source)
{
	source->below = NULL;
	hp_source_free(source);
}

static const struct hp_source_ops rest_ops = { .read = rest_read,
					       .pread = NULL,
					       .close = rest_close };

/* Opens the ordinary source, in its own thread, from the piece at OUT on. */
static enum hprof_status open_rest(struct parallel *parallel)
{
	struct hprof_error *error = &parallel->source.error;
	struct hp_source *below = parallel->source.below;
	struct rest_source *rest;
	struct hp_source *top;

	hp_gzip_split_stop(&parallel->pieces);
	rest = hp_calloc(1, sizeof(*rest));
	if (rest == NULL)
		return hp_no_memory(error);
	hp_source_init(&rest->source, &rest_ops, below, "");
	memcpy(rest->source.container, below->container,
	       sizeof(below->container));
	rest->pieces = &parallel->pieces;
	rest->piece = parallel->pieces.out;
	HP_TRY(hp_source_stream(&rest->source, &hp_codec_gzip, &top, error));
	hp_source_stream_base(top, parallel->in_total, parallel->out_total);
	return hp_read_ahead(top, &parallel->rest, error);
}

static void copy_hotspot(struct parallel *parallel)
{
	if (strncmp(parallel->rest->container, "gzip (", 6) == 0)
		hp_source_set_hotspot(&parallel->source);
}

static enum hprof_status read_rest(struct parallel *parallel, void *buffer,
				   size_t room, size_t *ret_n)
{
	struct hp_source *source = &parallel->source;
	struct hp_source *rest = parallel->rest;
	enum hprof_status status = rest->ops->read(rest, buffer, room, ret_n);

	copy_hotspot(parallel);
	if (status == HPROF_OK)
		return status;
	source->warning_code = rest->warning_code;
	memcpy(source->warning, rest->warning, sizeof(source->warning));
	if (status < 0)
		source->error = rest->error;
	return status;
}

/* ---- the source --------------------------------------------------------- */

static enum hprof_status end_of_input(struct parallel *parallel)
{
	HP_TRY(hp_source_inherit(&parallel->source));
	if (parallel->pieces.status == HPROF_E_NOMEM)
		return hp_no_memory(&parallel->source.error);
	return HPROF_END;
}

/* Makes the caller hold a piece, or opens the rest. */
static enum hprof_status take_piece(struct parallel *parallel)
{
	switch (hp_gzip_split_next(&parallel->pieces)) {
	case HP_GZIP_NEXT_END:
		return end_of_input(parallel);
	case HP_GZIP_NEXT_REST:
		return open_rest(parallel);
	case HP_GZIP_NEXT_PIECE:
		break;
	}
	parallel->holding = true;
	parallel->at = 0;
	if (piece_out(parallel)->hotspot)
		hp_source_set_hotspot(&parallel->source);
	return HPROF_OK;
}

static enum hprof_status parallel_read(struct hp_source *source, void *buffer,
				       size_t room, size_t *ret_n)
{
	struct parallel *parallel = (struct parallel *)source;
	enum hprof_status status;

	if (hp_source_early(source, buffer, room, ret_n, &status))
		return status;
	while (*ret_n == 0) {
		if (parallel->rest != NULL)
			return read_rest(parallel, buffer, room, ret_n);
		if (!parallel->holding) {
			status = take_piece(parallel);
			if (status != HPROF_OK)
				return status;
			continue;
		}
		*ret_n = give_bytes(parallel, buffer, room);
	}
	return HPROF_OK;
}

static void parallel_close(struct hp_source *source)
{
	struct parallel *parallel = (struct parallel *)source;

	hp_gzip_split_stop(&parallel->pieces);
	hp_source_close(parallel->rest);
	hp_gzip_split_done(&parallel->pieces);
	hp_source_free(source);
}

static const struct hp_source_ops parallel_ops = { .read = parallel_read,
						   .pread = NULL,
						   .close = parallel_close };

enum hprof_status hp_source_gzip_parallel(struct hp_source *below,
					  unsigned threads,
					  struct hp_source **ret,
					  struct hprof_error *error)
{
	struct parallel *parallel = hp_calloc(1, sizeof(*parallel));

	if (parallel == NULL) {
		hp_source_close(below);
		return hp_no_memory(error);
	}
	hp_source_init(&parallel->source, &parallel_ops, below, "gzip");
	parallel->source.threaded = true;
	if (!hp_gzip_split_start(&parallel->pieces, below, threads)) {
		parallel_close(&parallel->source);
		return hp_no_memory(error);
	}
	*ret = &parallel->source;
	return HPROF_OK;
}
