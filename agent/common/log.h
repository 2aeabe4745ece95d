/* SPDX-License-Identifier: MIT */
/*
 * log.h - the agent's messages: one line each on standard error.
 */
#ifndef AG_LOG_H
#define AG_LOG_H

/* Prefix and newline are added; written at once, cut to about 1500 bytes. */
void ag_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
