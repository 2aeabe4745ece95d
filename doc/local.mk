EXTRA_DIST += doc/demo/Demo.java doc/demo/run

# Starts a small Java program, dumps it, prints what is in the dump.
.PHONY: demo
demo: all
	@JDKS='$(JDKS)' $(BASH) $(top_srcdir)/doc/demo/run \
		$(abs_top_srcdir)/doc/demo $(abs_top_builddir)/tools
