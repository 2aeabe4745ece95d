# The manual pages, in mdoc.

dist_man1_MANS += \
	man/hprof-stat.1

dist_man3_MANS += \
	man/hprof_reader.3 \
	man/hprof_recipe.3 \
	man/hprof_record.3 \
	man/hprof_report.3
