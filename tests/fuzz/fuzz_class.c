/* SPDX-License-Identifier: MIT */
/*
 * fuzz_class.c - the rewriter of class files. Whatever comes, it returns; and
 * what it made can be read by itself again, with the same methods.
 */
#include <stdlib.h>

#include "agent/instrument/class_rewrite.h"
#include "target.h"

static const struct ag_tracking tracking = {
	"java/lang/HprofTracker", "enter", "caught", "exit", 1, NULL
};

static void must(int holds)
{
	if (!holds)
		abort();
}

/* The second time, a method may have become too long. */
static void check_again(const struct ag_rewritten *r)
{
	struct ag_rewritten again;
	enum hprof_status status =
		ag_class_rewrite(r->bytes, r->size, &tracking, &again);

	if (status == HPROF_E_LIMIT)
		return;
	must(status == HPROF_OK && again.n_methods == r->n_methods);
	for (uint32_t i = 0; i < r->n_methods; i++)
		must((again.methods[i].state == AG_METHOD_NO_CODE) ==
		     (r->methods[i].state == AG_METHOD_NO_CODE));
	ag_rewritten_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct ag_rewritten r;

	if (ag_class_rewrite(bytes, size, &tracking, &r) != HPROF_OK)
		return 0;
	if (r.bytes)
		check_again(&r);
	ag_rewritten_done(&r);
	return 0;
}
