/* SPDX-License-Identifier: MIT */
/*
 * object_answer.c - see object_answer.h. Values are read by JNI, while the
 * program runs: each is of its own moment.
 */
#include "agent/net/object_answer.h"

#include <string.h>

enum { ELEMENTS = 1000, CHARS = 4096, DEEPEST = 256, STATIC = 8 };

struct view {
	struct ag_known *known;
	JNIEnv *jni;
	struct ag_answer *answer;
	jobject object;
	unsigned level;
};

/* ---- fields -------------------------------------------------------------- */

static void put_reference(const struct view *v, const char *name,
			  jobject object)
{
	ag_known_put(v->known, v->jni, v->answer, name, object);
	(*v->jni)->DeleteLocalRef(v->jni, object);
}

/*
 * A field of OF, an object, or a class if it is static; integers are widened. No
 * class is initialized by that.
 */
static jvalue read_value(JNIEnv *jni, jobject of, jfieldID id, char type,
			 bool is_static)
{
	const struct JNINativeInterface_ *f = *jni;
	jvalue wide = { .j = 0 };

	switch (type) {
	case 'Z':
		wide.j = (is_static ? f->GetStaticBooleanField
				    : f->GetBooleanField)(jni, of, id);
		break;
	case 'B':
		wide.j = (is_static ? f->GetStaticByteField
				    : f->GetByteField)(jni, of, id);
		break;
	case 'C':
		wide.j = (is_static ? f->GetStaticCharField
				    : f->GetCharField)(jni, of, id);
		break;
	case 'S':
		wide.j = (is_static ? f->GetStaticShortField
				    : f->GetShortField)(jni, of, id);
		break;
	case 'I':
		wide.j = (is_static ? f->GetStaticIntField
				    : f->GetIntField)(jni, of, id);
		break;
	case 'J':
		wide.j = (is_static ? f->GetStaticLongField
				    : f->GetLongField)(jni, of, id);
		break;
	case 'F':
		wide.f = (is_static ? f->GetStaticFloatField
				    : f->GetFloatField)(jni, of, id);
		break;
	case 'D':
		wide.d = (is_static ? f->GetStaticDoubleField
				    : f->GetDoubleField)(jni, of, id);
		break;
	default:
		wide.l = (is_static ? f->GetStaticObjectField
				    : f->GetObjectField)(jni, of, id);
	}
	return wide;
}

static void put_value(const struct view *v, char type, jvalue value)
{
	static const char name[] = "value";

	switch (type) {
	case 'Z':
		ag_answer_flag(v->answer, name, value.j != 0);
		break;
	case 'F':
		ag_answer_double(v->answer, name, (double)value.f);
		break;
	case 'D':
		ag_answer_double(v->answer, name, value.d);
		break;
	case 'L':
	case '[':
		put_reference(v, name, value.l);
		break;
	default:
		ag_answer_number(v->answer, name, value.j);
	}
}

/* Nothing, if it is static and should not be, or the other way round. */
static void put_field(const struct view *v, jclass class, jfieldID id,
		      bool statics)
{
	jvmtiEnv *jvmti = v->known->jvmti;
	char *name, *signature;
	jint modifiers;
	bool reference;

	if ((*jvmti)->GetFieldModifiers(jvmti, class, id, &modifiers) ||
	    ((modifiers & STATIC) != 0) != statics ||
	    (*jvmti)->GetFieldName(jvmti, class, id, &name, &signature, NULL))
		return;
	reference = *signature == 'L' || *signature == '[';
	ag_answer_open(v->answer, NULL, '{');
	ag_known_put_class(v->known, v->answer, "of", class);
	ag_answer_text(v->answer, "name", name);
	ag_answer_text(v->answer, "type", signature);
	if (v->level >= (reference ? 1u : 2u))
		put_value(v, *signature,
			  read_value(v->jni, statics ? class : v->object, id,
				     *signature, statics));
	ag_answer_close(v->answer, '}');
	(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

static void put_fields_of(const struct view *v, jclass class, bool statics)
{
	jvmtiEnv *jvmti = v->known->jvmti;
	jfieldID *fields;
	jint count;

	if ((*jvmti)->GetClassFields(jvmti, class, &count, &fields))
		return;
	for (jint i = 0; i < count; i++)
		if (v->answer->size < AG_ANSWER_MOST)
			put_field(v, class, fields[i], statics);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)fields);
}

/* Takes the reference CLASS. */
static void put_fields(const struct view *v, jclass class)
{
	ag_answer_open(v->answer, "fields", '[');
	for (int depth = 0; class && depth < DEEPEST; depth++) {
		jclass next = (*v->jni)->GetSuperclass(v->jni, class);

		put_fields_of(v, class, false);
		(*v->jni)->DeleteLocalRef(v->jni, class);
		class = next;
	}
	ag_answer_close(v->answer, ']');
}

/* ---- arrays -------------------------------------------------------------- */

/* COUNT numbers of the type that BITS holds, which the JVM has copied. */
static void put_numbers(const struct view *v, char type, jint count,
			const jvalue *bits)
{
	for (jint i = 0; i < count; i++)
		switch (type) {
		case 'F':
			ag_answer_double(v->answer, NULL, (double)bits[i].f);
			break;
		case 'D':
			ag_answer_double(v->answer, NULL, bits[i].d);
			break;
		default:
			ag_answer_number(v->answer, NULL, bits[i].j);
		}
}

/* One value at INDEX of an array of TYPE; integers are widened. */
static jvalue read_element(const struct view *v, char type, jint index)
{
	JNIEnv *jni = v->jni;
	jvalue at = { .j = 0 }, wide = { .j = 0 };

	switch (type) {
	case 'Z':
		(*jni)->GetBooleanArrayRegion(jni, v->object, index, 1, &at.z);
		wide.j = at.z;
		break;
	case 'B':
		(*jni)->GetByteArrayRegion(jni, v->object, index, 1, &at.b);
		wide.j = at.b;
		break;
	case 'C':
		(*jni)->GetCharArrayRegion(jni, v->object, index, 1, &at.c);
		wide.j = at.c;
		break;
	case 'S':
		(*jni)->GetShortArrayRegion(jni, v->object, index, 1, &at.s);
		wide.j = at.s;
		break;
	case 'I':
		(*jni)->GetIntArrayRegion(jni, v->object, index, 1, &at.i);
		wide.j = at.i;
		break;
	case 'F':
		(*jni)->GetFloatArrayRegion(jni, v->object, index, 1, &wide.f);
		break;
	case 'D':
		(*jni)->GetDoubleArrayRegion(jni, v->object, index, 1, &wide.d);
		break;
	default:
		(*jni)->GetLongArrayRegion(jni, v->object, index, 1, &wide.j);
	}
	return wide;
}

static void put_elements(const struct view *v, char type, jint count)
{
	const bool objects = type == 'L' || type == '[';
	jvalue value;

	if (v->level < (objects ? 1u : 2u))
		return;
	ag_answer_open(v->answer, "elements", '[');
	for (jint i = 0; i < count; i++) {
		if (objects) {
			put_reference(v, NULL,
				      (*v->jni)->GetObjectArrayElement(
					      v->jni, v->object, i));
			continue;
		}
		value = read_element(v, type, i);
		put_numbers(v, type, 1, &value);
	}
	ag_answer_close(v->answer, ']');
}

static void put_array(const struct view *v, const char *signature)
{
	const jint length = (*v->jni)->GetArrayLength(v->jni, v->object);

	ag_answer_number(v->answer, "length", length);
	put_elements(v, signature[1], length < ELEMENTS ? length : ELEMENTS);
}

/* ---- strings ------------------------------------------------------------- */

static void put_string(const struct view *v)
{
	jchar chars[CHARS];
	const jsize length = (*v->jni)->GetStringLength(v->jni, v->object);
	const jsize shown = length < CHARS ? length : CHARS;

	if (v->level < 2)
		return;
	(*v->jni)->GetStringRegion(v->jni, v->object, 0, shown, chars);
	ag_answer_number(v->answer, "characters", length);
	ag_answer_chars(v->answer, "text", chars, (size_t)shown);
}

/* ---- classes ------------------------------------------------------------- */

/* What the object is, if it is a class. One that is not linked has no fields. */
static void put_described(const struct view *v)
{
	jvmtiEnv *jvmti = v->known->jvmti;
	jobject loader = NULL;

	ag_known_put_class(v->known, v->answer, "describes", v->object);
	ag_known_put(v->known, v->jni, v->answer, "superclass",
		     (*v->jni)->GetSuperclass(v->jni, v->object));
	if (!(*jvmti)->GetClassLoader(jvmti, v->object, &loader))
		ag_known_put(v->known, v->jni, v->answer, "loader", loader);
	ag_answer_open(v->answer, "statics", '[');
	put_fields_of(v, v->object, true);
	ag_answer_close(v->answer, ']');
}

/* ---- the object ---------------------------------------------------------- */

void ag_answer_object(struct ag_known *known, JNIEnv *jni, struct ag_answer *a,
		      jobject object, unsigned level)
{
	const struct view v = { known, jni, a, object, level };
	jclass class = (*jni)->GetObjectClass(jni, object);
	char *signature = NULL;
	jlong size = 0;

	ag_answer_number(a, "id", ag_known_number(known, object));
	ag_known_put_class(known, a, "class", class);
	if (!(*known->jvmti)->GetObjectSize(known->jvmti, object, &size))
		ag_answer_number(a, "size", size);
	if ((*known->jvmti)
		    ->GetClassSignature(known->jvmti, class, &signature, NULL))
		return;
	if (!strcmp(signature, "Ljava/lang/String;"))
		put_string(&v);
	if (!strcmp(signature, "Ljava/lang/Class;"))
		put_described(&v);
	if (*signature == '[')
		put_array(&v, signature);
	else
		put_fields(&v, class);
	(*known->jvmti)->Deallocate(known->jvmti, (unsigned char *)signature);
}
