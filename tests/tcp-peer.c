/* SPDX-License-Identifier: MIT */
/*
 * tcp-peer.c - the other end of a connection, well behaved or not, for tests of
 * the agent and of hprof-dump.
 *
 *   tcp-peer -l ACTION...     listens on a port of 127.0.0.1, prints its
 *                             number, and takes one connection
 *   tcp-peer PORT ACTION...   connects to it
 *
 *   send=HEX     sends these bytes
 *   file=FILE    sends that file
 *   token=FILE   sends a frame with the first line of the file
 *   read=N       reads so many bytes, and drops them
 *   dump=FILE    reads until HEAP_DUMP_END, into FILE
 *   rest=FILE    reads until the other end closes, into FILE
 *   gone         reads until the other end closes; says so
 *   hold         waits for the end of standard input
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TOKEN_TAG 0x80
#define END_TAG 0x2C
#define HEAD 9

static void __attribute__((noreturn)) die(const char *what)
{
	perror(what);
	exit(1);
}

static int to_port(const char *text)
{
	return atoi(text);
}

static int open_connection(const char *where)
{
	bool listens = strcmp(where, "-l") == 0;
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM, 0), connection;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (!listens)
		address.sin_port = htons((uint16_t)to_port(where));
	if (fd < 0)
		die("socket");
	if (!listens) {
		if (connect(fd, (struct sockaddr *)&address, size) != 0)
			die("connect");
		return fd;
	}
	if (bind(fd, (struct sockaddr *)&address, size) != 0 ||
	    listen(fd, 1) != 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &size) != 0)
		die("listen");
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	connection = accept(fd, NULL, NULL);
	if (connection < 0)
		die("accept");
	close(fd);
	return connection;
}

static void send_bytes(int fd, const void *bytes, size_t size)
{
	if (send(fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size)
		die("send");
}

static void send_hex(int fd, const char *hex)
{
	uint8_t bytes[4096];
	size_t size = 0;

	for (; hex[0] && hex[1] && size < sizeof bytes; hex += 2) {
		const char two[] = { hex[0], hex[1], '\0' };

		bytes[size++] = (uint8_t)strtoul(two, NULL, 16);
	}
	send_bytes(fd, bytes, size);
}

static void send_file(int fd, const char *path)
{
	FILE *in = fopen(path, "rb");
	char bytes[65536];
	size_t n;

	if (!in)
		die(path);
	while ((n = fread(bytes, 1, sizeof bytes, in)) > 0)
		send_bytes(fd, bytes, n);
	fclose(in);
}

static void send_token(int fd, const char *path)
{
	FILE *in = fopen(path, "r");
	char line[512];
	uint8_t head[HEAD] = { TOKEN_TAG };
	size_t size;

	if (!in || !fgets(line, sizeof line, in))
		die(path);
	fclose(in);
	size = strcspn(line, "\n");
	head[HEAD - 2] = (uint8_t)(size >> 8);
	head[HEAD - 1] = (uint8_t)size;
	send_bytes(fd, head, sizeof head);
	send_bytes(fd, line, size);
}

/* The last bytes that were read. */
struct tail {
	uint8_t bytes[HEAD];
};

static void keep_tail(struct tail *tail, const uint8_t *bytes, size_t size)
{
	for (size_t i = size > HEAD ? size - HEAD : 0; i < size; i++) {
		memmove(tail->bytes, tail->bytes + 1, HEAD - 1);
		tail->bytes[HEAD - 1] = bytes[i];
	}
}

static bool is_end(const struct tail *tail)
{
	static const uint8_t nothing[4];

	return tail->bytes[0] == END_TAG &&
	       memcmp(tail->bytes + HEAD - 4, nothing, 4) == 0;
}

/* Reads MOST bytes, or until the end of a dump or of the connection. */
static bool read_until(int fd, const char *path, size_t most, bool dump)
{
	FILE *out = path ? fopen(path, "wb") : NULL;
	struct tail tail = { { 0 } };
	uint8_t bytes[65536];
	ssize_t n = 1;

	if (path && !out)
		die(path);
	while (most > 0 && n > 0 && !(dump && is_end(&tail))) {
		n = read(fd, bytes, most < sizeof bytes ? most : sizeof bytes);
		if (n > 0) {
			keep_tail(&tail, bytes, (size_t)n);
			most -= (size_t)n;
			if (out)
				fwrite(bytes, 1, (size_t)n, out);
		}
	}
	if (out && fclose(out) != 0)
		die(path);
	return n > 0;
}

static void hold(void)
{
	char unused[256];

	while (read(STDIN_FILENO, unused, sizeof unused) > 0)
		;
}

static void act(int fd, const char *action)
{
	const char *value = strchr(action, '=');

	value = value ? value + 1 : "";
	if (strncmp(action, "send=", 5) == 0)
		send_hex(fd, value);
	else if (strncmp(action, "file=", 5) == 0)
		send_file(fd, value);
	else if (strncmp(action, "token=", 6) == 0)
		send_token(fd, value);
	else if (strncmp(action, "read=", 5) == 0)
		read_until(fd, NULL, strtoul(value, NULL, 10), false);
	else if (strncmp(action, "dump=", 5) == 0)
		puts(read_until(fd, value, SIZE_MAX, true) ? "dumped" : "gone");
	else if (strncmp(action, "rest=", 5) == 0)
		read_until(fd, value, SIZE_MAX, false);
	else if (strcmp(action, "gone") == 0)
		puts(read_until(fd, NULL, SIZE_MAX, false) ? "?" : "gone");
	else if (strcmp(action, "hold") == 0)
		hold();
	else
		puts("what?");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int fd;

	if (argc < 2)
		return 2;
	fd = open_connection(argv[1]);
	for (int i = 2; i < argc; i++)
		act(fd, argv[i]);
	return 0;
}
