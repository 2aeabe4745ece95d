/* SPDX-License-Identifier: MIT */
/*
 * method_table.c - see method_table.h.
 *
 * Two hash tables with chains: ids, and what they mean. Entries are only ever put
 * at the head of a chain, with the lock, and never changed or removed, so that
 * readers need none.
 */
#include "agent/profile/method_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "agent/common/class_name.h"
#include "agent/profile/class_list.h"
#include "base/mem.h"
#include "base/same_text.h"

enum { CHAINS = 1 << 14 };

/* What a method is; its id is that of the first one. */
struct meaning {
	struct meaning *next;
	uint64_t hash;
	jmethodID id;
	struct ag_method method;
};

struct entry {
	struct entry *next;
	jmethodID id;
	const struct meaning *meaning;
};

struct ag_methods {
	jvmtiEnv *jvmti;
	struct ag_class_list *classes;
	pthread_mutex_t lock; /* of those who add */
	atomic_size_t size;
	struct meaning *meanings[CHAINS]; /* with the lock */
	_Atomic(struct entry *) entries[CHAINS];
};

struct ag_methods *ag_methods_new(jvmtiEnv *jvmti,
				  struct ag_class_list *classes)
{
	struct ag_methods *m = hp_calloc(1, sizeof *m);

	if (!m)
		return NULL;
	m->jvmti = jvmti;
	m->classes = classes;
	pthread_mutex_init(&m->lock, NULL);
	return m;
}

static void free_meaning(struct ag_methods *m, struct meaning *gone)
{
	ag_method_release(&gone->method, m->jvmti);
	hp_free(gone);
}

void ag_methods_free(struct ag_methods *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < CHAINS; i++) {
		struct entry *e = atomic_load(&m->entries[i]);
		struct meaning *what = m->meanings[i];

		while (e) {
			struct entry *next = e->next;

			hp_free(e);
			e = next;
		}
		while (what) {
			struct meaning *next = what->next;

			free_meaning(m, what);
			what = next;
		}
	}
	pthread_mutex_destroy(&m->lock);
	hp_free(m);
}

size_t ag_methods_size(const struct ag_methods *m)
{
	return atomic_load(&m->size);
}

/* ---- ids ----------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static size_t chain_of(jmethodID id)
{
	return (size_t)(mix(0, (uintptr_t)id) % CHAINS);
}

static const struct entry *find(const struct ag_methods *m, jmethodID id)
{
	const struct entry *e = atomic_load(&m->entries[chain_of(id)]);

	while (e && e->id != id)
		e = e->next;
	return e;
}

const struct ag_method *ag_methods_find(const struct ag_methods *m,
					jmethodID id)
{
	static const struct ag_method unknown = { 0 };
	const struct entry *e = find(m, id);

	return e ? &e->meaning->method : &unknown;
}

/* ---- meanings ------------------------------------------------------------ */

static bool same_lines(const struct ag_method *a, const struct ag_method *b)
{
	if (!a->lines || !b->lines)
		return a->lines == b->lines;
	if (a->line_count != b->line_count)
		return false;
	for (jint i = 0; i < a->line_count; i++)
		if (a->lines[i].start_location != b->lines[i].start_location ||
		    a->lines[i].line_number != b->lines[i].line_number)
			return false;
	return true;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	while (text && *text)
		hash = mix(hash, (unsigned char)*text++);
	return mix(hash, text != NULL);
}

static uint64_t hash_of(const struct ag_method *a, const char *class)
{
	uint64_t hash = hash_text(a->native, class);

	hash = hash_text(hash, a->name);
	hash = hash_text(hash, a->signature);
	return mix(hash, a->lines ? (uint64_t)a->line_count : 0);
}

/* One that looks like WHAT, whose class has the signature CLASS; NULL if none. */
static const struct meaning *find_same(const struct ag_methods *m,
				       const struct meaning *what,
				       const char *class)
{
	const struct meaning *other = m->meanings[what->hash % CHAINS];

	for (; other; other = other->next)
		if (other->hash == what->hash &&
		    other->method.native == what->method.native &&
		    hp_same_text(other->method.name, what->method.name) &&
		    hp_same_text(other->method.signature,
				 what->method.signature) &&
		    hp_same_text(other->method.source, what->method.source) &&
		    same_lines(&other->method, &what->method) &&
		    hp_same_text(
			    ag_class_list_signature(m->classes,
						    other->method.class_serial),
			    class))
			return other;
	return NULL;
}

static size_t size_of(const struct meaning *what)
{
	return sizeof *what + 3 * 32 +
	       (what->method.lines ? (size_t)what->method.line_count *
					     sizeof *what->method.lines
				   : 0);
}

/* The lock is held. NULL without memory. */
static const struct entry *put_entry(struct ag_methods *m, jmethodID id,
				     const struct meaning *what)
{
	_Atomic(struct entry *) *chain = &m->entries[chain_of(id)];
	struct entry *e = hp_alloc(sizeof *e);

	if (!e)
		return NULL;
	*e = (struct entry){ atomic_load(chain), id, what };
	atomic_fetch_add(&m->size, sizeof *e);
	atomic_store(chain, e);
	return e;
}

/* The lock is held. WHAT is the table's then, unless NULL is returned. */
static const struct entry *put_meaning(struct ag_methods *m,
				       struct meaning *what)
{
	const struct entry *e = put_entry(m, what->id, what);

	if (!e)
		return NULL;
	what->next = m->meanings[what->hash % CHAINS];
	m->meanings[what->hash % CHAINS] = what;
	atomic_fetch_add(&m->size, size_of(what));
	return e;
}

/* ---- learning ------------------------------------------------------------ */

/*
 * The lock is held. Puts the id of WHAT, as that of an equal one or with WHAT
 * itself, which is freed if it is not needed.
 */
static const struct entry *put(struct ag_methods *m, struct meaning *what,
			       jclass class, const char *signature)
{
	const struct entry *e = find(m, what->id);
	const struct meaning *same = NULL;

	/* Of a method that the JVM no longer knows there is nothing to compare. */
	if (!e && what->method.name && signature)
		same = find_same(m, what, signature);
	if (same)
		e = put_entry(m, what->id, same);
	if (e || same) {
		free_meaning(m, what);
		return e;
	}
	if (class)
		what->method.class_serial =
			ag_class_list_number(m->classes, class);
	e = put_meaning(m, what);
	if (!e)
		free_meaning(m, what);
	return e;
}

static const struct entry *ask(struct ag_methods *m, JNIEnv *jni, jmethodID id)
{
	struct meaning *what = hp_calloc(1, sizeof *what);
	char *signature = NULL;
	const struct entry *e;
	jclass class;

	if (!what)
		return NULL;
	what->id = id;
	ag_method_read(m->jvmti, id, &what->method, &class);
	if (class && (*m->jvmti)->GetClassSignature(m->jvmti, class, &signature,
						    NULL) == JVMTI_ERROR_NONE)
		ag_class_name_as_hotspot(signature, m->jvmti);
	else
		signature = NULL;
	what->hash = hash_of(&what->method, signature);
	pthread_mutex_lock(&m->lock);
	e = put(m, what, class, signature);
	pthread_mutex_unlock(&m->lock);
	(*m->jvmti)->Deallocate(m->jvmti, (unsigned char *)signature);
	(*jni)->DeleteLocalRef(jni, class);
	return e;
}

jmethodID ag_methods_learn(struct ag_methods *m, JNIEnv *jni, jmethodID id)
{
	const struct entry *e = find(m, id);

	if (!e)
		e = ask(m, jni, id);
	return e ? e->meaning->id : NULL;
}

/* As the JVM would return it; NULL without memory, and for NULL. */
static char *copy_text(struct ag_methods *m, const char *text)
{
	size_t size = text ? strlen(text) + 1 : 0;
	unsigned char *copy = NULL;

	if (text && (*m->jvmti)->Allocate(m->jvmti, (jlong)size, &copy) == 0)
		memcpy(copy, text, size);
	return (char *)copy;
}

bool ag_methods_describe(struct ag_methods *m, jmethodID id,
			 const struct ag_method *method)
{
	const struct entry *e;
	struct meaning *what;

	if (find(m, id))
		return true;
	what = hp_calloc(1, sizeof *what);
	if (!what)
		return false;
	what->id = id;
	what->method = (struct ag_method){
		.name = copy_text(m, method->name),
		.signature = copy_text(m, method->signature),
		.source = copy_text(m, method->source),
		.native = method->native,
		.class_serial = method->class_serial,
	};
	pthread_mutex_lock(&m->lock);
	e = put(m, what, NULL, NULL);
	pthread_mutex_unlock(&m->lock);
	return e != NULL;
}
