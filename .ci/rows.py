"""Compares the rows of two outputs of treebeam, whatever their bytes.

usage: rows.py TREES TREES
"""

import sys

import pyarrow.parquet as pq

ours, theirs = map(pq.read_table, sys.argv[1:])
if not ours.equals(theirs):
    sys.exit(f"{sys.argv[1]} and {sys.argv[2]} have different rows")
print(f"the same {ours.num_rows} rows, {ours.num_columns} columns")
