/* SPDX-License-Identifier: MIT */
/*
 * hprof-dump.c - takes a heap dump from a running JVM, without a JDK.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hprof.h>

#include "tools/common/compression.h"
#include "tools/common/dump_level.h"
#include "tools/capture/dump_choice.h"
#include "tools/capture/dump_options.h"
#include "tools/capture/jvm_list.h"
#include "tools/capture/interrupt.h"
#include "tools/capture/taking.h"
#include "tools/capture/remote.h"

#define TIMEOUT_S 300

/* ---- the dump ----------------------------------------------------------- */

static enum progress_when progress_of(const struct dump_options *options)
{
	return (enum progress_when)options->progress.value;
}

static unsigned redact_of(const struct dump_options *options)
{
	static const unsigned kinds[] = { HPROF_REDACT_STRINGS,
					  HPROF_REDACT_PRIMITIVES,
					  HPROF_REDACT_STRINGS |
						  HPROF_REDACT_PRIMITIVES };

	return options->redact.given ? kinds[options->redact.value] : 0;
}

static struct dump_order make_order(const struct dump_options *options,
				    enum hprof_compression compression)
{
	return (struct dump_order){
		.live = !options->all,
		.agent = options->agent,
		.force = options->force,
		.redact = redact_of(options),
		.omit = dump_level_omits(&options->level),
		.form = compression_options(
			compression, &options->compress_level, &options->jobs),
		.timeout_s = options->timeout.given
				     ? (unsigned)options->timeout.value
				     : TIMEOUT_S,
		.limit_s = (unsigned)options->limit.value,
		.quiet = options->quiet,
		.verbose = options->verbose,
	};
}

static void check_terminal(const struct dump_order *order)
{
	if (strcmp(order->output, "-") == 0 && isatty(STDOUT_FILENO) == 1)
		cli_usage_error("a dump is not written to a terminal");
}

/* The JVM refused to be forked. */
static void make_by_vm(struct taking *taking,
		       const struct dump_options *options)
{
	struct dump_order *order = taking->order;

	progress_end(&taking->progress);
	cli_message("%d: %s: the engine is vm, whose pause may be longer",
		    (int)order->process->pid, taking->reason.text);
	order->engine = &dump_vm;
	progress_begin(&taking->progress, hprof_dump_program.name,
		       progress_of(options));
	taking->made = dump_make(order, &taking->result, &taking->about_output,
				 &taking->reason);
}

static int make_dump(struct dump_order *order,
		     const struct dump_options *options)
{
	char from[24], made_by[32];
	struct taking taking;
	int status;

	if (!taking_begin(&taking, order, progress_of(options)))
		return CLI_TROUBLE;
	taking.made = dump_make(order, &taking.result, &taking.about_output,
				&taking.reason);
	if (!taking.made && taking.result.refused && options->max_pause.given)
		make_by_vm(&taking, options);
	snprintf(from, sizeof(from), "%d", (int)order->process->pid);
	snprintf(made_by, sizeof(made_by), "engine %s", order->engine->name);
	status = taking_end(&taking, from, made_by);
	if (taking.made && options->max_pause.given && taking.result.paused &&
	    taking.result.pause_ns > options->max_pause.value * 1000000)
		cli_message("%s: the pause was longer than --max-pause", from);
	return status;
}

static int dump_process(pid_t pid, const struct dump_options *options)
{
	enum hprof_compression compression =
		compression_of(&options->compress, options->output);
	struct jvm_process process;
	struct reason reason;
	char output[64];
	struct dump_order order = make_order(options, compression);

	order.process = &process;
	order.output = options->output ? options->output : output;
	snprintf(output, sizeof(output), "java_pid%d.hprof%s", (int)pid,
		 compression_suffix(compression));
	check_terminal(&order);
	if (!jvm_process_read(pid, &process, &reason)) {
		cli_message("%d: %s", (int)pid, reason.text);
		return CLI_TROUBLE;
	}
	order.engine = dump_choose(
		&order, (enum dump_wish)options->engine.value,
		options->max_pause.given ? options->max_pause.value : 0);
	return make_dump(&order, options);
}

/* ---- over a network ------------------------------------------------------ */

static void default_output(const struct wire_address *address, bool listen,
			   enum hprof_compression compression, char *out,
			   size_t room)
{
	snprintf(out, room, "java_%s_%s.hprof%s",
		 listen ? "net" : address->host, address->port,
		 compression_suffix(compression));
	for (; *out; out++)
		if (*out == ':' || *out == '%')
			*out = '_';
}

static void take_address(const char *address, struct remote_order *remote)
{
	if (!wire_address_parse(address, strlen(address), remote->listen,
				&remote->address))
		cli_usage_error("'%s' is not %s", address,
				remote->listen ? "a port or ADDRESS:PORT"
					       : "a PID or HOST:PORT");
	if (!remote->listen && !remote->token_file)
		cli_usage_error("an agent that listens asks for a token: "
				"'--token-file' is missing");
}

/* ADDRESS: of the agent, or to listen on. */
static int dump_remote(const char *address, const struct dump_options *options)
{
	enum hprof_compression compression =
		compression_of(&options->compress, options->output);
	struct dump_order order = make_order(options, compression);
	struct remote_order remote = { .dump = &order,
				       .listen = options->listen != NULL,
				       .token_file = options->token_file,
				       .wait = options->wait };
	char output[WIRE_TEXT_MAX + 32], from[WIRE_TEXT_MAX],
		made_by[WIRE_TEXT_MAX + 16];
	struct wire_address peer;
	struct taking taking;

	dump_options_check_remote(options);
	take_address(address, &remote);
	default_output(&remote.address, remote.listen, compression, output,
		       sizeof(output));
	order.output = options->output ? options->output : output;
	check_terminal(&order);
	if (!taking_begin(&taking, &order, progress_of(options)))
		return CLI_TROUBLE;
	taking.made = remote_dump(&remote, &peer, &taking.result,
				  &taking.about_output, &taking.reason);
	wire_address_text(&peer, from);
	snprintf(made_by, sizeof(made_by), "from %s", from);
	return taking_end(&taking, from, made_by);
}

/* ---- requests ----------------------------------------------------------- */

static int make_request(const char *address, const struct dump_options *options)
{
	const struct request request = dump_options_take_request(options);
	const struct dump_order order = {
		.timeout_s = options->timeout.given
				     ? (unsigned)options->timeout.value
				     : TIMEOUT_S,
		.quiet = options->quiet,
	};
	struct remote_order remote = { .dump = &order,
				       .listen = options->listen != NULL,
				       .token_file = options->token_file,
				       .wait = true };
	struct reason reason;
	char *answer;

	dump_options_check_request(options);
	take_address(address, &remote);
	if (!stop_begin(1)) {
		cli_message("cannot handle signals");
		return CLI_TROUBLE;
	}
	if (!request_answer(&remote, &request, &answer, &reason)) {
		cli_message("%s: %s", address, reason.text);
		return CLI_TROUBLE;
	}
	puts(answer);
	free(answer);
	return CLI_FINE;
}

static int list_jvms(int argc, char **argv, int first,
		     const struct dump_options *options)
{
	struct reason reason;

	if (first < argc)
		cli_usage_error("'--list' takes no PID; '%s' is one too many",
				argv[first]);
	if (jvm_list_print(options->json, &reason))
		return CLI_FINE;
	cli_message("%s", reason.text);
	return CLI_TROUBLE;
}

static int take_dump(int argc, char **argv, int first,
		     const struct dump_options *options)
{
	const char *operand;

	if (options->listen) {
		if (first < argc)
			cli_usage_error("'--listen' takes no PID; '%s' is one "
					"too many",
					argv[first]);
		return dump_options_request(options)
			       ? make_request(options->listen, options)
			       : dump_remote(options->listen, options);
	}
	operand = dump_operand(argc, argv, first);
	if (strchr(operand, ':'))
		return dump_options_request(options)
			       ? make_request(operand, options)
			       : dump_remote(operand, options);
	if (dump_options_request(options))
		cli_usage_error("only an agent over a network, HOST:PORT, "
				"takes requests");
	if (options->token_file || options->wait)
		cli_usage_error("'--%s' is for an agent over a network",
				options->wait ? "wait" : "token-file");
	return dump_process(dump_pid(operand), options);
}

int main(int argc, char **argv)
{
	struct dump_options options = { 0 };
	int first, status;

	cli_start(&hprof_dump_program);
	first = cli_parse(argc, argv, &options);
	screen_set(&options.screen);
	dump_options_check(&options);
	status = options.list ? list_jvms(argc, argv, first, &options)
			      : take_dump(argc, argv, first, &options);
	return cli_finish(status);
}
