/* SPDX-License-Identifier: MIT */
/*
 * page.c - the frame of the page: head, contents, data, script.
 *
 * The policy of the page forbids everything but our script and our style, which
 * the browser knows by their hashes. The data of pictures is JSON in an element
 * that is not run, in which no '<' can end it.
 */
#include "tools/page/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/page/assets.h"
#include "tools/page/picture.h"

/*
 * The page is what repeats in sections, the pictures' data, the command, and the
 * frame: style, script, titles. The rest is for what crosses the limit of what
 * repeats, which is little unless names are long: the heads of tables, texts that
 * come once, and the first of what repeats.
 */
enum {
	TREE_PICTURES = 4,    /* by object, class, package, loader */
	PROFILE_PICTURES = 3, /* samples, sites, allocations */
	COMMAND_MOST = 100000,
	FRAME_MOST = 60000,
	CROSSING_MOST = 200000,
	LEAD_MOST = 12000,
	/* What each section has, however much those before it have. */
	SECTION_KEEP = 16000
};

const char *const page_part_words[PAGE_PARTS] = {
	[PAGE_OVERVIEW] = "overview",	  [PAGE_GROWTH] = "growth",
	[PAGE_SUSPECTS] = "suspects",	  [PAGE_TREE] = "tree",
	[PAGE_CLASSES] = "classes",	  [PAGE_BIGGEST] = "biggest",
	[PAGE_THREADS] = "threads",	  [PAGE_LOADERS] = "loaders",
	[PAGE_WASTE] = "waste",		  [PAGE_STRINGS] = "strings",
	[PAGE_PROPERTIES] = "properties", [PAGE_PROFILES] = "profiles",
};

static bool wants(const struct page *page, enum page_part part)
{
	return page->options.parts & 1u << part;
}

/* What repeats in all sections together. */
static size_t body_most(const struct page *page)
{
	size_t most = PAGE_MOST - COMMAND_MOST - FRAME_MOST - CROSSING_MOST -
		      LEAD_MOST;

	if (wants(page, PAGE_TREE))
		most -= TREE_PICTURES * PICTURE_MOST;
	if (wants(page, PAGE_PROFILES))
		most -= PROFILE_PICTURES * PICTURE_MOST;
	return most;
}

void page_begin(struct page *page, const struct page_options *options)
{
	*page = (struct page){ .options = *options };
	page->body.limit = body_most(page);
	page->lead.limit = LEAD_MOST;
	page->data = open_memstream(&page->data_text, &page->data_size);
	if (!page->data)
		cli_out_of_memory();
	json_start(&page->json, page->data);
	json_begin_object(&page->json, NULL, JSON_BLOCK);
}

/*
 * A section may have what is kept for it and half of what is kept for none, the
 * last one all of that. What it does not need is there for those that follow.
 */
static void limit_section(struct page *page, enum page_part part)
{
	struct html *html = &page->body;
	size_t later = 0;

	page->limit = html->limit;
	for (unsigned i = part + 1u; i < PAGE_PARTS; i++)
		later += wants(page, (enum page_part)i);
	html_keep(html, (later + 1) * SECTION_KEEP);
	if (later)
		html_share(html, 2);
	html->limit += SECTION_KEEP;
}

bool page_section(struct page *page, enum page_part part, const char *title)
{
	const char *word = page_part_words[part];

	if (!wants(page, part))
		return false;
	limit_section(page, part);
	page->shown |= 1u << part;
	page->titles[part] = title;
	html_putf(&page->body,
		  "<section id=\"%s\" aria-labelledby=\"h-%s\">\n"
		  "<h2 id=\"h-%s\">",
		  word, word, word);
	html_text(&page->body, title);
	html_put(&page->body, "</h2>\n");
	return true;
}

void page_section_end(struct page *page)
{
	page->body.limit = page->limit;
	html_put(&page->body, "</section>\n");
}

void page_lead(struct page *page)
{
	if (page->has_lead)
		return;
	page->has_lead = true;
	page->lead_at = page->body.size;
}

size_t page_rows(const struct page *page, size_t most)
{
	return page->options.top ? page->options.top : most;
}

void page_picture(struct page *page, const char *trees, const char *shape,
		  const char *label, const char *figures)
{
	struct html *html = &page->body;

	html_put(html, "<figure hidden data-trees=\"");
	html_text(html, trees);
	html_put(html, "\" data-shape=\"");
	html_text(html, shape);
	html_put(html, "\" data-label=\"");
	html_text(html, label);
	html_put(html, "\" data-figures=\"");
	html_text(html, figures);
	html_put(html, "\"></figure>\n");
}

/* ---- the whole page ------------------------------------------------------ */

char *page_dump_name(const char *path)
{
	const char *base = strrchr(path, '/');

	return describe_kind(base && base[1] ? base + 1 : path, false);
}

static void put_title(struct html *html, const struct page *page,
		      const char *name)
{
	const char *since = page->options.since;
	char *first, *last;

	if (page->options.title) {
		html_text(html, page->options.title);
		return;
	}
	first = page_dump_name(since ? since : name);
	last = page_dump_name(name);
	html_put(html, "Java heap: ");
	if (strcmp(first, last) != 0) {
		html_text(html, first);
		html_put(html, " to ");
	}
	html_own(html, last);
	free(first);
}

/* What is not as usual, and so changes all that follows. */
static void put_notes(struct html *html, const struct page *page)
{
	const struct page_options *how = &page->options;

	if (how->redact)
		html_put(html, "<p class=\"soft\">Contents of strings, and "
			       "names that are made of them, are left "
			       "out.</p>\n");
	if (how->soft || how->weak)
		html_putf(html, "<p class=\"soft\">%s count as strong.</p>\n",
			  how->weak ? "Soft, weak, phantom and final references"
				    : "Soft references");
}

static void put_head(struct html *html, const struct page *page,
		     const char *name)
{
	html_put(html, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		       "<meta charset=\"utf-8\">\n"
		       "<meta http-equiv=\"Content-Security-Policy\" "
		       "content=\"default-src 'none'; base-uri 'none'; "
		       "form-action 'none'; style-src '");
	html_put(html, page_style_hash);
	html_put(html, "'; script-src '");
	html_put(html, page_script_hash);
	html_put(html, "'\">\n<meta name=\"viewport\" "
		       "content=\"width=device-width, initial-scale=1\">\n"
		       "<meta name=\"referrer\" content=\"no-referrer\">\n"
		       "<title>");
	put_title(html, page, name);
	html_put(html, "</title>\n<style>");
	html_put_bytes(html, page_style, page_style_size);
	html_put(html, "</style>\n</head>\n<body>\n"
		       "<a class=\"skip\" href=\"#main\">Skip to the "
		       "report</a>\n<header>\n<h1>");
	put_title(html, page, name);
	html_put(html, "</h1>\n");
	put_notes(html, page);
}

static void put_contents(struct html *html, const struct page *page)
{
	html_put(html, "<nav class=\"toc\" aria-label=\"Sections\"><ul>\n");
	for (unsigned i = 0; i < PAGE_PARTS; i++) {
		if (!(page->shown & 1u << i))
			continue;
		html_putf(html, "<li><a href=\"#%s\">", page_part_words[i]);
		html_text(html, page->titles[i]);
		html_put(html, "</a></li>\n");
	}
	html_put(html, "<li><a href=\"#command\">Command</a></li>\n"
		       "</ul></nav>\n</header>\n<main id=\"main\">\n");
}

static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789%+,-./:=@_";

	return *word && word[strspn(word, plain)] == '\0';
}

/* Whether the page shows WORD as it is, byte by byte. */
static bool is_shown(const char *word)
{
	size_t size = strlen(word);

	while (size > 0) {
		const char *from = word;
		char piece[ESCAPE_MAX];
		size_t n = escape_next(&word, &size, ESCAPE_TERMINAL, piece);

		if (n != (size_t)(word - from) || memcmp(piece, from, n) != 0)
			return false;
	}
	return true;
}

/* Line feeds, and bytes that are no text, by their numbers: $'a\012b'. */
static void put_coded_word(struct html *html, const char *word)
{
	html_put(html, "$&#39;");
	for (; *word && html_has_room(html, 0); word++) {
		char one[2] = { *word, '\0' };

		if (*word < ' ' || *word > '~' || *word == '\'' ||
		    *word == '\\')
			html_putf(html, "\\%03o", (unsigned)(*word & 0xff));
		else
			html_text(html, one);
	}
	html_put(html, *word ? "..." : "&#39;");
}

/* As a shell takes it. */
static void put_word(struct html *html, const char *word)
{
	if (is_plain(word)) {
		html_text(html, word);
		return;
	}
	if (!is_shown(word)) {
		put_coded_word(html, word);
		return;
	}
	html_put(html, "&#39;");
	for (; *word && html_has_room(html, 0); word++) {
		char one[2] = { *word, '\0' };
		size_t length = strcspn(word, "'");

		if (length) {
			char *piece =
				describe_format("%.*s", (int)length, word);

			html_own(html, piece);
			word += length - 1;
		} else {
			html_put(html, "&#39;\\&#39;");
			html_text(html, one);
		}
	}
	html_put(html, *word ? "..." : "&#39;");
}

static void put_command(struct html *html, const struct page *page)
{
	const char *program = page->options.argv[0];
	const char *base = strrchr(program, '/');
	int shown = 1;

	html->limit = html->size + COMMAND_MOST;
	html_keep(html, 0x4000); /* for the last word */
	html_put(html, "<section id=\"command\" aria-labelledby=\"h-command\">"
		       "\n<h2 id=\"h-command\">Command</h2>\n"
		       "<p>This page was made by</p>\n<pre><code>");
	put_word(html, base ? base + 1 : program);
	for (; shown < page->options.argc && html_has_room(html, 0); shown++) {
		html_put(html, " ");
		put_word(html, page->options.argv[shown]);
	}
	html_put(html, "</code></pre>\n");
	if (shown < page->options.argc)
		html_putf(html, "<p>%d more words are left out.</p>\n",
			  page->options.argc - shown);
	html_put(html, "<p class=\"soft\">libhprof ");
	html_text(html, hprof_version());
	html_put(html, "</p>\n</section>\n</main>\n");
}

/* JSON in which no tag and no comment can begin. */
static void put_data(struct html *html, struct page *page)
{
	const char *at, *from;

	json_end(&page->json);
	if (!cli_close_text(page->data, &page->data_text))
		cli_out_of_memory();
	page->data = NULL;
	html_put(html, "<script type=\"application/json\" id=\"data\">");
	for (from = page->data_text; (at = strchr(from, '<')) != NULL;
	     from = at + 1) {
		html_put_bytes(html, from, (size_t)(at - from));
		html_put(html, "\\u003c");
	}
	html_put(html, from);
	html_put(html, "</script>\n<script>");
	html_put_bytes(html, page_script, page_script_size);
	html_put(html, "</script>\n</body>\n</html>\n");
}

static void put_body(struct html *html, const struct page *page)
{
	const struct html *body = &page->body, *lead = &page->lead;
	size_t head = page->has_lead ? page->lead_at : 0;

	if (head)
		html_put_bytes(html, body->text, head);
	if (head && lead->size) {
		html_put(html, "<div class=\"lead\">\n");
		html_put_bytes(html, lead->text, lead->size);
		html_put(html, "</div>\n");
	}
	if (body->size > head)
		html_put_bytes(html, body->text + head, body->size - head);
}

void page_finish(struct page *page, const char *name, struct html *ret_html)
{
	struct html html = { 0 };

	put_head(&html, page, name);
	put_contents(&html, page);
	put_body(&html, page);
	put_command(&html, page);
	put_data(&html, page);
	*ret_html = html;
}

void page_done(struct page *page)
{
	html_free(&page->body);
	html_free(&page->lead);
	if (page->data)
		fclose(page->data);
	free(page->data_text);
}
