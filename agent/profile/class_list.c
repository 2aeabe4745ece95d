/* SPDX-License-Identifier: MIT */
/*
 * class_list.c - see class_list.h.
 */
#include "agent/profile/class_list.h"

#include <pthread.h>
#include <string.h>

#include "agent/common/class_name.h"
#include "base/arena.h"
#include "base/mem.h"

struct ag_class_list {
	jvmtiEnv *jvmti;
	pthread_mutex_t lock; /* of all that follows */
	struct hp_arena arena;
	const char **signatures; /* by number - 1 */
	size_t count, room;
};

struct ag_class_list *ag_class_list_new(jvmtiEnv *jvmti)
{
	struct ag_class_list *l = hp_calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->jvmti = jvmti;
	pthread_mutex_init(&l->lock, NULL);
	return l;
}

void ag_class_list_free(struct ag_class_list *l)
{
	if (!l)
		return;
	hp_arena_done(&l->arena);
	hp_free(l->signatures);
	pthread_mutex_destroy(&l->lock);
	hp_free(l);
}

/* The lock is held. CLASS, if not NULL, gets the number as its tag. */
static uint32_t add(struct ag_class_list *l, jclass class,
		    const char *signature)
{
	const char *copy;

	if (l->count >= UINT32_MAX / 4 ||
	    hp_grow((void **)&l->signatures, &l->room, l->count,
		    sizeof *l->signatures) != HPROF_OK)
		return 0;
	copy = hp_arena_text(&l->arena, signature, strlen(signature));
	if (!copy || (class && (*l->jvmti)->SetTag(l->jvmti, class,
						   (jlong)l->count + 1) !=
				       JVMTI_ERROR_NONE))
		return 0;
	l->signatures[l->count++] = copy;
	return (uint32_t)l->count;
}

uint32_t ag_class_list_add(struct ag_class_list *l, const char *signature)
{
	uint32_t number;

	pthread_mutex_lock(&l->lock);
	number = add(l, NULL, signature);
	pthread_mutex_unlock(&l->lock);
	return number;
}

uint32_t ag_class_list_number(struct ag_class_list *l, jclass class)
{
	char *signature = NULL;
	uint32_t number;
	jlong tag = 0;

	if ((*l->jvmti)->GetTag(l->jvmti, class, &tag) == JVMTI_ERROR_NONE &&
	    tag > 0)
		return (uint32_t)tag;
	if ((*l->jvmti)->GetClassSignature(l->jvmti, class, &signature, NULL))
		return 0;
	ag_class_name_as_hotspot(signature, l->jvmti);
	pthread_mutex_lock(&l->lock);
	/* Another thread may have been faster. */
	if ((*l->jvmti)->GetTag(l->jvmti, class, &tag) == JVMTI_ERROR_NONE &&
	    tag > 0)
		number = (uint32_t)tag;
	else
		number = add(l, class, signature);
	pthread_mutex_unlock(&l->lock);
	(*l->jvmti)->Deallocate(l->jvmti, (unsigned char *)signature);
	return number;
}

uint32_t ag_class_list_count(struct ag_class_list *l)
{
	uint32_t count;

	pthread_mutex_lock(&l->lock);
	count = (uint32_t)l->count;
	pthread_mutex_unlock(&l->lock);
	return count;
}

const char *ag_class_list_signature(struct ag_class_list *l, uint32_t number)
{
	const char *signature = "";

	pthread_mutex_lock(&l->lock);
	if (number != 0 && number <= l->count)
		signature = l->signatures[number - 1];
	pthread_mutex_unlock(&l->lock);
	return signature;
}
