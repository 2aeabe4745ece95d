/* SPDX-License-Identifier: MIT */
/* sigprof.c - see sigprof.h. */
#include "agent/sampling/sigprof.h"

#include <stddef.h>
#include <string.h>

const char *ag_sigprof_handle(ag_sigprof_handler *handler)
{
	struct sigaction old, ours;

	if (sigaction(SIGPROF, NULL, &old))
		return "SIGPROF cannot be handled";
	if ((old.sa_flags & SA_SIGINFO)
		    ? old.sa_sigaction != handler
		    : old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN)
		return "the program has a handler of SIGPROF already";
	memset(&ours, 0, sizeof ours);
	ours.sa_sigaction = handler;
	ours.sa_flags = SA_SIGINFO | SA_RESTART;
	sigemptyset(&ours.sa_mask);
	return sigaction(SIGPROF, &ours, NULL) ? "SIGPROF cannot be handled"
					       : NULL;
}

void ag_sigprof_ignore(ag_sigprof_handler *handler)
{
	struct sigaction now;

	if (sigaction(SIGPROF, NULL, &now) || !(now.sa_flags & SA_SIGINFO) ||
	    now.sa_sigaction != handler)
		return;
	memset(&now, 0, sizeof now);
	now.sa_handler = SIG_IGN;
	sigaction(SIGPROF, &now, NULL);
}
