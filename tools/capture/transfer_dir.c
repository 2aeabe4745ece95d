/* SPDX-License-Identifier: MIT */
/*
 * transfer_dir.c - see transfer_dir.h.
 *
 * Only the user of the JVM may enter the directory: all that happens in it is
 * done with the ids of that user, see target_ids.h. A pipe in /tmp itself
 * would not work: with fs.protected_fifos the kernel refuses to open another
 * user's pipe there.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/capture/transfer_dir.h"

static const char heap_name[] = "heap";

/* Tells the guard that there is nothing to clean up. */
#define ALL_DONE 'd'

/* ---- names -------------------------------------------------------------- */

/* Whether NAME is a file that this program or the JVM makes. */
static bool is_of_transfer(const char *name)
{
	return strncmp(name, heap_name, sizeof(heap_name) - 1) == 0 ||
	       agent_copy_is_name(name);
}

/* Calls VISIT for each file in the folder. */
static void for_each_file(int folder,
			  void (*visit)(int folder, const char *name,
					void *user),
			  void *user)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *files = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *file;

	if (!files) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((file = readdir(files)) != NULL)
		if (is_of_transfer(file->d_name))
			visit(folder, file->d_name, user);
	closedir(files);
}

static void remove_file(int folder, const char *name, void *user)
{
	(void)user;
	unlinkat(folder, name, 0);
}

/* False if the directory is not empty, as the JVM was just making a file. */
static bool remove_names(int folder, int parent, const char *name)
{
	for_each_file(folder, remove_file, NULL);
	return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

void transfer_heap_path(const struct transfer *h, char out[TRANSFER_PATH_MAX])
{
	snprintf(out, TRANSFER_PATH_MAX, "/tmp/%s/%s", h->name, heap_name);
}

static bool assume_ids(const struct transfer *h, struct own_ids *ret_own)
{
	return target_ids_assume(&h->attach->process->ids, ret_own);
}

/* A name that nobody can predict. */
static bool choose_name(struct transfer *h, struct reason *reason)
{
	unsigned long long number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return reason_errno(reason, "cannot get a random number");
	snprintf(h->name, sizeof(h->name), "hprof-dump-%ld-%016llx",
		 (long)h->attach->process->pid, number);
	return true;
}

/*
 * In a /tmp without the sticky bit, others may have replaced the directory by
 * one of their own.
 */
static bool is_private(int folder)
{
	struct stat info;

	return fstat(folder, &info) == 0 && info.st_uid == geteuid() &&
	       (info.st_mode & 0777) == 0700;
}

static bool make_folder(struct transfer *h, struct reason *reason)
{
	if (mkdirat(h->attach->folder, h->name, 0700) != 0)
		return reason_errno(reason, "cannot make a folder in its /tmp");
	h->folder = openat(h->attach->folder, h->name,
			   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (h->folder >= 0 && is_private(h->folder))
		return true;
	if (h->folder >= 0) {
		close(h->folder);
		h->folder = -1;
		reason_set(reason, "its /tmp is not safe: the folder that was "
				   "made there has been replaced");
	} else {
		reason_errno(reason, "cannot open a folder in its /tmp");
	}
	unlinkat(h->attach->folder, h->name, AT_REMOVEDIR);
	return false;
}

/* ---- the pipe ----------------------------------------------------------- */

static bool make_pipe(struct transfer *h, struct reason *reason)
{
	struct stat info;

	if (mkfifoat(h->folder, heap_name, 0600) != 0)
		return reason_errno(reason, "cannot make a pipe in its /tmp");
	h->pipe = openat(h->folder, heap_name,
			 O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (h->pipe < 0)
		return reason_errno(reason, "cannot open a pipe in its /tmp");
	if (fstat(h->pipe, &info) != 0 || !S_ISFIFO(info.st_mode))
		return reason_set(reason, "the pipe in its /tmp has been "
					  "replaced");
#ifdef F_SETPIPE_SZ
	(void)fcntl(h->pipe, F_SETPIPE_SZ,
		    1 << 20); /* fewer context switches */
#endif
	return true;
}

static bool make_names(struct transfer *h, bool with_pipe,
		       struct reason *reason)
{
	struct own_ids own;
	bool made;

	if (!assume_ids(h, &own))
		return reason_errno(reason, "cannot take the ids of its user");
	made = make_folder(h, reason);
	h->named = made;
	made = made && (!with_pipe || make_pipe(h, reason));
	target_ids_restore(&own);
	return made;
}

/* ---- the guard ---------------------------------------------------------- */

/*
 * Closes all other descriptors, as other processes may be waiting for the end
 * of file on some that the guard has inherited.
 */
static void close_all_but(int kept[], unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (kept[i] >= 0)
			kept[i] = fcntl(kept[i], F_DUPFD, (int)count);
	for (unsigned i = 0; i < count; i++)
		if (kept[i] >= 0)
			kept[i] = dup2(kept[i], (int)i);
		else
			close((int)i);
#ifdef SYS_close_range
	if (syscall(SYS_close_range, count, ~0U, 0) == 0)
		return;
#endif
	for (int fd = (int)count; fd < 4096; fd++)
		close(fd);
}

/*
 * The parent has died. A JVM that is just opening the pipe gets a reader; one
 * that comes later finds no name; and one that writes gets EPIPE.
 */
static void clean_up_for_parent(const struct transfer *h, int parent)
{
	const struct timespec nap = { 0, 100000000 };
	enum { TRIES = 50 };
	int folder = openat(parent, h->name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int pipe;

	if (folder < 0)
		return;
	pipe = openat(folder, heap_name,
		      O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	unlinkat(folder, heap_name, 0);
	nanosleep(&nap, NULL);
	if (pipe >= 0)
		close(pipe);
	for (unsigned i = 0; i < TRIES; i++) {
		if (remove_names(folder, parent, h->name))
			break;
		nanosleep(&nap, NULL);
	}
}

/* Runs in the child. End of file means that the parent has died. */
static void __attribute__((noreturn)) guard(const struct transfer *h, int told)
{
	int kept[] = { told, h->attach->folder };
	struct own_ids own;
	char byte;
	ssize_t n;

	setsid();
	prctl(PR_SET_NAME, "hprof-dump-end");
	close_all_but(kept, 2);
	do
		n = read(kept[0], &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n <= 0 && assume_ids(h, &own))
		clean_up_for_parent(h, kept[1]);
	_exit(0);
}

static bool start_guard(struct transfer *h, struct reason *reason)
{
	int ends[2];
	sigset_t all, old;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return reason_errno(reason, "cannot make a pipe");
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	h->guard_pid = fork();
	if (h->guard_pid == 0) {
		close(ends[1]);
		guard(h, ends[0]);
	}
	int why = errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[0]);
	h->guard = ends[1];
	errno = why;
	return h->guard_pid > 0 || reason_errno(reason, "cannot fork");
}

static void end_guard(struct transfer *h)
{
	const char all_done = ALL_DONE;

	if (h->guard >= 0) {
		(void)!write(h->guard, &all_done, 1);
		close(h->guard);
	}
	if (h->guard_pid > 0)
		while (waitpid(h->guard_pid, NULL, 0) < 0 && errno == EINTR)
			;
	h->guard = -1;
	h->guard_pid = 0;
}

/* ---- life --------------------------------------------------------------- */

bool transfer_open(struct transfer *h, const struct attach *attach,
		   bool with_pipe, struct reason *reason)
{
	*h = (struct transfer){
		.attach = attach, .folder = -1, .pipe = -1, .guard = -1
	};
	/* The guard is there before what it would have to remove. */
	if (choose_name(h, reason) && start_guard(h, reason) &&
	    make_names(h, with_pipe, reason))
		return true;
	transfer_close(h);
	return false;
}

void transfer_connected(struct transfer *h)
{
	struct own_ids own;

	if (h->connected)
		return;
	h->connected = true;
	if (assume_ids(h, &own)) {
		unlinkat(h->folder, heap_name, 0);
		target_ids_restore(&own);
	}
}

/*
 * The directory can only be removed when the JVM makes no more files in it,
 * which is the case once its writing fails.
 */
static void remove_folder(struct transfer *h)
{
	const struct timespec nap = { 0, 20000000 };
	enum { TRIES = 50 };
	struct own_ids own;

	if (!h->named || !assume_ids(h, &own))
		return;
	for (unsigned i = 0; i < TRIES; i++) {
		if (remove_names(h->folder, h->attach->folder, h->name))
			break;
		nanosleep(&nap, NULL);
	}
	target_ids_restore(&own);
	h->named = false;
}

/*
 * The name of the pipe is removed first and its reader is closed a little
 * later, so that a JVM that has found the name also finds a reader.
 */
void transfer_close(struct transfer *h)
{
	const struct timespec nap = { 0, 20000000 };

	if (h->pipe >= 0 && !h->connected) {
		transfer_connected(h);
		nanosleep(&nap, NULL);
	}
	if (h->pipe >= 0)
		close(h->pipe);
	remove_folder(h);
	end_guard(h);
	if (h->folder >= 0)
		close(h->folder);
	h->pipe = h->folder = -1;
}

/* ---- files -------------------------------------------------------------- */

static void add_size(int folder, const char *name, void *user)
{
	uint64_t *sum = user;
	struct stat info;

	if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(info.st_mode))
		*sum += (uint64_t)info.st_size;
}

uint64_t transfer_file_size(const struct transfer *h)
{
	struct own_ids own;
	uint64_t size = 0;

	if (h->folder >= 0 && assume_ids(h, &own)) {
		add_size(h->folder, heap_name, &size);
		target_ids_restore(&own);
	}
	return size;
}

uint64_t transfer_size(const struct transfer *h)
{
	struct own_ids own;
	uint64_t sum = 0;

	if (h->folder >= 0 && assume_ids(h, &own)) {
		for_each_file(h->folder, add_size, &sum);
		target_ids_restore(&own);
	}
	return sum;
}

int transfer_open_file(const struct transfer *h, struct reason *reason)
{
	struct own_ids own;
	struct stat info;
	int fd = -1;

	if (assume_ids(h, &own)) {
		fd = openat(h->folder, heap_name,
			    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		target_ids_restore(&own);
	}
	if (fd < 0) {
		reason_errno(reason, "cannot open the file that it wrote");
		return -1;
	}
	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) ||
	    info.st_uid != h->attach->process->ids.uid) {
		reason_set(reason, "what it wrote is not a file of its own");
		close(fd);
		return -1;
	}
	return fd;
}

bool transfer_copy_library(struct transfer *h, const char *path,
			   char ret_copy[TRANSFER_PATH_MAX],
			   struct reason *reason)
{
	const struct jvm_process *process = h->attach->process;
	char name[AGENT_COPY_NAME];
	int from = open(path, O_RDONLY | O_CLOEXEC);
	struct own_ids own;
	bool good = false;

	if (from < 0 || !agent_copy_name(from, name)) {
		reason_errno(reason, "cannot open the agent %s", path);
	} else if (agent_copy_find(process->pid, process->libc, name,
				   ret_copy)) {
		good = true;
	} else {
		if (assume_ids(h, &own)) {
			good = agent_copy_make(from, h->folder, name);
			target_ids_restore(&own);
		}
		if (!good)
			reason_errno(reason,
				     "cannot copy the agent into its /tmp");
		snprintf(ret_copy, TRANSFER_PATH_MAX, "/tmp/%s/%s", h->name,
			 name);
	}
	if (from >= 0)
		close(from);
	return good;
}
