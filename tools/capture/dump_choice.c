/* SPDX-License-Identifier: MIT */
/*
 * dump_choice.c - see dump_choice.h.
 */
#include <inttypes.h>

#include "tools/capture/dump_choice.h"
#include "tools/common/cli.h"

/* About how long the JVM's own dumper takes: a second for each GiB. */
static uint64_t vm_pause_ms(const struct jvm_process *process)
{
	const uint64_t mib = process->resident >> 20;

	return mib * 1000 / 1024;
}

/*
 * Without a limit auto is vm: nothing is loaded into the JVM, no second process
 * takes memory, and a walk has the longer pause.
 */
static const struct dump_engine *
choose_for_pause(const struct dump_order *order, uint64_t max_pause_ms)
{
	const struct jvm_process *process = order->process;
	struct reason reason;

	if (process->resident > 0 && vm_pause_ms(process) <= max_pause_ms) {
		dump_tell(order,
			  "the engine is vm: with %" PRIu64 " MiB, the "
			  "pause is not likely to be longer",
			  process->resident >> 20);
		return &dump_vm;
	}
	if (dump_can_walk(process, order->agent, &reason))
		return &dump_fork;
	cli_message("%d: %s: the engine is vm, whose pause may be longer",
		    (int)process->pid, reason.text);
	return &dump_vm;
}

const struct dump_engine *dump_choose(const struct dump_order *order,
				      enum dump_wish wish,
				      uint64_t max_pause_ms)
{
	const struct jvm_process *process = order->process;
	struct reason reason;

	switch (wish) {
	case DUMP_AUTO:
		if (max_pause_ms && process->kind == JVM_HOTSPOT)
			return choose_for_pause(order, max_pause_ms);
		dump_tell(order, "the engine is vm: the JVM's own dumper has "
				 "the shorter pause, and leaves nothing in "
				 "the JVM");
		return &dump_vm;
	case DUMP_FORK:
		return &dump_fork;
	case DUMP_WALK:
		if (process->kind != JVM_HOTSPOT ||
		    dump_can_walk(process, order->agent, &reason))
			return &dump_walk;
		cli_message("%d: %s: the engine is vm", (int)process->pid,
			    reason.text);
		return &dump_vm;
	default:
		return &dump_vm;
	}
}
