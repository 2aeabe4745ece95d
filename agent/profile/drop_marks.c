/* SPDX-License-Identifier: MIT */
/* drop_marks.c - see drop_marks.h. */
#include "agent/profile/drop_marks.h"

#include <stddef.h>

static jint JNICALL drop_mark(jlong class_tag, jlong size, jlong *tag_ptr,
			      jint length, void *user)
{
	(void)class_tag;
	(void)size;
	(void)length;
	(void)user;
	*tag_ptr = 0;
	return 0;
}

void ag_drop_marks(jvmtiEnv *marks)
{
	const jvmtiHeapCallbacks callbacks = { .heap_iteration_callback =
						       drop_mark };

	(*marks)->IterateThroughHeap(marks, JVMTI_HEAP_FILTER_UNTAGGED, NULL,
				     &callbacks, NULL);
}
