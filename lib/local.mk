# The library. Add a source or private header to core_sources, a public
# header to hprof_headers, a public function to lib/libhprof.map.

hprof_headers = \
	lib/hprof/check.h \
	lib/hprof/convert.h \
	lib/hprof/diff.h \
	lib/hprof/error.h \
	lib/hprof/graph.h \
	lib/hprof/heap.h \
	lib/hprof/output.h \
	lib/hprof/reader.h \
	lib/hprof/recipe.h \
	lib/hprof/record.h \
	lib/hprof/report.h \
	lib/hprof/retained.h \
	lib/hprof/writer.h

# The codec and the writer without compressors: what the agent has, too. Needs
# the C library alone.
plain_sources = \
	lib/arena.c \
	lib/arena.h \
	lib/class_dump.c \
	lib/decode.c \
	lib/decode.h \
	lib/describe.c \
	lib/encode.c \
	lib/encode.h \
	lib/error.c \
	lib/error.h \
	lib/escape.c \
	lib/header.c \
	lib/idmap.c \
	lib/idmap.h \
	lib/mem.c \
	lib/mem.h \
	lib/options.h \
	lib/records.def \
	lib/sink.h \
	lib/sink_file.c \
	lib/text.c \
	lib/text.h \
	lib/value.c \
	lib/wire.h \
	lib/writer.c \
	lib/writer.h \
	lib/writer_open.c \
	lib/writer_segments.c

# All the rest.
core_sources = \
	lib/above.c \
	lib/above.h \
	lib/archive_input.c \
	lib/archive_input.h \
	lib/archive_member.c \
	lib/archive_member.h \
	lib/biggest.c \
	lib/biggest.h \
	lib/bigtable.c \
	lib/bigtable.h \
	lib/bits.h \
	lib/census.c \
	lib/census.h \
	lib/census_pass.c \
	lib/census_pass.h \
	lib/census_pool.c \
	lib/census_pool.h \
	lib/check.c \
	lib/check.h \
	lib/check_class.c \
	lib/check_codes.c \
	lib/check_names.c \
	lib/check_pass.c \
	lib/check_readers.c \
	lib/check_scan.c \
	lib/classes.c \
	lib/classes.h \
	lib/convert.c \
	lib/convert.h \
	lib/convert_chain.c \
	lib/convert_copy.c \
	lib/convert_live.c \
	lib/convert_model.c \
	lib/convert_names.c \
	lib/convert_obfuscate.c \
	lib/convert_parts.c \
	lib/convert_record.c \
	lib/convert_redact.c \
	lib/convert_repair.c \
	lib/convert_values.c \
	lib/cursor.c \
	lib/cursor.h \
	lib/cursor_fields.c \
	lib/cursor_text.c \
	lib/diaglist.c \
	lib/diaglist.h \
	lib/diff.c \
	lib/diff_name.c \
	lib/diff_parts.c \
	lib/diff_parts.h \
	lib/diff_paths.c \
	lib/divide.c \
	lib/dom.c \
	lib/dom.h \
	lib/dom_number.c \
	lib/dom_preds.c \
	lib/domtree.c \
	lib/domtree.h \
	lib/edges.c \
	lib/edges.h \
	lib/edges_hand.c \
	lib/edges_hand.h \
	lib/edges_objects.c \
	lib/edges_pass.c \
	lib/edges_pass.h \
	lib/edges_plan.c \
	lib/forest.c \
	lib/forest.h \
	lib/garbage.c \
	lib/graph.c \
	lib/graph.h \
	lib/graph_edges.c \
	lib/graph_reach.c \
	lib/gzip_pieces.c \
	lib/gzip_pieces.h \
	lib/head.h \
	lib/heap.c \
	lib/heap.h \
	lib/heap_classes.c \
	lib/heap_ids.c \
	lib/heap_index.c \
	lib/heap_index.h \
	lib/heap_layout.c \
	lib/heap_number.c \
	lib/heap_places.c \
	lib/heap_strays.c \
	lib/held.c \
	lib/held.h \
	lib/hotspot.c \
	lib/hotspot.h \
	lib/hunt.c \
	lib/hunt.h \
	lib/idrank.c \
	lib/idrank.h \
	lib/idset.c \
	lib/idset.h \
	lib/jvm_layout.c \
	lib/jvm_layout.h \
	lib/inflate.h \
	lib/inflate_isal.c \
	lib/inflate_zlib.c \
	lib/inspect.c \
	lib/inspect.h \
	lib/instances.c \
	lib/java_string.c \
	lib/java_string.h \
	lib/java_text.c \
	lib/java_text.h \
	lib/job.c \
	lib/job.h \
	lib/kept.c \
	lib/kept.h \
	lib/kids.c \
	lib/kids.h \
	lib/layout.c \
	lib/layout.h \
	lib/leaks.c \
	lib/lineage.c \
	lib/lineage.h \
	lib/loaders.c \
	lib/locals.c \
	lib/merged.c \
	lib/nearby.c \
	lib/nearby.h \
	lib/objects.c \
	lib/objects.h \
	lib/origins.c \
	lib/origins.h \
	lib/output.c \
	lib/package.c \
	lib/parts.c \
	lib/parts.h \
	lib/pass.c \
	lib/pass.h \
	lib/overlay.c \
	lib/overlay.h \
	lib/pairs.c \
	lib/pairs.h \
	lib/path_steps.c \
	lib/path_texts.c \
	lib/path_texts.h \
	lib/paths.c \
	lib/paths.h \
	lib/pathtree.c \
	lib/pathtree.h \
	lib/pathtree_read.c \
	lib/peel.c \
	lib/peel.h \
	lib/pool.c \
	lib/pool.h \
	lib/profile.c \
	lib/properties.c \
	lib/reader.c \
	lib/reader.h \
	lib/reader_finish.c \
	lib/reader_frame.c \
	lib/reader_heap.c \
	lib/reader_open.c \
	lib/reader_recover.c \
	lib/reader_units.c \
	lib/recipe.h \
	lib/recipe_assemble.c \
	lib/recipe_fields.c \
	lib/recipe_file.c \
	lib/recipe_lex.c \
	lib/recipe_line.c \
	lib/recipe_out.c \
	lib/recipe_out.h \
	lib/recipe_out_value.c \
	lib/recipe_value.c \
	lib/recipe_write.c \
	lib/retained.c \
	lib/rootinfo.c \
	lib/rootinfo.h \
	lib/siblings.c \
	lib/siblings.h \
	lib/sink_archive.c \
	lib/sink_compress.c \
	lib/sink_gzip.c \
	lib/sizes.c \
	lib/source.c \
	lib/source.h \
	lib/source_ahead.c \
	lib/source_archive.c \
	lib/source_codecs.c \
	lib/source_file.c \
	lib/source_gzip.c \
	lib/source_gzip_parallel.c \
	lib/source_stream.c \
	lib/source_stream.h \
	lib/spans.c \
	lib/spans.h \
	lib/stacks.c \
	lib/stacks.h \
	lib/summary.c \
	lib/summary.h \
	lib/summary_check.c \
	lib/summary_check.h \
	lib/sums.c \
	lib/sums.h \
	lib/symbols.c \
	lib/symbols.h \
	lib/tally.c \
	lib/tempfile.c \
	lib/tempfile.h \
	lib/text_map.c \
	lib/text_map.h \
	lib/threads.c \
	lib/trails.c \
	lib/trails.h \
	lib/vthread.c \
	lib/vthread.h \
	lib/window.c \
	lib/window.h

include_HEADERS = lib/hprof.h
hprofincludedir = $(includedir)/hprof
hprofinclude_HEADERS = $(hprof_headers)

pkgconfig_DATA = lib/libhprof.pc
EXTRA_DIST += lib/libhprof.map

# All objects, for the library, the agent and the unit tests: the last need
# functions that the shared library hides.
noinst_LTLIBRARIES += lib/libplain.la lib/libcore.la
lib_libplain_la_SOURCES = $(plain_sources)
lib_libplain_la_CPPFLAGS = -DHPROF_BUILDING $(AM_CPPFLAGS)
lib_libplain_la_CFLAGS = $(AM_CFLAGS) $(LIB_CFLAGS)
lib_libcore_la_SOURCES = $(core_sources)
lib_libcore_la_CPPFLAGS = -DHPROF_BUILDING $(AM_CPPFLAGS)
lib_libcore_la_CFLAGS = $(AM_CFLAGS) $(LIB_CFLAGS) \
	$(ZLIB_CFLAGS) $(LIBARCHIVE_CFLAGS) $(ISAL_CFLAGS) $(ZSTD_CFLAGS) \
	$(LZMA_CFLAGS)
core_libs = $(ISAL_LIBS) $(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) \
	$(BZIP2_LIBS) $(LIBARCHIVE_LIBS)
lib_libcore_la_LIBADD = lib/libplain.la $(core_libs)

# current:revision:age, see libtool's manual.
lib_LTLIBRARIES += lib/libhprof.la
lib_libhprof_la_SOURCES =
lib_libhprof_la_LIBADD = lib/libcore.la
lib_libhprof_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined
if HAVE_VERSION_SCRIPT
lib_libhprof_la_LDFLAGS += -Wl,--version-script=$(top_srcdir)/lib/libhprof.map
EXTRA_lib_libhprof_la_DEPENDENCIES = $(top_srcdir)/lib/libhprof.map
endif

# Writes the map anew from the HPROF_API declarations in the headers.
.PHONY: update-map
update-map:
	$(AM_V_GEN)$(SHELL) $(top_srcdir)/lib/symbols.sh map $(top_srcdir) \
		>lib/libhprof.map.new && \
	mv lib/libhprof.map.new $(top_srcdir)/lib/libhprof.map
EXTRA_DIST += lib/symbols.sh
