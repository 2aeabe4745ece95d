# The agent that a JVM loads with -agentlib:hprof-agent. Needs a JDK's jvmti.h.

EXTRA_DIST += agent/agent.map
if HAVE_JVMTI
lib_LTLIBRARIES += agent/libhprof-agent.la
endif
agent_libhprof_agent_la_SOURCES = \
	agent/agent.c
agent_libhprof_agent_la_CPPFLAGS = $(AM_CPPFLAGS) $(JVMTI_CPPFLAGS)
agent_libhprof_agent_la_CFLAGS = $(AM_CFLAGS) $(LIB_CFLAGS)
agent_libhprof_agent_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-no-undefined
if HAVE_VERSION_SCRIPT
agent_libhprof_agent_la_LDFLAGS += \
	-Wl,--version-script=$(top_srcdir)/agent/agent.map
EXTRA_agent_libhprof_agent_la_DEPENDENCIES = $(top_srcdir)/agent/agent.map
endif
