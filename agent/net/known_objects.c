/* SPDX-License-Identifier: MIT */
/* known_objects.c - see known_objects.h. The numbers are JVMTI's tags. */
#include "agent/net/known_objects.h"

#include <string.h>

#include "agent/common/class_name.h"
#include "agent/common/environment.h"
#include "agent/common/log.h"
#include "hprof/record.h"

bool ag_known_begin(struct ag_known *k)
{
	jvmtiCapabilities want, have;
	jvmtiEnv *jvmti = k->jvmti ? k->jvmti : ag_environment(k->vm);

	if (!jvmti || k->jvmti)
		return jvmti;
	memset(&want, 0, sizeof want);
	if (ag_environment_can_tag(jvmti) &&
	    !(*jvmti)->GetPotentialCapabilities(jvmti, &have)) {
		want.can_get_monitor_info = have.can_get_monitor_info;
		want.can_get_owned_monitor_info =
			have.can_get_owned_monitor_info;
		want.can_get_current_contended_monitor =
			have.can_get_current_contended_monitor;
		if (!(*jvmti)->AddCapabilities(jvmti, &want)) {
			k->can = want;
			k->jvmti = jvmti;
			return true;
		}
	}
	ag_log("requests: this JVM does not tell of single objects");
	(*jvmti)->DisposeEnvironment(jvmti);
	return false;
}

int64_t ag_known_number(struct ag_known *k, jobject object)
{
	jlong tag = 0;

	if (!object || (*k->jvmti)->GetTag(k->jvmti, object, &tag))
		return 0;
	if (tag == 0 && !(*k->jvmti)->SetTag(k->jvmti, object, k->last + 1))
		tag = ++k->last;
	return tag;
}

jobject ag_known_object(struct ag_known *k, int64_t number)
{
	const jlong tag = number;
	jobject *objects, found;
	jint count;

	if (number <= 0 || number > k->last ||
	    (*k->jvmti)->GetObjectsWithTags(k->jvmti, 1, &tag, &count, &objects,
					    NULL))
		return NULL;
	found = count == 1 ? objects[0] : NULL;
	(*k->jvmti)->Deallocate(k->jvmti, (unsigned char *)objects);
	return found;
}

void ag_known_put_class(struct ag_known *k, struct ag_answer *a,
			const char *name, jclass class)
{
	enum { MOST = 1024 };
	char *signature, text[MOST + 1];
	const char *from;
	size_t size;

	if (!class ||
	    (*k->jvmti)->GetClassSignature(k->jvmti, class, &signature, NULL)) {
		ag_answer_null(a, name);
		return;
	}
	ag_class_name_as_hotspot(signature, k->jvmti);
	from = signature;
	size = strlen(from);
	if (*from == 'L' && size > 2) {
		from++;
		size -= 2;
	}
	size = hprof_class_name_decode(from, size, text, MOST);
	text[size < MOST ? size : MOST] = '\0';
	ag_answer_text(a, name, text);
	(*k->jvmti)->Deallocate(k->jvmti, (unsigned char *)signature);
}

void ag_known_put(struct ag_known *k, JNIEnv *jni, struct ag_answer *a,
		  const char *name, jobject object)
{
	jclass class;

	if (!object) {
		ag_answer_null(a, name);
		return;
	}
	class = (*jni)->GetObjectClass(jni, object);
	ag_answer_open(a, name, '{');
	ag_answer_number(a, "id", ag_known_number(k, object));
	ag_known_put_class(k, a, "class", class);
	ag_answer_close(a, '}');
	(*jni)->DeleteLocalRef(jni, class);
}
