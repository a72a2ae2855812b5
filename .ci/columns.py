"""Checks an output folder of `treebeam parse` with readers that are not ours.

usage: columns.py OUT DOCS [ROOT]

OUT is the folder, DOCS the page that describes it (docs/parquet.md): names,
types and null rules are compared with its tables. If ROOT is given, the source
files are read there, and offsets are compared with their bytes.
"""

import collections
import glob
import json
import math
import os
import re
import sys

import duckdb
import pyarrow
import pyarrow.parquet

KINDS = ["trees", "failures", "documents"]
OF_SENTENCES = ["comments", "mwt", "empty_nodes"]
CERTIFICATES = {"all", "bound", None}
STATUSES = {"ok", "repaired", "long", "budget"}

faults = []


def check(condition, message):
    if not condition:
        faults.append(message)


def documented(page):
    """Returns {kind: [(column, type)]} and {footer key: kinds} of the page's tables."""
    columns, footer, section = {}, {}, ""
    for line in open(page, encoding="utf-8"):
        if line.startswith("## "):
            section = line[3:].strip().rstrip("/")
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if len(cells) < 4 or not cells[1].startswith("`"):
            continue
        if section in KINDS + ["words"] and len(cells) == 6:
            columns.setdefault(section, []).append((cells[1].strip("`"), cells[2].strip("`")))
        elif section == "Footers":
            footer[cells[1].strip("`")] = KINDS if cells[2] == "all" else cells[2].split(", ")
    return columns, footer


def notation(kind):
    """Writes an Arrow type as the page does."""
    if pyarrow.types.is_list(kind):
        return f"list<{field(kind.value_field)}>"
    if pyarrow.types.is_struct(kind):
        return "struct<" + ", ".join(f"{f.name}: {field(f)}" for f in kind) + ">"
    return str(kind)


def field(f):
    return notation(f.type) + ("?" if f.nullable else "")


def check_files(out, kind, columns, footer):
    """Checks schemas and footers of one kind, and returns its rows."""
    paths = sorted(glob.glob(os.path.join(out, kind, "*.parquet")))
    check(paths, f"{kind}: no parts")
    rows = []
    for path in paths:
        part = pyarrow.parquet.ParquetFile(path)
        have = [(f.name, field(f)) for f in part.schema_arrow]
        for got, want in zip(have, columns):
            check(got == want, f"{path}: column {got}, documented as {want}")
        check(len(have) == len(columns), f"{path}: {len(have)} columns, {len(columns)} are documented")
        keys = {key.decode() for key in part.metadata.metadata}
        want = {key for key, kinds in footer.items() if kind in kinds}
        check(want <= keys, f"{path}: the footer lacks {sorted(want - keys)}")
        check(keys - {"ARROW:schema"} <= want, f"{path}: the footer has {sorted(keys - want)}, which are not documented")
        for group in range(part.metadata.num_row_groups):
            for column in range(part.metadata.num_columns):
                check(part.metadata.row_group(group).column(column).compression == "ZSTD", f"{path}: not zstd")
        rows += part.read().to_pylist()
    return rows


def check_tree(where, row, columns):
    n = len(row["tokens"])
    of_words = {name: kind for name, kind in columns if kind.startswith("list<") and name not in OF_SENTENCES}
    head = row["head"]
    check(n > 0, f"{where}: no tokens")
    for name, kind in of_words.items():
        check(row[name] is None and kind.endswith("?") or len(row[name]) == n, f"{where}: {name} has another length than tokens")
    check(all(0 <= h <= n for h in head), f"{where}: a head outside 0..{n}")
    check(head.count(0) == 1, f"{where}: {head.count(0)} roots")
    for word in range(1, n + 1):
        at, steps = word, 0
        while at and steps <= n:
            at, steps = head[at - 1], steps + 1
        check(at == 0, f"{where}: word {word} is on a cycle")
    for word in range(1, n + 1):
        is_root = (row["deprel"][word - 1] or "").split(":")[0] == "root"
        check(is_root == (head[word - 1] == 0), f"{where}: word {word} has head {head[word - 1]} and deprel {row['deprel'][word - 1]}")
    for name in of_words:
        for p in row[name] or [] if name.endswith(("_marginal", "_conf")) else []:
            check(p is not None and 0 <= p <= 1 and p * 4096 == round(p * 4096), f"{where}: {name} is {p}")
    p = row["tree_conf"]
    check(p is None or 0 <= p <= 1 and p * 4096 == round(p * 4096), f"{where}: tree_conf is {p}")
    check(row["certificate"] in CERTIFICATES, f"{where}: certificate {row['certificate']}")
    mended = row["certificate"] is None and row["tree_margin"] == 0  # perhaps: all trees were scored, then a head changed
    check(row["certificate"] == "all" or row["restarts"] > 0 or mended, f"{where}: no climbs, and not all trees were scored")
    for margin in row["head_margin"] + [row["tree_margin"]]:
        check(0 <= margin <= 64, f"{where}: a margin of {margin}")
    check(math.isfinite(row["tree_score"]), f"{where}: tree_score is {row['tree_score']}")
    check(row["head_marginal"] is not None, f"{where}: head_marginal is null")
    check_calibrated(where, row, n)
    check(row["restarts"] >= 0 and row["n_candidates"] >= n, f"{where}: {row['restarts']} restarts, {row['n_candidates']} candidates")
    check(row["status"] in STATUSES, f"{where}: status {row['status']}")
    for token in row["mwt"]:
        first, last = map(int, token["id"].split("-"))
        check(1 <= first < last <= n, f"{where}: multiword token {token['id']}")
    check_offsets(where, row, n)


def check_calibrated(where, row, n):
    heads, deprels = row["head_conf"], row["deprel_conf"]
    nulls = {heads is None, deprels is None, row["upos_conf"] is None, row["tree_conf"] is None}
    check(len(nulls) == 1, f"{where}: some columns of calibrated confidence are null, some are not")
    for head, deprel in zip(heads or [], deprels or []):
        check(deprel <= head, f"{where}: deprel_conf is {deprel}, head_conf {head}")


def check_offsets(where, row, n):
    check(row["start_byte"] < row["end_byte"], f"{where}: bytes {row['start_byte']} to {row['end_byte']}")
    if row["start_char"] is None:
        return
    text, last = row["text"], 0
    inside = {word for token in row["mwt"] for word in range(int(token["id"].split("-")[0]), int(token["id"].split("-")[1]) + 1)}
    for word in range(1, n + 1):
        start, end = row["start_char"][word - 1], row["end_char"][word - 1]
        check(0 <= start < end <= len(text) and (start >= last or word in inside), f"{where}: word {word} is at {start} to {end}")
        last = max(last, start)
        if word not in inside:
            form, slice_ = row["tokens"][word - 1], text[start:end]
            check(form.split() == slice_.split(), f"{where}: word {word} is {form!r}, the text has {slice_!r}")


def crc64(data):
    """The CRC-64/NVME of bytes."""
    crc = 2**64 - 1
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x9A6C9329AC4BC9B5 if crc & 1 else 0)
    return crc ^ 2**64 - 1


def check_sources(root, trees, documents):
    """Compares versions and offsets with the bytes of the source files."""
    for document in documents:
        path = os.path.join(root, document["source_uri"])
        data = open(path, "rb").read()
        check(f"crc64nvme:{crc64(data):016x}" == document["source_version"], f"{path}: source_version is not its sum")
        check((document["start_byte"], document["end_byte"]) == (0, len(data)), f"{path}: not all of it was covered")
        if document["format"] != "text":
            continue
        for row in trees:
            if row["source_uri"] == document["source_uri"]:
                source = data[row["start_byte"]:row["end_byte"]].decode()
                check(source.split() == row["text"].split(), f"{row['sent_id']}: the source has {source!r}, text is {row['text']!r}")
                check(row["sent_id"] == f"{row['doc_id']}@{row['start_byte']}", f"{row['sent_id']}: not doc_id@start_byte")


def check_sums(out, rows):
    summary = json.load(open(os.path.join(out, "summary.json"), encoding="utf-8"))
    manifest = json.load(open(os.path.join(out, "manifest.json"), encoding="utf-8"))
    trees, failures, documents = (rows[kind] for kind in KINDS)
    severities = collections.Counter(row["severity"] for row in failures)
    for name, have in {
        "trees": len(trees), "files": len(documents), "words": sum(len(row["tokens"]) for row in trees),
        "errors": severities["error"], "warnings": severities["warning"], "status": dict(collections.Counter(row["status"] for row in trees)),
        "blocks": sum(row["blocks"] for row in documents), "sentences": sum(row["sentences"] for row in documents),
    }.items():
        check(summary[name] == have, f"summary.json has {name} {summary[name]}, the rows {have}")
    check(summary["blocks"] == summary["segmented"] + summary["blocks_failed"], "the sum of blocks does not close")
    check(summary["sentences"] == summary["trees"] + summary["sentences_failed"], "the sum of sentences does not close")
    count = collections.Counter(row["source_uri"] for row in trees)
    for document in documents:
        check(document["trees"] == count[document["source_uri"]], f"{document['doc_id']}: wrong number of trees in documents/")
    check_expected(trees, documents, summary)
    named = {entry["path"] for entry in manifest["files"]}
    found = {os.path.relpath(path, out).replace(os.sep, "/") for kind in KINDS for path in glob.glob(os.path.join(out, kind, "*"))}
    check(named == found | {"summary.json"}, f"manifest.json and the folder differ: {sorted(named ^ found)}")
    for entry in manifest["files"]:
        check(os.path.getsize(os.path.join(out, entry["path"])) == entry["bytes"], f"{entry['path']}: wrong size in manifest.json")


def check_expected(trees, documents, summary):
    """Checks what is expected of documents and of all against the words that have probabilities."""
    words, right = collections.Counter(), collections.Counter()
    said = {name: collections.Counter() for name in ["upos_conf", "head_conf", "deprel_conf"]}
    for row in trees:
        words[row["source_uri"]] += len(row["head_conf"] or [])
        for name in said:
            said[name][row["source_uri"]] += sum(row[name] or [])
    for document in documents:
        where, n = document["doc_id"], document["calibrated_words"]
        check((n or 0) == words[document["source_uri"]] and n != 0, f"{where}: calibrated_words is {n}, {words[document['source_uri']]} words have head_conf")
        for name in ["upos", "uas", "las"]:
            share, stderr = document[f"expected_{name}"], document[f"expected_{name}_stderr"]
            check((share is None) == (stderr is None) == (n is None), f"{where}: expected_{name} is {share} +- {stderr} for {n} words")
            check(n is None or 0 <= share <= 1 and 0 <= stderr <= 1, f"{where}: expected_{name} is {share} +- {stderr}")
            right[name] += (share or 0) * (n or 0)
        if n:
            upos, head, deprel = (counter[document["source_uri"]] / n for counter in said.values())
            check(abs(document["expected_upos"] - upos) < 1e-9, f"{where}: expected_upos is {document['expected_upos']}, the mean of upos_conf {upos}")
            check(abs(document["expected_uas"] - head) < 1e-9, f"{where}: expected_uas is {document['expected_uas']}, the mean of head_conf {head}")
            check(deprel <= document["expected_las"] + 1e-9 <= head + 2e-9, f"{where}: expected_las is {document['expected_las']}, not in {deprel} to {head}")
    total, expected = sum(words.values()), summary.get("expected")
    check((expected is None) == (total == 0), f"summary.json expects {expected} of {total} words")
    for name in ["upos", "uas", "las"] if total and expected else []:
        check(expected["words"] == total and abs(right[name] / total - expected[name]) < 1e-5, f"summary.json expects {expected}, documents/ {right[name] / total}")


def check_duckdb(out, rows):
    """Reads the same with DuckDB, which has a Parquet reader of its own."""
    db = duckdb.connect()
    for kind in KINDS:
        pattern = os.path.join(out, kind, "*.parquet").replace("'", "''")
        table = db.sql(f"SELECT * FROM '{pattern}'")
        have = table.fetchall()
        check(len(have) == len(rows[kind]), f"DuckDB reads {len(have)} rows of {kind}, pyarrow {len(rows[kind])}")
        for got, want in zip(have, rows[kind]):
            if list(got) != [want[name] for name in table.columns]:
                check(False, f"DuckDB and pyarrow differ in {kind}: {got}")
                break
    pattern = os.path.join(out, "trees", "*.parquet").replace("'", "''")
    types = dict(db.sql(f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '{pattern}')").fetchall())
    for name, want in {"tokens": "VARCHAR[]", "head": "INTEGER[]", "head_marginal": "FLOAT[]", "start_byte": "BIGINT"}.items():
        check(types[name] == want, f"DuckDB sees {name} as {types[name]}, want {want}")


def main():
    out, page = sys.argv[1:3]
    if not os.path.exists(os.path.join(out, "manifest.json")):
        sys.exit(f"{out} has no manifest.json: it is no complete output of treebeam parse")
    columns, footer = documented(page)
    check(sorted(columns) == sorted(KINDS + ["words"]) and len(footer) > 5, f"{page} has tables of {sorted(columns)}, {len(footer)} footer keys")
    rows = {kind: check_files(out, kind, columns[kind], footer) for kind in KINDS}
    for row in rows["trees"]:
        check_tree(row["sent_id"], row, columns["trees"])
    places = [(row["source_uri"].encode(), row["start_byte"]) for row in rows["trees"]]
    check(places == sorted(places), "the trees are not in the order of the input")
    check(len({row["sent_id"] for row in rows["trees"]}) == len(rows["trees"]), "a sent_id is there twice")
    if len(sys.argv) > 3:
        check_sources(sys.argv[3], rows["trees"], rows["documents"])
    check_sums(out, rows)
    check_duckdb(out, rows)
    for fault in faults[:50]:
        print(fault, file=sys.stderr)
    if faults:
        sys.exit(f"{len(faults)} faults in {out}")
    print(f"{out}: {len(rows['trees'])} trees, {len(rows['failures'])} failures and {len(rows['documents'])} documents are as "
          f"{page} says, for pyarrow {pyarrow.__version__} and DuckDB {duckdb.__version__}")


main()
