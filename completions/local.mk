# SPDX-License-Identifier: MIT
# Completions for bash, zsh and fish, which read what --help says. Shells look
# for a file that is named after the program.

bashcompdir = $(datadir)/bash-completion/completions
zshcompdir = $(datadir)/zsh/site-functions
fishcompdir = $(datadir)/fish/vendor_completions.d
EXTRA_DIST += \
	completions/_hprof-tools \
	completions/hprof-tools.bash \
	completions/hprof-tools.fish

named_programs = sed "s/PROGRAMS/`echo $(bin_PROGRAMS:tools/%=%)`/"

install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(bashcompdir)" "$(DESTDIR)$(zshcompdir)" \
		"$(DESTDIR)$(fishcompdir)"
	$(named_programs) $(top_srcdir)/completions/_hprof-tools \
		>"$(DESTDIR)$(zshcompdir)/_hprof-tools"
	for program in $(bin_PROGRAMS:tools/%=%); do \
		sed "s/PROGRAM/$$program/" \
			$(top_srcdir)/completions/hprof-tools.bash \
			>"$(DESTDIR)$(bashcompdir)/$$program" && \
		sed "s/PROGRAM/$$program/" \
			$(top_srcdir)/completions/hprof-tools.fish \
			>"$(DESTDIR)$(fishcompdir)/$$program.fish" || exit 1; \
	done
	chmod 644 "$(DESTDIR)$(bashcompdir)"/hprof-* \
		"$(DESTDIR)$(zshcompdir)"/_hprof-tools \
		"$(DESTDIR)$(fishcompdir)"/hprof-*.fish

uninstall-local:
	rm -f "$(DESTDIR)$(zshcompdir)/_hprof-tools"
	for program in $(bin_PROGRAMS:tools/%=%); do \
		rm -f "$(DESTDIR)$(bashcompdir)/$$program" \
			"$(DESTDIR)$(fishcompdir)/$$program.fish"; \
	done
