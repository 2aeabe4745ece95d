/* SPDX-License-Identifier: MIT */
/*
 * roles.h - what the instances of a class, and so each object, are to the search for
 * waste.
 */
#ifndef HP_WASTE_ROLES_H
#define HP_WASTE_ROLES_H

#include <stdbool.h>
#include <stdint.h>

enum hp_role {
	HP_ROLE_OTHER,
	HP_ROLE_STRING,
	HP_ROLE_BOX,
	HP_ROLE_PRIM_ARRAY,
	HP_ROLE_PART, /* a node: what refers to it is its collection */
	HP_ROLE_OBJ_ARRAY,
	HP_ROLE_COLLECTION
};

/* Parts, and what has elements, do not hold these: what is further up does. */
static inline bool hp_role_is_inside(enum hp_role role)
{
	return role >= HP_ROLE_PART;
}

/* A set of roles. */
#define HP_ROLE_BIT(role) (1U << (role))

enum { HP_ROLE_DIGITS = 3 };

_Static_assert(HP_ROLE_COLLECTION < 1 << HP_ROLE_DIGITS, "too many roles");

/* Of 64 objects: word K has bit K of the role of each. */
struct hp_roles {
	uint64_t digits[HP_ROLE_DIGITS];
};

static inline enum hp_role hp_roles_get(const struct hp_roles *roles,
					uint32_t object)
{
	const unsigned at = object & 63;

	return (enum hp_role)((roles->digits[0] >> at & 1) |
			      (roles->digits[1] >> at & 1) << 1 |
			      (roles->digits[2] >> at & 1) << 2);
}

/* Is OBJECT a part? */
static inline bool hp_roles_is_part(const struct hp_roles *roles,
				    uint32_t object)
{
	const uint64_t *digits = roles->digits;

	_Static_assert(HP_ROLE_PART == 4, "only the last of its digits is 1");
	return (digits[2] & ~(digits[1] | digits[0])) >> (object & 63) & 1;
}

/* Is it a part, or what has elements? */
static inline bool hp_roles_is_inside(const struct hp_roles *roles,
				      uint32_t object)
{
	_Static_assert(HP_ROLE_PART == 4, "all from there on have this digit");
	return roles->digits[2] >> (object & 63) & 1;
}

/* All bits, if SET has ROLE. */
static inline uint64_t hp_roles_if(unsigned set, unsigned role)
{
	return 0 - (uint64_t)(set >> role & 1);
}

/* Bits: of the 64, those that have one of SET. */
static inline uint64_t hp_roles_in(const struct hp_roles *roles, unsigned set)
{
	const uint64_t *digits = roles->digits;
	uint64_t in = 0;

	for (unsigned role = 0; role < 1U << HP_ROLE_DIGITS; role += 2) {
		uint64_t have = (hp_roles_if(set, role) & ~digits[0]) |
				(hp_roles_if(set, role + 1) & digits[0]);

		have &= role & 2 ? digits[1] : ~digits[1];
		in |= have & (role & 4 ? digits[2] : ~digits[2]);
	}
	return in;
}

#endif
