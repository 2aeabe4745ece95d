/* SPDX-License-Identifier: MIT */
/*
 * jvm_dumper.c - see jvm_dumper.h.
 *
 * Other JVMs export the same symbol, and some abort when it is called. So the
 * JVM must first prove to be HotSpot, by an extension function of JVMTI.
 */
#include "agent/common/jvm_dumper.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "agent/common/hotspot.h"

typedef void *(JNICALL *get_management)(jint version);
typedef jint(JNICALL *get_version)(JNIEnv *jni);

/*
 * The versions of the table, and the index of the dumper in it. The JDK changes
 * the version whenever it changes the table.
 */
static const struct {
	jint version;
	unsigned dump_heap;
} tables[] = {
	{ 0x20050000, 30 }, /* JDK 26 and later */
	{ 0x20040000, 30 }, /* JDK 21 to 25 */
	{ 0x20030000, 29 }, /* JDK 14 to 20 */
	{ 0x20020000, 28 }, /* JDK 10 to 13 */
};

enum { GET_VERSION = 2 }; /* its index; those before it are reserved */

/* ISO C has no cast from void * to a function. */
#define TO_FUNCTION(ret, pointer)                                              \
	do {                                                                   \
		_Static_assert(sizeof *(ret) == sizeof(void *), "");           \
		memcpy((ret), &(void *){ pointer }, sizeof *(ret));            \
	} while (0)

/* What is known of the library in which the JVM's functions are. */
static bool find_libjvm(JavaVM *vm, Dl_info *ret)
{
	void *function;

	_Static_assert(sizeof(*vm)->GetEnv == sizeof function, "");
	memcpy(&function, &(*vm)->GetEnv, sizeof function);
	return dladdr(function, ret) != 0 && ret->dli_fname;
}

static get_management find_management(const Dl_info *libjvm)
{
	void *library = dlopen(libjvm->dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, "JVM_GetManagement") : NULL;
	get_management found;

	if (library)
		dlclose(library); /* the JVM itself keeps it */
	TO_FUNCTION(&found, symbol);
	return found;
}

static bool is_in(const Dl_info *library, void *function)
{
	Dl_info info;

	return function && dladdr(function, &info) != 0 &&
	       info.dli_fbase == library->dli_fbase;
}

/* Is this table what its version promises? */
static bool is_sound(void *const *table, const Dl_info *libjvm, JNIEnv *jni,
		     unsigned which)
{
	get_version version;

	/* One beyond the dumper, which is not the last. */
	for (unsigned i = GET_VERSION; i <= tables[which].dump_heap + 1; i++)
		if (!is_in(libjvm, table[i]))
			return false;
	TO_FUNCTION(&version, table[GET_VERSION]);
	return version(jni) == tables[which].version;
}

const char *ag_jvm_dumper_find(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *jni,
			       ag_jvm_dumper *ret)
{
	static const char unknown[] = "its management interface is not known";
	get_management management;
	Dl_info libjvm;

	if (!ag_is_hotspot(jvmti))
		return "it is not HotSpot";
	if (!find_libjvm(vm, &libjvm))
		return unknown;
	management = find_management(&libjvm);
	if (!management)
		return unknown;
	for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++) {
		void *const *table = management(tables[i].version);

		if (!table || !is_sound(table, &libjvm, jni, i))
			continue;
		TO_FUNCTION(ret, table[tables[i].dump_heap]);
		return NULL;
	}
	return unknown;
}
