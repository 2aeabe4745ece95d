# SPDX-License-Identifier: MIT
# Releases, and forms of the programs for other people's machines.

EXTRA_DIST += packaging/hprof-tools.rb packaging/libhprof.spec \
	packaging/reproducible packaging/sbom packaging/static-archive \
	packaging/try-static packaging/wheel

# What configure found, as a bill of materials; SBOM_OF is a release, if any.
.PHONY: sbom
SBOM_OF =
CLEANFILES += libhprof-*.spdx.json
sbom:
	$(AM_V_GEN)PKG_CONFIG='$(PKG_CONFIG)' CC='$(CC)' \
		$(SHELL) $(top_srcdir)/packaging/sbom '$(VERSION)' '$(SBOM_OF)' \
		$(SBOM_MODULES) >libhprof-$(VERSION).spdx.json

# Builds twice, in two places, and compares what make install puts there.
.PHONY: check-reproducible
check-reproducible:
	+CC='$(CC)' JDKS='$(JDKS)' $(BASH) \
		$(top_srcdir)/packaging/reproducible $(top_srcdir)

# The programs with all that they need in one archive: see its script.
.PHONY: static-archive static-programs static-install
CLEANFILES += hprof-tools-*.tar.gz
if BUILD_AGENT
static_agent = agent/libhprof-agent.la
endif
static-archive: $(static_agent)
	@test $(SANITIZERS) = no || \
		{ echo "this is a build with sanitizers" >&2; exit 2; }
	+CC='$(CC)' $(BASH) \
		$(top_srcdir)/packaging/static-archive $(top_srcdir)

# Runs it in a root that is empty but for that and a small dump.
.PHONY: check-static-archive
CLEANFILES += packaging/small.hprof
check-static-archive: static-archive tests/recipe-tool
	$(MKDIR_P) packaging
	tests/recipe-tool assemble $(top_srcdir)/tests/recipes/stat-shop.recipe \
		packaging/small.hprof
	jdks='$(JDKS)'; JAVA_HOME="$${jdks##*:}" \
		$(BASH) $(top_srcdir)/packaging/try-static \
		"hprof-tools-$(VERSION)-linux-`uname -m`.tar.gz" \
		packaging/small.hprof

# The following two are for that script, in the build that it configures.
static-programs:
	$(MAKE) AM_LDFLAGS=-all-static $(bin_PROGRAMS)
static-install:
	$(MKDIR_P) '$(DESTDIR)/bin' '$(DESTDIR)/share/man/man7'
	$(INSTALL_PROGRAM) $(bin_PROGRAMS) '$(DESTDIR)/bin'
	$(INSTALL_DATA) $(dist_man7_MANS:%=$(top_srcdir)/%) \
		'$(DESTDIR)/share/man/man7'
	$(MAKE) prefix= datarootdir=/share install-man1 install-data-local

# The package of Python for all Linux machines as new as this one, and tried by each of
# PYTHONS in an environment that has nothing but it.
.PHONY: wheel
PYTHONS = python3
CLEANFILES += libhprof-*.whl
wheel: all tests/recipe-tool
	@test $(SANITIZERS) = no || \
		{ echo "this is a build with sanitizers" >&2; exit 2; }
	rm -f libhprof-*.whl
	$(BASH) $(top_srcdir)/packaging/wheel make $(abs_top_srcdir) \
		$(abs_top_builddir)
	$(MKDIR_P) packaging
	tests/recipe-tool assemble $(top_srcdir)/tests/recipes/stat-shop.recipe \
		packaging/small.hprof
	$(BASH) $(top_srcdir)/packaging/wheel try libhprof-*.whl \
		packaging/small.hprof $(PYTHONS)
