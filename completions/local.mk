# SPDX-License-Identifier: MIT
# Completions for bash.

bashcompdir = $(datadir)/bash-completion/completions
dist_bashcomp_DATA = \
	completions/hprof-check \
	completions/hprof-convert \
	completions/hprof-diff \
	completions/hprof-dump \
	completions/hprof-path \
	completions/hprof-prof \
	completions/hprof-query \
	completions/hprof-show \
	completions/hprof-stat
