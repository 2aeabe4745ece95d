/* SPDX-License-Identifier: MIT */
/*
 * export_signals.c - a signal that ends the program leaves no OUT.part.
 *
 * A part may be as large as the dump. It is removed, and the signal does what
 * it does by default. A file limit (SIGXFSZ) makes write fail, as a closed pipe
 * does: these are errors like others.
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/signal_thread.h"
#include "tools/export/export_heap.h"

static char *part_name;

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

static void end_by(int number, const sigset_t *signals)
{
	remove_part();
	signal(number, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, signals, NULL);
	raise(number);
	_exit(CLI_TROUBLE);
}

void export_signals_begin(const struct export_job *job)
{
	static const int numbers[] = { SIGHUP,	SIGINT,	 SIGQUIT,
				       SIGTERM, SIGALRM, SIGVTALRM,
				       SIGPROF, SIGXCPU, SIGUSR2 };

	if (strcmp(job->out, "-") == 0)
		return;
	part_name = export_part_name(job->out);
	signal(SIGXFSZ, SIG_IGN);
	/* Without the thread they end it at once; the next run cleans up. */
	signal_thread_begin(numbers, sizeof(numbers) / sizeof(numbers[0]),
			    end_by);
}
