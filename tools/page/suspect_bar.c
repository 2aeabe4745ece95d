/* SPDX-License-Identifier: MIT */
/*
 * suspect_bar.c - what a suspect keeps, by class, as a bar that is as wide as the live
 * heap, with a key.
 */
#include "tools/page/suspect_bar.h"

#include <stdlib.h>

#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/units.h"

enum {
	TONES = 8,	  /* classes that have one */
	KEY_LONGEST = 100 /* characters of a name */
};

/* A part of the live heap, in a tone of its own. */
struct bar_part {
	const char *tone; /* of the style */
	char *name;
	uint64_t bytes;
};

/* What the suspect keeps by class, and the rest of the live heap. */
struct bar {
	struct bar_part parts[TONES + 2];
	size_t count;
	uint64_t live, left; /* of which no part is about */
};

static void add_part(struct bar *bar, const char *tone, char *name,
		     uint64_t bytes)
{
	if (bytes > bar->left)
		bytes = bar->left;
	bar->left -= bytes;
	if (bytes)
		bar->parts[bar->count++] =
			(struct bar_part){ tone, name, bytes };
	else
		free(name);
}

static void fill_bar(struct bar *bar, const struct hprof_leak *leak)
{
	static const char *const tones[TONES] = { "b0", "b1", "b2", "b3",
						  "b4", "b5", "b6", "b7" };
	uint64_t other = leak->retained;

	for (size_t i = 0; i < leak->class_count && i < TONES; i++) {
		const struct hprof_set_row *row = &leak->classes[i];
		char *name = describe_kind(row->name, false);

		add_part(bar, tones[i], escape_copy(name, KEY_LONGEST),
			 row->shallow);
		other -= row->shallow < other ? row->shallow : other;
		free(name);
	}
	add_part(bar, "rest", describe_format("other classes"), other);
	add_part(bar, "none", describe_format("not kept by it"), bar->left);
}

static void put_part(struct html *html, const struct bar *bar, size_t i)
{
	const struct bar_part *part = &bar->parts[i];
	char bytes[UNITS_MAX], share[UNITS_MAX];

	html_text(html, part->name);
	html_putf(html, ": %s, %s", units_bytes(part->bytes, bytes),
		  units_share(part->bytes, bar->live, share));
}

/* The mouse is told what a part is; the key says it to everybody. */
static void put_bar_parts(struct html *html, const struct bar *bar)
{
	double left = 0;

	html_put(html, "<svg class=\"stack\" aria-hidden=\"true\">\n");
	for (size_t i = 0; i < bar->count; i++) {
		double width =
			(double)bar->parts[i].bytes * 100 / (double)bar->live;

		html_put(html, "<g><title>");
		put_part(html, bar, i);
		html_putf(html,
			  "</title><rect class=\"%s\" x=\"%.4g%%\" "
			  "width=\"%.4g%%\" height=\"100%%\"/></g>\n",
			  bar->parts[i].tone, left, width);
		left += width;
	}
	html_put(html, "</svg>\n<ul class=\"keys\">\n");
	for (size_t i = 0; i < bar->count; i++) {
		html_putf(html,
			  "<li><svg class=\"key\" aria-hidden=\"true\"><rect "
			  "class=\"%s\" width=\"100%%\" "
			  "height=\"100%%\"/></svg>",
			  bar->parts[i].tone);
		put_part(html, bar, i);
		html_put(html, "</li>\n");
	}
	html_put(html, "</ul>\n");
}

void suspect_bar(struct html *html, const struct hprof_leak *leak,
		 uint64_t live)
{
	struct bar bar = { .live = live, .left = live };

	if (html->size > html->limit)
		return;
	fill_bar(&bar, leak);
	html_put(html, "<figure>\n<figcaption>Its part of the live "
		       "heap</figcaption>\n");
	put_bar_parts(html, &bar);
	html_put(html, "</figure>\n");
	for (size_t i = 0; i < bar.count; i++)
		free(bar.parts[i].name);
}
