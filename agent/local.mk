# SPDX-License-Identifier: MIT
# The agent that a JVM loads with -agentlib:hprof-agent. Needs a JDK's jvmti.h.
#
# It must load into any JVM, so everything but the C library is linked in. The
# unit tests link the same parts; agent.c, which a JVM calls, and the stand-in
# for compressors are in the agent alone.

# The parts that do not depend on the JVM.
agent_parts = \
	agent/common/connection.c \
	agent/common/connection.h \
	agent/common/log.c \
	agent/common/log.h \
	agent/common/option_table.c \
	agent/common/option_table.h \
	agent/common/options.c \
	agent/common/options.h \
	agent/common/output.c \
	agent/common/output.h \
	agent/common/stage.c \
	agent/common/stage.h \
	agent/fork/guard.c \
	agent/fork/guard.h \
	agent/sampling/thread_choice.c \
	agent/sampling/thread_choice.h \
	agent/profile/site_changes.c \
	agent/profile/site_changes.h

# The rewriter of class files.
rewriter_parts = \
	agent/instrument/class_bytes.c \
	agent/instrument/class_bytes.h \
	agent/instrument/class_rewrite.c \
	agent/instrument/class_rewrite.h \
	agent/instrument/code_rewrite.c \
	agent/instrument/code_rewrite.h \
	agent/instrument/code_tables.c \
	agent/instrument/code_tables.h \
	agent/instrument/constant_pool.c \
	agent/instrument/constant_pool.h \
	agent/instrument/constructor.c \
	agent/instrument/constructor.h \
	agent/instrument/instructions.c \
	agent/instrument/instructions.h \
	agent/instrument/own_classes.c \
	agent/instrument/own_classes.h \
	agent/instrument/stack_map.c \
	agent/instrument/stack_map.h

# What libhprof-prof has, too.
if HAVE_JVMTI
probe_parts = \
	agent/common/thread_start.c \
	agent/common/thread_start.h \
	agent/common/class_name.c \
	agent/common/class_name.h \
	agent/common/all_classes.c \
	agent/common/all_classes.h \
	agent/common/method_info.c \
	agent/common/method_info.h \
	agent/common/hotspot.c \
	agent/common/hotspot.h \
	agent/monitor/monitor_events.c \
	agent/monitor/monitor_events.h \
	agent/monitor/waits.c \
	agent/monitor/waits.h \
	agent/profile/allocations.c \
	agent/profile/allocations.h \
	agent/profile/class_list.c \
	agent/profile/class_list.h \
	agent/profile/clones.c \
	agent/profile/clones.h \
	agent/profile/drop_marks.c \
	agent/profile/drop_marks.h \
	agent/profile/follower.c \
	agent/profile/follower.h \
	agent/profile/lives.c \
	agent/profile/lives.h \
	agent/profile/method_table.c \
	agent/profile/method_table.h \
	agent/profile/site_counts.c \
	agent/profile/site_counts.h \
	agent/profile/site_scale.c \
	agent/profile/site_scale.h \
	agent/profile/trace_table.c \
	agent/profile/trace_table.h \
	agent/instrument/class_files.c \
	agent/instrument/class_files.h \
	agent/instrument/loaded_classes.c \
	agent/instrument/loaded_classes.h \
	agent/sampling/async_stack.c \
	agent/sampling/async_stack.h \
	agent/sampling/code_events.c \
	agent/sampling/code_events.h \
	agent/sampling/code_map.c \
	agent/sampling/code_map.h \
	agent/sampling/cpu_signal.c \
	agent/sampling/cpu_signal.h \
	agent/sampling/cpu_timers.c \
	agent/sampling/cpu_timers.h \
	agent/sampling/live_code.c \
	agent/sampling/live_code.h \
	agent/sampling/sigprof.c \
	agent/sampling/sigprof.h
endif

# The parts that do.
if HAVE_JVMTI
agent_parts += \
	agent/instrument/method_numbers.c \
	agent/instrument/method_numbers.h \
	agent/instrument/times.c \
	agent/instrument/times.h \
	agent/instrument/tracker.c \
	agent/instrument/tracker.h \
	agent/instrument/tracker_class.h \
	agent/instrument/tracking.c \
	agent/instrument/tracking.h \
	agent/common/agent_thread.c \
	agent/common/agent_thread.h \
	agent/common/environment.c \
	agent/common/environment.h \
	agent/common/errors.c \
	agent/common/errors.h \
	agent/common/frame_table.c \
	agent/common/frame_table.h \
	agent/common/jvm_dumper.c \
	agent/common/jvm_dumper.h \
	agent/common/string_table.c \
	agent/common/string_table.h \
	agent/dump/class_layout.c \
	agent/dump/class_layout.h \
	agent/dump/class_mirrors.c \
	agent/dump/class_mirrors.h \
	agent/dump/class_reader.c \
	agent/dump/class_reader.h \
	agent/dump/class_record.c \
	agent/dump/class_record.h \
	agent/dump/class_table.c \
	agent/dump/class_table.h \
	agent/dump/dump.c \
	agent/dump/dump.h \
	agent/dump/full_heap.c \
	agent/dump/full_heap.h \
	agent/dump/held_objects.c \
	agent/dump/held_objects.h \
	agent/dump/jvm_dump.c \
	agent/dump/jvm_dump.h \
	agent/dump/late_objects.c \
	agent/dump/late_objects.h \
	agent/dump/object_ids.c \
	agent/dump/object_ids.h \
	agent/dump/object_writer.c \
	agent/dump/roots.c \
	agent/dump/snapshot.c \
	agent/dump/snapshot.h \
	agent/dump/scout.c \
	agent/dump/scout.h \
	agent/dump/take_walk.c \
	agent/dump/take_walk.h \
	agent/dump/text_dump.c \
	agent/dump/text_dump.h \
	agent/dump/threads.c \
	agent/dump/threads.h \
	agent/dump/walk.c \
	agent/dump/walk.h \
	agent/dump/walk_class.c \
	agent/dump/walk_state.c \
	agent/fork/calls.c \
	agent/fork/calls.h \
	agent/fork/check.c \
	agent/fork/check.h \
	agent/fork/child.c \
	agent/fork/child.h \
	agent/fork/child_report.h \
	agent/fork/parent.c \
	agent/monitor/monitor_dump.c \
	agent/monitor/monitor_dump.h \
	agent/monitor/monitor_times.c \
	agent/monitor/monitor_times.h \
	agent/monitor/monitor_trace.c \
	agent/monitor/monitor_trace.h \
	agent/monitor/monitors.c \
	agent/monitor/monitors.h \
	agent/monitor/park.c \
	agent/monitor/park.h \
	agent/monitor/wait_lines.c \
	agent/monitor/wait_lines.h \
	agent/net/answer.c \
	agent/net/answer.h \
	agent/net/commands.c \
	agent/net/commands.h \
	agent/net/gate.c \
	agent/net/gate.h \
	agent/net/known_objects.c \
	agent/net/known_objects.h \
	agent/net/object_answer.c \
	agent/net/object_answer.h \
	agent/net/peer.c \
	agent/net/peer.h \
	agent/net/profile_commands.c \
	agent/net/profile_commands.h \
	agent/net/requests.c \
	agent/net/requests.h \
	agent/net/thread_answer.c \
	agent/net/thread_answer.h \
	agent/net/server.c \
	agent/net/server.h \
	agent/sampling/sample_ring.c \
	agent/sampling/sample_ring.h \
	agent/sampling/sample_sink.h \
	agent/sampling/samples.c \
	agent/sampling/samples.h \
	agent/sampling/samples_async.c \
	agent/sampling/samples_async.h \
	agent/sampling/samples_thread.c \
	agent/sampling/samples_thread.h \
	agent/profile/life.c \
	agent/profile/life.h \
	agent/profile/life_report.c \
	agent/profile/life_report.h \
	agent/profile/marks.c \
	agent/profile/marks.h \
	agent/profile/profile.c \
	agent/profile/profile.h \
	agent/profile/profile_file.c \
	agent/profile/profile_file.h \
	agent/profile/records.c \
	agent/profile/records.h \
	agent/profile/session.c \
	agent/profile/session.h \
	agent/profile/text_report.c \
	agent/profile/text_report.h \
	agent/profile/early_sites.c \
	agent/profile/early_sites.h \
	agent/profile/live_sites.c \
	agent/profile/live_sites.h \
	agent/profile/sites.c \
	agent/profile/sites.h \
	agent/profile/thread_table.c \
	agent/profile/thread_table.h
endif

# The class that instrumented methods call. It is compiled for the oldest JDK
# that the agent supports, and its bytes become a C source.
tracker_java = \
	agent/instrument/java/java/lang/HprofTracker.java \
	agent/instrument/java/hprof/Native.java
EXTRA_DIST += $(tracker_java) agent/instrument/embed
CLEANFILES += agent/instrument/tracker_bytes.c

agent/instrument/tracker_bytes.c: $(tracker_java) agent/instrument/embed
	$(AM_V_GEN)rm -rf agent/instrument/classes && \
	$(MKDIR_P) agent/instrument/classes && \
	$(JAVAC) --release 11 -g:none -nowarn \
		--patch-module java.base=$(top_srcdir)/agent/instrument/java \
		-d agent/instrument/classes \
		$(tracker_java:%=$(top_srcdir)/%) && \
	$(SHELL) $(top_srcdir)/agent/instrument/embed \
		agent/instrument/classes HprofTracker \
		agent/instrument/tracker_class.h ag_tracker_files >$@.new && \
	rm -rf agent/instrument/classes && mv -f $@.new $@

# The agent and libhprof-prof each have these of their own.
noinst_LTLIBRARIES += agent/libprobes.la
agent_libprobes_la_SOURCES = $(rewriter_parts) $(probe_parts) \
	agent/common/clock.c agent/common/clock.h
agent_libprobes_la_CPPFLAGS = $(AM_CPPFLAGS) $(JVMTI_CPPFLAGS)
agent_libprobes_la_CFLAGS = $(AM_CFLAGS) $(LIB_CFLAGS)

noinst_LTLIBRARIES += agent/libparts.la
agent_libparts_la_SOURCES = $(agent_parts)
if HAVE_JVMTI
nodist_agent_libparts_la_SOURCES = agent/instrument/tracker_bytes.c
endif
agent_libparts_la_CPPFLAGS = $(AM_CPPFLAGS) $(JVMTI_CPPFLAGS)
agent_libparts_la_CFLAGS = $(AM_CFLAGS) $(LIB_CFLAGS)
agent_libparts_la_LIBADD = agent/libprobes.la text/libtext.la \
	wire/libwire.la $(DL_LIBS)

EXTRA_DIST += agent/agent.map
if BUILD_AGENT
lib_LTLIBRARIES += agent/libhprof-agent.la
endif
agent_libhprof_agent_la_SOURCES = \
	agent/agent.c \
	agent/collectors.c \
	agent/collectors.h \
	agent/no_compression.c
agent_libhprof_agent_la_CPPFLAGS = $(AM_CPPFLAGS) $(JVMTI_CPPFLAGS)
agent_libhprof_agent_la_CFLAGS = $(AM_CFLAGS) $(LIB_CFLAGS)
agent_libhprof_agent_la_LIBADD = agent/libparts.la lib/libreading.la \
	lib/libplain.la
agent_libhprof_agent_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-no-undefined
if HAVE_VERSION_SCRIPT
# Unresolved symbols must show when the agent is loaded, not in a running JVM;
# and its code must stay mapped, since a JVM may still be in a callback.
agent_libhprof_agent_la_LDFLAGS += \
	-Wl,-z,now,-z,nodelete \
	-Wl,--version-script=$(top_srcdir)/agent/agent.map
EXTRA_agent_libhprof_agent_la_DEPENDENCIES = $(top_srcdir)/agent/agent.map
endif
