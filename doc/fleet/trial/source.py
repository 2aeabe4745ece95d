# SPDX-License-Identifier: MIT
"""spark-submit source.py DUMPS - what the data source promises, tried by Spark."""

import sys

import hprof.spark
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSourceReader


def must(right, what):
    print(("ok: " if right else "WRONG: ") + what, flush=True)
    if not right:
        sys.exit(1)


def main(dumps):
    spark = SparkSession.builder.appName("source").getOrCreate()

    def read(path, table="histogram", **options):
        return spark.read.format("hprof").option("table", table) \
            .options(**options).load(path)

    def rows(frame):
        return sorted(map(tuple, frame.collect()), key=repr)

    hprof.spark.register(spark)
    date = f"{dumps}/service=*/version=*/date=2026-11-08"
    every, one = read(dumps), read(f"{date}/*.zst")
    must(every.rdd.getNumPartitions() == 200, "a partition for each dump")
    some = every.where("date > '2026-11-12' AND service IN ('shop', 'mail')")
    filters = hasattr(DataSourceReader, "pushFilters")  # Spark 4.0 has none
    must(some.rdd.getNumPartitions() == (12 if filters else 200),
         "filters on paths leave out dumps" if filters else "filters are Spark's own")
    must(some.where("date < '2026-11-14'").select("dump_path").distinct().count() == 4,
         "and mean these dumps")

    wanted = ["name LIKE 'Fleet$%'", "NOT name LIKE 'java%' AND instances > 10",
              "instances NOT IN (1, 2, 3) AND service <> 'mail'",
              "name <=> 'byte[]' AND shallow BETWEEN 1 AND 100000000",
              "diagnostics IS NOT NULL AND largest < 20"]
    passed_on = [rows(one.where(text)) for text in wanted]
    spark.dataSource.register(hprof.spark.HprofDataSource)
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "false")
    kept = [rows(read(f"{date}/*.zst").where(text)) for text in wanted]
    must(all(kept) and passed_on == kept, "filters mean what they mean in Spark")
    hprof.spark.register(spark)

    dump = f"{dumps}/service=shop/version=1.1/date=2026-11-15/h1.hprof.zst"
    whole = read(dump, "object", columns="id,class_name")
    parts = read(dump, "object", columns="id,class_name", partBytes="500k")
    must(parts.rdd.getNumPartitions() == 3, "a large dump has parts")
    must(rows(parts) == rows(whole), "parts are the whole")
    projected = spark.read.format("hprof").schema("date string, instances bigint") \
        .load(dump)
    must(rows(projected) == rows(read(dump).select("date", "instances")),
         "a schema chooses columns")
    named = read(dump, "dump", pathPattern="date={day}/{host}.hprof.zst",
                 columns="day,host,objects")
    must(named.first()[:2] == ("2026-11-15", "h1"), "patterns name columns")
    must(rows(read("local://" + date + "/h1*").drop("dump_path"))
         == rows(read(date + "/h1*").drop("dump_path")), "fsspec brings the same")

    told = read(date + "/*.zst", "diagnostic").select("dump_path", "code").collect()
    must({path[-12:] for path, _ in told} == {"h2.hprof.zst"}
         and {code for _, code in told} == {"truncated"}, "damage is a table")
    try:
        read(date + "/*.zst", mode="FAILFAST").count()
        must(False, "FAILFAST fails")
    except PySparkException as failure:
        must("date=2026-11-08/h2.hprof.zst" in str(failure), "FAILFAST fails")
    try:
        read(dumps, "nothing")
        must(False, "a wrong table is refused")
    except PySparkException as failure:
        must("no such table" in str(failure), "a wrong table is refused")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
