/* SPDX-License-Identifier: MIT */
/*
 * test_table.c - names that are shortened, and tables that fit a width.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/common/escape.h"
#include "tools/common/screen.h"
#include "tools/common/shorten.h"
#include "tools/common/table.h"

static const char bean[] =
	"org.springframework.beans.factory.support.DefaultListableBeanFactory";

static size_t width_of(const char *text)
{
	return escape_width(text, strlen(text));
}

static void expect_short(const char *text, size_t columns, const char *expected)
{
	char *found = shorten_text(text, columns);

	cr_expect_str_eq(found, expected, "%s in %zu columns is \"%s\"", text,
			 columns, found);
	free(found);
}

/* ---- names --------------------------------------------------------------- */

/* No more packages become a letter than the width takes. */
Test(shorten, packages_from_the_left)
{
	expect_short(bean, 68, bean);
	expect_short(bean, 67,
		     "o.springframework.beans.factory.support."
		     "DefaultListableBeanFactory");
	expect_short(bean, 60,
		     "o.s.beans.factory.support.DefaultListableBeanFactory");
	expect_short(bean, 36, "o.s.b.f.s.DefaultListableBeanFactory");
}

/* The class itself is cut only if it does not fit without any package. */
Test(shorten, class_last)
{
	expect_short(bean, 35, "DefaultListableBeanFactory");
	expect_short(bean, 26, "DefaultListableBeanFactory");
	expect_short(bean, 25, "DefaultList...BeanFactory");
	expect_short("static org.acme.shop.Shop.orders", 20,
		     "static Shop.orders");
	expect_short("org.acme.Shop of org.acme.Web", 16, "Shop of o.a.Web");
	expect_short("a.b.c", 3, "...");
	expect_short("java.util.HashMap", 16, "j.util.HashMap");
	expect_short("acme.things.lower", 10, "a.t.lower");
	expect_short("org.springframework.beans.factory", 20,
		     "o.s.beans.factory");
}

/* What is left of a name without capitals may not tell the class. */
Test(shorten, no_class)
{
	expect_short("acme.things.lower.field", 10, "a.t...eld");
	expect_short("acme.things.lower.field", 14, "a.t.l.field");
}

Test(shorten, numbers_and_identifiers_stay)
{
	expect_short("java.util.HashMap$Node[8192]@0x7f0010aabbcc", 38,
		     "j.u.HashMap$Node[8192]@0x7f0010aabbcc");
	expect_short("java.util.HashMap$Node[8192]@0x7f0010aabbcc", 32,
		     "Hash...Node[8192]@0x7f0010aabbcc");
	expect_short("com.acme.Foo  (loader 0x7f0010aabbcc)", 34,
		     "c.a.Foo  (loader 0x7f0010aabbcc)");
	expect_short("com.acme.Foo: 1,048,576 objects, 10.54 MiB", 38,
		     "c.a.Foo: 1,048,576 objects, 10.54 MiB");
}

/* Where the text as a whole is cut, too, as long as they fit at all. */
Test(shorten, numbers_and_identifiers_stay_in_the_end)
{
	expect_short("a plain sentence of class com.acme.Foo@0x7f0010aabbcc",
		     38, "a plain sentence o...oo@0x7f0010aabbcc");
	expect_short("no room for packages and 1,048,576 objects", 30,
		     "no room fo...1,048,576 objects");
	expect_short("1,048,576 objects of 1,024 kinds are alike", 31,
		     "1,048,576 obje...inds are alike");
	expect_short("com.acme.Foo@0x7f0010aabbcc", 10, "Foo@...bcc");
}

/* A cut is told by three dots, also beside others. */
Test(shorten, dots)
{
	expect_short("\"cut.x.re.or.there.is.one.of.the\" = 1", 21,
		     "\"cut.x...f.the\" = 1");
}

Test(shorten, files_from_the_left)
{
	char *found = shorten_file("dumps/monday/heap.hprof", 16);

	cr_expect_str_eq(found, "...ay/heap.hprof");
	free(found);
	found = shorten_file("dumps/monday/heap.hprof", 23);
	cr_expect_str_eq(found, "dumps/monday/heap.hprof");
	free(found);
}

/* A text is cut once, and later than names: the key of a map says most. */
Test(shorten, texts)
{
	static const char entry[] = "\"spring.jpa-org.acme.JpaProperties\" = "
				    "org.acme.orm.JpaProperties@0xede74728";

	expect_short(entry, 70,
		     "\"spring.jpa-org.acme.JpaProperties\" = "
		     "o.a.orm.JpaProperties@0xede74728");
	expect_short(entry, 56,
		     "\"spring.jpa-o...aProperties\" = "
		     "JpaProperties@0xede74728");
	expect_short("\"a \\\" quote \" = acme.Thing", 24,
		     "\"a \\\" quote \" = a.Thing");
}

/* Of a frame, the method is not the class, and the file is no package. */
Test(shorten, frames)
{
	expect_short("com.acme.shop.run(Main.java:12)", 28,
		     "c.a.shop.run(Main.java:12)");
	expect_short("com.acme.Shop.run(main.kt:12)", 26,
		     "c.a.Shop.run(main.kt:12)");
}

Test(shorten, labels)
{
	expect_short("    .table java.util.HashMap", 24,
		     "    .table j.u.HashMap");
	expect_short("static log of class org.acme.Log, loaded by org.acme.Web",
		     48, "static log of class o.a.Log, loaded by o.a.Web");
	expect_short("thread \"org.acme.pool\" #1, local of org.acme.Web", 45,
		     "thread \"org.acme.pool\" #1, local of o.a.Web");
}

/* A wide character takes two columns, one that joins another takes none. */
Test(shorten, characters)
{
	expect_short("日本.東京.クラス", 13, "日.東.クラス");
	expect_short("クラスクラスクラス", 12, "クラ...ラス");
	expect_short("e\xCC\x81"
		     "e\xCC\x81.Name",
		     6, "e\xCC\x81.Name");
	expect_short("\xFF\xFF.Name", 5, "Name");
	expect_short("\xFF\xFF.name", 5, "\xFF...e");
}

/* ---- hostile texts -------------------------------------------------------- */

static bool is_utf8(const char *text)
{
	size_t size = strlen(text);
	uint32_t point;

	for (size_t length; size; text += length, size -= length) {
		length = escape_decode(text, size, &point);
		if (!length)
			return false;
	}
	return true;
}

/*
 * Of a text that is far wider than its place, the middle is not looked at, whatever it
 * would become: a hostile name has thousands of parts.
 */
Test(shorten, far_too_wide)
{
	enum { PARTS = 30000 };
	char *name = malloc(2 * PARTS + 10), *found;

	for (unsigned i = 0; i < PARTS; i++)
		memcpy(name + 2 * (size_t)i, "a.", 2);
	strcpy(name + 2 * (size_t)PARTS, "Class");
	found = shorten_text(name, 20);
	cr_expect_leq(strlen(found), 20);
	cr_expect_str_neq(found, "Class");
	cr_expect_str_eq(found + strlen(found) - 5, "Class");
	free(found);
	free(name);
}

/* Tries each STEP-th width. */
static void expect_fits(const char *text, size_t step)
{
	for (size_t columns = 3; columns < 120; columns += step) {
		char *found = shorten_text(text, columns);

		cr_expect(width_of(found) <= columns,
			  "%zu columns of %zu: %.200s", width_of(found),
			  columns, found);
		cr_expect(strlen(found) <= strlen(text));
		cr_expect(is_utf8(found), "%.200s", found);
		free(found);
	}
}

Test(shorten, everything_fits)
{
	static const char *const pieces[] = { "a.",	   "日", "x",  "(",
					      "\"",	   " ",	 "0x", ".",
					      "e\xCC\x81", "@",	 "[",  "Z",
					      ":" };
	char text[600];
	unsigned state = 1;

	for (unsigned round = 0; round < 200; round++) {
		size_t used = 0;

		while (used < sizeof(text) - 8 && (state >> 16) % 100) {
			const char *piece;

			state = state * 1103515245 + 12345;
			piece = pieces[(state >> 16) %
				       (sizeof(pieces) / sizeof(*pieces))];
			memcpy(text + used, piece, strlen(piece));
			used += strlen(piece);
		}
		text[used] = 0;
		state = state * 1103515245 + 12345;
		expect_fits(text, 1);
	}
}

/* As long as a name in a dump can be; it must not take quadratic time. */
Test(shorten, long_texts, .timeout = 60)
{
	static const char *const units[] = { "a.", "x", "日", "word ", "." };
	char *text = calloc(65536, 1);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t size = strlen(units[i]);

		for (size_t at = 0; at + size < 65536; at += size)
			memcpy(text + at, units[i], size + 1);
		expect_fits(text, 13);
	}
	free(text);
}

/* ---- tables ---------------------------------------------------------------- */

static const struct table_column columns[] = {
	{ "rank", TABLE_RIGHT },
	{ "bytes before", TABLE_RIGHT },
	{ "class", TABLE_LEFT },
};

static void fill(struct table *table)
{
	table_count(table, 1);
	table_count(table, 1234567);
	table_text(table, bean);
	table_count(table, 2);
	table_count(table, 9);
	table_text(table, "日本.クラス");
	table_text(table, "");
	table_count(table, 1234576);
	table_words(table, "(2 classes of all that there are)");
}

static void expect_table(size_t width, const char *expected)
{
	struct screen_words words = { .width = { true, width } };
	struct table *table = table_new(columns, 3);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	screen_set(&words);
	fill(table);
	table_print(table, out, 0);
	table_free(table);
	fclose(out);
	cr_expect_str_eq(text, expected, "%zu columns:\n%s", width, text);
	free(text);
}

Test(table, wide_enough)
{
	expect_table(
		120,
		"rank  bytes before  class\n"
		"   1     1,234,567  org.springframework.beans.factory.support."
		"DefaultListableBeanFactory\n"
		"   2             9  日本.クラス\n"
		"         1,234,576  (2 classes of all that there are)\n");
}

/* Before names get shorter, the titles of numbers get two lines. */
Test(table, titles_first)
{
	expect_table(86,
		     "          bytes\n"
		     "rank     before  class\n"
		     "   1  1,234,567  org.springframework.beans.factory."
		     "support.DefaultListableBeanFactory\n"
		     "   2          9  日本.クラス\n"
		     "      1,234,576  (2 classes of all that there are)\n");
}

Test(table, shortened)
{
	expect_table(55,
		     "          bytes\n"
		     "rank     before  class\n"
		     "   1  1,234,567  o.s.b.f.s."
		     "DefaultListableBeanFactory\n"
		     "   2          9  日本.クラス\n"
		     "      1,234,576  (2 classes of all that there are)\n");
}

/* If too little is left for the names, they get lines of their own. */
Test(table, split)
{
	expect_table(36, "          bytes\n"
			 "rank     before\n"
			 "o.s.b.f.s.DefaultListableBeanFactory\n"
			 "   1  1,234,567\n"
			 "日本.クラス\n"
			 "   2          9\n"
			 "(2 classes of all that there are)\n"
			 "      1,234,576\n");
}

static void expect_rows(const struct table_column *those, size_t count,
			const char *const *cells, size_t width,
			const char *expected)
{
	struct screen_words words = { .width = { true, width } };
	struct table *table = table_new(those, count);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	screen_set(&words);
	for (; *cells; cells++)
		table_text(table, *cells);
	table_print(table, out, 0);
	table_free(table);
	fclose(out);
	cr_expect_str_eq(text, expected, "%zu columns:\n%s", width, text);
	free(text);
}

/* Identifiers stay whole: a name that needs more room gets a line. */
Test(table, identifiers)
{
	static const struct table_column those[] = {
		{ "bytes", TABLE_RIGHT },
		{ "loader", TABLE_LEFT },
	};
	static const char *const cells[] = {
		"123,456,789",
		"java.net.URLClassLoader @0xdd129c38 \"plugin-20\"", NULL
	};

	expect_rows(those, 2, cells, 51,
		    "      bytes  loader\n"
		    "123,456,789  URLClassLoader @0xdd129c38 "
		    "\"plugin-20\"\n");
	expect_rows(those, 2, cells, 50,
		    "      bytes\n"
		    "java.net.URLClassLoader @0xdd129c38 \"plugin-20\"\n"
		    "123,456,789\n");
}

/* What holds it stays readable; what it is gets shorter before. */
Test(table, holders)
{
	static const struct table_column those[] = {
		{ "saved", TABLE_RIGHT },
		{ "class", TABLE_LEFT },
		{ "held by", TABLE_LEFT },
	};
	static const char *const cells[] = {
		"9,044,984",
		"java.util.concurrent.ConcurrentHashMap",
		"org.apache.catalina.session.StandardSession.attributes",
		"44",
		"byte[]",
		"static org.acme.Shop.zeros",
		NULL
	};

	expect_rows(those, 3, cells, 60,
		    "    saved  class              held by\n"
		    "9,044,984  ConcurrentHashMap  "
		    "StandardSession.attributes\n"
		    "       44  byte[]             "
		    "static org.acme.Shop.zeros\n");
	expect_rows(those, 3, cells, 51,
		    "    saved  class         held by\n"
		    "9,044,984  Concu...hMap  "
		    "StandardSession.attributes\n"
		    "       44  byte[]        "
		    "static org.acme.Shop.zeros\n");
	expect_rows(those, 3, cells, 50,
		    "    saved  class\n"
		    "o.a.catalina.session.StandardSession.attributes\n"
		    "9,044,984  j.util.concurrent.ConcurrentHashMap\n"
		    "static org.acme.Shop.zeros\n"
		    "       44  byte[]\n");
}

/* ---- the screen ------------------------------------------------------------ */

/* A terminal of that width; -1: there is none to be had. */
static int open_terminal(unsigned short wide)
{
	struct winsize size = { .ws_row = 24, .ws_col = wide };
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	if (master < 0 || grantpt(master) || unlockpt(master))
		return -1;
	if (ioctl(master, TIOCSWINSZ, &size))
		return -1;
	return open(ptsname(master), O_RDWR | O_NOCTTY);
}

static size_t width_with(int output, int messages)
{
	int saved[2] = { dup(1), dup(2) };
	size_t found;

	unsetenv("COLUMNS");
	cr_assert(dup2(output, 1) == 1 && dup2(messages, 2) == 2);
	found = screen_width();
	cr_assert(dup2(saved[0], 1) == 1 && dup2(saved[1], 2) == 2);
	return found;
}

/* What goes to less(1) fits the terminal that messages go to. */
Test(screen, pipe)
{
	int ends[2], terminal = open_terminal(66);

	cr_assert(!pipe(ends));
	if (terminal < 0)
		cr_skip_test("no terminals");
	cr_expect_eq(width_with(ends[1], terminal), 66);
}

Test(screen, pipe_without_terminal)
{
	int ends[2];

	cr_assert(!pipe(ends));
	cr_expect_eq(width_with(ends[1], ends[1]), 100);
}

/* A file does not depend on where it was made. */
Test(screen, file)
{
	int file = open("out", O_RDWR | O_CREAT, 0600);
	int terminal = open_terminal(66);

	cr_assert(file >= 0);
	if (terminal < 0)
		cr_skip_test("no terminals");
	cr_expect_eq(width_with(file, terminal), 100);
}
