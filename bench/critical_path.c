/* SPDX-License-Identifier: MIT */
/*
 * critical_path.c - see critical_path.h.
 */
#include "bench/critical_path.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* The linker gives these names to the functions of the C library, and to ours. */
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*run)(void *), void *argument);
int __real_pthread_join(pthread_t thread, void **ret);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*run)(void *), void *argument);
int __wrap_pthread_join(pthread_t thread, void **ret);

struct start {
	void *(*run)(void *);
	void *argument;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double most;  /* of the threads that run together */
static double began; /* the main thread, when the first started */
static double saved; /* main thread's time that others outlast */
static unsigned not_joined;

static double thread_seconds(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *run(void *argument)
{
	struct start start = *(struct start *)argument;
	void *result;

	free(argument);
	result = start.run(start.argument);
	double seconds = thread_seconds();
	pthread_mutex_lock(&lock);
	if (seconds > most)
		most = seconds;
	pthread_mutex_unlock(&lock);
	return result;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*function)(void *), void *argument)
{
	struct start *start = malloc(sizeof *start);

	if (!start)
		abort();
	*start = (struct start){ function, argument };
	if (not_joined++ == 0) {
		most = 0;
		began = thread_seconds();
	}
	int error = __real_pthread_create(thread, attributes, run, start);
	if (error) {
		not_joined--;
		free(start);
	}
	return error;
}

int __wrap_pthread_join(pthread_t thread, void **ret)
{
	int error = __real_pthread_join(thread, ret);

	if (error || --not_joined)
		return error;
	double own = thread_seconds() - began;
	if (most > own)
		saved += most - own;
	return 0;
}

double critical_path_seconds(void)
{
	return thread_seconds() + saved;
}
