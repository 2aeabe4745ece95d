# SPDX-License-Identifier: MIT
# The programs. They include public headers only. What they share is an archive,
# compiled once, of which each takes what it needs.

noinst_LTLIBRARIES += tools/libcli.la
tools_libcli_la_LIBADD = text/libtext.la
tools_libcli_la_SOURCES = \
	tools/common/char_width.c \
	tools/common/char_width.h \
	tools/common/cache_folder.c \
	tools/common/cache_folder.h \
	tools/common/cli.c \
	tools/common/cli.h \
	tools/common/cli_options.c \
	tools/common/cli_parts.h \
	tools/common/cli_values.c \
	tools/common/clock.c \
	tools/common/clock.h \
	tools/common/compression.c \
	tools/common/compression.h \
	tools/common/cpus.c \
	tools/common/cpus.h \
	tools/common/describe.c \
	tools/common/describe.h \
	tools/common/dump_level.h \
	tools/common/diagnostics.c \
	tools/common/diagnostics.h \
	tools/common/escape.c \
	tools/common/escape.h \
	tools/common/escape_copy.c \
	tools/common/glob.c \
	tools/common/glob.h \
	tools/common/input.c \
	tools/common/input.h \
	tools/common/json.c \
	tools/common/json.h \
	tools/common/json_check.c \
	tools/common/json_check.h \
	tools/common/json_graph.c \
	tools/common/json_graph.h \
	tools/common/object_selector.c \
	tools/common/object_selector.h \
	tools/common/output_file.c \
	tools/common/output_file.h \
	tools/common/prose.c \
	tools/common/prose.h \
	tools/common/progress.c \
	tools/common/progress.h \
	tools/common/screen.c \
	tools/common/screen.h \
	tools/common/shared_names.c \
	tools/common/shared_names.h \
	tools/common/series.c \
	tools/common/series.h \
	tools/common/shorten.c \
	tools/common/shorten.h \
	tools/common/signal_thread.c \
	tools/common/signal_thread.h \
	tools/common/table.c \
	tools/common/table.h \
	tools/common/units.c \
	tools/common/units.h \
	tools/report/path_class.c \
	tools/report/path_question.c \
	tools/report/path_question.h \
	tools/report/render.h \
	tools/report/render_allocations.c \
	tools/report/render_backlogs.c \
	tools/report/render_classes.c \
	tools/report/render_csv.c \
	tools/report/render_head.c \
	tools/report/render_json.c \
	tools/report/render_json_graph.c \
	tools/report/definers.c \
	tools/report/definers.h \
	tools/report/leak_headline.c \
	tools/report/leak_headline.h \
	tools/report/backlog_sentences.c \
	tools/report/backlog_sentences.h \
	tools/report/leak_sentences.c \
	tools/report/leak_sentences.h \
	tools/report/leak_where.c \
	tools/report/leak_where.h \
	tools/report/loader_lines.c \
	tools/report/loader_lines.h \
	tools/report/render_leaks.c \
	tools/report/render_loaders.c \
	tools/report/render_native.c \
	tools/report/path_folds.c \
	tools/report/path_folds.h \
	tools/report/render_path.c \
	tools/report/render_profile.c \
	tools/report/render_properties.c \
	tools/report/render_records.c \
	tools/report/render_resources.c \
	tools/report/render_retained.c \
	tools/report/render_strengths.c \
	tools/report/render_threads.c \
	tools/report/render_waste.c \
	tools/report/render_waste_json.c \
	tools/report/report_data.c \
	tools/report/report_data.h \
	tools/report/profile_top.c \
	tools/report/profile_top.h \
	tools/report/rollup.c \
	tools/report/rollup.h \
	tools/report/thread_groups.c \
	tools/report/thread_groups.h \
	tools/report/thread_names.c \
	tools/report/plain_big.c \
	tools/report/plain_big.h \
	tools/report/plain_fields.c \
	tools/report/plain_fields.h \
	tools/report/plain_time.c \
	tools/report/plain_time.h \
	tools/report/plain_value.c \
	tools/report/plain_value.h \
	tools/report/show.c \
	tools/report/show.h \
	tools/report/show_entries.c \
	tools/report/show_parts.c \
	tools/report/show_referrers.c \
	tools/report/show_value.c \
	tools/stacks/monitor_stacks.c \
	tools/stacks/monitor_stacks.h \
	tools/stacks/dominator_stacks.c \
	tools/stacks/dominator_stacks.h \
	tools/stacks/stack_known.c \
	tools/stacks/stack_known.h \
	tools/stacks/stack_source.c \
	tools/stacks/stack_source.h \
	tools/stacks/stack_tree.c \
	tools/stacks/stack_tree.h

# hprof-dump and hprof-prof: how they talk to JVMs. What needs none is in a library of
# its own, for the tests; so is the parser of hprof-diff.
noinst_LTLIBRARIES += tools/libparts.la
tools_libparts_la_SOURCES = $(dump_parts)
dump_parts = \
	tools/capture/attach_protocol.c \
	tools/capture/attach_protocol.h \
	tools/capture/jvm_options.c \
	tools/capture/jvm_options.h \
	tools/capture/jvm_parse.c \
	tools/capture/jvm_process.h \
	tools/capture/jvm_state.c \
	tools/capture/perfdata.c \
	tools/capture/perfdata.h \
	tools/capture/proc_file.c \
	tools/capture/proc_file.h \
	tools/capture/spool.c \
	tools/capture/spool.h \
	tools/diff/fail_if.c \
	tools/diff/fail_if.h

noinst_LTLIBRARIES += tools/libcapture.la
tools_libcapture_la_SOURCES = \
	tools/capture/agent_copy.c \
	tools/capture/agent_copy.h \
	tools/capture/agent_file.c \
	tools/capture/agent_file.h \
	tools/capture/attach.c \
	tools/capture/attach.h \
	tools/capture/attach_connect.c \
	tools/capture/dump.c \
	tools/capture/dump.h \
	tools/capture/dump_choice.c \
	tools/capture/dump_choice.h \
	tools/capture/dump_copy.c \
	tools/capture/dump_copy.h \
	tools/capture/dump_fork.c \
	tools/capture/dump_options.c \
	tools/capture/dump_options.h \
	tools/capture/dump_output.c \
	tools/capture/dump_output.h \
	tools/capture/dump_vm.c \
	tools/capture/dump_walk.c \
	tools/capture/failure_text.c \
	tools/capture/failure_text.h \
	tools/capture/inflow.c \
	tools/capture/inflow.h \
	tools/capture/interrupt.c \
	tools/capture/interrupt.h \
	tools/capture/jvm_list.c \
	tools/capture/jvm_list.h \
	tools/capture/jvm_process.c \
	tools/capture/profile_run.c \
	tools/capture/profile_run.h \
	tools/capture/profile_take.c \
	tools/capture/profile_take.h \
	tools/capture/receiver.c \
	tools/capture/receiver.h \
	tools/capture/remote.c \
	tools/capture/remote.h \
	tools/capture/remote_connect.c \
	tools/capture/remote_connect.h \
	tools/capture/remote_text.c \
	tools/capture/remote_text.h \
	tools/capture/request.c \
	tools/capture/request.h \
	tools/capture/taking.c \
	tools/capture/taking.h \
	tools/capture/target_files.c \
	tools/capture/target_files.h \
	tools/capture/target_ids.c \
	tools/capture/target_ids.h \
	tools/capture/transfer_dir.c \
	tools/capture/transfer_dir.h

# A dump as rows: for hprof-convert and hprof-query.
table_sources = \
	tools/tables/sql_views.c \
	tools/tables/sql_views.h

# For hprof-convert and hprof-prof: a file for each form.
noinst_LTLIBRARIES += tools/libexport.la
tools_libexport_la_SOURCES = $(table_sources) \
	tools/export/export.c \
	tools/export/export.h \
	tools/export/export_collapsed.c \
	tools/export/export_csv.c \
	tools/export/export_fit.c \
	tools/export/export_flamegraph.c \
	tools/export/export_heap.c \
	tools/export/export_heap.h \
	tools/export/export_hprof.c \
	tools/export/export_json.c \
	tools/export/export_part.c \
	tools/export/export_pprof.c \
	tools/export/export_recipe.c \
	tools/export/export_schema.c \
	tools/export/export_sqlite.c \
	tools/export/export_sqlite.h \
	tools/export/export_stacks.c \
	tools/export/export_stacks.h \
	tools/export/export_text.c \
	tools/export/export_text.h \
	tools/export/export_text_profile.c \
	tools/export/flame_page.c \
	tools/export/flame_page.h \
	tools/export/json_lines.c \
	tools/export/json_lines.h \
	tools/export/json_objects.c \
	tools/export/json_records.c \
	tools/export/json_records.h \
	tools/export/json_values.c

# The HTML page of hprof-report, whose parts are those of hprof-stat and hprof-diff. Its script and its style are files of the tree.
noinst_LTLIBRARIES += tools/libpage.la
tools_libpage_la_SOURCES = \
	tools/page/assets.h \
	tools/page/growth.c \
	tools/page/growth.h \
	tools/page/growth_paths.c \
	tools/page/growth_paths.h \
	tools/page/html.c \
	tools/page/html.h \
	tools/page/html_table.c \
	tools/page/lead.c \
	tools/page/lead.h \
	tools/page/page.c \
	tools/page/page.h \
	tools/page/picture.c \
	tools/page/picture.h \
	tools/page/redact.c \
	tools/page/redact.h \
	tools/page/section_damage.c \
	tools/page/section_growth.c \
	tools/page/section_growth.h \
	tools/page/section_heap.c \
	tools/page/section_outside.c \
	tools/page/section_overview.c \
	tools/page/section_resources.c \
	tools/page/section_runtime.c \
	tools/page/section_suspects.c \
	tools/page/section_threads.c \
	tools/page/section_tree.c \
	tools/page/section_waste.c \
	tools/page/sections.c \
	tools/page/sections.h \
	tools/page/suspect_bar.c \
	tools/page/suspect_bar.h \
	tools/page/tree_table.c \
	tools/page/tree_table.h \
	tools/page/write.c \
	tools/page/write.h
nodist_tools_libpage_la_SOURCES = tools/page/assets.c
page_scripts = $(srcdir)/tools/page/page.js $(srcdir)/tools/page/tables.js
page_assets = $(page_scripts) $(srcdir)/tools/page/page.css
EXTRA_DIST += tools/page/embed.sh tools/page/page.css tools/page/page.js \
	tools/page/tables.js
CLEANFILES += tools/page/assets.c tools/page/script.js
tools/page/assets.c: $(page_assets) $(srcdir)/tools/page/embed.sh
	$(AM_V_GEN)$(MKDIR_P) tools/page && \
	cat $(page_scripts) >tools/page/script.js && \
	$(SHELL) $(srcdir)/tools/page/embed.sh tools/page/assets.h \
		page_script tools/page/script.js \
		page_style $(srcdir)/tools/page/page.css >$@.new && \
	mv $@.new $@

# hprof-diff alone. The parser is in libparts, for the tests.
diff_sources = \
	tools/diff/diff.c \
	tools/diff/diff.h \
	tools/diff/diff_profile.c \
	tools/diff/diff_profile.h \
	tools/diff/diff_sites.c \
	tools/diff/diff_sites.h \
	tools/diff/dump_inputs.c \
	tools/diff/dump_inputs.h \
	tools/diff/dump_items.c \
	tools/diff/dump_sets.c \
	tools/diff/dump_sizes.c \
	tools/diff/render_diff.c \
	tools/diff/render_diff_dumps.c \
	tools/diff/render_diff_json.c \
	tools/diff/render_diff_paths.c \
	tools/diff/thresholds.c \
	tools/diff/thresholds.h \
	tools/diff/thresholds_junit.c

bin_PROGRAMS += tools/hprof-check tools/hprof-convert tools/hprof-diff \
	tools/hprof-dump tools/hprof-path tools/hprof-prof tools/hprof-report \
	tools/hprof-show tools/hprof-stat
tools_hprof_stat_SOURCES = \
	tools/hprof-stat.c \
	tools/report/stat_options.c \
	tools/report/stat_options.h
tools_hprof_stat_LDADD = tools/libpage.la tools/libcli.la lib/libhprof.la

tools_hprof_check_SOURCES = tools/hprof-check.c
tools_hprof_check_LDADD = tools/libcli.la lib/libhprof.la

tools_libexport_la_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
tools_hprof_convert_SOURCES = tools/hprof-convert.c
tools_hprof_convert_LDADD = tools/libexport.la tools/libcli.la \
	lib/libhprof.la $(SQLITE_LIBS)
tools_hprof_diff_SOURCES = tools/hprof-diff.c $(diff_sources)
tools_hprof_diff_LDADD = tools/libpage.la tools/libparts.la tools/libcli.la lib/libhprof.la

tools_libcapture_la_CPPFLAGS = $(AM_CPPFLAGS) -DLIBDIR='"$(libdir)"' \
	-DEXEC_PREFIX='"$(exec_prefix)"' -DMULTIARCH='"$(MULTIARCH)"'
capture_libs = tools/libcapture.la tools/libparts.la wire/libwire.la
tools_hprof_dump_SOURCES = tools/hprof-dump.c
tools_hprof_dump_LDADD = $(capture_libs) tools/libcli.la lib/libhprof.la

tools_hprof_prof_SOURCES = \
	tools/capture/profile_output.c \
	tools/capture/profile_output.h \
	tools/hprof-prof.c
tools_hprof_prof_LDADD = $(capture_libs) tools/libexport.la \
	tools/libcli.la lib/libhprof.la $(SQLITE_LIBS)

tools_hprof_report_SOURCES = tools/hprof-report.c $(diff_sources)
tools_hprof_report_LDADD = tools/libpage.la tools/libparts.la \
	tools/libcli.la lib/libhprof.la

tools_hprof_path_SOURCES = tools/hprof-path.c
tools_hprof_path_LDADD = tools/libcli.la lib/libhprof.la

# hprof-query needs SQLite.
query_sources = \
	tools/query/children.c \
	tools/query/children.h \
	tools/query/class_columns.c \
	tools/query/class_columns.h \
	tools/query/class_kin.c \
	tools/query/class_kin.h \
	tools/query/class_table.c \
	tools/query/class_table.h \
	tools/query/functions.c \
	tools/query/functions.h \
	tools/query/list_rows.c \
	tools/query/list_rows.h \
	tools/query/memory_limit.h \
	tools/query/object_set.c \
	tools/query/object_set.h \
	tools/query/query_dump.c \
	tools/query/query_dump.h \
	tools/query/results.c \
	tools/query/results.h \
	tools/query/row_buffer.c \
	tools/query/row_buffer.h \
	tools/query/sqlite.h \
	tools/query/table_plan.c \
	tools/query/table_plan.h \
	tools/query/table_visit.c \
	tools/query/table_visit.h \
	tools/query/tables.c \
	tools/query/tables.h \
	tools/query/virtual_list.c \
	tools/query/virtual_list.h \
	tools/query/virtual_table.c \
	tools/query/virtual_table.h
shell_sources = \
	tools/query/count_rewrite.c \
	tools/query/count_rewrite.h \
	tools/query/count_statement.c \
	tools/query/count_statement.h \
	tools/query/count_tokens.c \
	tools/query/count_tokens.h \
	tools/query/line_input.c \
	tools/query/line_input.h \
	tools/query/output.c \
	tools/query/output.h \
	tools/query/prompt.c \
	tools/query/prompt.h \
	tools/query/session.c \
	tools/query/session.h \
	tools/query/shell.c \
	tools/query/shell.h
if HAVE_SQLITE
bin_PROGRAMS += tools/hprof-query
if SHARED
lib_LTLIBRARIES += tools/libhprof-sqlite.la
endif
endif
tools_libhprof_sqlite_la_SOURCES = tools/query/extension.c \
	tools/query/extension_api.c $(query_sources) \
	$(table_sources)
tools_libhprof_sqlite_la_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS) \
	-DHPROF_SQLITE_EXTENSION
tools_libhprof_sqlite_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-export-symbols-regex '^sqlite3_hprofsqlite_init$$'
tools_libhprof_sqlite_la_LIBADD = tools/libcli.la lib/libcore.la
tools_hprof_query_SOURCES = tools/hprof-query.c $(query_sources) \
	$(shell_sources) $(table_sources)
tools_hprof_query_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS) $(LIBEDIT_CFLAGS)
tools_hprof_query_LDADD = tools/libcli.la lib/libhprof.la $(SQLITE_LIBS) \
	$(LIBEDIT_LIBS)

# hprof-browse needs ncurses.
browse_sources = \
	tools/browse/browser.c \
	tools/browse/browser.h \
	tools/browse/canvas.c \
	tools/browse/canvas.h \
	tools/browse/commands.c \
	tools/browse/commands.h \
	tools/browse/draw.c \
	tools/browse/draw.h \
	tools/browse/keys.c \
	tools/browse/keys.h \
	tools/browse/line_edit.c \
	tools/browse/line_edit.h \
	tools/browse/marks.c \
	tools/browse/marks.h \
	tools/browse/model.c \
	tools/browse/model.h \
	tools/browse/path_rows.c \
	tools/browse/path_rows.h \
	tools/browse/screen_draw.c \
	tools/browse/screen_draw.h \
	tools/browse/terminal.h \
	tools/browse/terminal_curses.c \
	tools/browse/terminal_script.c \
	tools/browse/terminal_xterm.c \
	tools/browse/view.c \
	tools/browse/view.h \
	tools/browse/view_classes.c \
	tools/browse/view_dominated.c \
	tools/browse/view_help.c \
	tools/browse/view_native.c \
	tools/browse/view_object.c \
	tools/browse/view_overview.c \
	tools/browse/view_path.c \
	tools/browse/view_sites.c \
	tools/browse/view_suspects.c \
	tools/browse/view_threads.c \
	tools/browse/view_waste.c \
	tools/browse/views.h \
	tools/browse/worker.c \
	tools/browse/worker.h
if HAVE_NCURSES
bin_PROGRAMS += tools/hprof-browse
endif
tools_hprof_browse_SOURCES = tools/hprof-browse.c $(browse_sources)
nodist_tools_hprof_browse_SOURCES = tools/browse/xterm_bytes.c
# The description of a terminal, for machines that have none.
CLEANFILES += tools/browse/xterm_bytes.c
tools/browse/xterm_bytes.c:
	$(AM_V_GEN)$(MKDIR_P) tools/browse && { \
	echo '#include "tools/browse/terminal.h"'; \
	echo 'const char terminal_xterm[] ='; \
	infocmp -Q2 xterm 2>/dev/null | sed '/^#/d; s/.*/"&"/'; \
	echo '"";'; } >$@.new && mv $@.new $@
tools_hprof_browse_CPPFLAGS = $(AM_CPPFLAGS) $(NCURSES_CFLAGS)
tools_hprof_browse_LDADD = tools/libcli.la lib/libhprof.la $(NCURSES_LIBS)

tools_hprof_show_SOURCES = tools/hprof-show.c
tools_hprof_show_LDADD = tools/libcli.la lib/libhprof.la
