/* SPDX-License-Identifier: MIT */
/*
 * lasting_classes.c - see lasting_classes.h. Classes of the boot loader are roots
 * in dumps of HotSpot; no class of the others is, for which there are names. A
 * hidden class, as lambdas have, may go before its loader does.
 */
#include "report/lasting_classes.h"

#include <string.h>

#include "base/mem.h"

/* Those of JDK 8 have no names of their own. */
static const struct {
	const char *class_name, *name;
} own_loaders[] = {
	{ "jdk.internal.loader.ClassLoaders$AppClassLoader", "app" },
	{ "jdk.internal.loader.ClassLoaders$BootClassLoader", "boot" },
	{ "jdk.internal.loader.ClassLoaders$PlatformClassLoader", "platform" },
	{ "sun.misc.Launcher$AppClassLoader", "app" },
	{ "sun.misc.Launcher$ExtClassLoader", "ext" },
};

const char *hp_own_loader_name(const char *class_name)
{
	for (size_t i = 0; i < sizeof own_loaders / sizeof *own_loaders; i++)
		if (class_name &&
		    !strcmp(class_name, own_loaders[i].class_name))
			return own_loaders[i].name;
	return NULL;
}

/* The names of hidden classes end with an address or a number of their own. */
static bool is_hidden(const char *name)
{
	return name && (strchr(name, '/') || strstr(name, "+0x"));
}

/* Whether the object with LOADER_ID is one of these loaders. */
static bool is_own(const struct hp_lasting_classes *lasting,
		   const struct hp_look *look, uint64_t loader_id)
{
	uint64_t loader = loader_id ? hprof_heap_find(look->heap, loader_id)
				    : HPROF_NO_OBJECT;

	return loader != HPROF_NO_OBJECT &&
	       hp_lasting_classes_are_of(
		       lasting, hp_graph_kind(look->graph, (uint32_t)loader));
}

enum hprof_status hp_lasting_classes_init(struct hp_lasting_classes *lasting,
					  const struct hp_look *look)
{
	const struct hprof_summary *summary = hprof_heap_summary(look->heap);
	uint64_t id = 0;
	bool own = false;

	lasting->count = summary->class_count;
	lasting->lasts = hp_calloc(lasting->count + 1, sizeof(bool));
	lasting->loaders = hp_calloc(lasting->count + 1, sizeof(bool));
	if (!lasting->lasts || !lasting->loaders)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < lasting->count; i++)
		lasting->loaders[i] =
			hp_own_loader_name(summary->class_rows[i].name) != NULL;
	for (size_t i = 0; i < lasting->count; i++) {
		const struct hprof_class_row *row = &summary->class_rows[i];

		if (row->loader_id != id) {
			id = row->loader_id;
			own = is_own(lasting, look, id);
		}
		lasting->lasts[i] = own && !is_hidden(row->name);
	}
	return HPROF_OK;
}

void hp_lasting_classes_done(struct hp_lasting_classes *lasting)
{
	hp_free(lasting->lasts);
	hp_free(lasting->loaders);
	*lasting = (struct hp_lasting_classes){ NULL, NULL, 0 };
}
