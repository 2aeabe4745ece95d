/* SPDX-License-Identifier: MIT */
/*
 * export_signals.c - a signal that ends the program leaves no OUT.part.
 *
 * A part may be as large as the dump. One thread waits for the signals, which
 * all others block, so nothing is limited to async-signal-safe functions, and
 * it does not matter what the others are doing or waiting for. It removes the
 * part and lets the signal do what it does by default. A file limit (SIGXFSZ)
 * makes write fail, as a closed pipe does: these are errors like others.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/export/export_heap.h"

static char *part_name;
static sigset_t ending;

/*
 * The part may be another process's that writes to the same name: is it open
 * here?
 */
static bool is_ours(const struct stat *part)
{
	struct rlimit limit;
	struct stat info;
	int end = 1024;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1024)
		end = (int)limit.rlim_cur;
	for (int fd = 0; fd < end; fd++)
		if (fstat(fd, &info) == 0 && info.st_dev == part->st_dev &&
		    info.st_ino == part->st_ino)
			return true;
	return false;
}

static void remove_part(void)
{
	struct stat info;

	if (lstat(part_name, &info) == 0 && is_ours(&info))
		export_part_remove(part_name, S_ISDIR(info.st_mode));
}

static void *wait_for_signal(void *unused)
{
	int number = 0;

	(void)unused;
	if (sigwait(&ending, &number) != 0)
		return NULL;
	remove_part();
	signal(number, SIG_DFL);
	sigemptyset(&ending);
	sigaddset(&ending, number);
	pthread_sigmask(SIG_UNBLOCK, &ending, NULL);
	raise(number);
	_exit(CLI_TROUBLE);
}

/* nohup(1) and shells, for background jobs, ignore some of them. */
static void choose_signals(void)
{
	static const int numbers[] = { SIGHUP,	SIGINT,	 SIGQUIT,
				       SIGTERM, SIGALRM, SIGVTALRM,
				       SIGPROF, SIGXCPU, SIGUSR2 };
	struct sigaction action;

	sigemptyset(&ending);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (sigaction(numbers[i], NULL, &action) == 0 &&
		    action.sa_handler == SIG_DFL)
			sigaddset(&ending, numbers[i]);
}

void export_signals_begin(const struct export_job *job)
{
	pthread_t thread;
	sigset_t old;

	if (strcmp(job->out, "-") == 0)
		return;
	part_name = export_part_name(job->out);
	choose_signals();
	signal(SIGXFSZ, SIG_IGN);
	if (pthread_sigmask(SIG_BLOCK, &ending, &old) != 0)
		return;
	if (pthread_create(&thread, NULL, wait_for_signal, NULL) == 0)
		pthread_detach(thread);
	else /* it ends at once, and the next run removes the part */
		pthread_sigmask(SIG_SETMASK, &old, NULL);
}
