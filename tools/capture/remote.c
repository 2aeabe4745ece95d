/* SPDX-License-Identifier: MIT */
/*
 * remote.c - see remote.h.
 *
 * As with a JVM on this host, a thread reads as fast as the dump comes, and the
 * copy is made from a spool, so that the JVM does not wait for our output.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/capture/dump_copy.h"
#include "tools/capture/dump_output.h"
#include "tools/capture/inflow.h"
#include "tools/capture/remote.h"
#include "tools/capture/remote_connect.h"
#include "tools/capture/remote_text.h"

/* ---- the thread ---------------------------------------------------------- */

struct arrival {
	struct inflow flow;
	pthread_t thread;
	int connection; /* -1 when it was closed */
	bool waits;	/* for a dump, any time, until its first record comes */
	struct remote_text text;
	_Atomic bool is_text;
	char name[WIRE_TEXT_MAX]; /* of the peer */
};

/* What has come when nobody asked for a dump yet: the header. */
#define HEADER_BYTES 31

static void hang_up(struct arrival *a)
{
	if (a->connection >= 0)
		close(a->connection);
	a->connection = -1;
}

/* Has nothing come but what a connection begins with? */
static bool is_idle(const struct arrival *a)
{
	return a->is_text ? !a->text.begun : a->flow.received <= HEADER_BYTES;
}

static bool is_too_slow(struct arrival *a)
{
	struct inflow *in = &a->flow;
	bool moved;

	if (a->waits && is_idle(a)) {
		inflow_moved(in);
		return false;
	}
	if (inflow_is_alive(in, &moved))
		return false;
	in->failed = true;
	hang_up(a);
	if (!in->has_room)
		inflow_output_is_stuck(in, a->name);
	reason_set(&in->reason, "it sent nothing for %u seconds (--timeout)",
		   in->timeout_s);
	return true;
}

static void *run(void *arg)
{
	struct arrival *a = arg;
	const unsigned over = INFLOW_END | INFLOW_ENOUGH | INFLOW_FAILED;

	while (!(inflow_wait(&a->flow, a->connection, -1) & over) &&
	       !is_too_slow(a))
		;
	spool_end(a->flow.spool);
	return NULL;
}

static bool start(struct arrival *a, const struct dump_order *order,
		  struct reason *reason)
{
	char *folder = dump_output_folder(order);
	bool begun = inflow_init(&a->flow, folder, dump_is_changed(order),
				 order->timeout_s, reason);

	free(folder);
	if (!begun)
		return false;
	return pthread_create(&a->thread, NULL, run, a) == 0 ||
	       reason_errno(reason, "cannot make a thread");
}

/* ---- the dump ------------------------------------------------------------ */

/* What comes in the binary format. */
static bool copy_records(const struct remote_order *order,
			 struct remote_head *head, struct hprof_writer *writer,
			 struct dump_copy *copied, bool *ret_about_output,
			 struct reason *reason)
{
	struct hprof_input input = hprof_input_callback(remote_head_read, head);
	enum dump_copy_result result =
		dump_copy(&input, order->dump, writer, copied, reason);

	*ret_about_output = result == DUMP_COPY_UNWRITABLE;
	return result == DUMP_COPIED &&
	       dump_output_finish(writer, ret_about_output, reason);
}

/* The writer is freed: text has another output of the same name. */
static bool copy_text(const struct remote_order *order, struct arrival *a,
		      struct remote_head *head, struct hprof_writer **writer,
		      bool *ret_about_output, struct reason *reason)
{
	hprof_writer_free(*writer);
	*writer = NULL;
	a->text.to_end = order->wait;
	a->is_text = true;
	return remote_text_copy(head, order->dump, &a->text, ret_about_output,
				reason);
}

static bool receive(const struct remote_order *order, struct arrival *a,
		    struct hprof_writer **writer, struct dump_copy *copied,
		    bool *ret_about_output, struct reason *reason)
{
	struct remote_head head = { .flow = &a->flow };
	bool done;

	if (!start(a, order->dump, reason))
		return false;
	if (remote_head_is_text(&head))
		done = copy_text(order, a, &head, writer, ret_about_output,
				 reason);
	else
		done = copy_records(order, &head, *writer, copied,
				    ret_about_output, reason);
	inflow_enough(&a->flow);
	pthread_join(a->thread, NULL);
	/* Why it ends is better than where. */
	if (!done && !*ret_about_output && a->flow.failed)
		*reason = a->flow.reason;
	return done;
}

/* Takes ownership of CONNECTION. */
static bool receive_from(const struct remote_order *order, int connection,
			 const struct wire_address *peer,
			 struct hprof_writer **writer, struct dump_result *ret,
			 bool *ret_about_output, struct reason *reason)
{
	struct dump_copy copied = { .first_only = true };
	struct arrival a = { .connection = connection, .waits = order->wait };
	bool done;

	wire_address_text(peer, a.name);
	done = receive(order, &a, writer, &copied, ret_about_output, reason);
	ret->objects = a.is_text ? a.text.objects : copied.objects;
	ret->bytes = a.is_text ? a.text.bytes : hprof_writer_size(*writer);
	inflow_free(&a.flow);
	hang_up(&a);
	return done;
}

bool remote_dump(const struct remote_order *order,
		 struct wire_address *ret_peer, struct dump_result *ret,
		 bool *ret_about_output, struct reason *reason)
{
	struct hprof_writer *writer;
	bool done = false;
	int connection;

	*ret = (struct dump_result){ 0 };
	*ret_peer = order->address;
	*ret_about_output = true;
	if (!dump_output_open(order->dump, &writer, reason))
		return false;
	*ret_about_output = false;
	connection = remote_connect(order, ret_peer, reason);
	if (connection >= 0)
		done = receive_from(order, connection, ret_peer, &writer, ret,
				    ret_about_output, reason);
	hprof_writer_free(writer);
	ret->written = done ? dump_output_size(order->dump) : 0;
	ret->part_left = !done && dump_output_has_part(order->dump);
	return done;
}
