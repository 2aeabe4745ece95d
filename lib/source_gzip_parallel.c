/*
 * source_gzip_parallel.c - gzip made of small members, by several threads.
 *
 * HotSpot writes members of at most 1 MiB. Where one ends only inflating
 * tells, but what a header looks like is known: the input is cut into pieces
 * wherever a header seems to begin, and threads inflate the pieces. A piece
 * counts if it is exactly one good member. If not, a header was found within
 * compressed data, and the piece is tried once more with the next one joined
 * to it. If that does not help either, the file is damaged or of another
 * kind: from that piece on the ordinary source does the work. So whatever the
 * input, the bytes and the end are those of the ordinary source.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "mem.h"
#include "source.h"
#include "source_stream.h"

#define MEMBER_MAX ((size_t)1 << 20) /* inflated, as HotSpot has it */
/* A member that could not be compressed at all: 5 bytes for each 16 KiB. */
#define PIECE_MAX (MEMBER_MAX + (64 << 10))
#define READ_SIZE ((size_t)64 << 10)
#define HEADER_SIZE 10
#define THREADS_MAX 8 /* more than anybody can read the output of */
#define SLOTS_MAX (THREADS_MAX + 3)

enum slot_state { EMPTY, BUSY, GOOD, BAD };

/* A piece of the input, and what has become of it. */
struct slot {
	enum slot_state state;
	unsigned char *in; /* PIECE_MAX + READ_SIZE at most */
	size_t in_room;
	size_t size;
	unsigned char *out; /* MEMBER_MAX */
	size_t out_end;
	bool hotspot;
};

struct parallel;

struct worker {
	struct parallel *parallel;
	struct hp_gzip_member *gzip;
	pthread_t thread;
	bool started;
};

struct parallel {
	struct hp_source source;
	struct worker workers[THREADS_MAX]; /* [0] is the caller */
	unsigned threads;
	unsigned slots;
	struct slot slot[SLOTS_MAX]; /* piece N is in slot N % slots */

	/* Of the caller alone. */
	size_t at; /* in the output of piece OUT, if HOLDING */
	bool holding;
	uint64_t in_total, out_total; /* of the pieces given away */
	struct hp_source *rest;	      /* the ordinary source; NULL: not yet */

	/* Of the thread that is SLICING. */
	unsigned char
		carry[READ_SIZE + HEADER_SIZE]; /* behind the last piece */
	size_t carry_size;
	enum hprof_status below; /* of the last read */

	pthread_mutex_t mutex; /* for all below */
	pthread_cond_t changed;
	uint64_t in, out; /* pieces cut and given away, counted */
	bool slicing;
	bool sliced; /* the input is over, or cannot be cut */
	bool stop;
};

/* ---- cutting ------------------------------------------------------------ */

/* True if BYTES look like the header of a member by HotSpot, MAT or us. */
static bool is_header(const unsigned char *bytes)
{
	return bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8 &&
	       (bytes[3] == 0 || bytes[3] == 0x10) && bytes[4] == 0 &&
	       bytes[5] == 0 && bytes[6] == 0 && bytes[7] == 0 &&
	       (bytes[8] == 0 || bytes[8] == 2 || bytes[8] == 4) &&
	       (bytes[9] <= 13 || bytes[9] == 255);
}

/* The place of a header in BYTES from FROM on; SIZE if there is none. */
static size_t find_header(const unsigned char *bytes, size_t from, size_t size)
{
	const unsigned char *found;

	while (from + HEADER_SIZE <= size) {
		found = memchr(bytes + from, 0x1f,
			       size - from - HEADER_SIZE + 1);
		if (found == NULL)
			return size;
		from = (size_t)(found - bytes);
		if (is_header(found))
			return from;
		from++;
	}
	return size;
}

static bool make_room(struct slot *slot, size_t room)
{
	unsigned char *in;

	if (room <= slot->in_room)
		return true;
	room += room / 4;
	in = hp_realloc(slot->in, room, 1);
	if (in == NULL)
		return false;
	slot->in = in;
	slot->in_room = room;
	return true;
}

/* Reads behind what SLOT holds. */
static void read_more(struct parallel *parallel, struct slot *slot)
{
	struct hp_source *below = parallel->source.below;
	size_t n;

	if (!make_room(slot, slot->size + READ_SIZE)) {
		parallel->below = HPROF_E_NOMEM;
		return;
	}
	parallel->below =
		below->ops->read(below, slot->in + slot->size, READ_SIZE, &n);
	slot->size += n;
}

static bool take_carry(struct parallel *parallel, struct slot *slot)
{
	slot->size = 0;
	if (!make_room(slot, sizeof(parallel->carry))) {
		parallel->below = HPROF_E_NOMEM;
		return false;
	}
	memcpy(slot->in, parallel->carry, parallel->carry_size);
	slot->size = parallel->carry_size;
	parallel->carry_size = 0;
	return true;
}

/*
 * Fills SLOT with the input up to the next header. False if it is the last
 * piece: the input is over, or has had no header for too long.
 */
static bool cut_piece(struct parallel *parallel, struct slot *slot)
{
	size_t from = HEADER_SIZE;
	size_t end;

	if (!take_carry(parallel, slot))
		return false;
	while ((end = find_header(slot->in, from, slot->size)) == slot->size) {
		if (parallel->below != HPROF_OK || slot->size > PIECE_MAX)
			return false;
		if (slot->size >= 2 * HEADER_SIZE)
			from = slot->size - HEADER_SIZE + 1;
		read_more(parallel, slot);
	}
	parallel->carry_size = slot->size - end;
	memcpy(parallel->carry, slot->in + end, parallel->carry_size);
	slot->size = end;
	return true;
}

/* ---- inflating ---------------------------------------------------------- */

static enum slot_state inflate_slot(struct worker *worker, struct slot *slot)
{
	slot->out_end = 0;
	if (slot->out == NULL)
		slot->out = hp_alloc(MEMBER_MAX);
	if (slot->out == NULL || slot->size > PIECE_MAX)
		return BAD;
	return hp_gzip_member_run(worker->gzip, slot->in, slot->size, slot->out,
				  MEMBER_MAX, &slot->out_end, &slot->hotspot)
		       ? GOOD
		       : BAD;
}

static struct slot *slot_at(struct parallel *parallel, uint64_t piece)
{
	return &parallel->slot[piece % parallel->slots];
}

/* With the mutex held, as all functions from here to the threads. */
static bool can_cut(const struct parallel *parallel)
{
	return !parallel->slicing && !parallel->sliced &&
	       parallel->in - parallel->out < parallel->slots;
}

/* Cuts the next piece and inflates it; gives the mutex away meanwhile. */
static void do_piece(struct worker *worker)
{
	struct parallel *parallel = worker->parallel;
	struct slot *slot = slot_at(parallel, parallel->in);
	enum slot_state state;
	bool more;

	parallel->slicing = true;
	pthread_mutex_unlock(&parallel->mutex);
	more = cut_piece(parallel, slot);
	pthread_mutex_lock(&parallel->mutex);
	parallel->slicing = false;
	parallel->sliced = !more;
	slot->state = BUSY;
	if (slot->size > 0)
		parallel->in++;
	pthread_cond_broadcast(&parallel->changed);
	if (slot->size == 0)
		return;
	pthread_mutex_unlock(&parallel->mutex);
	state = inflate_slot(worker, slot);
	pthread_mutex_lock(&parallel->mutex);
	slot->state = state;
	pthread_cond_broadcast(&parallel->changed);
}

/* ---- threads ------------------------------------------------------------ */

static void *run_worker(void *argument)
{
	struct worker *worker = argument;
	struct parallel *parallel = worker->parallel;

	pthread_mutex_lock(&parallel->mutex);
	while (!parallel->stop && !parallel->sliced) {
		if (can_cut(parallel))
			do_piece(worker);
		else
			pthread_cond_wait(&parallel->changed, &parallel->mutex);
	}
	pthread_mutex_unlock(&parallel->mutex);
	return NULL;
}

static void stop_workers(struct parallel *parallel)
{
	unsigned i;

	pthread_mutex_lock(&parallel->mutex);
	parallel->stop = true;
	pthread_cond_broadcast(&parallel->changed);
	pthread_mutex_unlock(&parallel->mutex);
	for (i = 1; i < parallel->threads; i++) {
		if (parallel->workers[i].started)
			pthread_join(parallel->workers[i].thread, NULL);
		parallel->workers[i].started = false;
	}
}

/* ---- the caller's side --------------------------------------------------- */

/* Does something useful or waits until something has changed. */
static void help(struct parallel *parallel)
{
	if (can_cut(parallel))
		do_piece(&parallel->workers[0]);
	else
		pthread_cond_wait(&parallel->changed, &parallel->mutex);
}

static bool is_over(const struct parallel *parallel, uint64_t piece)
{
	return parallel->sliced && !parallel->slicing && piece == parallel->in;
}

/* Waits for PIECE to be inflated; false if the input ends before it. */
static bool wait_for(struct parallel *parallel, uint64_t piece)
{
	while (!is_over(parallel, piece)) {
		if (piece < parallel->in &&
		    slot_at(parallel, piece)->state != BUSY)
			return true;
		help(parallel);
	}
	return false;
}

static void release(struct parallel *parallel)
{
	slot_at(parallel, parallel->out)->state = EMPTY;
	parallel->out++;
	pthread_cond_broadcast(&parallel->changed);
}

/* Puts the bytes of the first piece before those of the second. */
static bool join_pieces(struct slot *first, struct slot *second)
{
	struct slot joined;

	if (first->size + second->size > PIECE_MAX ||
	    !make_room(first, first->size + second->size))
		return false;
	memcpy(first->in + first->size, second->in, second->size);
	joined = *first;
	first->in = second->in;
	first->in_room = second->in_room;
	second->size += first->size;
	second->in = joined.in;
	second->in_room = joined.in_room;
	return true;
}

/*
 * The piece at OUT is no good member. True if it is one together with those
 * behind it; it is at OUT then.
 */
static bool mend(struct parallel *parallel)
{
	while (wait_for(parallel, parallel->out + 1)) {
		struct slot *second = slot_at(parallel, parallel->out + 1);

		if (!join_pieces(slot_at(parallel, parallel->out), second))
			return false;
		release(parallel);
		second->state = BUSY;
		pthread_mutex_unlock(&parallel->mutex);
		second->state = inflate_slot(&parallel->workers[0], second);
		pthread_mutex_lock(&parallel->mutex);
		if (second->state == GOOD)
			return true;
	}
	return false;
}

enum next { NEXT_PIECE, NEXT_END, NEXT_REST };

static enum next next_piece(struct parallel *parallel)
{
	enum next next = NEXT_PIECE;

	pthread_mutex_lock(&parallel->mutex);
	if (!wait_for(parallel, parallel->out))
		next = NEXT_END;
	else if (slot_at(parallel, parallel->out)->state == BAD &&
		 !mend(parallel))
		next = NEXT_REST;
	pthread_mutex_unlock(&parallel->mutex);
	return next;
}

static void give_back(struct parallel *parallel)
{
	struct slot *slot = slot_at(parallel, parallel->out);

	parallel->holding = false;
	parallel->in_total += slot->size;
	parallel->out_total += slot->out_end;
	pthread_mutex_lock(&parallel->mutex);
	release(parallel);
	pthread_mutex_unlock(&parallel->mutex);
}

static size_t give_bytes(struct parallel *parallel, unsigned char *buffer,
			 size_t room)
{
	struct slot *slot = slot_at(parallel, parallel->out);
	size_t n = slot->out_end - parallel->at;

	if (n > room)
		n = room;
	memcpy(buffer, slot->out + parallel->at, n);
	parallel->at += n;
	if (parallel->at == slot->out_end)
		give_back(parallel);
	return n;
}

/* ---- the rest of the input, in order ------------------------------------- */

struct rest_source {
	struct hp_source source; /* its below is the parallel source's */
	struct parallel *parallel;
	uint64_t piece;
	size_t at; /* in the piece, then in the carry */
};

/* From what was cut already. */
static size_t rest_cut(struct rest_source *rest, void *buffer, size_t room)
{
	struct parallel *parallel = rest->parallel;
	bool in_piece = rest->piece < parallel->in;
	const unsigned char *bytes = parallel->carry;
	size_t n = parallel->carry_size - (in_piece ? 0 : rest->at);

	if (in_piece) {
		bytes = slot_at(parallel, rest->piece)->in;
		n = slot_at(parallel, rest->piece)->size - rest->at;
	}
	if (n > room)
		n = room;
	memcpy(buffer, bytes + rest->at, n);
	rest->at += n;
	if (in_piece && rest->at == slot_at(parallel, rest->piece)->size) {
		rest->piece++;
		rest->at = 0;
	}
	return n;
}

static enum hprof_status rest_read(struct hp_source *source, void *buffer,
				   size_t room, size_t *ret_n)
{
	struct rest_source *rest = (struct rest_source *)source;
	struct parallel *parallel = rest->parallel;
	enum hprof_status status;

	if (hp_source_early(source, buffer, room, ret_n, &status))
		return status;
	*ret_n = rest_cut(rest, buffer, room);
	if (*ret_n > 0)
		return HPROF_OK;
	if (parallel->below == HPROF_E_NOMEM &&
	    source->below->error.status >= 0)
		return hp_no_memory(&source->error);
	if (parallel->below == HPROF_OK)
		parallel->below = source->below->ops->read(source->below,
							   buffer, room, ret_n);
	if (parallel->below != HPROF_OK)
		hp_source_inherit(source);
	return parallel->below;
}

static void rest_close(struct hp_source *source)
{
	source->below = NULL;
	hp_source_free(source);
}

static const struct hp_source_ops rest_ops = { .read = rest_read,
					       .pread = NULL,
					       .close = rest_close };

/* From the piece at OUT on the ordinary source does it, in its own thread. */
static enum hprof_status open_rest(struct parallel *parallel)
{
	struct hprof_error *error = &parallel->source.error;
	struct hp_source *below = parallel->source.below;
	struct rest_source *rest;
	struct hp_source *top;

	stop_workers(parallel);
	rest = hp_calloc(1, sizeof(*rest));
	if (rest == NULL)
		return hp_no_memory(error);
	hp_source_init(&rest->source, &rest_ops, below, "");
	memcpy(rest->source.container, below->container,
	       sizeof(below->container));
	rest->parallel = parallel;
	rest->piece = parallel->out;
	HP_TRY(hp_source_stream(&rest->source, &hp_codec_gzip, &top, error));
	hp_source_stream_base(top, parallel->in_total, parallel->out_total);
	return hp_source_ahead(top, &parallel->rest, error);
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
	if (parallel->below == HPROF_E_NOMEM)
		return hp_no_memory(&parallel->source.error);
	return HPROF_END;
}

/* Makes the caller hold a piece, or opens the rest. */
static enum hprof_status take_piece(struct parallel *parallel)
{
	switch (next_piece(parallel)) {
	case NEXT_END:
		return end_of_input(parallel);
	case NEXT_REST:
		return open_rest(parallel);
	case NEXT_PIECE:
		break;
	}
	parallel->holding = true;
	parallel->at = 0;
	if (slot_at(parallel, parallel->out)->hotspot)
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
	unsigned i;

	stop_workers(parallel);
	hp_source_close(parallel->rest);
	for (i = 0; i < parallel->threads; i++)
		hp_gzip_member_close(parallel->workers[i].gzip);
	for (i = 0; i < parallel->slots; i++) {
		hp_free(parallel->slot[i].in);
		hp_free(parallel->slot[i].out);
	}
	pthread_cond_destroy(&parallel->changed);
	pthread_mutex_destroy(&parallel->mutex);
	hp_source_free(source);
}

static const struct hp_source_ops parallel_ops = { .read = parallel_read,
						   .pread = NULL,
						   .close = parallel_close };

/* ---- opening ------------------------------------------------------------ */

static bool start_workers(struct parallel *parallel)
{
	unsigned i;

	for (i = 0; i < parallel->threads; i++) {
		struct worker *worker = &parallel->workers[i];

		worker->parallel = parallel;
		worker->gzip = hp_gzip_member_open();
		if (worker->gzip == NULL)
			return false;
	}
	for (i = 1; i < parallel->threads; i++)
		parallel->workers[i].started =
			hp_source_thread(&parallel->workers[i].thread,
					 run_worker, &parallel->workers[i]);
	return true;
}

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
	pthread_mutex_init(&parallel->mutex, NULL);
	pthread_cond_init(&parallel->changed, NULL);
	parallel->threads = threads < THREADS_MAX ? threads : THREADS_MAX;
	parallel->slots = parallel->threads + 3;
	if (!start_workers(parallel)) {
		parallel_close(&parallel->source);
		return hp_no_memory(error);
	}
	*ret = &parallel->source;
	return HPROF_OK;
}
