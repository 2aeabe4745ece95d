# The agent that a JVM loads with -agentlib:hprof-agent. Needs a JDK's jvmti.h.
#
# It must load into any JVM, so everything but the C library is linked in. The
# unit tests link the same parts; agent.c, which a JVM calls, and the stand-in
# for compressors are in the agent alone.

# What does not know of the JVM.
agent_parts = \
	agent/options.c \
	agent/options.h \
	agent/output.c \
	agent/output.h \
	agent/say.c \
	agent/say.h

# What does.
if HAVE_JVMTI
agent_parts += \
	agent/class_dump.c \
	agent/class_dump.h \
	agent/class_layout.c \
	agent/class_layout.h \
	agent/class_table.c \
	agent/class_table.h \
	agent/dump.c \
	agent/dump.h \
	agent/errors.c \
	agent/errors.h \
	agent/frames.c \
	agent/frames.h \
	agent/hotspot.c \
	agent/hotspot.h \
	agent/leftovers.c \
	agent/leftovers.h \
	agent/mirrors.c \
	agent/mirrors.h \
	agent/names.c \
	agent/names.h \
	agent/records.c \
	agent/roots.c \
	agent/stacks.c \
	agent/stacks.h \
	agent/take.c \
	agent/take.h \
	agent/walk.c \
	agent/walk.h \
	agent/walk_class.c
endif

noinst_LTLIBRARIES += agent/libparts.la
agent_libparts_la_SOURCES = $(agent_parts)
agent_libparts_la_CPPFLAGS = $(AM_CPPFLAGS) $(JVMTI_CPPFLAGS)
agent_libparts_la_CFLAGS = $(AM_CFLAGS) $(LIB_CFLAGS)

EXTRA_DIST += agent/agent.map
if HAVE_JVMTI
lib_LTLIBRARIES += agent/libhprof-agent.la
endif
agent_libhprof_agent_la_SOURCES = \
	agent/agent.c \
	agent/no_compression.c
agent_libhprof_agent_la_CPPFLAGS = $(AM_CPPFLAGS) $(JVMTI_CPPFLAGS)
agent_libhprof_agent_la_CFLAGS = $(AM_CFLAGS) $(LIB_CFLAGS)
agent_libhprof_agent_la_LIBADD = agent/libparts.la lib/libplain.la
agent_libhprof_agent_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-no-undefined
if HAVE_VERSION_SCRIPT
# What is missing must show when the agent is loaded, not in a running JVM;
# and its code must stay, since a JVM may still be in a callback.
agent_libhprof_agent_la_LDFLAGS += \
	-Wl,-z,now,-z,nodelete \
	-Wl,--version-script=$(top_srcdir)/agent/agent.map
EXTRA_agent_libhprof_agent_la_DEPENDENCIES = $(top_srcdir)/agent/agent.map
endif
