# SPDX-License-Identifier: MIT
# The manual pages, in mdoc.

dist_man1_MANS += \
	man/hprof-browse.1 \
	man/hprof-check.1 \
	man/hprof-convert.1 \
	man/hprof-diff.1 \
	man/hprof-dump.1 \
	man/hprof-path.1 \
	man/hprof-prof.1 \
	man/hprof-query.1 \
	man/hprof-report.1 \
	man/hprof-show.1 \
	man/hprof-stat.1

dist_man3_MANS += \
	man/hprof_arrow.3 \
	man/hprof_check.3 \
	man/hprof_collection.3 \
	man/hprof_convert.3 \
	man/hprof_diff.3 \
	man/hprof_graph.3 \
	man/hprof_heap.3 \
	man/hprof_input.3 \
	man/hprof_leaks.3 \
	man/hprof_names.3 \
	man/hprof_output.3 \
	man/hprof_paths.3 \
	man/hprof_prof.3 \
	man/hprof_reader.3 \
	man/hprof_recipe.3 \
	man/hprof_record.3 \
	man/hprof_report.3 \
	man/hprof_resource.3 \
	man/hprof_retained.3 \
	man/hprof_tables.3 \
	man/hprof_waste.3 \
	man/hprof_writer.3 \
	man/libhprof.3

dist_man7_MANS += man/hprof-agent.7 man/hprof-json.7 man/hprof-tables.7 \
	man/libhprof-sqlite.7

# The tables of hprof(5) are made from the library's descriptions. The page
# is in the tree, since a cross build cannot run the program; a test compares.
dist_man5_MANS += man/hprof.5
EXTRA_DIST += man/hprof.5.in
check_PROGRAMS += man/format-tables
man_format_tables_SOURCES = man/format-tables.c
man_format_tables_LDADD = lib/libhprof.la

.PHONY: update-man
update-man: man/format-tables
	$(AM_V_GEN)man/format-tables $(top_srcdir)/man/hprof.5.in \
		>man/hprof.5.new && \
	mv man/hprof.5.new $(top_srcdir)/man/hprof.5

# Each function's name is a link to the page that describes it.
EXTRA_DIST += man/links.sh
install-data-hook:
	@cd $(top_srcdir) && $(SHELL) man/links.sh $(dist_man3_MANS) | \
	while read -r link page; do \
		(cd "$(DESTDIR)$(man3dir)" && rm -f "$$link" && \
			$(LN_S) "$$page" "$$link") || exit 1; \
	done
uninstall-hook:
	@cd $(top_srcdir) && $(SHELL) man/links.sh $(dist_man3_MANS) | \
	while read -r link page; do rm -f "$(DESTDIR)$(man3dir)/$$link"; done

# The manual as a folder that a web server can show.
EXTRA_DIST += man/html.sh man/style.css
html-local:
	rm -rf html
	cd $(top_srcdir) && MANDOC='$(MANDOC)' $(SHELL) man/html.sh \
		$(abs_builddir)/html $(dist_man1_MANS) $(dist_man3_MANS) \
		$(dist_man5_MANS) $(dist_man7_MANS)
