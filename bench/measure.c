/* SPDX-License-Identifier: MIT */
/*
 * measure.c - runs commands several times and prints what they cost.
 *
 *   measure [-n ROUNDS] <LIST
 *
 * Each line of the list is a name, a tab, and a command for sh. The commands
 * take turns: all of them once, then all again, so that other load on the
 * machine affects all alike. Before the first round each runs once without
 * being measured, so that its files are in the page cache. Before each of the
 * others, as much memory as the largest command needed is taken and given back:
 * the host of a virtual machine takes free memory away after a while, and to get
 * it again can take longer than the work on it, so that what a command costs would
 * depend on what ran before it, and when. What a command takes after that while is
 * what the host has to find all the same. Prints a line for each command, separated
 * by tabs:
 *
 *   name, median wall, least wall, median CPU, least CPU, peak RSS
 *
 * in milliseconds with three digits, and KiB. CPU includes the processes that
 * the command started; RSS is that of the largest of them. For a command that
 * fails it prints the name and "fails", and continues with the others.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 1000, COMMANDS_MAX = 200 };

struct command {
	char *name;
	char *text;
	long wall[ROUNDS_MAX]; /* microseconds */
	long cpu[ROUNDS_MAX];
	long rss; /* KiB */
	bool failed;
};

static struct command commands[COMMANDS_MAX];
static size_t command_count;

static void fail(const char *what)
{
	fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void usage(void)
{
	fputs("usage: measure [-n ROUNDS] <LIST\n", stderr);
	exit(2);
}

static void read_list(void)
{
	char *line = NULL, *tab;
	size_t room = 0;
	ssize_t n;

	while ((n = getline(&line, &room, stdin)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		tab = strchr(line, '\t');
		if (!tab || command_count == COMMANDS_MAX)
			usage();
		*tab = '\0';
		commands[command_count].name = strdup(line);
		commands[command_count++].text = strdup(tab + 1);
	}
	free(line);
}

static long micros(struct timeval t)
{
	return (long)t.tv_sec * 1000000 + (long)t.tv_usec;
}

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void run_child(const char *text)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
	    dup2(null, 2) < 0)
		_exit(126);
	execl("/bin/sh", "sh", "-c", text, (char *)NULL);
	_exit(127);
}

/* The machine has as much memory at hand then. */
static void take_memory(long kib)
{
	const size_t size = (size_t)kib * 1024;
	pid_t pid = fork();
	void *at;

	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at != MAP_FAILED) {
#ifdef MADV_HUGEPAGE
			madvise(at, size, MADV_HUGEPAGE);
#endif
			memset(at, 1, size);
		}
		_exit(0);
	}
	if (waitpid(pid, NULL, 0) != pid)
		fail("waitpid");
}

static long most_memory(void)
{
	long most = 1;

	for (size_t i = 0; i < command_count; i++)
		if (commands[i].rss > most)
			most = commands[i].rss;
	return most;
}

/* Runs the command once and stores the figures of ROUND. */
static void run(struct command *command, unsigned round)
{
	struct rusage usage;
	int status;
	long start;
	pid_t pid;

	if (command->failed)
		return;
	start = now();
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid == 0)
		run_child(command->text);
	if (wait4(pid, &status, 0, &usage) != pid)
		fail("wait4");
	if (status != 0) {
		fprintf(stderr, "measure: failed: %s\n", command->text);
		command->failed = true;
	}
	command->wall[round] = now() - start;
	command->cpu[round] = micros(usage.ru_utime) + micros(usage.ru_stime);
	if (usage.ru_maxrss > command->rss)
		command->rss = usage.ru_maxrss;
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return x < y ? -1 : x > y;
}

static double median(const long *sorted, unsigned n)
{
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2000.0;
}

static void print(struct command *command, unsigned rounds)
{
	if (command->failed) {
		printf("%s\tfails\n", command->name);
		return;
	}
	qsort(command->wall, rounds, sizeof(long), compare);
	qsort(command->cpu, rounds, sizeof(long), compare);
	printf("%s\t%.3f\t%.3f\t%.3f\t%.3f\t%ld\n", command->name,
	       median(command->wall, rounds), command->wall[0] / 1000.0,
	       median(command->cpu, rounds), command->cpu[0] / 1000.0,
	       command->rss);
}

int main(int argc, char **argv)
{
	long rounds = 5;
	int option;

	while ((option = getopt(argc, argv, "n:")) != -1) {
		if (option != 'n')
			usage();
		rounds = strtol(optarg, NULL, 10);
	}
	if (optind != argc || rounds < 1 || rounds > ROUNDS_MAX)
		usage();
	read_list();
	for (size_t i = 0; i < command_count; i++)
		run(&commands[i], 0);
	for (unsigned round = 0; round < (unsigned)rounds; round++)
		for (size_t i = 0; i < command_count; i++) {
			take_memory(most_memory());
			run(&commands[i], round);
		}
	for (size_t i = 0; i < command_count; i++)
		print(&commands[i], (unsigned)rounds);
	return 0;
}
