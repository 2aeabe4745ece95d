/* SPDX-License-Identifier: MIT */
/*
 * fake-jvm.h - shared by the files of fake-jvm. FD is the connection on which
 * the request came.
 */
#ifndef TESTS_FAKE_JVM_H
#define TESTS_FAKE_JVM_H

/* Writes TEXT, in which \\n is a newline, or SIZE bytes of any kind. */
void fake_reply(int fd, const char *text);
void fake_flood(int fd, long size);

/* A reply that never ends, a byte now and then. */
void fake_drip(int fd);

/* Runs one of the actions that have a FILE; the dump is written to PATH. */
void fake_dump(int fd, const char *action, const char *path);

/* Stops answering, and says so on standard error. */
void __attribute__((noreturn)) fake_stall(void);

/* Exits as a JVM does: removes its socket. */
void __attribute__((noreturn)) fake_end(void);

/* The test itself failed: prints errno and exits with status 2. */
void __attribute__((noreturn)) fake_die(const char *about);

#endif
