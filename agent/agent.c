/* SPDX-License-Identifier: MIT */
/*
 * agent.c - the entry points that a JVM calls, and the events that call for a
 * dump.
 *
 * Each load has its own options and its own JVMTI environment for events. A
 * failure never stops the JVM: Agent_OnLoad always returns 0, since any other
 * value would end it.
 */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <jvmti.h>

#include "base/mem.h"
#include "agent/common/option_table.h"
#include "agent/common/agent_thread.h"
#include "agent/common/options.h"
#include "agent/common/environment.h"
#include "agent/common/log.h"
#include "agent/dump/full_heap.h"
#include "agent/dump/snapshot.h"
#include "agent/net/server.h"
#include "agent/collectors.h"
#include "agent/profile/profile_file.h"
#include "agent/profile/session.h"

/* What Agent_OnAttach returns. The attach protocol passes it to the caller. */
enum { ATTACHED = 0, NOT_DONE = 1, WRONG_OPTIONS = 2 };
/* Or, with engine=fork, a number that says why there is no dump. */

/*
 * One load that waits for events. It is never freed: a thread may be in a
 * callback that uses it until the very end of the process.
 */
struct agent {
	JavaVM *vm;
	struct ag_options options;
	_Atomic(struct ag_server *) server; /* with net or listen */
	struct ag_session *session;	    /* NULL: no profile */
	atomic_uint dumps;		    /* begun so far */
	atomic_uint requests;		    /* that wait for an agent thread */
	atomic_flag exhausted;
};

/* Where dumps of events go: to a file, or with net to the other end. */
static bool find_output(struct agent *a, struct ag_options *ret)
{
	struct ag_server *server = atomic_load(&a->server);

	*ret = a->options;
	if (!a->options.net.port[0])
		return true;
	ret->connection = ag_server_connection(server);
	if (!server)
		ag_log("no dump: the agent is not connected");
	return server != NULL;
}

static bool dumps_heap(const struct agent *a)
{
	return a->options.heap == AG_HEAP_DUMP ||
	       a->options.heap == AG_HEAP_ALL;
}

/* A heap dump, a profile, or what else the options ask for. */
static int take(struct agent *a, JNIEnv *jni, bool heap_is_full)
{
	struct ag_report_options report = ag_report_defaults(&a->options);
	struct ag_options options;

	if (!find_output(a, &options))
		return AG_FAILED;
	if (!dumps_heap(a))
		return a->session && ag_profile_write(a->session, jni, &options,
						      &report, &a->dumps)
			       ? AG_TAKEN
			       : AG_FAILED;
	options.session = a->session;
	return ag_take_dump(a->vm, jni, &options, &a->dumps, heap_is_full);
}

/* What Agent_OnAttach returns. */
static int dump(struct agent *a, JNIEnv *jni)
{
	int taken = take(a, jni, false);

	return taken == AG_BUSY ? NOT_DONE : taken;
}

/* A command of a front end. */
static void dump_for_peer(void *agent, JNIEnv *jni,
			  const struct ag_options *options)
{
	struct agent *a = agent;
	struct ag_options with_sites = *options;

	if (dumps_heap(a))
		with_sites.session = a->session;
	ag_take_dump(a->vm, jni, &with_sites, &a->dumps, false);
}

/* ---- events -------------------------------------------------------------- */

static struct agent *agent_of(jvmtiEnv *jvmti)
{
	void *agent = NULL;

	(*jvmti)->GetEnvironmentLocalStorage(jvmti, &agent);
	return agent;
}

static bool enable(jvmtiEnv *jvmti, jvmtiEvent event, bool on)
{
	return (*jvmti)->SetEventNotificationMode(
		       jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE, event, NULL) ==
	       JVMTI_ERROR_NONE;
}

/* A dump in progress is completed before the JVM ends. */
static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	struct agent *a = agent_of(jvmti);

	ag_take_end(jni);
	if (a && a->session)
		atomic_store(&a->session->vm_ends, true);
	if (a && a->options.at_exit)
		dump(a, jni);
	if (a && a->session)
		ag_session_stop(a->session, jni, true);
}

static void JNICALL dump_requests(jvmtiEnv *jvmti, JNIEnv *jni, void *agent)
{
	struct agent *a = agent;

	(void)jvmti;
	do
		dump(a, jni);
	while (atomic_fetch_sub(&a->requests, 1) > 1);
}

/*
 * DataDumpRequest comes without a JNIEnv, in the thread that answers signals.
 * That one must not wait for a forked process, while which the JVM runs: a
 * thread of the agent does, one for all requests that come meanwhile.
 */
static void JNICALL on_request(jvmtiEnv *jvmti)
{
	struct agent *a = agent_of(jvmti);
	void *jni = NULL;

	if (!a || (*a->vm)->GetEnv(a->vm, &jni, JNI_VERSION_1_6) != JNI_OK)
		return;
	if (a->options.engine != AG_ENGINE_FORK)
		dump(a, jni);
	else if (atomic_fetch_add(&a->requests, 1) == 0 &&
		 !ag_thread_run(jvmti, jni, dump_requests, a))
		dump_requests(jvmti, jni, a);
}

/*
 * Takes one dump and then disables the event: the dump itself may run out of
 * heap many times, and HotSpot prints a line for each event. Exhausted threads
 * or metaspace are no reason for a heap dump. If another dump is in progress,
 * this one does not wait for it: this thread may be about to link a class that
 * the other one needs. The next event tries again.
 */
static void JNICALL on_exhaustion(jvmtiEnv *jvmti, JNIEnv *jni, jint flags,
				  const void *reserved, const char *what)
{
	struct agent *a = agent_of(jvmti);

	(void)reserved;
	(void)what;
	if (!a || !(flags & JVMTI_RESOURCE_EXHAUSTED_JAVA_HEAP) ||
	    atomic_flag_test_and_set(&a->exhausted))
		return;
	enable(jvmti, JVMTI_EVENT_RESOURCE_EXHAUSTED, false);
	ag_full_heap_release(jni);
	if (take(a, jni, true) != AG_BUSY)
		return;
	atomic_flag_clear(&a->exhausted);
	enable(jvmti, JVMTI_EVENT_RESOURCE_EXHAUSTED, true);
}

static bool is_connected(const struct ag_options *o)
{
	return o->net.port[0] || o->listen.port[0];
}

/* What can be done once the JVM is initialized. */
static void prepare(struct agent *a, jvmtiEnv *jvmti, JNIEnv *jni)
{
	ag_take_prepare(a->vm, jvmti, jni, &a->options);
	if (a->session)
		ag_session_begin(a->session, jni);
	if (is_connected(&a->options))
		atomic_store(&a->server,
			     ag_server_start(jvmti, jni, &a->options,
					     a->session, dump_for_peer, a));
}

static void JNICALL on_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	struct agent *a = agent_of(jvmti);

	(void)thread;
	if (a)
		prepare(a, jvmti, jni);
}

static bool enable_exhaustion(jvmtiEnv *jvmti)
{
	jvmtiCapabilities want;

	memset(&want, 0, sizeof want);
	want.can_generate_resource_exhaustion_heap_events = 1;
	return !(*jvmti)->AddCapabilities(jvmti, &want) &&
	       enable(jvmti, JVMTI_EVENT_RESOURCE_EXHAUSTED, true);
}

/* A is NULL for an environment that only delays the end of the JVM. */
static bool subscribe(jvmtiEnv *jvmti, struct agent *a)
{
	jvmtiEventCallbacks callbacks;

	memset(&callbacks, 0, sizeof callbacks);
	callbacks.VMInit = on_start;
	callbacks.VMDeath = on_death;
	callbacks.DataDumpRequest = on_request;
	callbacks.ResourceExhausted = on_exhaustion;
	if ((*jvmti)->SetEnvironmentLocalStorage(jvmti, a) ||
	    (*jvmti)->SetEventCallbacks(jvmti, &callbacks,
					(jint)sizeof callbacks) ||
	    !enable(jvmti, JVMTI_EVENT_VM_DEATH, true))
		return false;
	if (a && (!enable(jvmti, JVMTI_EVENT_VM_INIT, true) ||
		  !enable(jvmti, JVMTI_EVENT_DATA_DUMP_REQUEST, true)))
		return false;
	if (a && a->options.at_oome && !enable_exhaustion(jvmti))
		ag_log("oome=y: this JVM does not tell when its heap is "
		       "exhausted");
	return true;
}

/* Returns NULL, with a message logged, on failure. */
static jvmtiEnv *listen(JavaVM *vm, struct agent *a)
{
	jvmtiEnv *jvmti = ag_environment(vm);

	if (!jvmti || subscribe(jvmti, a))
		return jvmti;
	ag_log("this JVM does not take the agent's callbacks");
	(*jvmti)->DisposeEnvironment(jvmti);
	return NULL;
}

/* ---- loading ------------------------------------------------------------- */

/* A whole screen of text, so it is not printed by ag_log. */
static void print_help(void)
{
	char help[AG_HELP_ROOM];
	const char *text = help;
	size_t size;

	ag_options_help(help);
	size = strlen(help);
	while (size > 0) {
		ssize_t n = write(STDOUT_FILENO, text, size);
		if (n <= 0)
			return;
		text += n;
		size -= (size_t)n;
	}
}

/* NULL if nothing is to be done; any message has been printed by then. */
static struct agent *make_agent(JavaVM *vm, const char *text)
{
	struct agent *a = hp_calloc(1, sizeof *a);
	char message[200];

	if (!a) {
		ag_log("out of memory; nothing is dumped");
		return NULL;
	}
	a->vm = vm;
	atomic_flag_clear(&a->exhausted);
	switch (ag_options_parse(text, &a->options, message, sizeof message)) {
	case AG_OPTIONS_OK:
		return a;
	case AG_OPTIONS_HELP:
		print_help();
		break;
	case AG_OPTIONS_WRONG:
		ag_log("%s; nothing is dumped; try help", message);
		break;
	}
	ag_options_free(&a->options);
	hp_free(a);
	return NULL;
}

static void free_agent(struct agent *a)
{
	ag_options_free(&a->options);
	hp_free(a);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	struct agent *a = make_agent(vm, options);

	(void)reserved;
	if (!a)
		return 0;
	if (a->options.profile != AG_PROFILE_BEGIN) {
		ag_log("profile=: only for a JVM that runs; nothing is done");
		free_agent(a);
		return 0;
	}
	a->session = ag_load_profile(vm, &a->options, false);
	if (!listen(vm, a) && !a->session)
		free_agent(a);
	return 0;
}

/* Takes a dump now; its VMDeath event keeps the JVM from ending meanwhile. */
static int dump_once(struct agent *a, JNIEnv *jni)
{
	jvmtiEnv *waiting = listen(a->vm, NULL);
	int done = waiting ? dump(a, jni) : NOT_DONE;

	if (waiting)
		(*waiting)->DisposeEnvironment(waiting);
	return done;
}

/*
 * The environment of the agent that was loaded into the running JVM and waits
 * for events. There is at most one, the newest; loads from the command line are
 * independent of it.
 */
static _Atomic(jvmtiEnv *) attached;

/*
 * NEXT, which may be NULL, replaces it. The old environment's events are
 * disabled, but it is not disposed of: a thread may still be in a callback that
 * uses it.
 */
static void replace_attached(jvmtiEnv *next, JNIEnv *jni)
{
	jvmtiEnv *old = atomic_exchange(&attached, next);
	struct agent *a;

	if (!old)
		return;
	enable(old, JVMTI_EVENT_VM_DEATH, false);
	enable(old, JVMTI_EVENT_DATA_DUMP_REQUEST, false);
	enable(old, JVMTI_EVENT_RESOURCE_EXHAUSTED, false);
	a = agent_of(old);
	if (a)
		ag_server_stop(atomic_load(&a->server));
	if (a && a->session)
		ag_session_stop(a->session, jni, false);
	(*old)->SetEnvironmentLocalStorage(old, NULL);
}

static bool stay(struct agent *a, JNIEnv *jni)
{
	jvmtiEnv *jvmti = listen(a->vm, a);

	if (!jvmti)
		return false;
	replace_attached(jvmti, jni);
	prepare(a, jvmti, jni);
	return !is_connected(&a->options) || atomic_load(&a->server);
}

/*
 * Do the options of a load into a running JVM ask to remove the previous one?
 */
static bool takes_out(const struct ag_options *o)
{
	/* Two profiles of the same kind cannot be had at once. */
	if (ag_wants_profile(o))
		return true;
	return o->at_exit_given && !o->at_exit && o->at_oome_given &&
	       !o->at_oome;
}

/*
 * With net or listen, dumps are taken on demand, and a profile has only begun.
 * Else one is taken now, and the agent stays only if the options ask for more
 * than that. Sets *RET_STAYS.
 */
static int begin(struct agent *a, JNIEnv *jni, bool *ret_stays)
{
	int done;

	if (is_connected(&a->options) || ag_wants_profile(&a->options)) {
		a->session = ag_load_profile(a->vm, &a->options, true);
		if (ag_wants_profile(&a->options) && !a->session)
			return NOT_DONE;
		*ret_stays = stay(a, jni);
		return *ret_stays ? ATTACHED : NOT_DONE;
	}
	done = dump_once(a, jni);
	*ret_stays = done == ATTACHED &&
		     (a->options.at_exit || a->options.at_oome) && stay(a, jni);
	return done;
}

/* Acts on the profile that another load into the running JVM has begun. */
static int act_on_profile(struct agent *a, JNIEnv *jni)
{
	jvmtiEnv *jvmti = atomic_load(&attached);
	const struct agent *running = jvmti ? agent_of(jvmti) : NULL;
	struct ag_report_options report = ag_report_defaults(&a->options);

	if (!running || !running->session) {
		ag_log("profile=: none has begun");
		return NOT_DONE;
	}
	if (a->options.profile == AG_PROFILE_STOP) {
		replace_attached(NULL, jni);
		return ATTACHED;
	}
	report.collect = a->options.live;
	report.by_allocation = !a->options.live;
	return ag_profile_write(running->session, jni, &a->options, &report,
				&a->dumps)
		       ? ATTACHED
		       : NOT_DONE;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	struct agent *a = make_agent(vm, options);
	void *jni = NULL;
	int done = NOT_DONE;
	bool stays = false;

	(void)reserved;
	if (!a)
		return WRONG_OPTIONS;
	if (!a->options.at_exit_given && !ag_wants_profile(&a->options))
		a->options.at_exit = false;
	if ((*vm)->GetEnv(vm, &jni, JNI_VERSION_1_6) != JNI_OK) {
		/* no Java thread */
	} else if (a->options.profile != AG_PROFILE_BEGIN) {
		done = act_on_profile(a, jni);
	} else {
		if (takes_out(&a->options))
			replace_attached(NULL, jni);
		done = begin(a, jni, &stays);
	}
	if (!stays && !a->session)
		free_agent(a);
	return done;
}

/*
 * Frees nothing: threads may still be in callbacks, and the process is about to
 * end.
 */
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
	(void)vm;
}
