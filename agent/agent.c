/*
 * agent.c - the entry points that a JVM calls.
 *
 * The agent loads and unloads, and says that it cannot write dumps yet. It
 * returns 0 whatever happens: any other value would end the JVM.
 */
#include <stdio.h>

#include <jvmti.h>

static void say_not_yet(void)
{
	fputs("hprof-agent: this version cannot write dumps yet; "
	      "nothing is recorded\n",
	      stderr);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	(void)vm;
	(void)options;
	(void)reserved;
	say_not_yet();
	return 0;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	(void)vm;
	(void)options;
	(void)reserved;
	say_not_yet();
	return 0;
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
	(void)vm;
}
