/* SPDX-License-Identifier: MIT */
/*
 * server.c - see server.h.
 *
 * With net= the agent keeps trying to connect as long as the JVM lives, since
 * the other end may be started when it is needed: after a failure it waits a
 * second, then twice as long each time. A dump that finds no connection makes it
 * try at once.
 */
#include "agent/net/server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agent/common/agent_thread.h"
#include "agent/common/log.h"
#include "agent/net/commands.h"
#include "agent/net/gate.h"
#include "base/mem.h"
#include "base/utf8.h"

#define DIAL_MS 5000  /* to connect */
#define PAUSE_MS 1000 /* between two attempts, at first */
#define PAUSE_MOST 16000
#define IDLE_MS 60000 /* of a client, which keeps others waiting */

struct ag_server {
	const struct ag_options *options;
	struct ag_connection connection;
	struct ag_gate gate;
	int stop; /* an eventfd; readable when the thread is to end */
	unsigned complaints;
	struct ag_session *session; /* NULL: no profile */
	struct ag_requests requests;
	ag_server_dump *dump;
	void *user;
};

/* ---- one front end ------------------------------------------------------- */

static void dump(void *user, JNIEnv *jni, bool traces_only)
{
	struct ag_server *s = user;
	struct ag_options options = *s->options;

	options.connection = &s->connection;
	options.traces_only = traces_only;
	options.heap_only = true; /* others have their commands */
	s->dump(s->user, jni, &options);
}

/* Takes ownership of FD. False: the thread is to end. */
static bool serve(struct ag_server *s, jvmtiEnv *jvmti, JNIEnv *jni, int fd,
		  const struct wire_address *peer, int idle_ms)
{
	char text[WIRE_TEXT_MAX], name[WIRE_TEXT_MAX * 2];
	struct ag_site_changes sent = { 0 };
	struct ag_commands commands = {
		.peer = { .fd = fd,
			  .stop = s->stop,
			  .name = name,
			  .complaints = &s->complaints },
		.idle_ms = idle_ms,
		.exit = s->options->exit,
		.profile = { .session = s->session,
			     .options = s->options,
			     .connection = &s->connection,
			     .sent = &sent },
		.requests = &s->requests,
		.jvmti = jvmti,
		.jni = jni,
		.dump = dump,
		.user = s,
	};
	enum ag_commands_end end;

	wire_address_text(peer, text);
	hp_text_escape(text, strlen(text), name, sizeof name);
	if (!ag_connection_attach(&s->connection, fd, text))
		return true;
	end = ag_commands_serve(&commands);
	if (end == AG_NO_MORE)
		end = ag_commands_ignore(&commands);
	ag_connection_detach(&s->connection);
	ag_site_changes_free(&sent);
	return end != AG_TOLD_TO_STOP;
}

/* ---- dialing out --------------------------------------------------------- */

/* False: the thread is to end. */
static bool pause_for(struct ag_server *s, int ms)
{
	struct pollfd fds[] = {
		{ .fd = s->stop, .events = POLLIN },
		{ .fd = s->connection.wake, .events = POLLIN },
	};
	eventfd_t unused;

	poll(fds, 2, ms);
	if (fds[1].revents)
		eventfd_read(s->connection.wake, &unused);
	return !fds[0].revents;
}

static void say_unreachable(const struct ag_server *s, const char *why)
{
	char text[WIRE_TEXT_MAX], name[WIRE_TEXT_MAX * 2];

	wire_address_text(&s->options->net, text);
	hp_text_escape(text, strlen(text), name, sizeof name);
	ag_log("%s: cannot connect: %s; the agent keeps trying", name, why);
}

static void dial(struct ag_server *s, jvmtiEnv *jvmti, JNIEnv *jni)
{
	const struct wire_address *to = &s->options->net;
	bool said = false;
	int pause = PAUSE_MS;

	for (;;) {
		char why[160];
		int fd = wire_connect(to, DIAL_MS, s->stop, why);

		if (fd >= 0) {
			if (!serve(s, jvmti, jni, fd, to, -1))
				return;
			said = false;
			pause = PAUSE_MS;
		} else if (!said) {
			say_unreachable(s, why);
			said = true;
		}
		if (!pause_for(s, pause))
			return;
		pause = pause < PAUSE_MOST ? pause * 2 : pause;
	}
}

/* ---- listening ----------------------------------------------------------- */

static void listen_on(struct ag_server *s, jvmtiEnv *jvmti, JNIEnv *jni)
{
	struct wire_address peer;
	int fd;

	do
		fd = ag_gate_wait(&s->gate, &peer);
	while (fd >= 0 && serve(s, jvmti, jni, fd, &peer, IDLE_MS));
	ag_gate_close(&s->gate);
}

static bool read_token(const char *path, struct wire_token *ret)
{
	char shown[512];
	const char *why;
	int error;

	if (wire_token_read(path, ret, &why, &error) ||
	    (error == ENOENT && wire_token_make(path, ret, &why, &error)))
		return true;
	hp_text_escape(path, strlen(path), shown, sizeof shown);
	ag_log("token=%s: %s%s%s; the agent does not listen", shown, why,
	       error ? ": " : "", error ? strerror(error) : "");
	return false;
}

static bool begin_listening(struct ag_server *s)
{
	struct wire_address bound;
	char why[160], text[WIRE_TEXT_MAX];
	int listener;

	if (!read_token(s->options->token, &s->gate.token))
		return false;
	listener = wire_listen(&s->options->listen, &bound, why);
	if (listener < 0) {
		ag_log("cannot listen on port %s: %s", s->options->listen.port,
		       why);
		return false;
	}
	ag_gate_init(&s->gate, listener, s->stop, &s->complaints);
	if (s->options->verbose)
		ag_log("listening on %s", wire_address_text(&bound, text));
	return true;
}

/* ---- the thread ---------------------------------------------------------- */

static void JNICALL run(jvmtiEnv *jvmti, JNIEnv *jni, void *server)
{
	struct ag_server *s = server;

	if (s->options->net.port[0])
		dial(s, jvmti, jni);
	else
		listen_on(s, jvmti, jni);
}

static void free_server(struct ag_server *s)
{
	if (s->stop >= 0)
		close(s->stop);
	if (s->connection.wake >= 0)
		close(s->connection.wake);
	hp_free(s);
}

struct ag_server *ag_server_start(jvmtiEnv *jvmti, JNIEnv *jni,
				  const struct ag_options *options,
				  struct ag_session *session,
				  ag_server_dump *dump_to, void *user)
{
	struct ag_server *s = hp_calloc(1, sizeof *s);
	bool listens = options->listen.port[0];

	if (!s || !ag_connection_init(&s->connection,
				      options->format == AG_FORMAT_TEXT,
				      options->id_size)) {
		ag_log("out of memory; the agent is not connected");
		hp_free(s);
		return NULL;
	}
	s->options = options;
	s->session = session;
	(*jni)->GetJavaVM(jni, &s->requests.known.vm);
	s->requests.connection = &s->connection;
	s->requests.level = options->level;
	s->requests.text = options->format == AG_FORMAT_TEXT;
	s->dump = dump_to;
	s->user = user;
	s->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!listens)
		s->connection.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->stop >= 0 && (!listens || begin_listening(s))) {
		if (ag_thread_run(jvmti, jni, run, s))
			return s;
		if (listens)
			ag_gate_close(&s->gate);
	}
	free_server(s);
	return NULL;
}

void ag_server_stop(struct ag_server *s)
{
	if (s)
		eventfd_write(s->stop, 1);
}

struct ag_connection *ag_server_connection(struct ag_server *s)
{
	return s ? &s->connection : NULL;
}
