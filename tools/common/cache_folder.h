/* SPDX-License-Identifier: MIT */
/* cache_folder.h - the folder that option --cache stands for. */
#ifndef TOOLS_CACHE_FOLDER_H
#define TOOLS_CACHE_FOLDER_H

/*
 * The folder for WORD: "" is hprof in the user's cache folder, "beside" the
 * folder of the dump argument PATH, anything else a folder by its name. It is
 * created if it is missing. NULL after a message: there is none. The caller
 * frees the result.
 */
char *cache_folder(const char *word, const char *path);

#endif
