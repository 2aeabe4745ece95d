/* SPDX-License-Identifier: MIT */
/*
 * test_async_refused.c - stacks from signal handlers on a processor whose registers
 * the agent does not know: it says so before anything is set up. The source is
 * compiled once more, as it would be there.
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <jvmti.h>

#undef __x86_64__
#define ag_async_know_code know_code_elsewhere
#define ag_async_prepare prepare_elsewhere
#define ag_async_reason reason_elsewhere
#define ag_async_stack stack_elsewhere
#include "agent/sampling/async_stack.c"

Test(async_refused, the_processor_is_named)
{
	const char *why = ag_async_prepare(NULL);

	cr_assert_not_null(why);
	cr_assert_not_null(strstr(why, "x86-64"));
}

/* A handler that ran nevertheless would get no stack, and touch nothing. */
Test(async_refused, there_is_no_stack)
{
	struct ag_async_frame frame = { .location = 77 };
	uintptr_t pc = 1;

	cr_assert_eq(ag_async_stack(NULL, &frame, 1, &pc), AG_ASYNC_NO_JAVA);
	cr_assert_eq(pc, 0);
	cr_assert_eq(frame.location, 77);
	cr_assert_str_eq(ag_async_reason(AG_ASYNC_NO_JAVA), "no Java frame");
}

/* Events of compiled code come to it in any case. */
Test(async_refused, code_may_be_announced)
{
	ag_async_know_code((const void *)(uintptr_t)0x1000, 0x10);
	ag_async_know_code((const void *)(uintptr_t)0x2000, 0x10);
	cr_assert_eq(atomic_load(&code_start), 0x1000);
	cr_assert_eq(atomic_load(&code_end), 0x2010);
}
