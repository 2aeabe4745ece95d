/* SPDX-License-Identifier: MIT */
/*
 * text_heap.c - see text_heap.h.
 */
#include "text/text_heap.h"

#include <string.h>

static const char *class_or_unknown(const char *name)
{
	return name ? name : "<Unknown Class>";
}

static const char *field_or_unknown(const char *name)
{
	return name ? name : "<Unknown Field>";
}

void text_put_heap_begin(struct text_writer *w, uint64_t objects,
			 uint64_t bytes, uint64_t time_ms)
{
	text_put(w, "HEAP DUMP BEGIN (%u objects, %u bytes) ", objects, bytes);
	text_put_time(w, time_ms);
}

void text_put_heap_end(struct text_writer *w)
{
	text_put(w, "HEAP DUMP END\n");
}

/* ---- roots --------------------------------------------------------------- */

void text_put_root(struct text_writer *w, const struct text_root *root)
{
	uint64_t id = root->object_id, thread = root->thread_serial;
	int64_t frame = root->frame;

	switch (root->tag) {
	case HPROF_ROOT_THREAD_OBJ:
		text_put(w, "ROOT %x (kind=<thread>, id=%u, trace=%u)\n", id,
			 thread, (uint64_t)root->trace_serial);
		break;
	case HPROF_ROOT_JNI_GLOBAL:
		text_put(w,
			 "ROOT %x (kind=<JNI global ref>, id=%x, trace=%u)\n",
			 id, root->jni_ref, (uint64_t)root->trace_serial);
		break;
	case HPROF_ROOT_JNI_LOCAL:
		text_put(w,
			 "ROOT %x (kind=<JNI local ref>, thread=%u, "
			 "frame=%d)\n",
			 id, thread, frame);
		break;
	case HPROF_ROOT_STICKY_CLASS:
		text_put(w, "ROOT %x (kind=<system class>, name=%s)\n", id,
			 class_or_unknown(root->class_name));
		break;
	case HPROF_ROOT_MONITOR_USED:
		text_put(w, "ROOT %x (kind=<busy monitor>)\n", id);
		break;
	case HPROF_ROOT_THREAD_BLOCK:
		text_put(w, "ROOT %x (kind=<thread block>, thread=%u)\n", id,
			 thread);
		break;
	case HPROF_ROOT_JAVA_FRAME:
		text_put(w,
			 "ROOT %x (kind=<Java stack>, thread=%u, frame=%d)\n",
			 id, thread, frame);
		break;
	case HPROF_ROOT_NATIVE_STACK:
		text_put(w, "ROOT %x (kind=<native stack>, thread=%u)\n", id,
			 thread);
		break;
	default:
		text_put(w, "ROOT %x (kind=<unknown>)\n", id);
	}
}

/* ---- objects ------------------------------------------------------------- */

void text_put_class(struct text_writer *w, const struct text_object *c)
{
	text_put(w, "CLS %x (name=%s, trace=%u)\n", c->id,
		 class_or_unknown(c->class_name), (uint64_t)c->trace_serial);
}

void text_put_class_part(struct text_writer *w, const char *what, uint64_t id)
{
	text_put(w, "\t%s\t\t%x\n", what, id);
}

void text_put_static(struct text_writer *w, const char *name, uint64_t id)
{
	text_put(w, "\tstatic %s\t%x\n", field_or_unknown(name), id);
}

void text_put_constant(struct text_writer *w, uint64_t index, uint64_t id)
{
	text_put(w, "\tconstant pool entry %u\t%x\n", index, id);
}

void text_put_instance(struct text_writer *w, const struct text_object *o)
{
	text_put(w, "OBJ %x (sz=%u, trace=%u, class=%s@%x)\n", o->id, o->size,
		 (uint64_t)o->trace_serial, class_or_unknown(o->class_name),
		 o->class_id);
}

void text_put_field(struct text_writer *w, const char *name, uint64_t id)
{
	name = field_or_unknown(name);
	text_put(w, strlen(name) < 8 ? "\t%s\t\t%x\n" : "\t%s\t%x\n", name, id);
}

void text_put_array(struct text_writer *w, const struct text_object *o)
{
	text_put(w, "ARR %x (sz=%u, trace=%u, nelems=%u, elem type=%s@%x)\n",
		 o->id, o->size, (uint64_t)o->trace_serial, o->length,
		 class_or_unknown(o->class_name), o->class_id);
}

void text_put_element(struct text_writer *w, uint64_t index, uint64_t id)
{
	text_put(w, "\t[%u]\t\t%x\n", index, id);
}

void text_put_values(struct text_writer *w, const struct text_object *o)
{
	text_put(w, "ARR %x (sz=%u, trace=%u, nelems=%u, elem type=%s)\n",
		 o->id, o->size, (uint64_t)o->trace_serial, o->length,
		 o->class_name ? o->class_name : "<Unknown Type>");
}
