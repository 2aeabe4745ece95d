# SPDX-License-Identifier: MIT
"""spark-submit keep.py DUMPS OUT - what is kept of dumps when they are gone.

DUMPS is a folder, or a pattern such as /dumps/*/*/date=2026-11-21/*, with dumps in
folders service=NAME/version=NAME/date=YYYY-MM-DD. The tables OUT/dump, OUT/histogram
and OUT/suspect are Parquet, in a folder for each date, which is written anew: the job
of a day can be repeated.
"""

import sys

import hprof.spark
from pyspark.sql import SparkSession

PLACE = ["service", "version", "date", "dump_path"]
TABLES = {
    "dump": ["time_ms", "objects", "shallow", "complete", "errors", "diagnostics"],
    "histogram": ["name", "instances", "shallow", "diagnostics"],
    "suspect": ["kind", "retained", "objects", "class_name", "owner_class_name",
                "field", "elements", "item_class", "member_class", "crowd"],
}


def keep(spark, dumps, out):
    """Writes the tables; a file of each for a date and not one for a dump."""
    for table, columns in TABLES.items():
        rows = spark.read.format("hprof").option("table", table) \
            .option("columns", ",".join(columns + PLACE)).load(dumps)
        rows.repartition("date").sortWithinPartitions("service", "version", "dump_path") \
            .write.mode("overwrite").option("partitionOverwriteMode", "dynamic") \
            .option("compression", "zstd").partitionBy("date") \
            .parquet(f"{out}/{table}")


def main(dumps, out):
    # Dates are texts here and there.
    spark = SparkSession.builder.appName("keep") \
        .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false") \
        .getOrCreate()
    hprof.spark.register(spark)
    keep(spark, dumps, out)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
