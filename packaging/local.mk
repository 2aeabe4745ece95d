# SPDX-License-Identifier: MIT
# Releases, and forms of the programs for other people's machines.

EXTRA_DIST += packaging/static-archive packaging/try-static

# The programs with all that they need in one archive: see its script.
.PHONY: static-archive static-programs static-install
CLEANFILES += hprof-tools-*.tar.gz
static-archive:
	+CC='$(CC)' JDKS='$(JDKS)' $(BASH) \
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

# The following two are for that script, in the build that it configures. The
# agent comes first, as the only shared object: what it has in common with the
# library is compiled once.
if BUILD_AGENT
static_agent = agent/libhprof-agent.la
endif
static-programs:
	test -z '$(static_agent)' || $(MAKE) \
		LIBTOOLFLAGS=--tag=disable-static $(static_agent)
	$(MAKE) LIBTOOLFLAGS=--tag=disable-shared AM_LDFLAGS=-all-static \
		$(bin_PROGRAMS)
static-install:
	$(MKDIR_P) '$(DESTDIR)/bin' '$(DESTDIR)/share/man/man7'
	$(INSTALL_PROGRAM) $(bin_PROGRAMS) '$(DESTDIR)/bin'
	test -z '$(static_agent)' || { $(MKDIR_P) '$(DESTDIR)/lib' && \
		$(INSTALL_DATA) agent/.libs/libhprof-agent.so '$(DESTDIR)/lib'; }
	$(INSTALL_DATA) $(dist_man7_MANS:%=$(top_srcdir)/%) \
		'$(DESTDIR)/share/man/man7'
	$(MAKE) prefix= datarootdir=/share install-man1 install-data-local
