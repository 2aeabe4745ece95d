/* SPDX-License-Identifier: MIT */
/*
 * sections.c - the sections of a page in their order.
 */
#include "tools/page/sections.h"

void sections_add(struct page *page, const struct report *report)
{
	section_overview(page, report);
	section_suspects(page, report);
	section_tree(page, report);
	section_classes(page, report);
	section_biggest(page, report);
	section_threads(page, report);
	section_loaders(page, report);
	section_waste(page, report);
	section_strings(page, report);
	section_properties(page, report);
	section_profiles(page, report);
}
