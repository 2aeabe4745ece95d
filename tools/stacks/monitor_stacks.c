/* SPDX-License-Identifier: MIT */
/*
 * monitor_stacks.c - see monitor_stacks.h. The text is that of text/: a line
 *
 *	TRACE 300002: (thread=200001)
 *
 * is followed by its frames, the innermost first, each behind a TAB,
 *
 *	demo.Shop.sell(Shop.java:12)
 *
 * and a row of the section has rank, share, sum of shares, number of waits, trace
 * and the class of the monitor. Other lines are passed over.
 */
#include "tools/stacks/monitor_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"

/* The frames of all traces are one array. */
struct trace {
	uint64_t serial;
	size_t first, count;
};

struct reading {
	struct trace *traces; /* by serial: so they are put */
	size_t trace_count, trace_room;
	char **frames;
	size_t frame_count, frame_room;
	uint64_t total_ms;
	bool in_section, found;
};

static void *grow(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = *room ? *room * 2 : 64;
	return cli_realloc(array, *room, size);
}

static void begin_trace(struct reading *r, const char *line)
{
	r->traces = grow(r->traces, r->trace_count, &r->trace_room,
			 sizeof(*r->traces));
	r->traces[r->trace_count++] = (struct trace){
		.serial = strtoull(line, NULL, 10),
		.first = r->frame_count,
	};
}

static void add_frame(struct reading *r, const char *line)
{
	if (!r->trace_count || strcmp(line, "<empty>") == 0)
		return;
	r->frames = grow(r->frames, r->frame_count, &r->frame_room,
			 sizeof(*r->frames));
	r->frames[r->frame_count++] = cli_strdup(line);
	r->traces[r->trace_count - 1].count++;
}

static const struct trace *find(const struct reading *r, uint64_t serial)
{
	size_t low = 0, high = r->trace_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->traces[middle].serial < serial)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->trace_count && r->traces[low].serial == serial
		       ? &r->traces[low]
		       : NULL;
}

/* "demo.Shop.sell(Shop.java:12)", which is cut up. */
static uint32_t put_frame(struct stack_tree *tree, uint32_t parent, char *text)
{
	char *file = strrchr(text, '('), *line = strrchr(text, ':');
	int number = 0;

	if (file && line > file) {
		*file++ = *line++ = '\0';
		number = atoi(line);
		if (strcmp(file, "<Unknown Source>") == 0)
			file = NULL;
	} else {
		file = NULL;
	}
	return stack_tree_node(tree, parent, text, file,
			       number > 0 ? number : 0);
}

static uint32_t put_stack(struct reading *r, struct stack_tree *tree,
			  uint64_t serial)
{
	const struct trace *t = find(r, serial);
	uint32_t node = 0;

	if (!t || t->count == 0)
		return stack_tree_node(tree, node, "(no stack)", NULL, 0);
	for (size_t i = t->count; i > 0; i--) {
		char *frame = cli_strdup(r->frames[t->first + i - 1]);

		node = put_frame(tree, node, frame);
		free(frame);
	}
	return node;
}

static void put_row(struct reading *r, struct stack_tree *tree, char *line)
{
	static const char java[] = " (Java)";
	unsigned long long count, serial;
	double share;
	int name = 0;
	uint32_t node;
	size_t size;

	if (sscanf(line, "%*u %lf%% %*f%% %llu %llu %n", &share, &count,
		   &serial, &name) != 3 ||
	    name == 0 || !(share >= 0 && share <= 100))
		return;
	size = strlen(line);
	if (size > strlen(java) &&
	    strcmp(line + size - strlen(java), java) == 0)
		line[size - strlen(java)] = '\0';
	node = stack_tree_node(tree, put_stack(r, tree, serial), line + name,
			       NULL, 0);
	tree->nodes[node].self[MONITOR_NS] +=
		(uint64_t)(share * (double)r->total_ms * 1e4);
	tree->nodes[node].self[MONITOR_TIMES] += count;
}

static void heed(struct reading *r, struct stack_tree *tree, char *line)
{
	static const char begin[] = "MONITOR TIME BEGIN (total = ";

	if (strncmp(line, "TRACE ", 6) == 0) {
		begin_trace(r, line + 6);
	} else if (line[0] == '\t') {
		if (!r->in_section)
			add_frame(r, line + 1);
	} else if (strncmp(line, begin, strlen(begin)) == 0) {
		r->in_section = r->found = true;
		r->total_ms = strtoull(line + strlen(begin), NULL, 10);
	} else if (strcmp(line, "MONITOR TIME END") == 0) {
		r->in_section = false;
	} else if (r->in_section) {
		put_row(r, tree, line);
	}
}

bool monitor_stacks_read(struct stack_tree *tree, FILE *in)
{
	struct reading r = { 0 };
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	tree->title = "Time waiting for monitors";
	tree->measure_count = 2;
	tree->measures[MONITOR_NS] =
		(struct stack_measure){ "delay", "nanoseconds" };
	tree->measures[MONITOR_TIMES] =
		(struct stack_measure){ "contentions", "count" };
	while ((n = getline(&line, &room, in)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		heed(&r, tree, line);
	}
	free(line);
	for (size_t i = 0; i < r.frame_count; i++)
		free(r.frames[i]);
	free(r.frames);
	free(r.traces);
	return r.found;
}
