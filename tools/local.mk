# The programs. They include public headers only; what they share is compiled
# once.

cli_sources = \
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
	tools/json.c \
	tools/json.h \
	tools/progress.c \
	tools/progress.h \
	tools/render.h \
	tools/render_classes.c \
	tools/render_csv.c \
	tools/render_head.c \
	tools/render_json.c \
	tools/render_profile.c \
	tools/render_properties.c \
	tools/render_records.c \
	tools/render_threads.c \
	tools/table.c \
	tools/table.h \
	tools/units.c \
	tools/units.h

bin_PROGRAMS += tools/hprof-check tools/hprof-stat
tools_hprof_stat_SOURCES = tools/hprof-stat.c $(cli_sources)
tools_hprof_stat_LDADD = lib/libhprof.la

tools_hprof_check_SOURCES = tools/hprof-check.c $(cli_sources)
tools_hprof_check_LDADD = lib/libhprof.la
