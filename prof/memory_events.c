/* SPDX-License-Identifier: MIT */
/* memory_events.c - see memory_events.h. */
#include "prof/memory_events.h"

#include "prof/class_events.h"
#include "prof/collections.h"
#include "prof/monitor_events.h"
#include "prof/objects.h"
#include "prof/references.h"

unsigned pf_memory_potential(const jvmtiCapabilities *can)
{
	unsigned bits = 0;

	if (can->can_tag_objects && can->can_generate_object_free_events) {
		bits |= PF_CAN_CLASSES | PF_CAN_REFERENCES;
		if (can->can_generate_sampled_object_alloc_events)
			bits |= PF_CAN_OBJECTS;
	}
	if (can->can_generate_garbage_collection_events)
		bits |= PF_CAN_COLLECTIONS;
	if (can->can_generate_monitor_events)
		bits |= PF_CAN_MONITORS;
	return bits;
}

unsigned pf_memory_prepare(unsigned bits)
{
	unsigned had = 0;

	if ((bits & PF_CAN_OBJECTS) && pf_objects_prepare())
		had |= PF_CAN_OBJECTS;
	if ((bits & PF_CAN_COLLECTIONS) && pf_collections_prepare())
		had |= PF_CAN_COLLECTIONS;
	if ((bits & PF_CAN_CLASSES) && pf_class_events_prepare())
		had |= PF_CAN_CLASSES;
	if ((bits & PF_CAN_REFERENCES) && pf_references_prepare())
		had |= PF_CAN_REFERENCES;
	if ((bits & PF_CAN_MONITORS) && pf_monitor_events_prepare())
		had |= PF_CAN_MONITORS;
	return had;
}

void pf_memory_callbacks(struct pf_env *e, const jvmtiProfEventCallbacks *c)
{
	atomic_store(&e->object_alloc, c->ObjectAlloc);
	atomic_store(&e->object_free, c->ObjectFree);
	atomic_store(&e->collection_start, c->CollectionStart);
	atomic_store(&e->collection_finish, c->CollectionFinish);
	atomic_store(&e->class_load, c->ClassLoad);
	atomic_store(&e->class_unload, c->ClassUnload);
	atomic_store(&e->reference, c->Reference);
	atomic_store(&e->monitor, c->Monitor);
}

bool pf_memory_update(void)
{
	bool done = pf_objects_update();

	done = pf_collections_update() && done;
	done = pf_class_events_update() && done;
	done = pf_references_update() && done;
	return pf_monitor_events_update() && done;
}

void pf_memory_begin(JNIEnv *jni)
{
	pf_lock();
	pf_objects_begin(jni);
	pf_collections_begin(jni);
	pf_references_update();
	pf_unlock();
}

void pf_memory_thread_end(JNIEnv *jni)
{
	pf_objects_thread_end(jni);
}
