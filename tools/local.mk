# The programs. They include public headers only. What they share is an archive,
# compiled once, of which each takes what it needs.

noinst_LTLIBRARIES += tools/libcli.la
tools_libcli_la_SOURCES = \
	tools/cli.c \
	tools/cli.h \
	tools/diagnostics.c \
	tools/diagnostics.h \
	tools/escape.c \
	tools/escape.h \
	tools/glob.c \
	tools/glob.h \
	tools/group.c \
	tools/group.h \
	tools/input.c \
	tools/input.h \
	tools/json.c \
	tools/json.h \
	tools/json_graph.c \
	tools/json_graph.h \
	tools/label.c \
	tools/label.h \
	tools/names.c \
	tools/names.h \
	tools/progress.c \
	tools/progress.h \
	tools/render.h \
	tools/render_classes.c \
	tools/render_csv.c \
	tools/render_head.c \
	tools/render_json.c \
	tools/render_json_graph.c \
	tools/render_leaks.c \
	tools/render_path.c \
	tools/render_profile.c \
	tools/render_properties.c \
	tools/render_records.c \
	tools/render_retained.c \
	tools/render_threads.c \
	tools/show.c \
	tools/show.h \
	tools/show_parts.c \
	tools/show_referrers.c \
	tools/show_value.c \
	tools/table.c \
	tools/table.h \
	tools/tables.c \
	tools/tables.h \
	tools/target.c \
	tools/target.h \
	tools/units.c \
	tools/units.h

# hprof-dump alone: how it talks to JVMs. What needs none is in a library of
# its own, for the tests; so is the parser of hprof-diff.
noinst_LTLIBRARIES += tools/libparts.la
tools_libparts_la_SOURCES = $(dump_parts)
dump_parts = \
	tools/attach_protocol.c \
	tools/attach_protocol.h \
	tools/fail_if.c \
	tools/fail_if.h \
	tools/jvm_parse.c \
	tools/jvm_process.h \
	tools/perfdata.c \
	tools/perfdata.h \
	tools/spool.c \
	tools/spool.h

dump_sources = \
	tools/attach.c \
	tools/attach.h \
	tools/attach_connect.c \
	tools/dump.c \
	tools/dump.h \
	tools/dump_copy.c \
	tools/dump_copy.h \
	tools/dump_vm.c \
	tools/dump_walk.c \
	tools/handover.c \
	tools/handover.h \
	tools/intake.c \
	tools/intake.h \
	tools/jvm_list.c \
	tools/jvm_list.h \
	tools/jvm_process.c \
	tools/reason.c \
	tools/reason.h \
	tools/stop.c \
	tools/stop.h

# hprof-convert alone: a file for each form.
convert_sources = \
	tools/convert.h \
	tools/convert_common.c \
	tools/convert_csv.c \
	tools/convert_fit.c \
	tools/convert_heap.c \
	tools/convert_heap.h \
	tools/convert_hprof.c \
	tools/convert_json.c \
	tools/convert_part.c \
	tools/convert_recipe.c \
	tools/convert_schema.c \
	tools/convert_sqlite.c \
	tools/convert_sqlite.h \
	tools/convert_text.c \
	tools/digits.c \
	tools/digits.h \
	tools/id_table.c \
	tools/id_table.h \
	tools/json_lines.c \
	tools/json_lines.h \
	tools/json_objects.c \
	tools/json_records.c \
	tools/json_records.h \
	tools/record_names.c \
	tools/record_names.h \
	tools/relation.c \
	tools/relation.h \
	tools/relation_fields.c \
	tools/relation_objects.c \
	tools/relation_parts.h \
	tools/text_form.c \
	tools/text_form.h \
	tools/text_heap.c \
	tools/text_profile.c

# hprof-diff alone. The parser is in libparts, for the tests.
diff_sources = \
	tools/diff.c \
	tools/diff.h \
	tools/gate.c \
	tools/gate.h \
	tools/gate_junit.c \
	tools/render_diff.c \
	tools/render_diff_json.c \
	tools/render_diff_paths.c \
	tools/side_items.c \
	tools/side_sets.c \
	tools/side_sizes.c \
	tools/sides.c \
	tools/sides.h

bin_PROGRAMS += tools/hprof-check tools/hprof-convert tools/hprof-diff \
	tools/hprof-dump tools/hprof-path tools/hprof-show tools/hprof-stat
tools_hprof_stat_SOURCES = tools/hprof-stat.c
tools_hprof_stat_LDADD = tools/libcli.la lib/libhprof.la

tools_hprof_check_SOURCES = tools/hprof-check.c
tools_hprof_check_LDADD = tools/libcli.la lib/libhprof.la

tools_hprof_convert_SOURCES = tools/hprof-convert.c $(convert_sources)
tools_hprof_convert_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
tools_hprof_convert_LDADD = tools/libcli.la lib/libhprof.la $(SQLITE_LIBS)
tools_hprof_diff_SOURCES = tools/hprof-diff.c $(diff_sources)
tools_hprof_diff_LDADD = tools/libparts.la tools/libcli.la lib/libhprof.la

tools_hprof_dump_SOURCES = tools/hprof-dump.c $(dump_sources)
tools_hprof_dump_CPPFLAGS = $(AM_CPPFLAGS) -DLIBDIR='"$(libdir)"'
tools_hprof_dump_LDADD = tools/libparts.la tools/libcli.la lib/libhprof.la

tools_hprof_path_SOURCES = tools/hprof-path.c
tools_hprof_path_LDADD = tools/libcli.la lib/libhprof.la
tools_hprof_show_SOURCES = tools/hprof-show.c
tools_hprof_show_LDADD = tools/libcli.la lib/libhprof.la
