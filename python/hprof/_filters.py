# SPDX-License-Identifier: MIT
"""Conditions on single columns, as SQL means them: what is null fits none."""

import collections

# Spark's filters by the names of their classes.
_NAMES = {"EqualTo": "equal", "EqualNullSafe": "same", "GreaterThan": "greater",
          "GreaterThanOrEqual": "greater_equal", "LessThan": "less",
          "LessThanOrEqual": "less_equal", "In": "in", "IsNull": "null",
          "IsNotNull": "not_null", "StringStartsWith": "starts_with",
          "StringEndsWith": "ends_with", "StringContains": "match_substring"}
_TEXTS = ("starts_with", "ends_with", "match_substring")

Condition = collections.namedtuple("Condition", "column operator value negated")


def condition(given, types):
    """The condition for a filter of Spark, or None if that has to apply it.

    ``types`` are "long", "string" or "double" by column. Conditions on numbers with
    fractions are Spark's, which has rules of its own for NaN and decimals.
    """
    negated = type(given).__name__ == "Not"
    given = given.child if negated else given
    operator = _NAMES.get(type(given).__name__)
    if operator is None or len(given.attribute) != 1:
        return None
    kind, value = types.get(given.attribute[0]), getattr(given, "value", None)
    values = tuple(value or ()) if operator == "in" else (value,)
    if operator not in ("null", "not_null") and \
            not all(_fits(kind, one) for one in values):
        return None
    if kind is None or (operator in _TEXTS and kind != "string"):
        return None
    return Condition(given.attribute[0], operator, value, negated)


def _fits(kind, value):
    if kind == "string":
        return isinstance(value, str)
    return kind == "long" and type(value) is int and -1 << 63 <= value < 1 << 63


def mask(wanted, column):
    """Which values of an Arrow column fit; null for those of which SQL says null."""
    import pyarrow as pa
    import pyarrow.compute as pc
    if pa.types.is_dictionary(column.type):
        if wanted.operator in ("null", "not_null", "same"):
            column = column.dictionary_decode()
        else:  # of each text once
            return mask(wanted, column.dictionary).take(column.indices)
    found = _compared(pc, wanted, column)
    return pc.invert(found) if wanted.negated else found


def _compared(pc, wanted, column):
    import pyarrow as pa
    if wanted.operator == "null":
        return pc.is_null(column)
    if wanted.operator == "not_null":
        return pc.is_valid(column)
    if wanted.operator == "in":
        values = pa.array(wanted.value, column.type)
        return pc.if_else(pc.is_valid(column), pc.is_in(column, value_set=values),
                          pa.scalar(None, pa.bool_()))
    if wanted.operator in _TEXTS:
        return getattr(pc, wanted.operator)(column, pattern=wanted.value)
    value = pa.scalar(wanted.value, column.type)
    if wanted.operator == "same":
        return pc.fill_null(pc.equal(column, value), False)
    return getattr(pc, wanted.operator)(column, value)


def all_of(conditions, columns):
    """The rows that fit all conditions, of columns by name; None: all of them."""
    import pyarrow.compute as pc
    found = None
    for wanted in conditions:
        fitting = mask(wanted, columns[wanted.column])
        found = fitting if found is None else pc.and_(found, fitting)
    return found
