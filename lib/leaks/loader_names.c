/* SPDX-License-Identifier: MIT */
/*
 * loader_names.c - see loader_names.h. Servers and frameworks keep the name of
 * what a loader belongs to in fields of their own; the table of these comes
 * before what java.lang.ClassLoader knows.
 */
#include "leaks/loader_names.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "collections/field_path.h"
#include "heap/heap.h"
#include "hprof/collection.h"
#include "report/lasting_classes.h"

enum { NAME_MOST = 300 };

/* What is known of loaders of a class, or of a subclass of it. */
struct known_loader {
	const char *class_name; /* the first '*' stands for any text */
	const char *name;	/* fields that lead to a String; or NULL */
	const char *is;		/* what it is called if they do not */
	/* Fields that lead to an enum constant, one of STATES is stopped. */
	const char *state;
	/* A truth value that says so, and which one does. */
	const char *flag;
	bool stopped;
};

static const struct known_loader known_loaders[] = {
	{ .class_name = "org.apache.catalina.loader.WebappClassLoader*",
	  .name = "resources.context.path|contextName",
	  .state = "state.name",
	  .flag = "started",
	  .stopped = false },
	{ .class_name = "org.eclipse.jetty.*WebAppClassLoader",
	  .name = "_name",
	  .flag = "ucp.closed",
	  .stopped = true },
	{ .class_name = "org.springframework.boot.loader.*ClassLoader",
	  .is = "Spring Boot application",
	  .flag = "ucp.closed",
	  .stopped = true },
	{ .class_name = "org.apache.felix.framework.BundleWiringImpl$*",
	  .name = "m_wiring.m_revision.m_symbolicName",
	  .flag = "m_wiring.m_isDisposed",
	  .stopped = true },
	{ .class_name = "org.eclipse.osgi.internal.loader.ModuleClassLoader",
	  .name = "delegate.wiring.revision.symbolicName|"
		  "loader.wiring.revision.symbolicName",
	  .flag = "delegate.wiring.isValid|loader.wiring.isValid",
	  .stopped = false },
	{ .class_name = "java.net.URLClassLoader",
	  .flag = "ucp.closed",
	  .stopped = true },
};

enum { KNOWN_COUNT = sizeof known_loaders / sizeof *known_loaders };

/* ---- which classes are known --------------------------------------------- */

static uint8_t known_as(const char *class_name)
{
	uint8_t i = 0;

	while (i < KNOWN_COUNT &&
	       !hp_pattern_match(known_loaders[i].class_name, class_name))
		i++;
	return i;
}

enum hprof_status hp_loader_names_init(struct hp_loader_names *n,
				       const struct hp_look *look,
				       struct hp_arena *arena)
{
	const struct hprof_heap *heap = look->heap;
	const struct hp_class_table *classes = heap->infos;

	*n = (struct hp_loader_names){
		.look = look,
		.arena = arena,
		.loader_row = hprof_heap_class_named(
			heap, "java.lang.ClassLoader", 0),
		.class_count = classes->count,
		.known = hp_calloc(classes->count + 1, sizeof *n->known),
	};
	if (!n->known)
		return HPROF_E_NOMEM;
	/* Superclasses come first; of two lines the first counts. */
	for (size_t i = 0; i < classes->count; i++) {
		const struct hp_heap_class *of =
			&heap->classes[classes->order[i]];
		const uint32_t super = of->info->super;
		const uint8_t above =
			super == HP_NO_CLASS
				? KNOWN_COUNT
				: n->known[heap->classes[super].row];
		const uint8_t own = known_as(of->info->name);

		n->known[of->row] = own < above ? own : above;
	}
	return HPROF_OK;
}

void hp_loader_names_done(struct hp_loader_names *n)
{
	hp_free(n->known);
	n->known = NULL;
}

/* ---- reading ------------------------------------------------------------- */

/* HPROF_END of a field that is not there is no failure of the whole. */
static enum hprof_status failed(const struct hp_loader_names *n,
				enum hprof_status status,
				struct hprof_error *error)
{
	return status < 0 ? hp_look_failure(n->look, error) : HPROF_OK;
}

/* The text of the String OBJECT; *RET stays as it is if it is none. */
static enum hprof_status take_text(const struct hp_loader_names *n,
				   uint64_t object, const char **ret,
				   struct hprof_error *error)
{
	struct hprof_object at;
	enum hprof_status status;
	const char *text;
	char *copy;

	if (object == HPROF_NO_OBJECT)
		return HPROF_OK;
	status = hprof_cursor_seek(n->look->cursor, object, &at);
	if (status == HPROF_OK)
		status = hprof_cursor_text(n->look->cursor, NAME_MOST, &text,
					   NULL);
	if (status != HPROF_OK)
		return failed(n, status, error);
	copy = hp_arena_text(n->arena, text, strlen(text));
	if (!copy)
		return hp_no_memory(error);
	*ret = copy;
	return HPROF_OK;
}

static enum hprof_status take_reference(const struct hp_loader_names *n,
					uint64_t object, size_t known,
					const char *path, uint64_t *ret,
					struct hprof_error *error)
{
	struct hprof_field field;
	enum hprof_status status = hp_field_path_read(n->look->cursor, object,
						      known, path, &field);

	*ret = HPROF_NO_OBJECT;
	if (status == HPROF_OK && field.type == HPROF_TYPE_OBJECT)
		*ret = hprof_heap_find(n->look->heap, field.value);
	return failed(n, status, error);
}

static enum hprof_status text_at(const struct hp_loader_names *n,
				 uint64_t object, size_t known,
				 const char *path, const char **ret,
				 struct hprof_error *error)
{
	uint64_t text;

	HP_TRY(take_reference(n, object, known, path, &text, error));
	return take_text(n, text, ret, error);
}

/* ---- where the classes come from ----------------------------------------- */

static bool take_first(void *user, const struct hprof_collection_entry *entry)
{
	*(uint64_t *)user = entry->value;
	return false;
}

/*
 * Of a web application the name of its directory, as in its context path: the
 * loader of one that was stopped has lost that.
 */
static enum hprof_status name_place(const struct hp_loader_names *n,
				    const char **ret, struct hprof_error *error)
{
	const char *name = *ret, *end = name ? strstr(name, "/WEB-INF/") : NULL;
	char *copy;

	if (!end || end == name)
		return HPROF_OK;
	for (name = end - 1; name > *ret && *name != '/'; name--)
		continue;
	copy = hp_arena_text(n->arena, name, (size_t)(end - name));
	if (!copy)
		return hp_no_memory(error);
	*ret = copy;
	return HPROF_OK;
}

/* The file of the first URL in the list at PATH. */
static enum hprof_status take_place(const struct hp_loader_names *n,
				    uint64_t object, const char *path,
				    const char **ret, struct hprof_error *error)
{
	uint64_t list, id = 0;
	enum hprof_status status;

	HP_TRY(take_reference(n, object, SIZE_MAX, path, &list, error));
	if (list == HPROF_NO_OBJECT)
		return HPROF_OK;
	status = hprof_collection_each(n->look->cursor, list, 1, take_first,
				       &id, NULL);
	if (status < 0 && status != HPROF_E_UNSUPPORTED)
		return hp_look_failure(n->look, error);
	list = id ? hprof_heap_find(n->look->heap, id) : HPROF_NO_OBJECT;
	if (list == HPROF_NO_OBJECT)
		return HPROF_OK;
	HP_TRY(text_at(n, list, SIZE_MAX, "path|file", ret, error));
	return name_place(n, ret, error);
}

/* ---- one loader ---------------------------------------------------------- */

static bool is_stopped_state(const char *state)
{
	static const char *const states[] = { "STOPPING_PREP", "STOPPING",
					      "STOPPED", "DESTROYING",
					      "DESTROYED" };

	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		if (strcmp(state, states[i]) == 0)
			return true;
	return false;
}

static enum hprof_status take_state(const struct hp_loader_names *n,
				    uint64_t object,
				    const struct known_loader *known,
				    struct hp_loader_self *self,
				    struct hprof_error *error)
{
	struct hprof_field field;
	enum hprof_status status;
	const char *state = NULL;

	if (known->state)
		HP_TRY(text_at(n, object, SIZE_MAX, known->state, &state,
			       error));
	if (state) {
		self->is_stopped = is_stopped_state(state);
		return HPROF_OK;
	}
	if (!known->flag)
		return HPROF_OK;
	status = hp_field_path_read(n->look->cursor, object, SIZE_MAX,
				    known->flag, &field);
	if (status == HPROF_OK && field.type == HPROF_TYPE_BOOLEAN)
		self->is_stopped = (field.value != 0) == known->stopped;
	return failed(n, status, error);
}

static enum hprof_status take_known(const struct hp_loader_names *n,
				    const struct hprof_object_info *info,
				    struct hp_loader_self *self,
				    struct hprof_error *error)
{
	const struct known_loader *known;

	if (info->class_row >= n->class_count ||
	    n->known[info->class_row] == KNOWN_COUNT)
		return HPROF_OK;
	known = &known_loaders[n->known[info->class_row]];
	HP_TRY(take_state(n, info->object, known, self, error));
	if (known->name)
		HP_TRY(text_at(n, info->object, SIZE_MAX, known->name,
			       &self->name, error));
	if (self->name && !*self->name)
		self->name = "/"; /* Tomcat's root context */
	if (!self->name)
		self->name = known->is;
	return HPROF_OK;
}

static bool take_system(const struct hprof_object_info *info,
			struct hp_loader_self *self)
{
	self->name = hp_own_loader_name(info->class_name);
	self->is_system = self->name != NULL;
	return self->is_system;
}

enum hprof_status hp_loader_names_get(const struct hp_loader_names *n,
				      uint64_t object,
				      struct hp_loader_self *ret,
				      struct hprof_error *error)
{
	struct hp_loader_self self = { .name = NULL };
	struct hprof_object_info info;
	uint64_t parent;

	HP_TRY(hp_object_info_get(n->look, object, &info, error));
	HP_TRY(take_reference(n, object, n->loader_row, "parent", &parent,
			      error));
	if (parent != HPROF_NO_OBJECT) {
		struct hprof_object_info other;

		HP_TRY(hp_object_info_get(n->look, parent, &other, error));
		self.parent_id = other.id;
	}
	if (!take_system(&info, &self)) {
		HP_TRY(take_known(n, &info, &self, error));
		if (!self.name)
			HP_TRY(text_at(n, object, n->loader_row, "name",
				       &self.name, error));
		if (!self.name)
			HP_TRY(take_place(n, object, "localRepositories",
					  &self.name, error));
		if (!self.name)
			HP_TRY(take_place(n, object, "ucp.path", &self.name,
					  error));
	}
	*ret = self;
	return HPROF_OK;
}
