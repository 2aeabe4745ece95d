/* SPDX-License-Identifier: MIT */
/*
 * test_wire.c - addresses, tokens and frames of connections.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/fixture.h"
#include "wire/address.h"
#include "wire/command.h"
#include "wire/token.h"

/* ---- addresses ------------------------------------------------------------- */

static void expect_address(const char *text, bool optional, const char *host,
			   const char *port)
{
	struct wire_address a;
	bool good = wire_address_parse(text, strlen(text), optional, &a);

	cr_assert_eq(good, host != NULL, "%s", text);
	if (!host)
		return;
	cr_expect_str_eq(a.host, host, "%s: %s", text, a.host);
	cr_expect_str_eq(a.port, port, "%s: %s", text, a.port);
}

Test(wire, addresses)
{
	expect_address("localhost:80", false, "localhost", "80");
	expect_address("10.0.0.1:65535", false, "10.0.0.1", "65535");
	expect_address("[::1]:1", false, "::1", "1");
	expect_address("[fe80::1%eth0]:1", false, "fe80::1%eth0", "1");
	expect_address("4711", true, "127.0.0.1", "4711");
	expect_address("0", true, "127.0.0.1", "0");
	expect_address("0.0.0.0:0", true, "0.0.0.0", "0");
	expect_address("4711", false, NULL, NULL);
	expect_address("h:0", false, NULL, NULL);
	expect_address("h:65536", false, NULL, NULL);
	expect_address("h:123456", false, NULL, NULL);
	expect_address("h:", false, NULL, NULL);
	expect_address(":1", true, NULL, NULL);
	expect_address("", true, NULL, NULL);
	expect_address("h:1x", false, NULL, NULL);
	expect_address("h:+1", false, NULL, NULL);
	expect_address("::1:1", false, NULL, NULL);
	expect_address("[]:1", false, NULL, NULL);
	expect_address("[::1:1", false, NULL, NULL);
	expect_address("a b:1", false, NULL, NULL);
	expect_address("a\033b:1", false, NULL, NULL);
}

Test(wire, a_host_that_is_too_long)
{
	struct wire_address a;
	char text[400];

	memset(text, 'h', sizeof(text));
	memcpy(text + 255, ":80", 4);
	cr_expect(wire_address_parse(text, strlen(text), false, &a));
	memset(text, 'h', sizeof(text));
	memcpy(text + 256, ":80", 4);
	cr_expect_not(wire_address_parse(text, strlen(text), false, &a));
}

Test(wire, addresses_as_text)
{
	char out[WIRE_TEXT_MAX];

	cr_expect_str_eq(
		wire_address_text(&(struct wire_address){ "h", "1" }, out),
		"h:1");
	cr_expect_str_eq(
		wire_address_text(&(struct wire_address){ "::1", "1" }, out),
		"[::1]:1");
}

/* ---- connections ----------------------------------------------------------- */

Test(wire, connects)
{
	struct wire_address any = { "127.0.0.1", "0" }, bound, peer;
	char why[160];
	int listener = wire_listen(&any, &bound, why), one, other;
	char byte = 'x';

	cr_assert_geq(listener, 0, "%s", why);
	cr_expect_str_neq(bound.port, "0");
	cr_expect_lt(wire_accept(listener, &peer), 0);
	one = wire_connect(&bound, 10000, -1, why);
	cr_assert_geq(one, 0, "%s", why);
	poll(&(struct pollfd){ listener, POLLIN, 0 }, 1, -1);
	other = wire_accept(listener, &peer);
	cr_assert_geq(other, 0);
	cr_expect_str_eq(peer.host, "127.0.0.1");
	cr_expect_eq(write(one, &byte, 1), 1);
	poll(&(struct pollfd){ other, POLLIN, 0 }, 1, -1);
	cr_expect_eq(read(other, &byte, 1), 1);
	close(one);
	close(other);
	close(listener);
	cr_expect_lt(wire_connect(&bound, 10000, -1, why), 0);
	cr_expect_str_eq(why, strerror(ECONNREFUSED));
}

/* ---- tokens ---------------------------------------------------------------- */

static const char token_text[] = "0123456789abcdef";

static void make_file(const char *path, const char *text, mode_t mode)
{
	FILE *out = fopen(path, "w");

	cr_assert_not_null(out);
	fputs(text, out);
	fclose(out);
	cr_assert_eq(chmod(path, mode), 0);
}

static void expect_refused(const char *path, const char *why, int error)
{
	struct wire_token token;
	const char *said = NULL;
	int number = -1;

	cr_assert_not(wire_token_read(path, &token, &said, &number));
	cr_expect(strstr(said, why), "%s", said);
	cr_expect_eq(number, error);
}

Test(wire, token_files)
{
	char folder[] = "/tmp/hprof-token-XXXXXX", path[64], text[300];
	struct wire_token token;
	const char *why;
	int error;

	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/token", folder);
	expect_refused(path, "cannot open", ENOENT);
	make_file(path, "0123456789abcdef\r\nmore\n", 0600);
	cr_assert(wire_token_read(path, &token, &why, &error));
	cr_expect_eq(token.size, strlen(token_text));
	cr_expect(wire_token_same(&token, (const uint8_t *)token_text,
				  strlen(token_text)));
	make_file(path, token_text, 0640);
	expect_refused(path, "mode", 0);
	make_file(path, token_text, 0604);
	expect_refused(path, "mode", 0);
	make_file(path, "0123456789abcde\n", 0600);
	expect_refused(path, "fewer than 16", 0);
	memset(text, 't', sizeof text);
	text[257] = '\0';
	make_file(path, text, 0600);
	expect_refused(path, "more than 256", 0);
	text[256] = '\0';
	make_file(path, text, 0400);
	cr_expect(wire_token_read(path, &token, &why, &error));
	unlink(path);
	cr_assert_eq(mkfifo(path, 0600), 0);
	expect_refused(path, "regular", 0);
	unlink(path);
	expect_refused(folder, "regular", 0);
	rmdir(folder);
}

Test(wire, a_token_is_made_once)
{
	char folder[] = "/tmp/hprof-token-XXXXXX", path[64];
	struct wire_token made, read, other;
	struct stat info;
	const char *why;
	int error;

	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/token", folder);
	cr_assert(wire_token_make(path, &made, &why, &error));
	cr_assert_eq(stat(path, &info), 0);
	cr_expect_eq(info.st_mode & 0777, 0600);
	cr_assert(wire_token_read(path, &read, &why, &error));
	cr_expect(wire_token_same(&made, read.bytes, read.size));
	cr_expect_not(wire_token_make(path, &other, &why, &error));
	cr_expect_eq(error, EEXIST);
	unlink(path);
	cr_assert(wire_token_make(path, &other, &why, &error));
	cr_expect_not(wire_token_same(&made, other.bytes, other.size));
	unlink(path);
	rmdir(folder);
}

Test(wire, tokens_that_differ)
{
	struct wire_token token = { 16, "0123456789abcdef" };

	cr_expect_not(wire_token_same(&token, token.bytes, 15));
	cr_expect_not(wire_token_same(&token, token.bytes, 17));
	cr_expect_not(wire_token_same(&token, token.bytes, 0));
	cr_expect_not(wire_token_same(&token,
				      (const uint8_t *)"0123456789abcdeF", 16));
	cr_expect_not(wire_token_same(&token,
				      (const uint8_t *)"x123456789abcdef", 16));
}

Test(wire, frames)
{
	static const uint8_t expected[] = { 0x80, 0, 0, 0, 0, 0, 0, 1, 2 };
	uint8_t head[WIRE_HEAD];

	wire_put_head(head, WIRE_TOKEN, 258);
	cr_expect_arr_eq(head, expected, sizeof expected);
	cr_expect_eq(wire_get_u32(head + 5), 258);
	wire_put_u32(head, 0xfedcba98);
	cr_expect_eq(wire_get_u32(head), 0xfedcba98);
}
