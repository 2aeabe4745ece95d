/* SPDX-License-Identifier: MIT */
/*
 * output_file.c - see output_file.h.
 *
 * What is written has the name OUT.part until it is complete. A part may be as
 * large as the dump; so a signal that ends the program removes it, and then does
 * what it does by default. A file limit (SIGXFSZ) makes write fail, as a closed
 * pipe does: these are errors like others.
 */
#include "tools/common/output_file.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/common/input.h"
#include "tools/common/signal_thread.h"

/* ---- names --------------------------------------------------------------- */

char *output_file_final(const char *out)
{
	char target[PATH_MAX];
	struct stat info;
	bool link = lstat(out, &info) == 0 && S_ISLNK(info.st_mode) &&
		    realpath(out, target);
	char *name = cli_strdup(link ? target : out);
	size_t size = strlen(name);

	while (size > 1 && name[size - 1] == '/')
		name[--size] = 0;
	return name;
}

char *output_file_part(const char *out)
{
	static const char suffix[] = ".part";
	char *name = output_file_final(out);
	size_t size = strlen(name) + sizeof(suffix);
	char *part = cli_calloc(size, 1);

	snprintf(part, size, "%s%s", name, suffix);
	free(name);
	return part;
}

bool output_file_is_special(const char *out)
{
	struct stat info;

	return stat(out, &info) == 0 && !S_ISREG(info.st_mode) &&
	       !S_ISDIR(info.st_mode);
}

/* ---- the dump ------------------------------------------------------------ */

static bool is_file(const char *path, const struct stat *file)
{
	struct stat info;

	return stat(path, &info) == 0 && info.st_dev == file->st_dev &&
	       info.st_ino == file->st_ino;
}

/* Of "-" and "-#2", what standard input is, if that is a file. */
static bool find_input(const char *in, struct stat *ret)
{
	if (in[0] == '-' && (!in[1] || in[1] == '#'))
		return fstat(STDIN_FILENO, ret) == 0 && S_ISREG(ret->st_mode);
	return input_is_file(in, ret);
}

bool output_file_is_input(const char *in, const char *out)
{
	struct stat file;
	char *part;
	bool same = true;

	if (strcmp(out, "-") == 0 || !find_input(in, &file))
		return false;
	part = output_file_part(out);
	if (is_file(out, &file))
		cli_message("%s to %s: that is the same file", in, out);
	else if (is_file(part, &file))
		cli_message("%s to %s: the dump has the name of the part file "
			    "that would be written: rename it",
			    in, out);
	else
		same = false;
	free(part);
	return same;
}

bool output_file_is_one_of(char *const *in, size_t count, const char *out)
{
	for (size_t i = 0; i < count; i++)
		if (output_file_is_input(in[i], out))
			return true;
	return false;
}

/* ---- signals ------------------------------------------------------------- */

static char *part_name;
static output_file_remove_fn *remove_part;

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

static void end_by(int number, const sigset_t *signals)
{
	struct stat info;

	if (lstat(part_name, &info) == 0 && is_ours(&info))
		remove_part(part_name, S_ISDIR(info.st_mode));
	signal(number, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, signals, NULL);
	raise(number);
	_exit(CLI_TROUBLE);
}

void output_file_signals(const char *out, output_file_remove_fn *remove)
{
	static const int numbers[] = { SIGHUP,	SIGINT,	 SIGQUIT,
				       SIGTERM, SIGALRM, SIGVTALRM,
				       SIGPROF, SIGXCPU, SIGUSR2 };

	if (strcmp(out, "-") == 0)
		return;
	part_name = output_file_part(out);
	remove_part = remove;
	signal(SIGXFSZ, SIG_IGN);
	/* Without the thread they end it at once; the next run cleans up. */
	signal_thread_begin(numbers, sizeof(numbers) / sizeof(numbers[0]),
			    end_by);
}

bool output_file_remove(const char *part, bool is_folder)
{
	return !is_folder && unlink(part) == 0;
}
