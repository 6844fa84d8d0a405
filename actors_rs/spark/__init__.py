"""Apache Spark as a publisher; the only package that imports pyspark."""
