/* SPDX-License-Identifier: MIT */
/*
 * 03_write.c - writes a small dump from nothing.
 *
 *   03_write OUT
 *
 * It holds a linked list of two, Node { int value; Node next; }, in a static
 * field and on the stack of a thread, and an int[]. The order is the one that
 * every reader accepts: strings, classes, frames and stack traces, then the
 * heap with CLASS_DUMPs first. The writer adds segments and HEAP_DUMP_END.
 *
 *   cc -o 03_write 03_write.c $(pkg-config --cflags --libs libhprof)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

/* ---- ids: any numbers but 0, each for one thing -------------------------- */

enum { ID_SIZE = 4 }; /* 8 is usual, and 4 is short */

enum object_id {
	FIRST_NODE = 0x2000,
	SECOND_NODE = 0x2020,
	NUMBERS = 0x2040,
	THREAD = 0x2060
};

/* Some readers look up these classes by name, so the dump should have them. */
enum class_number { OBJECT, CLASS, STRING, LOADER, THREAD_CLASS, NODE, INTS };
static const char *const class_names[] = { "java/lang/Object",
					   "java/lang/Class",
					   "java/lang/String",
					   "java/lang/ClassLoader",
					   "java/lang/Thread",
					   "demo/Node",
					   "[I" };
enum { CLASSES = sizeof class_names / sizeof class_names[0] };

static uint64_t class_id(enum class_number number)
{
	return 0x1000 + 0x10 * (uint64_t)number;
}

enum string_id { /* behind 1, 2 ... for the names of classes */
		 VALUE = 100,
		 NEXT,
		 HEAD,
		 RUN,
		 RUN_SIGNATURE,
		 SOURCE
};

enum { NO_TRACE = 1, THREAD_TRACE = 2, THREAD_SERIAL = 1 };

/* ---- records ------------------------------------------------------------- */

/* Nothing can go wrong but the disk: the records below are right. */
static void put(struct hprof_writer *w, struct hprof_record record)
{
	record.id_size = ID_SIZE;
	if (hprof_writer_put(w, &record) == HPROF_OK)
		return;
	fprintf(stderr, "03_write: %s\n", hprof_writer_error(w)->text);
	hprof_writer_free(w); /* removes the unfinished file */
	exit(1);
}

static void put_string(struct hprof_writer *w, uint64_t id, const char *text)
{
	put(w, (struct hprof_record){
		       .tag = HPROF_UTF8,
		       .u.utf8 = { id,
				   { (const uint8_t *)text, strlen(text) } } });
}

/* Values inside a record are big-endian, as in the file. */
static uint8_t *add(uint8_t *p, uint64_t value, unsigned size)
{
	while (size-- > 0)
		*p++ = (uint8_t)(value >> 8 * size);
	return p;
}

static struct hprof_bytes bytes_to(const uint8_t *start, const uint8_t *end)
{
	return (struct hprof_bytes){ start, (size_t)(end - start) };
}

static void put_names(struct hprof_writer *w)
{
	for (unsigned i = 0; i < CLASSES; i++)
		put_string(w, 1 + i, class_names[i]);
	put_string(w, VALUE, "value");
	put_string(w, NEXT, "next");
	put_string(w, HEAD, "head");
	put_string(w, RUN, "run");
	put_string(w, RUN_SIGNATURE, "()V");
	put_string(w, SOURCE, "Node.java");
	for (unsigned i = 0; i < CLASSES; i++)
		put(w, (struct hprof_record){
			       .tag = HPROF_LOAD_CLASS,
			       .u.load_class = { .class_serial = 1 + i,
						 .class_id = class_id(i),
						 .trace_serial = NO_TRACE,
						 .name_id = 1 + i } });
}

/* The stack of a thread: one frame, "at demo.Node.run(Node.java:42)". */
static void put_stack(struct hprof_writer *w)
{
	uint8_t frames[ID_SIZE];
	const uint64_t frame_id = 1;

	put(w, (struct hprof_record){ .tag = HPROF_TRACE,
				      .u.trace.trace_serial = NO_TRACE });
	put(w,
	    (struct hprof_record){ .tag = HPROF_FRAME,
				   .u.frame = { .frame_id = frame_id,
						.method_id = RUN,
						.signature_id = RUN_SIGNATURE,
						.source_id = SOURCE,
						.class_serial = 1 + NODE,
						.line = 42 } });
	put(w, (struct hprof_record){
		       .tag = HPROF_TRACE,
		       .u.trace = {
			       .trace_serial = THREAD_TRACE,
			       .thread_serial = THREAD_SERIAL,
			       .frame_count = 1,
			       .frames = bytes_to(frames, add(frames, frame_id,
							      ID_SIZE)) } });
}

static void put_classes(struct hprof_writer *w)
{
	uint8_t statics[64], fields[64], *p;

	for (unsigned i = 0; i < CLASSES; i++) {
		struct hprof_class_dump class = {
			.class_id = class_id(i),
			.trace_serial = NO_TRACE,
			.super_id = i == OBJECT ? 0 : class_id(OBJECT)
		};
		if (i == NODE) {
			p = add(statics, HEAD, ID_SIZE);
			p = add(p, HPROF_TYPE_OBJECT, 1);
			p = add(p, FIRST_NODE, ID_SIZE);
			class.static_count = 1;
			class.statics = bytes_to(statics, p);
			p = add(fields, VALUE, ID_SIZE);
			p = add(p, HPROF_TYPE_INT, 1);
			p = add(p, NEXT, ID_SIZE);
			p = add(p, HPROF_TYPE_OBJECT, 1);
			class.field_count = 2;
			class.fields = bytes_to(fields, p);
			class.instance_size = 4 + ID_SIZE;
		}
		put(w, (struct hprof_record){ .tag = HPROF_CLASS_DUMP,
					      .u.class_dump = class });
	}
}

static void put_roots(struct hprof_writer *w)
{
	for (unsigned i = 0; i < CLASSES; i++)
		put(w,
		    (struct hprof_record){ .tag = HPROF_ROOT_STICKY_CLASS,
					   .u.root.object_id = class_id(i) });
	put(w, (struct hprof_record){
		       .tag = HPROF_ROOT_THREAD_OBJ,
		       .u.root = { .object_id = THREAD,
				   .thread_serial = THREAD_SERIAL,
				   .trace_serial = THREAD_TRACE } });
	put(w,
	    (struct hprof_record){ .tag = HPROF_ROOT_JAVA_FRAME,
				   .u.root = { .object_id = FIRST_NODE,
					       .thread_serial = THREAD_SERIAL,
					       .frame = 0 } });
}

static void put_instance(struct hprof_writer *w, uint64_t id,
			 enum class_number number, struct hprof_bytes data)
{
	put(w, (struct hprof_record){
		       .tag = HPROF_INSTANCE_DUMP,
		       .u.instance_dump = { .object_id = id,
					    .trace_serial = NO_TRACE,
					    .class_id = class_id(number),
					    .data_size = (uint32_t)data.size,
					    .data = data } });
}

static void put_node(struct hprof_writer *w, uint64_t id, uint32_t value,
		     uint64_t next)
{
	uint8_t data[4 + ID_SIZE];
	uint8_t *end = add(add(data, value, 4), next, ID_SIZE);

	put_instance(w, id, NODE, bytes_to(data, end));
}

static void put_numbers(struct hprof_writer *w)
{
	enum { COUNT = 10 };
	uint8_t elements[4 * COUNT], *p = elements;

	for (unsigned i = 0; i < COUNT; i++)
		p = add(p, i * i, 4);
	put(w, (struct hprof_record){
		       .tag = HPROF_PRIM_ARRAY_DUMP,
		       .u.prim_array_dump = {
			       .object_id = NUMBERS,
			       .trace_serial = NO_TRACE,
			       .count = COUNT,
			       .type = HPROF_TYPE_INT,
			       .elements = bytes_to(elements, p) } });
}

int main(int argc, char **argv)
{
	struct hprof_header header = { .version = "JAVA PROFILE 1.0.2",
				       .id_size = ID_SIZE,
				       .time_ms = 1700000000000 };
	struct hprof_writer *w;
	struct hprof_error error;

	if (argc != 2) {
		fprintf(stderr, "usage: 03_write OUT\n");
		return 2;
	}
	if (hprof_writer_create(argv[1], NULL, &w, &error) != HPROF_OK) {
		fprintf(stderr, "03_write: %s: %s\n", argv[1], error.text);
		return 1;
	}
	hprof_writer_header(w, &header);
	put_names(w);
	put_stack(w);
	put_classes(w);
	put_roots(w);
	put_instance(w, THREAD, THREAD_CLASS, (struct hprof_bytes){ NULL, 0 });
	put_node(w, FIRST_NODE, 1, SECOND_NODE);
	put_node(w, SECOND_NODE, 2, 0);
	put_numbers(w);
	enum hprof_status status = hprof_writer_finish(w);
	if (status != HPROF_OK)
		fprintf(stderr, "03_write: %s: %s\n", argv[1],
			hprof_writer_error(w)->text);
	hprof_writer_free(w);
	return status == HPROF_OK ? 0 : 1;
}
