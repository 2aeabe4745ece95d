# SPDX-License-Identifier: MIT
# The library. Add a source or private header to core_sources in the local.mk
# of its folder, a public header to hprof_headers, a public function to
# lib/libhprof.map.

hprof_headers = \
	lib/hprof/arrow.h \
	lib/hprof/check.h \
	lib/hprof/collection.h \
	lib/hprof/convert.h \
	lib/hprof/diff.h \
	lib/hprof/error.h \
	lib/hprof/graph.h \
	lib/hprof/heap.h \
	lib/hprof/input.h \
	lib/hprof/leaks.h \
	lib/hprof/names.h \
	lib/hprof/output.h \
	lib/hprof/paths.h \
	lib/hprof/reader.h \
	lib/hprof/recipe.h \
	lib/hprof/record.h \
	lib/hprof/report.h \
	lib/hprof/resource.h \
	lib/hprof/retained.h \
	lib/hprof/tables.h \
	lib/hprof/text.h \
	lib/hprof/version.h \
	lib/hprof/waste.h \
	lib/hprof/writer.h

# The codec and the writer without compressors: what the agent has, too. Needs
# the C library alone.
plain_sources =

# What reads dumps that are not compressed, as the agent does, too. Needs the C
# library and threads, and a hp_source_open.
reading_sources =

# All the rest.
core_sources =

# Each folder may use those above it in this list, see CONTRIBUTING.
include $(top_srcdir)/lib/base/local.mk
include $(top_srcdir)/lib/codec/local.mk
include $(top_srcdir)/lib/io/local.mk
include $(top_srcdir)/lib/stream/local.mk
include $(top_srcdir)/lib/model/local.mk
include $(top_srcdir)/lib/census/local.mk
include $(top_srcdir)/lib/layout/local.mk
include $(top_srcdir)/lib/java/local.mk
include $(top_srcdir)/lib/heap/local.mk
include $(top_srcdir)/lib/collections/local.mk
include $(top_srcdir)/lib/graph/local.mk
include $(top_srcdir)/lib/report/local.mk
include $(top_srcdir)/lib/leaks/local.mk
include $(top_srcdir)/lib/waste/local.mk
include $(top_srcdir)/lib/tables/local.mk
include $(top_srcdir)/lib/columns/local.mk
include $(top_srcdir)/lib/diff/local.mk
include $(top_srcdir)/lib/check/local.mk
include $(top_srcdir)/lib/convert/local.mk
include $(top_srcdir)/lib/recipe/local.mk

include_HEADERS = lib/hprof.h
hprofincludedir = $(includedir)/hprof
hprofinclude_HEADERS = $(hprof_headers)

pkgconfig_DATA = lib/libhprof.pc
EXTRA_DIST += lib/libhprof.map

# All objects, for the library, the agent and the unit tests: the last need
# functions that the shared library hides.
noinst_LTLIBRARIES += lib/libplain.la lib/libreading.la lib/libcore.la
lib_libplain_la_SOURCES = $(plain_sources)
lib_libplain_la_CPPFLAGS = -DHPROF_BUILDING $(AM_CPPFLAGS)
lib_libplain_la_CFLAGS = $(AM_CFLAGS) $(LIB_CFLAGS)
lib_libreading_la_SOURCES = $(reading_sources)
lib_libreading_la_CPPFLAGS = -DHPROF_BUILDING $(AM_CPPFLAGS)
lib_libreading_la_CFLAGS = $(AM_CFLAGS) $(LIB_CFLAGS)
lib_libcore_la_SOURCES = $(core_sources)
lib_libcore_la_CPPFLAGS = -DHPROF_BUILDING $(AM_CPPFLAGS)
lib_libcore_la_CFLAGS = $(AM_CFLAGS) $(LIB_CFLAGS) \
	$(ZLIB_CFLAGS) $(LIBARCHIVE_CFLAGS) $(ISAL_CFLAGS) $(ZSTD_CFLAGS) \
	$(LZMA_CFLAGS)
core_libs = $(ISAL_LIBS) $(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) \
	$(BZIP2_LIBS) $(LIBARCHIVE_LIBS)
lib_libcore_la_LIBADD = lib/libreading.la lib/libplain.la $(core_libs)

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

# The binary interface, as text. Compiled anew, all in one, so that it does
# not depend on the flags of this build. Debug information has the public
# headers under a name of their own: see lib/abi.sh.
#
#   make check-abi     compare it with lib/libhprof.abi, and libhprof-prof's
#                      with prof/libhprof-prof.abi
#   make update-abi    write those files
ABI_CFLAGS = -g -O0 -fPIC -pthread -fvisibility=hidden \
	-fdebug-prefix-map=$(top_srcdir)/lib/hprof/=$(top_srcdir)/lib/public-
EXTRA_DIST += lib/abi.sh $(wildcard $(top_srcdir)/lib/libhprof.abi)
CLEANFILES += lib/abi.so

.PHONY: check-abi update-abi lib/abi.so
lib/abi.so: lib/libhprof.la
	@. ./lib/libhprof.la && test -n "$$dlname" || \
		{ echo "this needs a shared library" >&2; exit 1; }
	$(AM_V_CCLD). ./lib/libhprof.la && \
	$(CC) $(ABI_CFLAGS) -shared -Wl,-soname,$$dlname \
		-Wl,--version-script=$(top_srcdir)/lib/libhprof.map \
		-DHPROF_BUILDING $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) \
		$(ZLIB_CFLAGS) $(LIBARCHIVE_CFLAGS) $(ISAL_CFLAGS) \
		$(ZSTD_CFLAGS) $(LZMA_CFLAGS) \
		$(addprefix $(top_srcdir)/,$(filter %.c,\
			$(plain_sources) $(reading_sources) $(core_sources))) \
		$(core_libs) $(LIBS) -o $@

# prof/local.mk adds that of libhprof-prof.
abi_libraries = lib/abi.so
check-abi: $(abi_libraries)
	@$(BASH) $(top_srcdir)/lib/abi.sh check lib/abi.so \
		$(top_srcdir)/lib/libhprof.abi
	@test ! -e prof/abi.so || $(BASH) $(top_srcdir)/lib/abi.sh check \
		prof/abi.so $(top_srcdir)/prof/libhprof-prof.abi

# new_abi LIBRARY STORED
new_abi = $(BASH) $(top_srcdir)/lib/abi.sh write $(1) $(top_srcdir)/$(2) \
		>$(2).new && \
	mv $(2).new $(top_srcdir)/$(2)
update-abi: $(abi_libraries)
	$(AM_V_GEN)$(call new_abi,lib/abi.so,lib/libhprof.abi)
	$(AM_V_at)test ! -e prof/abi.so || \
		{ $(call new_abi,prof/abi.so,prof/libhprof-prof.abi); }
