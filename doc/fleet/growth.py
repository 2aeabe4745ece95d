# SPDX-License-Identifier: MIT
"""spark-submit growth.py KEPT OUT - which class grows in which version of which
service, since when, and which suspects recur.

KEPT is what keep.py wrote. OUT/growth and OUT/suspects are JSON, a row a line; the
first rows of both, and the dumps that were damaged, are printed.

A damaged dump counts for nothing here, since it has too few objects. Of the others,
the bytes of a class on a date are the average of the dumps of that date, and a class
that a dump does not have has no bytes in it. Growth is the slope of the straight line
through the dates of a version, by least squares.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

OF = ["service", "version"]
SUSPECT = ["kind", "owner_class_name", "field", "class_name", "item_class",
           "member_class", "crowd"]


def dates(dumps):
    """The dates of each version, numbered by day, and how many dumps they have."""
    day = f.datediff(f.to_date("date"), f.lit("1970-01-01"))
    return dumps.where("diagnostics IS NULL") \
        .groupBy(*OF, "date").agg(f.count("*").alias("dumps")) \
        .withColumn("day", day)


def growth(histogram, days):
    """Slopes of bytes and instances by class; dates without the class are zeros."""
    daily = histogram.where("diagnostics IS NULL") \
        .groupBy(*OF, "date", "name") \
        .agg(f.sum("shallow").alias("bytes"), f.sum("instances").alias("instances")) \
        .join(days, OF + ["date"]) \
        .withColumn("bytes", f.col("bytes") / f.col("dumps")) \
        .withColumn("instances", f.col("instances") / f.col("dumps"))
    of_version = days.groupBy(*OF).agg(
        f.count("*").alias("days"), f.avg("day").alias("middle"),
        f.min("date").alias("first_date"), f.max("date").alias("last_date"),
        (f.var_pop("day") * f.count("*")).alias("spread"))
    return daily.join(of_version, OF) \
        .groupBy(*OF, "name", "days", "spread", "first_date", "last_date") \
        .agg(*(f.sum((f.col("day") - f.col("middle")) * f.col(value)).alias(value)
               for value in ("bytes", "instances")),
             f.max_by("bytes", "date").alias("last_bytes")) \
        .where("days > 1") \
        .select(*OF, f.col("name").alias("class"), "first_date", "last_date", "days",
                (f.col("bytes") / f.col("spread")).alias("bytes_a_day"),
                (f.col("instances") / f.col("spread")).alias("instances_a_day"),
                "last_bytes")


def recurring(suspects, days):
    """What was a suspect on several dates of a version."""
    dumps = days.groupBy(*OF).agg(f.sum("dumps").alias("dumps"))
    found = suspects.groupBy(*OF, *SUSPECT).agg(
        f.countDistinct("dump_path").alias("in_dumps"),
        f.countDistinct("date").alias("dates"),
        f.min("date").alias("since"), f.max("date").alias("until"),
        f.max("retained").alias("most_bytes"), f.max("elements").alias("elements"))
    return found.where("dates > 1").join(dumps, OF)


def main(kept, out):
    spark = SparkSession.builder.appName("growth") \
        .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false") \
        .getOrCreate()
    dumps, histogram, suspects = (spark.read.parquet(f"{kept}/{table}")
                                  for table in ("dump", "histogram", "suspect"))
    days = dates(dumps).cache()
    reports = {
        "growth": growth(histogram, days).orderBy(
            f.desc("bytes_a_day"), *OF, "class"),
        "suspects": recurring(suspects, days).orderBy(
            f.desc("most_bytes"), *OF, *SUSPECT),
    }
    for name, rows in reports.items():
        rows.coalesce(1).write.mode("overwrite").json(f"{out}/{name}")
        spark.read.schema(rows.schema).json(f"{out}/{name}").show(15, truncate=48)
    dumps.where("diagnostics IS NOT NULL") \
        .select("dump_path", "objects", "diagnostics").show(15, truncate=100)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
