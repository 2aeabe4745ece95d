# SPDX-License-Identifier: MIT
"""spark-submit store.py DUMPS - the dumps of a day from an object store, as Spark reads
them, are those of the folder. The store is moto's server in this process."""

import json
import os
import sys

import hprof.spark
import pyarrow.fs
from moto.server import ThreadedMotoServer
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from source import must

DAY = "date=2026-11-08"


def upload(dumps, options):
    """Puts the dumps of the day into the bucket dumps; returns their number."""
    store = pyarrow.fs.S3FileSystem(allow_bucket_creation=True, **options)
    store.create_dir("dumps")
    files = [os.path.join(folder, name) for folder, _, names in os.walk(dumps)
             if folder.endswith(DAY) for name in names]
    for file in files:
        with open(file, "rb") as source, store.open_output_stream(
                "dumps/fleet/" + os.path.relpath(file, dumps)) as target:
            target.write(source.read())
    return len(files)


def compare(spark, dumps, options, count):
    def read(path, table="histogram", **more):
        return spark.read.format("hprof").option("table", table) \
            .option("storageOptions", json.dumps(options)).options(**more).load(path)

    def rows(frame):
        return sorted(map(tuple, frame.drop("dump_path", "diagnostics").collect()),
                      key=repr)

    here = spark.read.format("hprof").load(f"{dumps}/service=*/version=*/{DAY}/*.zst")
    there = read(f"s3a://dumps/fleet/service=*/version=*/{DAY}/*.hprof.zst")
    must(there.rdd.getNumPartitions() == count > 4, "a pattern finds what is in a store")
    must(rows(there) == rows(here) != [], "a store has the same rows")
    must(rows(read("s3://dumps/fleet/service=shop")) == rows(
        here.where("service = 'shop'")), "so has a folder of it")
    (damaged,) = there.where("diagnostics IS NOT NULL").select("dump_path") \
        .distinct().collect()
    must(damaged[0] == f"s3a://dumps/fleet/service=shop/version=1.1/{DAY}/h2.hprof.zst",
         "damage is told with its address")
    dump = f"s3a://dumps/fleet/service=shop/version=1.1/{DAY}/h1.hprof.zst"
    parts = read(dump, "object", columns="id,class_name", partBytes="500k")
    must(parts.rdd.getNumPartitions() > 1 and rows(parts) == rows(
        read(dump, "object", columns="id,class_name")), "parts are the whole")
    try:
        read("s3a://dumps/none").count()
        must(False, "what is not there is said to be so")
    except PySparkException as failure:
        must("s3a://dumps/none" in str(failure), "what is not there is said to be so")


def main(dumps):
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    options = {"endpoint_override": f"http://{host}:{port}", "access_key": "none",
               "secret_key": "none", "region": "us-east-1"}
    spark = SparkSession.builder.appName("store").getOrCreate()
    hprof.spark.register(spark)
    compare(spark, dumps, options, upload(dumps, options))
    spark.stop()
    server.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
