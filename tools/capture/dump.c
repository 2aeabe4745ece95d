/* SPDX-License-Identifier: MIT */
/*
 * dump.c - see dump.h.
 *
 * The output is opened before the JVM is affected: if the file exists already,
 * or its directory does not, there is no point in pausing the JVM.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/capture/dump.h"
#include "tools/capture/dump_copy.h"
#include "tools/capture/dump_output.h"

void dump_tell(const struct dump_order *order, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	if (!order->verbose)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	cli_message("%s", text);
}

/* ---- pauses ------------------------------------------------------------- */

static bool get_pauses(const struct jvm_process *process,
		       struct perfdata_pauses *ret)
{
	struct perfdata perfdata;
	void *bytes;
	bool found;

	if (!jvm_process_perfdata(process, &perfdata, &bytes))
		return false;
	found = perfdata_get_pauses(&perfdata, ret);
	free(bytes);
	return found;
}

/* ---- the dump ----------------------------------------------------------- */

struct flow {
	struct dump dump;
	struct hprof_writer *writer;
	struct dump_copy copy;
	bool about_output;
	struct reason *reason;
};

static bool copy_from(struct flow *flow, const struct hprof_input *input)
{
	enum dump_copy_result result =
		dump_copy(input, flow->dump.order, flow->writer, &flow->copy,
			  flow->reason);

	flow->about_output = result == DUMP_COPY_UNWRITABLE;
	return result == DUMP_COPIED;
}

/* Waits for the reply; nothing else tells whether the dump was made. */
static bool wait_for_reply(struct flow *flow)
{
	struct receiver *receiver = &flow->dump.receiver;
	const struct transfer *transfer = &flow->dump.transfer;
	struct attach_reply reply;

	receiver_wait(receiver);
	/* If there was a pipe, the file size is 0. */
	uint64_t received =
		receiver->flow.received + transfer_file_size(transfer);
	return receiver_finish(receiver, &reply, flow->reason) &&
	       flow->dump.order->engine->judge(&flow->dump, &reply, received,
					       flow->reason);
}

/*
 * Copies while the dump is made. If it arrives incomplete, the JVM's reply most
 * likely gives the reason, which is the better message.
 */
static bool copy_from_pipe(struct flow *flow)
{
	struct hprof_input input =
		hprof_input_callback(inflow_read, &flow->dump.receiver.flow);
	struct reason copying;
	bool copied = copy_from(flow, &input);

	if (flow->about_output) {
		receiver_give_up(&flow->dump.receiver);
		return false;
	}
	copying = *flow->reason;
	if (!copied)
		receiver_expect_reply_only(&flow->dump.receiver);
	if (!wait_for_reply(flow)) {
		if (flow->dump.receiver.left)
			*flow->reason = copying;
		return false;
	}
	if (flow->dump.receiver.flow.received == 0)
		return reason_set(flow->reason,
				  "it reports that the dump is made, but none "
				  "arrived");
	*flow->reason = copying;
	return copied;
}

/* Copies after the dump was made. */
static bool copy_from_file(struct flow *flow)
{
	struct transfer *transfer = &flow->dump.transfer;
	struct hprof_input input;
	int fd;
	bool copied;

	if (!wait_for_reply(flow))
		return false;
	fd = transfer_open_file(transfer, flow->reason);
	if (fd < 0)
		return false;
	transfer_close(transfer);
	input = hprof_input_fd(fd);
	copied = copy_from(flow, &input);
	close(fd);
	return copied;
}

static bool receive_dump(struct flow *flow)
{
	const struct dump_order *order = flow->dump.order;
	struct dump *dump = &flow->dump;
	char *folder;
	int connection = order->engine->start(dump, flow->reason);
	bool started, piped = dump->transfer.pipe >= 0;

	if (connection < 0)
		return false;
	folder = dump_output_folder(order);
	started = receiver_start(&dump->receiver, &dump->attach,
				 &dump->transfer, connection, folder,
				 dump_is_changed(order), flow->reason);
	free(folder);
	if (!started)
		return false;
	/*
	 * The thread may have closed the pipe by now, so use the saved state.
	 */
	return piped ? copy_from_pipe(flow) : copy_from_file(flow);
}

static bool run(struct flow *flow, struct dump_result *result)
{
	const struct dump_order *order = flow->dump.order;
	struct perfdata_pauses before, after;
	bool counted, made;

	if (!attach_open(&flow->dump.attach, order->process, order->timeout_s,
			 flow->reason))
		return false;
	counted = get_pauses(order->process, &before);
	made = receive_dump(flow);
	receiver_free(&flow->dump.receiver);
	transfer_close(&flow->dump.transfer);
	attach_close(&flow->dump.attach);
	if (counted && get_pauses(order->process, &after) &&
	    after.count > before.count) {
		result->paused = true;
		result->pause_ns = after.time_ns - before.time_ns;
	}
	return made && dump_output_finish(flow->writer, &flow->about_output,
					  flow->reason);
}

bool dump_make(const struct dump_order *order, struct dump_result *ret,
	       bool *ret_about_output, struct reason *reason)
{
	struct flow flow = { .dump = { .order = order }, .reason = reason };
	bool good;

	flow.dump.attach = (struct attach){ .folder = -1, .pidfd = -1 };
	flow.dump.transfer =
		(struct transfer){ .folder = -1, .pipe = -1, .guard = -1 };
	flow.dump.receiver = RECEIVER_NONE;
	*ret = (struct dump_result){ 0 };
	*ret_about_output = true;
	if (!dump_output_open(order, &flow.writer, reason))
		return false;
	good = run(&flow, ret);
	ret->bytes = hprof_writer_size(flow.writer);
	hprof_writer_free(flow.writer);
	ret->objects = flow.copy.objects;
	ret->written = good ? dump_output_size(order) : 0;
	ret->part_left = !good && dump_output_has_part(order);
	ret->refused = !good && flow.dump.refused;
	*ret_about_output = flow.about_output;
	return good;
}
