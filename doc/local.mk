# SPDX-License-Identifier: MIT
EXTRA_DIST += doc/demo/Demo.java doc/demo/run

# Whose commands tests/cli/doc-commands.test runs.
EXTRA_DIST += doc/findings.md

# Starts a small Java program with the agent, prints what is in its dump.
.PHONY: demo
demo: all
	@JDKS='$(JDKS)' $(BASH) $(top_srcdir)/doc/demo/run \
		$(abs_top_srcdir)/doc/demo $(abs_top_builddir)/tools \
		$(abs_top_builddir)/agent/.libs

# Examples for CI: every step of theirs, read from them.
.PHONY: check-ci
EXTRA_DIST += doc/ci/github.yml doc/ci/gitlab.yml doc/ci/heap-check doc/ci/try
check-ci: all
	@JDKS='$(JDKS)' python3 $(top_srcdir)/doc/ci/try \
		$(abs_top_srcdir)/doc/ci $(abs_top_srcdir)/doc/demo \
		$(abs_top_builddir)

# Dumps of a fleet, read by Spark and compared with what hprof-stat says of each.
.PHONY: check-fleet
EXTRA_DIST += doc/fleet/README.md doc/fleet/growth.py doc/fleet/keep.py \
	doc/fleet/trial/Fleet.java doc/fleet/trial/check.py \
	doc/fleet/trial/make-fleet doc/fleet/trial/run doc/fleet/trial/source.py \
	doc/fleet/trial/store.py
check-fleet: all
	@JDKS='$(JDKS)' $(BASH) $(top_srcdir)/doc/fleet/trial/run \
		$(abs_top_srcdir)/doc/fleet $(abs_top_srcdir)/python \
		$(abs_top_builddir)/tools \
		$(abs_top_builddir)/lib/.libs/libhprof.so.0

# The pictures of the README, taken anew.
.PHONY: pictures
EXTRA_DIST += doc/pictures/make doc/pictures/narrow.png doc/pictures/tree.png
pictures: all
	@JDKS='$(JDKS)' $(BASH) $(top_srcdir)/doc/pictures/make \
		$(abs_top_srcdir)/doc/pictures $(abs_top_srcdir) \
		$(abs_top_builddir)/tools $(abs_top_builddir)/agent/.libs

# Short programs to learn from; tests/examples.tap runs them.
check_PROGRAMS += \
	doc/examples/01_copy \
	doc/examples/02_count \
	doc/examples/03_write \
	doc/examples/04_look \
	doc/examples/05_strings \
	doc/examples/06_maps \
	doc/examples/07_rewrite \
	doc/examples/08_graph

doc_examples_01_copy_SOURCES = doc/examples/01_copy.c
doc_examples_01_copy_LDADD = lib/libhprof.la
doc_examples_02_count_SOURCES = doc/examples/02_count.c
doc_examples_02_count_LDADD = lib/libhprof.la
doc_examples_03_write_SOURCES = doc/examples/03_write.c
doc_examples_03_write_LDADD = lib/libhprof.la
doc_examples_04_look_SOURCES = doc/examples/04_look.c
doc_examples_04_look_LDADD = lib/libhprof.la
doc_examples_05_strings_SOURCES = doc/examples/05_strings.c
doc_examples_05_strings_LDADD = lib/libhprof.la
doc_examples_06_maps_SOURCES = doc/examples/06_maps.c
doc_examples_06_maps_LDADD = lib/libhprof.la
doc_examples_07_rewrite_SOURCES = doc/examples/07_rewrite.c
doc_examples_07_rewrite_LDADD = lib/libhprof.la
doc_examples_08_graph_SOURCES = doc/examples/08_graph.c
doc_examples_08_graph_LDADD = lib/libhprof.la

# Agents that JVMs load, linked with libhprof-prof; tests/jvm/agents.sh runs them.
if BUILD_AGENT
check_LTLIBRARIES += \
	doc/examples/agents/01_sample.la \
	doc/examples/agents/02_time.la \
	doc/examples/agents/03_objects.la \
	doc/examples/agents/04_ages.la
endif
inside = doc/examples/agents/inside.c doc/examples/agents/inside.h
example_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/prof $(JVMTI_CPPFLAGS)
example_ldflags = $(AM_LDFLAGS) $(agent_module)
doc_examples_agents_01_sample_la_SOURCES = doc/examples/agents/01_sample.c
doc_examples_agents_01_sample_la_CPPFLAGS = $(example_cppflags)
doc_examples_agents_01_sample_la_LDFLAGS = $(example_ldflags)
doc_examples_agents_01_sample_la_LIBADD = prof/libhprof-prof.la
doc_examples_agents_02_time_la_SOURCES = doc/examples/agents/02_time.c
doc_examples_agents_02_time_la_CPPFLAGS = $(example_cppflags)
doc_examples_agents_02_time_la_LDFLAGS = $(example_ldflags)
doc_examples_agents_02_time_la_LIBADD = prof/libhprof-prof.la
doc_examples_agents_03_objects_la_SOURCES = doc/examples/agents/03_objects.c \
	$(inside)
doc_examples_agents_03_objects_la_CPPFLAGS = $(example_cppflags)
doc_examples_agents_03_objects_la_LDFLAGS = $(example_ldflags)
doc_examples_agents_03_objects_la_LIBADD = prof/libhprof-prof.la
doc_examples_agents_04_ages_la_SOURCES = doc/examples/agents/04_ages.c \
	$(inside)
doc_examples_agents_04_ages_la_CPPFLAGS = $(example_cppflags)
doc_examples_agents_04_ages_la_LDFLAGS = $(example_ldflags)
doc_examples_agents_04_ages_la_LIBADD = prof/libhprof-prof.la
