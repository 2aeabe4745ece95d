/* SPDX-License-Identifier: MIT */
/*
 * token.c - see token.h.
 */
#include "wire/token.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define RANDOM_BYTES 24

static bool fail(const char *why, int error, const char **ret_why,
		 int *ret_errno)
{
	*ret_why = why;
	*ret_errno = error;
	return false;
}

/* NULL, or what is wrong with the file. */
static const char *judge(const struct stat *info)
{
	if (!S_ISREG(info->st_mode))
		return "it is not a regular file";
	if (info->st_uid != 0 && info->st_uid != geteuid())
		return "it belongs to another user";
	if (info->st_mode & 077)
		return "others than its owner may use it: its mode must be "
		       "0600 or 0400";
	return NULL;
}

static const char *read_line(int fd, struct wire_token *ret)
{
	char text[WIRE_TOKEN_MOST + 2];
	ssize_t n = read(fd, text, sizeof text);
	size_t size = 0;

	while (n > 0 && size < (size_t)n && text[size] != '\n' &&
	       text[size] != '\r')
		size++;
	if (size < WIRE_TOKEN_LEAST)
		return "its first line has fewer than 16 characters";
	if (size > WIRE_TOKEN_MOST)
		return "its first line has more than 256 characters";
	ret->size = size;
	memcpy(ret->bytes, text, size);
	return NULL;
}

bool wire_token_read(const char *path, struct wire_token *ret,
		     const char **ret_why, int *ret_errno)
{
	/* A pipe without a writer must not hold anybody up. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;
	const char *why;

	if (fd < 0)
		return fail("cannot open it", errno, ret_why, ret_errno);
	why = fstat(fd, &info) == 0 ? judge(&info) : "it cannot be looked at";
	if (!why)
		why = read_line(fd, ret);
	close(fd);
	return why ? fail(why, 0, ret_why, ret_errno) : true;
}

static void make_random(const uint8_t random[RANDOM_BYTES],
			struct wire_token *ret)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < RANDOM_BYTES; i++) {
		ret->bytes[2 * i] = (uint8_t)digits[random[i] >> 4];
		ret->bytes[2 * i + 1] = (uint8_t)digits[random[i] & 15];
	}
	ret->size = 2 * (size_t)RANDOM_BYTES;
}

bool wire_token_make(const char *path, struct wire_token *ret,
		     const char **ret_why, int *ret_errno)
{
	uint8_t random[RANDOM_BYTES], line[2 * RANDOM_BYTES + 1];
	bool written;
	int fd;

	if (getrandom(random, sizeof random, 0) != sizeof random)
		return fail("there is no random number", errno, ret_why,
			    ret_errno);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail("cannot make it", errno, ret_why, ret_errno);
	make_random(random, ret);
	memcpy(line, ret->bytes, ret->size);
	line[ret->size] = '\n';
	written = write(fd, line, ret->size + 1) == (ssize_t)ret->size + 1;
	if (close(fd) == 0 && written)
		return true;
	fail("cannot write it", errno, ret_why, ret_errno);
	unlink(path);
	return false;
}

bool wire_token_same(const struct wire_token *token, const uint8_t *bytes,
		     size_t size)
{
	uint8_t other = token->size != size;

	for (size_t i = 0; i < token->size; i++)
		other |= (uint8_t)(token->bytes[i] ^ (i < size ? bytes[i] : 0));
	return !other;
}
