# SPDX-License-Identifier: MIT
# The package of Python; tests/python.tap tests it with the library of this
# build. "pip install ." builds a library of its own.
EXTRA_DIST += \
	pyproject.toml \
	python/README.md \
	python/heap.ipynb \
	python/hprof/__init__.py \
	python/hprof/__main__.py \
	python/hprof/_columns.py \
	python/hprof/_diagnostics.py \
	python/hprof/_dump.py \
	python/hprof/_filters.py \
	python/hprof/_in_use.py \
	python/hprof/_native.py \
	python/hprof/_reports.py \
	python/hprof/_sql.py \
	python/hprof/_tables.py \
	python/hprof/_pattern.py \
	python/hprof/_scan.py \
	python/hprof/_storage.py \
	python/hprof/py.typed \
	python/hprof/spark.py \
	python/hprof_build.py \
	python/test_hprof.py \
	python/test_scan.py
