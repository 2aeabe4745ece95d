# SPDX-License-Identifier: MIT
# libhprof-prof, which agents of others are linked with. Like our own agent it
# needs a JDK's jvmti.h, must load into any JVM and is a shared library only.

# The class that intercepted methods call, as agent/local.mk has the tracker.
hooks_java = \
	prof/java/java/lang/HprofHooks.java \
	prof/java/hprof/Hooks.java
EXTRA_DIST += $(hooks_java) prof/prof.map prof/hprof/prof.h
CLEANFILES += prof/hook_bytes.c

prof/hook_bytes.c: $(hooks_java) agent/instrument/embed
	$(AM_V_GEN)rm -rf prof/classes && $(MKDIR_P) prof/classes && \
	$(JAVAC) --release 11 -g:none -nowarn \
		--patch-module java.base=$(top_srcdir)/prof/java \
		-d prof/classes $(hooks_java:%=$(top_srcdir)/%) && \
	$(SHELL) $(top_srcdir)/agent/instrument/embed prof/classes HprofHooks \
		prof/hook_class.h pf_hook_files >$@.new && \
	rm -rf prof/classes && mv -f $@.new $@

prof_sources = \
	prof/capabilities.c \
	prof/capabilities.h \
	prof/checks.h \
	prof/class_events.c \
	prof/class_events.h \
	prof/collections.c \
	prof/collections.h \
	prof/environment.c \
	prof/environment.h \
	prof/error_names.c \
	prof/error_names.h \
	prof/execution.c \
	prof/execution.h \
	prof/functions.c \
	prof/hook_calls.c \
	prof/hook_calls.h \
	prof/hook_class.h \
	prof/hooks.c \
	prof/hooks.h \
	prof/intercept.c \
	prof/intercept.h \
	prof/jvm_events.c \
	prof/jvm_events.h \
	prof/management.c \
	prof/management.h \
	prof/memory_events.c \
	prof/memory_events.h \
	prof/memory_functions.c \
	prof/memory_functions.h \
	prof/monitor_events.c \
	prof/monitor_events.h \
	prof/objects.c \
	prof/objects.h \
	prof/own_env.c \
	prof/own_env.h \
	prof/pattern.c \
	prof/pattern.h \
	prof/references.c \
	prof/references.h

if BUILD_AGENT
lib_LTLIBRARIES += prof/libhprof-prof.la
hprofinclude_HEADERS += prof/hprof/prof.h
pkgconfig_DATA += prof/libhprof-prof.pc
endif
# Of the library it needs memory and two containers.
prof_libhprof_prof_la_SOURCES = $(prof_sources) lib/base/arena.c \
	lib/base/arena.h lib/base/mem.c lib/base/mem.h lib/base/mem_reserve.c \
	lib/base/mem_reserve.h lib/base/u64_map.c lib/base/u64_map.h
nodist_prof_libhprof_prof_la_SOURCES = prof/hook_bytes.c
prof_libhprof_prof_la_CPPFLAGS = $(AM_CPPFLAGS) $(JVMTI_CPPFLAGS)
prof_libhprof_prof_la_CFLAGS = $(AM_CFLAGS) $(LIB_CFLAGS)
prof_libhprof_prof_la_LIBADD = agent/libprobes.la $(DL_LIBS)
prof_libhprof_prof_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -shared \
	-no-undefined
if HAVE_VERSION_SCRIPT
# As the agent's: its code must stay mapped.
prof_libhprof_prof_la_LDFLAGS += \
	-Wl,-z,now,-z,nodelete \
	-Wl,--version-script=$(top_srcdir)/prof/prof.map
EXTRA_prof_libhprof_prof_la_DEPENDENCIES = $(top_srcdir)/prof/prof.map
endif

# Its binary interface, as lib/local.mk has it for the other library.
EXTRA_DIST += $(wildcard $(top_srcdir)/prof/libhprof-prof.abi)
CLEANFILES += prof/abi.so
if BUILD_AGENT
abi_libraries += prof/abi.so
endif
.PHONY: prof/abi.so
prof/abi.so: prof/libhprof-prof.la
	$(AM_V_CCLD). ./prof/libhprof-prof.la && \
	$(CC) $(ABI_CFLAGS) -shared -Wl,-soname,$$dlname \
		-fdebug-prefix-map=$(top_srcdir)/prof/hprof/=$(top_srcdir)/prof/public- \
		-Wl,--version-script=$(top_srcdir)/prof/prof.map \
		$(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(JVMTI_CPPFLAGS) \
		$(addprefix $(top_srcdir)/,$(filter %.c,\
			$(prof_libhprof_prof_la_SOURCES) \
			$(agent_libprobes_la_SOURCES))) \
		prof/hook_bytes.c $(DL_LIBS) $(LIBS) -o $@

# Flags of agents that tests and measurements load: a module that is not
# installed, and finds the library in the build tree.
agent_module = -module -avoid-version -shared -rpath /nowhere -no-undefined
