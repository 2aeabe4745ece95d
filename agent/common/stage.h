/* SPDX-License-Identifier: MIT */
/*
 * stage.h - a directory of our own in which another writes a dump: the JVM,
 * which insists on a new file and may write several at a time.
 *
 * It is called PART.d, beside the part file PART, and whoever has locked that
 * (see output.h) has the directory, too.
 */
#ifndef AG_STAGE_H
#define AG_STAGE_H

/* The file to be written; others may be called HEAP.p0, HEAP.p1 ... */
#define AG_STAGE_HEAP "heap"

/*
 * Makes an empty directory for the part file, and opens it. Returns the
 * descriptor, or -1; see errno.
 */
int ag_stage_open(const char *part);

/* Removes the directory and what a dump may have left there, if it is ours. */
void ag_stage_remove(const char *part);

#endif
