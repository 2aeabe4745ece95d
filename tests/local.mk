# SPDX-License-Identifier: MIT
# make check. Each *.tap prints one line per test; automake counts them.
#
#   make check TESTS=tests/cli.tap    one group
#   make check-all                    with all of the long sweeps, of which
#                                     make check takes samples (HPROF_LONG=1)
#   make check-refresh                write the expected output of the cli
#                                     tests anew; read the diff before use

TEST_EXTENSIONS = .tap
TAP_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	CC='$(CC)' CXX='$(CXX)' NM='$(NM)' MANDOC='$(MANDOC)' \
	JDKS='$(JDKS)' JVM_TESTS='$(JVM_TESTS)' SANITIZERS='$(SANITIZERS)' \
	JVMTI_CPPFLAGS='$(JVMTI_CPPFLAGS)'; \
	export top_srcdir top_builddir CC CXX NM MANDOC JDKS JVM_TESTS \
		SANITIZERS JVMTI_CPPFLAGS;

TESTS += \
	tests/headers.tap \
	tests/symbols.tap \
	tests/structure.tap \
	tests/man.tap \
	tests/unit.tap \
	tests/cli.tap \
	tests/fuzz.tap \
	tests/examples.tap \
	tests/python.tap \
	tests/jvm.tap

# Whole directories, but none that has objects in the build tree.
EXTRA_DIST += $(TESTS) tests/await.bash tests/browse-finds tests/query-same tests/sqlite-same tests/tap.sh \
	tests/threads.list tests/unit/arguments.list tests/cli \
	tests/cross tests/fuzz/campaign tests/fuzz/corpus \
	tests/jvm tests/recipes tests/soak tests/structure

# ---- unit: one program with all tests/unit/test_*.c --------------------------

unit_sources = \
	tests/unit/checking.c \
	tests/unit/checking.h \
	tests/unit/converting.c \
	tests/unit/converting.h \
	tests/unit/fixture.c \
	tests/unit/fixture.h \
	tests/unit/heaps.c \
	tests/unit/heaps.h \
	tests/unit/ways_heap.c \
	tests/unit/ways_heap.h \
	tests/unit/maker.c \
	tests/unit/maker.h \
	tests/unit/random_heap.c \
	tests/unit/random_heap.h \
	tests/unit/scratch.c \
	tests/unit/together.c \
	tests/unit/together.h \
	tests/unit/test_dominator_kinds.c \
	tests/unit/test_retained_sets.c \
	tests/unit/test_agent_options.c \
	tests/unit/test_stack_tree.c \
	tests/unit/test_text_form.c \
	tests/unit/test_wire.c \
	tests/unit/test_agent_output.c \
	tests/unit/test_guard.c \
	tests/unit/test_attach.c \
	tests/unit/test_jvm_options.c \
	tests/unit/test_census.c \
	tests/unit/test_check.c \
	tests/unit/test_check_codes.c \
	tests/unit/class_maker.c \
	tests/unit/class_maker.h \
	tests/unit/class_code.c \
	tests/unit/class_code.h \
	tests/unit/test_class_rewrite.c \
	tests/unit/test_class_refusals.c \
	tests/unit/test_class_tables.c \
	tests/unit/test_class_chain.c \
	tests/unit/test_close_text.c \
	tests/unit/test_json_check.c \
	tests/unit/test_loaders.c \
	tests/unit/test_names.c \
	tests/unit/test_class_index.c \
	tests/unit/test_collections.c \
	tests/unit/test_convert.c \
	tests/unit/test_convert_failures.c \
	tests/unit/test_convert_refusals.c \
	tests/unit/test_copy_record.c \
	tests/unit/test_cursor.c \
	tests/unit/test_damage.c \
	tests/unit/test_diff.c \
	tests/unit/test_retained_groups.c \
	tests/unit/test_dominator_children.c \
	tests/unit/made_graph.c \
	tests/unit/made_graph.h \
	tests/unit/test_dominator_shapes.c \
	tests/unit/test_dominators.c \
	tests/unit/test_kept_packing.c \
	tests/unit/test_mapped_table.c \
	tests/unit/test_packed_edges.c \
	tests/unit/test_populate.c \
	tests/unit/test_ranges.c \
	tests/unit/test_spare_memory.c \
	tests/unit/test_fail_if.c \
	tests/unit/test_golden.c \
	tests/unit/test_graph.c \
	tests/unit/test_arguments.c \
	tests/unit/wrong_calls.h \
	tests/unit/wrong_dump_calls.c \
	tests/unit/wrong_graph_calls.c \
	tests/unit/arrow_source.c \
	tests/unit/arrow_source.h \
	tests/unit/arrow_text.c \
	tests/unit/arrow_text.h \
	tests/unit/test_arrow.c \
	tests/unit/test_arrow_classes.c \
	tests/unit/test_arrow_threads.c \
	tests/unit/test_id_marks.c \
	tests/unit/entries.c \
	tests/unit/entries.h \
	tests/unit/test_input.c \
	tests/unit/test_cancelling.c \
	tests/unit/test_heap.c \
	tests/unit/test_heap_changes.c \
	tests/unit/test_heap_threads.c \
	tests/unit/test_heap_damage.c \
	tests/unit/test_id_index.c \
	tests/unit/test_leak_crowds.c \
	tests/unit/test_leak_locals.c \
	tests/unit/test_leaks.c \
	tests/unit/test_leak_origins.c \
	tests/unit/test_leak_subject.c \
	tests/unit/test_backlogs.c \
	tests/unit/test_bounded_bfs.c \
	tests/unit/keeping.c \
	tests/unit/keeping.h \
	tests/unit/test_cache.c \
	tests/unit/test_cache_tables.c \
	tests/unit/table_texts.c \
	tests/unit/table_texts.h \
	tests/unit/test_objects.c \
	tests/unit/test_options.c \
	tests/unit/test_output.c \
	tests/unit/test_passing_roots.c \
	tests/unit/test_path_trees.c \
	tests/unit/test_perfdata.c \
	tests/unit/test_recipe.c \
	tests/unit/test_recipe_copies.c \
	tests/unit/test_recipe_file.c \
	tests/unit/test_reader.c \
	tests/unit/test_record.c \
	tests/unit/test_resources.c \
	tests/unit/test_retained.c \
	tests/unit/test_retained_promise.c \
	tests/unit/test_retained_tree.c \
	tests/unit/test_record_copies.c \
	tests/unit/test_redact.c \
	tests/unit/sizing.c \
	tests/unit/sizing.h \
	tests/unit/test_size_rules.c \
	tests/unit/test_assumed_sizes.c \
	tests/unit/test_sizes.c \
	tests/unit/sourcing.c \
	tests/unit/sourcing.h \
	tests/unit/test_source.c \
	tests/unit/test_source_archive.c \
	tests/unit/test_source_codecs.c \
	tests/unit/test_source_gzip.c \
	tests/unit/test_site_changes.c \
	tests/unit/test_spool.c \
	tests/unit/test_strengths.c \
	tests/unit/test_strings.c \
	tests/unit/test_table.c \
	tests/unit/test_text.c \
	tests/unit/test_text_limit.c \
	tests/unit/test_parallel_for.c \
	tests/unit/test_thread.c \
	tests/unit/test_torture.c \
	tests/unit/test_reader_split.c \
	tests/unit/test_writer.c \
	tests/unit/test_writer_files.c \
	tests/unit/test_writer_misuse.c \
	tests/unit/test_writer_segments.c \
	tests/unit/test_writer_sinks.c \
	tests/unit/test_writer_sync.c \
	tests/unit/writing.c \
	tests/unit/writing.h \
	tests/inputs.h \
	tests/same.c \
	tests/same.h \
	tests/slow.c \
	tests/slow.h \
	tests/same_waste.c \
	tests/same_waste.h \
	tests/slow_heap.c \
	tests/slow_heap.h \
	tests/trace.c \
	tests/trace.h \
	tests/visit.c \
	tests/visit.h

if HAVE_JVMTI
unit_sources += \
	tests/unit/fake_heap.c \
	tests/unit/fake_jvmti.c \
	tests/unit/fake_jvmti.h \
	tests/unit/fake_tags.c \
	tests/unit/fake_tags.h \
	tests/unit/fake_threads.c \
	tests/unit/fake_threads.h \
	tests/unit/fake_walk.c \
	tests/unit/fake_walk.h \
	tests/unit/test_async_refused.c \
	tests/unit/test_block_sum.c \
	tests/unit/test_follower.c \
	tests/unit/test_live_code.c \
	tests/unit/test_lives.c \
	tests/unit/test_marks.c \
	tests/unit/test_monitor_times.c \
	tests/unit/tracing.c \
	tests/unit/tracing.h \
	tests/unit/test_profile_records.c \
	tests/unit/test_sampling.c \
	tests/unit/test_site_counts.c \
	tests/unit/test_stacks.c \
	tests/unit/test_traces.c \
	tests/unit/test_values.c \
	tests/unit/test_visit_stack.c \
	tests/unit/test_walk.c \
	tests/unit/test_walk_classes.c \
	tests/unit/test_waste.c \
	tests/unit/test_waste_chains.c \
	tests/unit/test_waste_contents.c \
	tests/unit/test_waste_limits.c \
	tests/unit/test_waste_notes.c \
	tests/unit/test_waste_objects.c \
	tests/unit/test_waste_roles.c \
	tests/unit/test_waste_strings.c \
	tests/unit/test_walk_failures.c \
	tests/unit/walking.c \
	tests/unit/walking.h
endif
if THREAD_SANITIZER
unit_sources += tests/unit/low_arena.c
else
if HAVE_JVMTI
# ThreadSanitizer has locks of its own, which a forked process does not see.
unit_sources += tests/unit/test_fork.c
endif
endif
# Parts of hprof-query.
if HAVE_SQLITE
unit_sources += \
	tests/unit/test_class_columns.c \
	tests/unit/test_count_rewrite.c \
	tests/unit/test_object_set.c \
	tests/unit/test_quick_edges.c \
	tests/unit/test_class_kin.c \
	tests/unit/test_row_buffer.c \
	tools/query/children.c \
	tools/query/class_columns.c \
	tools/query/class_kin.c \
	tools/query/count_rewrite.c \
	tools/query/count_statement.c \
	tools/query/count_tokens.c \
	tools/query/object_set.c \
	tools/query/row_buffer.c
endif
if HAVE_CRITERION
check_PROGRAMS += tests/unit/unit
endif
tests_unit_unit_SOURCES = $(unit_sources)
tests_unit_unit_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_unit_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(JVMTI_CPPFLAGS) \
	$(SQLITE_CFLAGS)
tests_unit_unit_LDADD = agent/libparts.la tools/libparts.la tools/libcli.la \
	lib/libcore.la \
	$(SQLITE_LIBS) \
	$(CRITERION_LIBS)

# ---- fuzz: each target with a main() that replays files ---------------------

fuzz_targets = \
	tests/fuzz/fuzz_agent_options \
	tests/fuzz/fuzz_attach \
	tests/fuzz/fuzz_check \
	tests/fuzz/fuzz_class \
	tests/fuzz/fuzz_convert \
	tests/fuzz/fuzz_fail_if \
	tests/fuzz/fuzz_graph \
	tests/fuzz/fuzz_heap \
	tests/fuzz/fuzz_reader \
	tests/fuzz/fuzz_recipe \
	tests/fuzz/fuzz_record \
	tests/fuzz/fuzz_roundtrip \
	tests/fuzz/fuzz_summary \
	tests/fuzz/fuzz_text
fuzz_common = tests/fuzz/replay.c tests/fuzz/target.h
check_PROGRAMS += $(fuzz_targets)

tests_fuzz_fuzz_agent_options_SOURCES = tests/fuzz/fuzz_agent_options.c \
	$(fuzz_common)
tests_fuzz_fuzz_agent_options_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_agent_options_LDADD = agent/libparts.la lib/libcore.la
tests_fuzz_fuzz_attach_SOURCES = tests/fuzz/fuzz_attach.c $(fuzz_common)
tests_fuzz_fuzz_attach_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_attach_LDADD = tools/libparts.la lib/libhprof.la
tests_fuzz_fuzz_check_SOURCES = tests/fuzz/fuzz_check.c $(fuzz_common)
tests_fuzz_fuzz_check_LDADD = lib/libhprof.la
tests_fuzz_fuzz_class_SOURCES = tests/fuzz/fuzz_class.c $(fuzz_common)
tests_fuzz_fuzz_class_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_class_LDADD = agent/libparts.la lib/libcore.la
tests_fuzz_fuzz_convert_SOURCES = tests/fuzz/fuzz_convert.c $(fuzz_common) \
	tests/fuzz/converted.c tests/fuzz/converted.h
tests_fuzz_fuzz_convert_LDADD = lib/libhprof.la
tests_fuzz_fuzz_fail_if_SOURCES = tests/fuzz/fuzz_fail_if.c $(fuzz_common)
tests_fuzz_fuzz_fail_if_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_fail_if_LDADD = tools/libparts.la lib/libhprof.la
tests_fuzz_fuzz_graph_SOURCES = tests/fuzz/fuzz_graph.c $(fuzz_common) \
	tests/same_waste.c tests/same_waste.h tests/slow.c tests/slow.h \
	tests/slow_heap.c tests/slow_heap.h
tests_fuzz_fuzz_graph_LDADD = lib/libhprof.la
tests_fuzz_fuzz_heap_SOURCES = tests/fuzz/fuzz_heap.c $(fuzz_common) \
	tests/visit.c tests/visit.h
tests_fuzz_fuzz_heap_LDADD = lib/libhprof.la
tests_fuzz_fuzz_record_SOURCES = tests/fuzz/fuzz_record.c $(fuzz_common)
tests_fuzz_fuzz_record_LDADD = lib/libhprof.la
tests_fuzz_fuzz_text_SOURCES = tests/fuzz/fuzz_text.c $(fuzz_common)
tests_fuzz_fuzz_text_LDADD = lib/libhprof.la
tests_fuzz_fuzz_reader_SOURCES = tests/fuzz/fuzz_reader.c $(fuzz_common) \
	tests/trace.c tests/trace.h
tests_fuzz_fuzz_reader_LDADD = lib/libhprof.la
tests_fuzz_fuzz_summary_SOURCES = tests/fuzz/fuzz_summary.c $(fuzz_common) \
	tests/same.c tests/same.h
tests_fuzz_fuzz_summary_LDADD = lib/libhprof.la
tests_fuzz_fuzz_recipe_SOURCES = tests/fuzz/fuzz_recipe.c $(fuzz_common)
tests_fuzz_fuzz_recipe_LDADD = lib/libhprof.la
tests_fuzz_fuzz_roundtrip_SOURCES = tests/fuzz/fuzz_roundtrip.c $(fuzz_common)
tests_fuzz_fuzz_roundtrip_LDADD = lib/libhprof.la

# The same targets with clang's libFuzzer, in tests/fuzz/libfuzzer/. What they
# are linked with is compiled once, all of it with the fuzzer's counters, into
# one archive; its objects have the folders of their sources.
FUZZ_CC = clang
FUZZ_CFLAGS = -g -O1 -pthread -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=all \
	-DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
fuzz_dir = tests/fuzz/libfuzzer
fuzz_sources = $(plain_sources) $(reading_sources) $(core_sources) agent/common/options.c \
	agent/common/option_table.c wire/address.c \
	$(rewriter_parts) $(dump_parts) \
	tests/fuzz/converted.c tests/same.c tests/same_waste.c tests/slow.c \
	tests/slow_heap.c tests/trace.c tests/visit.c
fuzz_objects = $(patsubst %.c,$(fuzz_dir)/%.o,$(filter %.c,$(fuzz_sources)))
fuzz_mains = $(patsubst %,$(fuzz_dir)/%.o,$(fuzz_targets))
fuzz_programs = $(patsubst tests/fuzz/%,$(fuzz_dir)/%,$(fuzz_targets))

.PHONY: fuzz
fuzz: $(fuzz_programs)

# The Makefile, since flags may have changed; -MMD writes which headers.
$(fuzz_objects) $(fuzz_mains): $(fuzz_dir)/%.o: %.c Makefile config.h
	@$(MKDIR_P) $(@D)
	$(AM_V_CC)$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -MMD -MP \
		-D_GNU_SOURCE -DHPROF_BUILDING $(DEFAULT_INCLUDES) \
		$(AM_CPPFLAGS) -UNDEBUG $(CPPFLAGS) -I$(top_srcdir) \
		-c -o $@ $<

$(fuzz_dir)/library.a: $(fuzz_objects)
	$(AM_V_GEN)rm -f $@ && $(AR) cr $@ $(fuzz_objects)

$(fuzz_programs): $(fuzz_dir)/%: $(fuzz_dir)/tests/fuzz/%.o \
		$(fuzz_dir)/library.a
	$(AM_V_CCLD)$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer -o $@ $^ \
		$(core_libs) $(LIBS)

-include $(wildcard $(fuzz_dir)/*/*.d $(fuzz_dir)/*/*/*.d)

# ---- fuzz: the programs as they are, on damaged dumps -------------------------

check_PROGRAMS += tests/fuzz/mutant
tests_fuzz_mutant_SOURCES = tests/fuzz/mutant.c tests/fuzz/places.c \
	tests/fuzz/places.h
tests_fuzz_mutant_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_mutant_LDADD = lib/libhprof.la

SECONDS = 600
SEED = 1
.PHONY: fuzz-programs
fuzz-programs: all $(check_PROGRAMS)
	@test $(SANITIZERS) = yes || \
		{ echo "this needs configure --enable-sanitizers" >&2; exit 2; }
	$(AM_TESTS_ENVIRONMENT) $(top_srcdir)/tests/fuzz/campaign \
		--seconds $(SECONDS) --seed $(SEED) $(DUMPS)

# ---- recipes: text to dump and back, for the cli tests -------------------------

check_PROGRAMS += tests/recipe-tool
tests_recipe_tool_SOURCES = tests/recipe-tool.c
tests_recipe_tool_LDADD = lib/libhprof.la
tests_recipe_tool_LDFLAGS = $(AM_LDFLAGS) -no-install

# ---- damage, for the cli tests -------------------------------------------------

check_PROGRAMS += tests/mutate
tests_mutate_SOURCES = tests/mutate.c

# ---- a JVM that answers what a test wants, for the cli tests -----------------

check_PROGRAMS += tests/tcp-peer
tests_tcp_peer_SOURCES = tests/tcp-peer.c

check_PROGRAMS += tests/fake-jvm
tests_fake_jvm_SOURCES = tests/fake-counters.c tests/fake-counters.h \
	tests/fake-dumps.c tests/fake-jvm.c tests/fake-jvm.h

# ---- class files as the agent instruments them ---------------------------------

check_PROGRAMS += tests/instrument/rewrite-class
tests_instrument_rewrite_class_SOURCES = tests/instrument/rewrite-class.c
tests_instrument_rewrite_class_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_instrument_rewrite_class_LDADD = agent/libparts.la lib/libcore.la

# Minutes: all classes of the JDKs, and of JARS (ten libraries from Maven Central).
.PHONY: check-rewrite
EXTRA_DIST += tests/instrument/ClassNames.java tests/instrument/LoadAll.java \
	tests/instrument/ReadBack.java tests/instrument/run
check-rewrite: all tests/instrument/rewrite-class$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) $(BASH) $(top_srcdir)/tests/instrument/run $(JARS)

# ---- helpers ------------------------------------------------------------------

.PHONY: check-all
check-all: all
	HPROF_LONG=1 $(MAKE) check

.PHONY: check-refresh
check-refresh: all
	HPROF_REFRESH=1 $(MAKE) check TESTS=tests/cli.tap

# hprof-query against databases, for each of DUMPS. What is damaged is compared,
# too.
.PHONY: check-query
check-query: all
	@set -e; for dump in $(DUMPS); do \
		echo "$$dump"; \
		PATH="$$PWD/tools:$$PATH" $(srcdir)/tests/query-same "$$dump"; \
	done

# What LEAKS says is found in hprof-browse by eight keys: a file with lines
# "DUMP TEXT", in which TEXT is a part of a row.
.PHONY: check-browse
check-browse: all
	@set -e; while read -r dump text; do \
		echo "$$dump"; \
		PATH="$$PWD/tools:$$PATH" $(srcdir)/tests/browse-finds \
			"$$dump" "$$text"; \
	done <"$(LEAKS)"

# Pages of hprof-report, used in Chromium and read by checkers of HTML and of
# accessibility: PAGE, or one of a small dump and one of two whose names mean harm.
.PHONY: check-page
EXTRA_DIST += tests/check-stacks tests/flame-browser tests/page-browser \
	tests/page-check tests/page-hostile tests/page_tables.py
CLEANFILES += tests/page.html tests/page.hprof tests/page-hostile.html \
	tests/page-hostile-0.hprof tests/page-hostile-1.hprof \
	tests/page-hostile.recipe
check-page: tools/hprof-report tests/recipe-tool
	page='$(PAGE)'; if test -z "$$page"; then \
		tests/recipe-tool assemble \
			$(top_srcdir)/tests/recipes/standard_id8.recipe \
			tests/page.hprof && \
		tools/hprof-report -f -o tests/page.html tests/page.hprof && \
		for dump in 0 1; do \
			python3 $(top_srcdir)/tests/page-hostile $$dump \
				>tests/page-hostile.recipe && \
			tests/recipe-tool assemble tests/page-hostile.recipe \
				tests/page-hostile-$$dump.hprof || exit 1; \
		done && \
		tools/hprof-report -f -o tests/page-hostile.html \
			tests/page-hostile-0.hprof tests/page-hostile-1.hprof && \
		grep -q '&lt;/script&gt;&lt;script&gt;alert(1)' \
			tests/page-hostile.html && \
		grep -q 'u003c/script>' tests/page-hostile.html && \
		page='tests/page.html tests/page-hostile.html'; fi && \
	$(BASH) $(top_srcdir)/tests/page-check $$page

# Stacks as go tool pprof and Chromium see them: of DUMPS, or of a small one.
.PHONY: check-stacks
check-stacks: all tests/recipe-tool$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) $(BASH) $(top_srcdir)/tests/check-stacks $(DUMPS)

# Hours. COUNT dumps in a row by each engine, on each JDK of JDKS (DIR:DIR) and
# with each collector of GCS.
.PHONY: soak
soak: all $(check_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) $(BASH) $(top_srcdir)/tests/soak/run \
		"$${COUNT:-200}" $${GCS:-}

clean-local:
	rm -rf html release-trial static tests/scratch tests/sanitizer tests/findings \
		tests/fuzz/libfuzzer
