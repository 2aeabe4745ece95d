/* SPDX-License-Identifier: MIT */
/*
 * requests.c - see requests.h. What a peer sends is a number or a name; neither
 * is believed to belong to anything.
 */
#include "agent/net/requests.h"

#include <string.h>

#include "agent/common/all_classes.h"
#include "agent/net/object_answer.h"
#include "agent/net/thread_answer.h"
#include "base/wire.h"
#include "wire/command.h"
#include "wire/request.h"

enum { INSTANCES = 100, LOCAL_REFS = 512 };

struct request {
	unsigned kind;
	int64_t id;
	char name[WIRE_NAME_MOST + 1];
};

static bool read_request(const struct ag_peer *peer, uint32_t size,
			 struct request *ret)
{
	uint8_t bytes[WIRE_REQUEST_SIZE];

	if (size < sizeof bytes || size > sizeof bytes + WIRE_NAME_MOST) {
		ag_complain(peer->complaints, peer->name,
			    "a request of a wrong length: the connection is "
			    "closed");
		return false;
	}
	if (!ag_peer_read(peer, bytes, sizeof bytes))
		return false;
	ret->kind = bytes[0];
	ret->id = (int64_t)hp_get64(bytes + 1);
	size -= (uint32_t)sizeof bytes;
	ret->name[size] = '\0';
	return size == 0 || ag_peer_read(peer, ret->name, size);
}

/* ---- instances ----------------------------------------------------------- */

struct search {
	jlong tag;  /* of the class */
	jlong next; /* for the next object that has none */
	int64_t count;
	jlong found[INSTANCES];
};

static jint JNICALL on_instance(jlong class_tag, jlong size, jlong *tag_ptr,
				jint length, void *user)
{
	struct search *s = user;

	(void)size;
	(void)length;
	if (class_tag != s->tag)
		return 0;
	if (s->count < INSTANCES) {
		if (*tag_ptr == 0)
			*tag_ptr = s->next++;
		s->found[s->count] = *tag_ptr;
	}
	s->count++;
	return 0;
}

static void put_instances(struct ag_requests *r, struct ag_answer *a,
			  jclass class)
{
	const jvmtiHeapCallbacks callbacks = { .heap_iteration_callback =
						       on_instance };
	struct ag_known *k = &r->known;
	struct search s = { .tag = ag_known_number(k, class) };

	s.next = k->last + 1;
	if (!s.tag ||
	    (*k->jvmti)->IterateThroughHeap(k->jvmti, 0, class, &callbacks, &s))
		return;
	k->last = s.next - 1;
	ag_answer_open(a, NULL, '{');
	ag_answer_number(a, "class_id", s.tag);
	ag_answer_number(a, "instances", s.count);
	ag_answer_open(a, "ids", '[');
	for (int64_t i = 0; i < s.count && i < INSTANCES; i++)
		ag_answer_number(a, NULL, s.found[i]);
	ag_answer_close(a, ']');
	ag_answer_close(a, '}');
}

/* Is it the class NAME, with dots or slashes? */
static bool is_named(jvmtiEnv *jvmti, jclass class, const char *name)
{
	const size_t size = strlen(name);
	char *signature;
	bool is;

	if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL))
		return false;
	is = strlen(signature) == size + 2 && *signature == 'L';
	for (size_t i = 0; is && i < size; i++)
		is = signature[i + 1] == (name[i] == '.' ? '/' : name[i]);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	return is;
}

/* Several loaders may have a class of that name. */
static void answer_instances(struct ag_requests *r, JNIEnv *jni,
			     struct ag_answer *a, const char *name)
{
	jvmtiEnv *jvmti = r->known.jvmti;
	jclass *classes;
	jint count;

	ag_answer_text(a, "class", name);
	if (ag_all_classes(jvmti, jni, &count, &classes))
		return;
	ag_answer_open(a, "loaded", '[');
	for (jint i = 0; i < count; i++) {
		if (is_named(jvmti, classes[i], name))
			put_instances(r, a, classes[i]);
		(*jni)->DeleteLocalRef(jni, classes[i]);
	}
	ag_answer_close(a, ']');
	(*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
}

/* ---- one request --------------------------------------------------------- */

static bool is_thread(JNIEnv *jni, jobject object)
{
	jclass class = (*jni)->FindClass(jni, "java/lang/Thread");

	return class && (*jni)->IsInstanceOf(jni, object, class);
}

static void answer_about(struct ag_requests *r, JNIEnv *jni,
			 struct ag_answer *a, const struct request *q)
{
	jobject object = ag_known_object(&r->known, q->id);

	if (!object)
		ag_answer_text(a, "error",
			       "there is no such object, or it is "
			       "gone");
	else if (q->kind == WIRE_OBJECT)
		ag_answer_object(&r->known, jni, a, object, r->level);
	else if (q->kind == WIRE_MONITOR)
		ag_answer_monitor(&r->known, jni, a, object);
	else if (is_thread(jni, object))
		ag_answer_thread(&r->known, jni, a, "thread", object, false);
	else
		ag_answer_text(a, "error", "that object is no thread");
}

static void answer(struct ag_requests *r, JNIEnv *jni, struct ag_answer *a,
		   const struct request *q)
{
	ag_answer_open(a, NULL, '{');
	if (!ag_known_begin(&r->known))
		ag_answer_text(a, "error", "this JVM does not tell of it");
	else if (q->kind == WIRE_INSTANCES)
		answer_instances(r, jni, a, q->name);
	else if (q->kind == WIRE_THREAD && q->id == 0)
		ag_answer_threads(&r->known, jni, a);
	else if (q->kind >= WIRE_OBJECT && q->kind <= WIRE_THREAD)
		answer_about(r, jni, a, q);
	else
		ag_answer_text(a, "error", "there is no such request");
	ag_answer_close(a, '}');
}

/* In one piece: another thread may begin a dump. */
static bool send_answer(struct ag_requests *r, const struct ag_answer *a)
{
	uint8_t *head = (uint8_t *)a->text;

	wire_put_head(head, WIRE_REQUEST, (uint32_t)(a->size - WIRE_HEAD));
	return ag_connection_send(r->connection, a->text, a->size);
}

bool ag_request(struct ag_requests *r, const struct ag_peer *peer, JNIEnv *jni,
		uint32_t size)
{
	struct ag_answer a;
	struct request q;
	bool sent = false;

	if (!read_request(peer, size, &q))
		return false;
	if (r->text) {
		ag_complain(peer->complaints, peer->name,
			    "the command REQUEST does nothing: it has no form "
			    "in text");
		return true;
	}
	ag_answer_begin(&a, WIRE_HEAD);
	if ((*jni)->PushLocalFrame(jni, LOCAL_REFS) == 0) {
		answer(r, jni, &a, &q);
		(*jni)->ExceptionClear(jni);
		(*jni)->PopLocalFrame(jni, NULL);
	} else {
		(*jni)->ExceptionClear(jni);
		a.failed = true;
	}
	if (!a.failed)
		sent = send_answer(r, &a);
	else
		ag_complain(peer->complaints, peer->name,
			    "no memory for an answer: the connection is "
			    "closed");
	ag_answer_done(&a);
	return sent;
}
