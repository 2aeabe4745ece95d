/* SPDX-License-Identifier: MIT */
/*
 * log.h - the agent's messages: one line each on standard error.
 */
#ifndef AG_LOG_H
#define AG_LOG_H

/* Adds a prefix and a newline, writes at once, and cuts at about 1500 bytes. */
void ag_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
