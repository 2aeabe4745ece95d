/* SPDX-License-Identifier: MIT */
/* test_waste_roles.c - what the bits of roles say, against roles one by one. */
#include <criterion/criterion.h>

#include "waste/roles.h"

enum { ROLES = 1 << HP_ROLE_DIGITS };

static enum hp_role role_of(uint32_t object)
{
	return (enum hp_role)((object * 2654435761U >> 7) %
			      (HP_ROLE_COLLECTION + 1));
}

static struct hp_roles make_roles(uint32_t first)
{
	struct hp_roles roles = { { 0 } };

	for (uint32_t i = 0; i < 64; i++)
		for (unsigned k = 0; k < HP_ROLE_DIGITS; k++)
			roles.digits[k] |=
				(uint64_t)(role_of(first + i) >> k & 1) << i;
	return roles;
}

Test(waste_roles, of_each_object)
{
	unsigned seen = 0;

	for (uint32_t first = 0; first < 64 * 64; first += 64) {
		const struct hp_roles roles = make_roles(first);
		for (uint32_t i = first; i < first + 64; i++) {
			const enum hp_role role = role_of(i);
			seen |= HP_ROLE_BIT(role);
			cr_assert_eq(hp_roles_get(&roles, i), role);
			cr_assert_eq(hp_roles_is_part(&roles, i),
				     role == HP_ROLE_PART);
			cr_assert_eq(hp_roles_is_inside(&roles, i),
				     hp_role_is_inside(role));
		}
	}
	cr_assert_eq(seen, HP_ROLE_BIT(HP_ROLE_COLLECTION + 1) - 1,
		     "some role was not there");
}

Test(waste_roles, of_each_set)
{
	const struct hp_roles roles = make_roles(0);

	for (unsigned set = 0; set < 1U << ROLES; set++) {
		const uint64_t in = hp_roles_in(&roles, set);
		for (uint32_t i = 0; i < 64; i++)
			cr_assert_eq(in >> i & 1, set >> role_of(i) & 1,
				     "object %u of set %x", i, set);
	}
}
