/* SPDX-License-Identifier: MIT */
/*
 * scout.c - see scout.h.
 */
#include "agent/dump/scout.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/dump/held_objects.h"
#include "base/mem.h"
#include "stream/writer.h"

enum {
	OBJECTS_MOST = 1 << 22, /* that classes refer to */
	OLDEST = 11,
	NEWEST = 17, /* that marks objects in the objects */
	/* What HotSpot has before a tag, in words. */
	SIZE_BEFORE = 1,
	ADDRESS_BEFORE = 2
};

struct object {
	uint64_t address, tag;
};

/* Shared by both processes. */
struct found {
	uint64_t next, unsized; /* of the ids */
	uint64_t written;	/* bytes */
	uint64_t objects;	/* records */
	uint64_t seen;
	uint32_t count;
	struct object list[OBJECTS_MOST];
};

struct ag_scout {
	struct found *found;
	jobject known; /* a reference to a class */
	uint64_t known_tag;
	bool proved, disproved;
	struct object *table; /* of SIZE, a power of two: hashed by address */
	size_t size;
};

/* ---- before the fork --------------------------------------------------------- */

static bool marks_objects(jvmtiEnv *jvmti)
{
	jint version;

	if ((*jvmti)->GetVersionNumber(jvmti, &version) != JVMTI_ERROR_NONE)
		return false;
	version = (version & JVMTI_VERSION_MASK_MAJOR) >>
		  JVMTI_VERSION_SHIFT_MAJOR;
	return version >= OLDEST && version <= NEWEST;
}

static bool is_named(const char *task, const char *begin)
{
	char path[64], name[32] = "";
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", task);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(name, sizeof name, f))
		name[0] = '\0';
	fclose(f);
	return strncmp(name, begin, strlen(begin)) == 0;
}

/*
 * Might objects be moved by those who read them? Shenandoah does that while it
 * collects; its threads tell that it is there. ZGC is not forked.
 */
static bool moves_objects(void)
{
	DIR *tasks = opendir("/proc/self/task");
	bool found = !tasks;
	struct dirent *e;

	while (!found && (e = readdir(tasks)) != NULL)
		found = e->d_name[0] != '.' &&
			is_named(e->d_name, "Shenandoah");
	if (tasks)
		closedir(tasks);
	return found;
}

static void *map(size_t size, int flags)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

struct ag_scout *ag_scout_new(const struct ag_held *held, jvmtiEnv *jvmti)
{
	struct ag_scout *s;
	jlong tag = 0;

	if (sizeof(void *) != 8 || held->ref_count == 0 ||
	    !marks_objects(jvmti) || moves_objects())
		return NULL;
	s = hp_calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->known = held->refs[0];
	s->found = map(sizeof *s->found, MAP_SHARED);
	if (s->found && (*jvmti)->GetTag(jvmti, s->known, &tag) == 0 &&
	    ag_serial_of_tag((uint64_t)tag) != 0) {
		s->known_tag = (uint64_t)tag;
		return s;
	}
	ag_scout_free(s);
	return NULL;
}

void ag_scout_free(struct ag_scout *s)
{
	if (!s)
		return;
	if (s->found)
		munmap(s->found, sizeof *s->found);
	if (s->table)
		munmap(s->table, s->size * sizeof *s->table);
	hp_free(s);
}

/* ---- addresses ---------------------------------------------------------------- */

static uint64_t word_before(const jlong *tag_ptr, size_t words)
{
	uint64_t word;

	memcpy(&word, (const char *)tag_ptr - words * sizeof word, sizeof word);
	return word;
}

static uint64_t address_of(const jlong *tag_ptr)
{
	return word_before(tag_ptr, ADDRESS_BEFORE);
}

bool ag_scout_fits(const jlong *tag_ptr, jlong size)
{
	const uint64_t address = address_of(tag_ptr);

	return word_before(tag_ptr, SIZE_BEFORE) == (uint64_t)size &&
	       address != 0 && address % sizeof(void *) == 0;
}

/* ---- in the scout --------------------------------------------------------------- */

void ag_scout_prove(struct ag_scout *s, const jlong *tag_ptr, uint64_t tag)
{
	uint64_t address;

	if (tag != s->known_tag)
		return;
	memcpy(&address, (const void *)s->known, sizeof address);
	if (address_of(tag_ptr) == address)
		s->proved = true;
	else
		s->disproved = true;
}

bool ag_scout_add(struct ag_scout *s, const jlong *tag_ptr, uint64_t tag)
{
	struct found *f = s->found;

	if (f->count == OBJECTS_MOST)
		return false;
	f->list[f->count++] = (struct object){ address_of(tag_ptr), tag };
	return true;
}

bool ag_scout_leave(struct ag_scout *s, struct ag_walk *w, uint64_t before)
{
	struct found *f = s->found;

	if (!s->proved || s->disproved) {
		ag_walk_fail(w, HPROF_E_FORMAT,
			     "the JVM does not tell where objects are");
		return false;
	}
	f->next = w->classes->ids.next;
	f->unsized = w->classes->ids.unsized;
	f->written = hprof_writer_size(w->writer) - before;
	f->objects = w->objects;
	f->seen = w->seen;
	return true;
}

/* ---- in the process that goes on ------------------------------------------------ */

/* Where ADDRESS is in the table, or would be. */
static struct object *place_of(const struct ag_scout *s, uint64_t address)
{
	size_t at = (size_t)(address * 0x9e3779b97f4a7c15 >> 20);

	for (;; at++) {
		struct object *o = &s->table[at & (s->size - 1)];

		if (o->address == address || o->address == 0)
			return o;
	}
}

static bool make_table(struct ag_scout *s)
{
	const struct found *f = s->found;

	s->size = 1024;
	while (s->size < (size_t)2 * f->count)
		s->size *= 2;
	s->table = map(s->size * sizeof *s->table, MAP_PRIVATE);
	for (uint32_t i = 0; s->table && i < f->count; i++)
		*place_of(s, f->list[i].address) = f->list[i];
	return s->table != NULL;
}

bool ag_scout_follow(struct ag_scout *s, struct ag_walk *w)
{
	const struct found *f = s->found;
	struct ag_classes *t = w->classes;

	if (!make_table(s)) {
		ag_walk_fail(w, HPROF_E_NOMEM, "out of memory");
		return false;
	}
	t->ids.next = f->next;
	t->ids.unsized = f->unsized;
	w->first_place = (uint32_t)f->next;
	w->objects = f->objects;
	hp_writer_skip(w->writer, f->written);
	for (uint32_t i = 1; i <= t->count; i++)
		t->all[i].dumped = t->all[i].kind != AG_UNLINKED &&
				   !ag_class_is_late(t, &t->all[i]);
	return true;
}

uint64_t ag_scout_tag(const struct ag_scout *s, const jlong *tag_ptr)
{
	return place_of(s, address_of(tag_ptr))->tag;
}

bool ag_scout_agrees(const struct ag_scout *s, const struct ag_walk *w)
{
	return s->found->seen == w->seen;
}
