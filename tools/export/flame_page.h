/* SPDX-License-Identifier: MIT */
/*
 * flame_page.h - the constant parts of the page of a flame graph.
 */
#ifndef TOOLS_FLAME_PAGE_H
#define TOOLS_FLAME_PAGE_H

/*
 * The contents of the elements style and script, and what a policy of security
 * (Content-Security-Policy) calls them: the base64 of their SHA-256. A test
 * computes these anew.
 */
extern const char flame_style[];
extern const char flame_style_hash[];
extern const char flame_script[];
extern const char flame_script_hash[];

#endif
