/* SPDX-License-Identifier: MIT */
/*
 * page.h - one HTML file that shows what is in a dump, or how dumps differ.
 *
 * It loads nothing from anywhere, is at most PAGE_MOST bytes long whatever the
 * dump has, and is complete without its script. A caller begins a page, adds
 * what it knows, and writes it.
 */
#ifndef TOOLS_PAGE_PAGE_H
#define TOOLS_PAGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <hprof.h>

#include "tools/common/json.h"
#include "tools/page/html.h"

enum { PAGE_MOST = 2000000 };

/* Sections, in the order of the page. */
enum page_part {
	PAGE_GROWTH, /* of several dumps */
	PAGE_OVERVIEW,
	PAGE_SUSPECTS,
	PAGE_TREE,
	PAGE_CLASSES,
	PAGE_BIGGEST,
	PAGE_THREADS,
	PAGE_LOADERS,
	PAGE_WASTE,
	PAGE_STRINGS,
	PAGE_PROPERTIES,
	PAGE_PROFILES
};
enum { PAGE_PARTS = PAGE_PROFILES + 1 };

/* "overview", "growth" …: what --sections calls it, and its anchor. */
extern const char *const page_part_words[PAGE_PARTS];

struct page_options {
	const char *title; /* NULL: made of the dump's name */
	const char *since; /* the first of several dumps; else NULL */
	unsigned parts;	   /* bits 1 << enum page_part */
	unsigned named;	   /* of these, those that must not be left out */
	size_t top;	   /* rows of a table; 0: the page's own limits */
	/* Notes say so. */
	bool redact;
	bool soft, weak;   /* such references count as strong */
	char *const *argv; /* the command that makes the page */
	int argc;
};

struct page {
	struct page_options options;
	struct html body;
	struct json json; /* of the pictures */
	FILE *data;
	char *data_text;
	size_t data_size;
	unsigned shown;	  /* parts that the page has */
	unsigned missing; /* of these, those that only say why they are empty */
	size_t limit;	  /* of the body, while a section has its own */
	struct html lead; /* what the page begins with, and … */
	size_t lead_at;	  /* … where, in the body */
	bool has_lead;	  /* a section has a place for it */
	const char *titles[PAGE_PARTS];
};

/* What a page calls the dump at PATH: its file, without the folder. Free it. */
char *page_dump_name(const char *path);

void page_begin(struct page *page, const struct page_options *options);

/*
 * Begins a section, if it is wanted; otherwise returns false, and there is nothing
 * to end. TITLE must outlive the page. Sections come in the order of their parts;
 * until it ends, the limit of the body is such that there is room for the first rows
 * of all that may follow.
 */
bool page_section(struct page *page, enum page_part part, const char *title);
void page_section_end(struct page *page);

/*
 * What a table keeps for one that follows it in its section, in bytes: its first
 * rows.
 */
enum { PAGE_TABLE_KEEP = 4000 };

/*
 * The place of the lead, what everybody should read first: in the first section that
 * calls this. The lead itself may be written by sections that come later.
 */
void page_lead(struct page *page);

/* How many rows a table has that usually has MOST. */
size_t page_rows(const struct page *page, size_t most);

/*
 * The place of a picture. TREES are the keys of its trees, between blanks; SHAPE
 * is "treemap" or "icicle"; FIGURES is a sentence that says where its figures are.
 */
void page_picture(struct page *page, const char *trees, const char *shape,
		  const char *label, const char *figures);

/* The whole page; nothing can be added any more. NAME is of the dump. */
void page_finish(struct page *page, const char *name, struct html *ret_html);
void page_done(struct page *page);

#endif
