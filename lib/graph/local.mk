# SPDX-License-Identifier: MIT
# lib/graph: references, reachability, dominators, retained sizes.

core_sources += \
	lib/graph/block_sum.h \
	lib/graph/build_context.c \
	lib/graph/build_context.h \
	lib/graph/class_refs.c \
	lib/graph/dominator_climb.c \
	lib/graph/dominator_climb.h \
	lib/graph/dominator_numbering.c \
	lib/graph/dominator_predecessors.c \
	lib/graph/dominator_tree.c \
	lib/graph/dominator_tree.h \
	lib/graph/dominators.c \
	lib/graph/dominators.h \
	lib/graph/edge_build.c \
	lib/graph/edge_build.h \
	lib/graph/edge_partitions.c \
	lib/graph/edge_partitions.h \
	lib/graph/edge_scan.c \
	lib/graph/edge_worker.c \
	lib/graph/edge_worker.h \
	lib/graph/edges.c \
	lib/graph/edges.h \
	lib/graph/field_masks.c \
	lib/graph/field_masks.h \
	lib/graph/graph.c \
	lib/graph/graph.h \
	lib/graph/graph_build.c \
	lib/graph/graph_cache.c \
	lib/graph/graph_cache.h \
	lib/graph/graph_check.c \
	lib/graph/graph_check.h \
	lib/graph/graph_reach.c \
	lib/graph/graph_reduce.c \
	lib/graph/graph_reduce.h \
	lib/graph/graph_references.c \
	lib/graph/kept_objects.c \
	lib/graph/kept_objects.h \
	lib/graph/kept_references.c \
	lib/graph/kept_references.h \
	lib/graph/kept_trees.c \
	lib/graph/kept_trees.h \
	lib/graph/kind_search.c \
	lib/graph/kind_search.h \
	lib/graph/object_kind.h \
	lib/graph/packed_edges.c \
	lib/graph/packed_edges.h \
	lib/graph/paths_cache.c \
	lib/graph/reduced_subtrees.c \
	lib/graph/reduced_subtrees.h \
	lib/graph/retained_sizes.c \
	lib/graph/retained_sizes.h \
	lib/graph/strength.c \
	lib/graph/strength.h \
	lib/graph/top_objects.c \
	lib/graph/top_objects.h
