/* SPDX-License-Identifier: MIT */
/*
 * fake-jvm.h - what the files of fake-jvm share. FD is the connection that a
 * request came on.
 */
#ifndef TESTS_FAKE_JVM_H
#define TESTS_FAKE_JVM_H

/* Writes TEXT, in which \\n is a newline; SIZE bytes. */
void fake_reply(int fd, const char *text);
void fake_flood(int fd, long size);

/* Runs one of the actions that have a FILE. PATH: where the dump is to go. */
void fake_dump(int fd, const char *action, const char *path);

/* Answers nothing any more, and says so on standard error. */
void __attribute__((noreturn)) fake_stall(void);

/* Ends as a JVM does: without its socket. */
void __attribute__((noreturn)) fake_end(void);

/* The test itself is wrong: prints errno, and ends with status 2. */
void __attribute__((noreturn)) fake_die(const char *about);

#endif
