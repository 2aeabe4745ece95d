/* SPDX-License-Identifier: MIT */
/*
 * resource_forms.h - which classes stand for sessions, connections and other
 * things of which there should be few, and how their objects say that they are
 * closed.
 */
#ifndef HP_RESOURCE_FORMS_H
#define HP_RESOURCE_FORMS_H

#include "hprof/resource.h"

enum hp_closed {
	HP_CLOSED_UNKNOWN,
	HP_CLOSED_IF_TRUE,
	HP_CLOSED_IF_FALSE,
	HP_CLOSED_IF_NULL,
	HP_CLOSED_IF_NOT_NEGATIVE
};

struct hp_resource_form {
	const char *class_name;
	enum hprof_resource_kind kind;
	const char *field; /* as in collections/forms.h */
	enum hp_closed closed;
};

extern const struct hp_resource_form hp_resource_forms[];
extern const size_t hp_resource_form_count;

#endif
