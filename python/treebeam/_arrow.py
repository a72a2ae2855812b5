"""Sentences as a table of Apache Arrow."""

from __future__ import annotations

from typing import Iterable, List

import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]

from ._documents import Row

_TEXTS = pa.list_(pa.string())
_SHARES = pa.list_(pa.float32())
_NODE = [pa.field("id", pa.string(), nullable=False)]


def _node(*columns: str) -> pa.DataType:
    return pa.list_(pa.struct(_NODE + [pa.field(column, pa.string()) for column in columns]))


_SCHEMA = pa.schema(
    [
        ("sent_id", pa.string()),
        ("doc_id", pa.string()),
        ("text", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("comments", _TEXTS),
        ("tokens", _TEXTS),
        ("lemmas", _TEXTS),
        ("upos", _TEXTS),
        ("xpos", _TEXTS),
        ("feats", _TEXTS),
        ("head", pa.list_(pa.int32())),
        ("deprel", _TEXTS),
        ("deps", _TEXTS),
        ("misc", _TEXTS),
        ("mwt", _node("form", "feats", "misc", "rest")),
        ("empty_nodes", _node("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")),
        ("start_char", pa.list_(pa.int32())),
        ("end_char", pa.list_(pa.int32())),
        ("head_marginal", _SHARES),
        ("head_margin", _SHARES),
        ("label_marginal", _SHARES),
        ("head_conf", _SHARES),
        ("deprel_conf", _SHARES),
        ("upos_conf", _SHARES),
        ("tree_margin", pa.float32()),
        ("tree_score", pa.float32()),
        ("tree_conf", pa.float32()),
        ("certificate", pa.string()),
        ("restarts", pa.int32()),
        ("n_candidates", pa.int32()),
        ("status", pa.string()),
        ("model_id", pa.string()),
        ("language", pa.string()),
        ("language_conf", pa.float32()),
    ]
)

_BATCH = 5_000  # rows: what is converted does not stay as Python objects


def table(rows: Iterable[Row]) -> pa.Table:
    """Returns rows as a table."""
    batches: List[pa.RecordBatch] = []
    some: List[Row] = []
    for row in rows:
        some.append(row)
        if len(some) == _BATCH:
            batches.append(pa.RecordBatch.from_pylist(some, schema=_SCHEMA))
            some = []
    if some:
        batches.append(pa.RecordBatch.from_pylist(some, schema=_SCHEMA))
    return pa.Table.from_batches(batches, schema=_SCHEMA)
