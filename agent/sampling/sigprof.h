/* SPDX-License-Identifier: MIT */
/*
 * sigprof.h - who handles SIGPROF, which HotSpot leaves to profilers.
 */
#ifndef AG_SIGPROF_H
#define AG_SIGPROF_H

#include <signal.h>

typedef void ag_sigprof_handler(int number, siginfo_t *info, void *context);

/*
 * Sets the handler. Another one that is there already stays: then it returns
 * why, otherwise NULL.
 */
const char *ag_sigprof_handle(ag_sigprof_handler *handler);

/*
 * From now on the signal is ignored, rather than given back its default, which
 * would end the process when a late one arrives. Whoever has replaced the
 * handler meanwhile keeps theirs.
 */
void ag_sigprof_ignore(ag_sigprof_handler *handler);

#endif
