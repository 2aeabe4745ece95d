/* SPDX-License-Identifier: MIT */
/*
 * hooks.c - see hooks.h.
 */
#include "prof/hooks.h"

#include <pthread.h>
#include <string.h>

#include "agent/instrument/instructions.h"
#include "base/mem.h"
#include "prof/hook_class.h"
#include "prof/pattern.h"

enum { CHUNK = 1024, CHUNKS = 1024 };

/* Short: no call of the JVM is made with it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pf_hook *hooks; /* newest first */
static jint hook_count;
static struct pf_hook **found; /* room for all, while a method is looked at */
static size_t found_room;
static atomic_uint generation;

/* By number; read without the lock. Place 0 has no hooks. */
static _Atomic(struct pf_place **) chunks[CHUNKS];
static uint32_t place_count;

/* ---- hooks ----------------------------------------------------------------- */

static char *copy_name(const char *name, char from, char to)
{
	size_t size = strlen(name) + 1;
	char *copy = hp_alloc(size);

	for (size_t i = 0; copy && i < size; i++)
		copy[i] = name[i];
	for (size_t i = 0; copy && copy[i]; i++)
		if (copy[i] == from)
			copy[i] = to;
	return copy;
}

static bool is_same(const struct pf_hook *h, const struct pf_hook *other)
{
	return h->env == other->env &&
	       !strcmp(h->class_name, other->class_name) &&
	       !strcmp(h->method, other->method) &&
	       !strcmp(h->signature, other->signature);
}

static void free_hook(struct pf_hook *h)
{
	hp_free((char *)(uintptr_t)h->class_name);
	hp_free((char *)(uintptr_t)h->method);
	hp_free((char *)(uintptr_t)h->signature);
	hp_free(h);
}

static struct pf_hook *make_hook(struct pf_env *e, const char *class_name,
				 const char *method, const char *signature)
{
	struct pf_hook *h = hp_calloc(1, sizeof *h);

	if (!h)
		return NULL;
	h->env = e;
	h->class_name = copy_name(class_name, '.', '/');
	h->method = copy_name(method, '\0', '\0');
	h->signature = copy_name(signature, '\0', '\0');
	if (h->class_name && h->method && h->signature)
		return h;
	free_hook(h);
	return NULL;
}

/* With the lock. */
static struct pf_hook *add_hook(struct pf_hook *h)
{
	if (hp_grow((void **)&found, &found_room, (size_t)hook_count,
		    sizeof(struct pf_hook *)) != HPROF_OK)
		return NULL;
	h->id = hook_count++;
	h->next = hooks;
	hooks = h;
	return h;
}

struct pf_hook *pf_hook_get(struct pf_env *e, const char *class_name,
			    const char *method, const char *signature,
			    bool make)
{
	struct pf_hook *wanted = make_hook(e, class_name, method, signature);
	struct pf_hook *h;

	if (!wanted)
		return NULL;
	pthread_mutex_lock(&lock);
	h = hooks;
	while (h && !is_same(h, wanted))
		h = h->next;
	if (!h && make)
		h = add_hook(wanted);
	pthread_mutex_unlock(&lock);
	if (h != wanted)
		free_hook(wanted);
	return h;
}

struct pf_hook *pf_hooks_first(void)
{
	struct pf_hook *h;

	pthread_mutex_lock(&lock);
	h = hooks;
	pthread_mutex_unlock(&lock);
	return h;
}

void pf_hook_change(struct pf_hook *hook, unsigned set, unsigned clear)
{
	pthread_mutex_lock(&lock);
	atomic_fetch_and(&hook->flags, ~clear);
	atomic_fetch_or(&hook->flags, set);
	atomic_fetch_add(&generation, 1);
	pthread_mutex_unlock(&lock);
}

bool pf_hooks_end(struct pf_env *e)
{
	bool was_on = false;

	pthread_mutex_lock(&lock);
	for (struct pf_hook *h = hooks; h; h = h->next)
		if (h->env == e && atomic_exchange(&h->flags, 0))
			was_on = true;
	atomic_fetch_add(&generation, 1);
	pthread_mutex_unlock(&lock);
	return was_on;
}

unsigned pf_hooks_generation(void)
{
	return atomic_load(&generation);
}

/* ---- which methods --------------------------------------------------------- */

static bool begins(const char *text, size_t size, const char *start)
{
	size_t length = strlen(start);

	return size >= length && memcmp(text, start, length) == 0;
}

/*
 * What the calls themselves need; and where a thread changes between being
 * virtual and being its carrier, in which it must not leave the JVM.
 */
static bool is_forbidden(const char *name, size_t size)
{
	return ag_class_is_own(name, size) ||
	       begins(name, size, "java/lang/VirtualThread") ||
	       begins(name, size, "jdk/internal/vm/");
}

/* With the lock. */
static bool has_hooks(const char *class_name, size_t size)
{
	if (is_forbidden(class_name, size))
		return false;
	for (const struct pf_hook *h = hooks; h; h = h->next)
		if (atomic_load(&h->flags) &&
		    pf_pattern_matches(h->class_name, class_name, size))
			return true;
	return false;
}

bool pf_hooks_any(void)
{
	bool any = false;

	pthread_mutex_lock(&lock);
	for (const struct pf_hook *h = hooks; h && !any; h = h->next)
		any = atomic_load(&h->flags) != 0;
	pthread_mutex_unlock(&lock);
	return any;
}

bool pf_hooks_want(const char *class_name, size_t size)
{
	bool has;

	pthread_mutex_lock(&lock);
	has = has_hooks(class_name, size);
	pthread_mutex_unlock(&lock);
	return has;
}

static bool matches(const char *pattern, struct ag_utf8 text)
{
	return pf_pattern_matches(pattern, (const char *)text.bytes, text.size);
}

/* Puts those of a method into FOUND; what they want of it is added to FLAGS. */
static uint32_t find_hooks(struct ag_utf8 class_name,
			   const struct ag_class_method *m, unsigned *flags)
{
	uint32_t count = 0;

	for (struct pf_hook *h = hooks; h; h = h->next) {
		const unsigned wants = atomic_load(&h->flags);

		if (!wants || !matches(h->class_name, class_name) ||
		    !matches(h->method, m->name) ||
		    !matches(h->signature, m->descriptor))
			continue;
		*flags |= wants;
		found[count++] = h;
	}
	return count;
}

/* ---- places ---------------------------------------------------------------- */

const struct pf_place *pf_place_of(uint32_t number)
{
	struct pf_place **chunk = atomic_load_explicit(&chunks[number / CHUNK],
						       memory_order_acquire);

	return chunk[number % CHUNK];
}

static bool is_place(const struct pf_place *p, struct pf_hook *const *list,
		     uint32_t count)
{
	return p->count == count &&
	       !memcmp(p->hooks, list, count * sizeof *list);
}

static bool keep_place(struct pf_place *p)
{
	const uint32_t number = place_count;
	struct pf_place **chunk;

	if (number >= (uint32_t)CHUNK * CHUNKS)
		return false;
	chunk = atomic_load(&chunks[number / CHUNK]);
	if (!chunk) {
		chunk = hp_calloc(CHUNK, sizeof *chunk);
		if (!chunk)
			return false;
	}
	chunk[number % CHUNK] = p;
	atomic_store_explicit(&chunks[number / CHUNK], chunk,
			      memory_order_release);
	place_count++;
	return true;
}

static bool add_place(struct pf_hook *const *list, uint32_t count)
{
	struct pf_place *p = hp_alloc(sizeof *p + count * sizeof *list);

	if (!p)
		return false;
	p->count = count;
	memcpy(p->hooks, list, count * sizeof *list);
	if (keep_place(p))
		return true;
	hp_free(p);
	return false;
}

/* The number of the place with these hooks; false without memory. */
static bool find_place(struct pf_hook *const *list, uint32_t count,
		       uint32_t *ret)
{
	for (uint32_t i = place_count; i-- > 0;)
		if (is_place(pf_place_of(i), list, count)) {
			*ret = i;
			return true;
		}
	if (!add_place(list, count))
		return false;
	*ret = place_count - 1;
	return true;
}

/* ---- classes --------------------------------------------------------------- */

/* With the lock. */
static bool choose(struct ag_utf8 class_name, const struct ag_class_method *m,
		   struct ag_calls *calls)
{
	unsigned flags = 0;
	uint32_t count = find_hooks(class_name, m, &flags);

	calls->parts = 0;
	if (flags & JVMTIPROF_METHOD_EVENT_ENTRY)
		calls->parts |= AG_AT_ENTRY;
	if (flags & JVMTIPROF_METHOD_EVENT_EXIT)
		calls->parts |= AG_AT_EXIT;
	return count > 0 && find_place(found, count, &calls->number);
}

enum hprof_status pf_hooks_rewrite(const uint8_t *bytes, size_t size,
				   struct ag_rewritten *ret)
{
	static const struct ag_tracking tracking = { .tracker = AG_HOOK_CLASS,
						     .enter = PF_HOOK_ENTER,
						     .exit = PF_HOOK_EXIT,
						     .wanted = choose };
	enum hprof_status status;

	pthread_mutex_lock(&lock);
	status = ag_class_rewrite(bytes, size, &tracking, ret);
	pthread_mutex_unlock(&lock);
	return status;
}
