# SPDX-License-Identifier: MIT
# make bench measures; it is no part of make check.
#
#   make bench                measure, print a table
#   make bench-dump           measure only how JVMs are dumped; of that, with
#                             BENCH_ONLY=fork only pauses by forks, with
#                             BENCH_ONLY=busy only programs that work meanwhile
#   make bench-graph          measure only dominators and retained sizes, by phase
#                             and by the critical path of the threads
#   make bench-calls          measure only what cpu=times adds to a call
#   make bench-hooks          measure only what a hook of libhprof-prof adds
#   make bench-events         measure only what its events of memory cost
#   make bench-profile        measure only what each profile costs (no part of bench)
#   make bench-allocations    measure only what heap=sites adds to an allocation
#   make bench-shares         compare samplers with JFR and a program's own clock
#   make bench-forms          measure only the forms of hprof-convert
#   make bench-columns        measure rows a second into pyarrow (no part of bench)
#   make bench-readme         measure, put the table into README.md
#   make bench-clean          remove the dumps
#
# The dumps, 2.2 GB and for graphs 1.2 GB more, are made by a JVM once and kept.
# In the environment or as arguments of make: BENCH_DATA, the folder
# (bench-data); BENCH_OBJECTS, millions of objects (24); BENCH_ROUNDS (5);
# BENCH_LARGE=1, a heap of 60 million objects as well (3.1 GB); BENCH_PART=N,
# an N-th of the heaps for graphs, to try it out.

# make check builds them, too, so that they keep up with the library.
check_PROGRAMS += bench/convert bench/graph bench/measure
bench_convert_SOURCES = bench/convert.c
bench_convert_LDADD = lib/libhprof.la
# Shapes are made for functions that the shared library hides.
bench_graph_SOURCES = bench/critical_path.c bench/critical_path.h bench/graph.c
bench_graph_LDADD = lib/libcore.la
bench_graph_LDFLAGS = -Wl,--wrap=pthread_create,--wrap=pthread_join
bench_measure_SOURCES = bench/measure.c
EXTRA_DIST += bench/CallBench.java bench/LoadBench.java bench/columns bench/calls bench/hooks bench/CompilerBench.java \
	bench/DumpBench.java bench/ProfileBench.java bench/profile bench/shares \
	bench/AllocBench.java bench/allocations bench/event_agent.c \
	bench/EventBench.java bench/events \
	bench/HeapBench.java bench/IndexBench.java bench/RandomBench.java \
	bench/data bench/dump \
	bench/forms bench/graphs bench/heaps bench/lib.sh bench/readme bench/run

bench_folder = folder="$${BENCH_DATA:-bench-data}"
bench_run = \
	$(bench_folder); \
	JDKS='$(JDKS)' $(BASH) $(top_srcdir)/bench/data \
		"$$folder" "$${BENCH_OBJECTS:-24}" && \
	$(BASH) $(top_srcdir)/bench/run '$(abs_top_builddir)' \
		"$$folder" "$${BENCH_ROUNDS:-5}"
bench_dump = \
	$(bench_folder); \
	JDKS='$(JDKS)' $(BASH) $(top_srcdir)/bench/dump '$(abs_top_builddir)' \
		"$$folder" "$${BENCH_ROUNDS:-3}"

bench_graph = \
	$(bench_folder); \
	JDKS='$(JDKS)' $(BASH) $(top_srcdir)/bench/data \
		"$$folder" "$${BENCH_OBJECTS:-24}" && \
	JDKS='$(JDKS)' $(BASH) $(top_srcdir)/bench/heaps \
		"$$folder" "$${BENCH_PART:-1}" && \
	$(BASH) $(top_srcdir)/bench/graphs '$(abs_top_builddir)' \
		"$$folder" "$${BENCH_ROUNDS:-5}" && \
	echo && \
	for heap in heap index; do \
		for threads in 1 2; do \
			bench/graph$(EXEEXT) dump "$$folder/$$heap.hprof" \
				$$threads && echo || exit 1; \
		done; \
	done && \
	bench/graph$(EXEEXT) shapes $$((10 / $${BENCH_PART:-1} + 1))

bench_forms = \
	$(bench_folder); \
	$(BASH) $(top_srcdir)/bench/forms '$(abs_top_builddir)' \
		"$$folder/heap.hprof" "$${BENCH_ROUNDS:-3}"

bench_columns = \
	$(bench_folder); \
	JDKS='$(JDKS)' $(BASH) $(top_srcdir)/bench/data \
		"$$folder" "$${BENCH_OBJECTS:-24}" && \
	$(BASH) $(top_srcdir)/bench/columns '$(abs_top_builddir)' \
		"$$folder/heap.hprof" "$${BENCH_ROUNDS:-5}"

bench_calls = \
	$(bench_folder); \
	JDKS='$(JDKS)' $(BASH) $(top_srcdir)/bench/calls \
		'$(abs_top_builddir)' "$$folder"

bench_profile = \
	$(bench_folder); \
	JDKS='$(JDKS)' $(BASH) $(top_srcdir)/bench/profile \
		'$(abs_top_builddir)' "$$folder" "$${BENCH_ROUNDS:-5}"

bench_allocations = \
	$(bench_folder); \
	CC='$(CC)' JDKS='$(JDKS)' $(BASH) $(top_srcdir)/bench/allocations \
		'$(abs_top_builddir)' "$$folder" "$${BENCH_ROUNDS:-5}"

bench_shares = \
	$(bench_folder); \
	JDKS='$(JDKS)' $(BASH) $(top_srcdir)/bench/shares \
		'$(abs_top_builddir)' "$$folder" "$${BENCH_SECONDS:-15}"

# Not installed: -rpath makes libtool build a module nevertheless.
if BUILD_AGENT
bench_agent = bench/hook_agent.la bench/memory_agent.la
endif
check_LTLIBRARIES += $(bench_agent)
bench_hook_agent_la_SOURCES = bench/hook_agent.c
bench_hook_agent_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/prof \
	$(JVMTI_CPPFLAGS)
bench_hook_agent_la_LIBADD = prof/libhprof-prof.la
bench_hook_agent_la_LDFLAGS = $(AM_LDFLAGS) $(agent_module)

bench_memory_agent_la_SOURCES = bench/memory_agent.c
bench_memory_agent_la_CPPFLAGS = $(bench_hook_agent_la_CPPFLAGS)
bench_memory_agent_la_LIBADD = prof/libhprof-prof.la
bench_memory_agent_la_LDFLAGS = $(AM_LDFLAGS) $(agent_module)

bench_events = \
	$(bench_folder); \
	JDKS='$(JDKS)' $(BASH) $(top_srcdir)/bench/events \
		'$(abs_top_builddir)' "$$folder" "$${BENCH_ROUNDS:-5}"

bench_hooks = \
	$(bench_folder); \
	JDKS='$(JDKS)' $(BASH) $(top_srcdir)/bench/hooks \
		'$(abs_top_builddir)' "$$folder"

.PHONY: bench bench-allocations bench-calls bench-columns bench-dump bench-events bench-forms \
	bench-graph bench-hooks \
	bench-profile bench-readme bench-shares bench-clean
bench: all bench/convert$(EXEEXT) bench/graph$(EXEEXT) bench/measure$(EXEEXT) \
		$(bench_agent)
	@$(bench_run)
	@echo && $(bench_dump)
	@echo && $(bench_forms)
	@echo && $(bench_calls)
	@test -z '$(bench_agent)' || { echo && $(bench_hooks); }
	@echo && $(bench_graph)

bench-graph: all bench/graph$(EXEEXT) bench/measure$(EXEEXT)
	@$(bench_graph)

bench-calls: all
	@$(bench_calls)

bench-columns: all
	@$(bench_columns)

bench-hooks: all $(bench_agent)
	@$(bench_hooks)

bench-events: all $(bench_agent)
	@$(bench_events)

bench-profile: all
	@$(bench_profile)

bench-allocations: all
	@$(bench_allocations)

bench-shares: all
	@$(bench_shares)

bench-forms: all
	@$(bench_forms)

bench-dump: all
	@$(bench_dump)

bench-readme: all bench/convert$(EXEEXT) bench/measure$(EXEEXT)
	@{ $(bench_run) && echo && { $(bench_dump); }; } >bench/table.new
	@$(BASH) $(top_srcdir)/bench/readme $(top_srcdir)/README.md \
		<bench/table.new
	@rm -f bench/table.new

# Only what bench/data made, whatever folder it is.
bench-clean:
	$(bench_folder); cd "$$folder" 2>/dev/null || exit 0; \
	rm -rf heap.hprof* heap-jdk.hprof.gz part.hprof* classes sizes \
		made-from; \
	for heap in compiler zgc random index large; do \
		rm -f $$heap.hprof $$heap.made-from; \
	done; \
	cd "$$OLDPWD" && rmdir "$$folder"
