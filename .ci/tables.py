"""Writes tables with programs that are not ours, lets treebeam parse them, and
reads what it wrote.

usage: tables.py TREEBEAM FOLDER DOCS

TREEBEAM is the program, FOLDER a folder that may be filled, DOCS the page that
describes the columns of words/ (docs/parquet.md).
"""

import collections
import csv
import datetime
import decimal
import glob
import json
import os
import re
import subprocess
import sys

import duckdb
import pyarrow
import pyarrow.csv
import pyarrow.parquet

faults = []
ROWS = 400


def check(condition, message):
    if not condition:
        faults.append(message)


def rows():
    for i in range(ROWS):
        text = ["It rained.\nNobody \"went\" home, so they slept.", "", None, "Time flies; see a, b.", "Größe, 日本."][i % 5]
        yield {
            "key": i,
            "review": text,
            "stars": None if i % 7 == 0 else i / 8,
            "day": datetime.date(2020, 1, 1) + datetime.timedelta(days=i),
            "at": datetime.datetime(2020, 1, 1, 12, 30, 15, i, tzinfo=datetime.timezone.utc),
            "price": decimal.Decimal(i - 5).scaleb(-2),
            "good": i % 2 == 0,
            "tags": [None, [], ["a"], ["b", None, 'c"']][i % 4],
            "shop": {"town": f"town {i % 3}"},
        }


def said(value):
    """Says what treebeam is to keep of a value; None is null."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        text = value.strftime("%Y-%m-%dT%H:%M:%S")
        return (text + f".{value.microsecond:06d}".rstrip("0") if value.microsecond else text) + "Z"
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


def tables(folder):
    """Writes the rows in many ways. Returns {name: columns that it holds}."""
    source = pyarrow.Table.from_pylist(list(rows()), schema=pyarrow.schema([
        ("key", pyarrow.int64()), ("review", pyarrow.string()), ("stars", pyarrow.float64()), ("day", pyarrow.date32()),
        ("at", pyarrow.timestamp("us", tz="UTC")), ("price", pyarrow.decimal128(10, 2)), ("good", pyarrow.bool_()),
        ("tags", pyarrow.list_(pyarrow.string())), ("shop", pyarrow.struct([("town", pyarrow.string())]))]))
    every = ["stars", "day", "at", "price", "good", "tags", "shop.town"]
    some = ["stars", "good", "town"]
    names = {}
    for codec in ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]:
        names[f"{codec}.parquet"] = every
        pyarrow.parquet.write_table(source, os.path.join(folder, f"{codec}.parquet"), compression=codec, row_group_size=150)
    for version, dictionary in [("1.0", True), ("2.0", False)]:
        names[f"pages{version}.parquet"] = every
        pyarrow.parquet.write_table(source, os.path.join(folder, f"pages{version}.parquet"), data_page_version=version,
                                    use_dictionary=dictionary, data_page_size=500)
    pyarrow.parquet.write_table(source.set_column(1, "review", source["review"].cast(pyarrow.large_string())),
                                os.path.join(folder, "large.parquet"), column_encoding={"review": "DELTA_LENGTH_BYTE_ARRAY"},
                                use_dictionary=False)
    names["large.parquet"] = every
    flat = duckdb.sql("SELECT key, review, stars, good, shop.town AS town FROM source")
    flat.write_parquet(os.path.join(folder, "duck.parquet"))
    flat.write_csv(os.path.join(folder, "duck.csv"))
    flat.write_csv(os.path.join(folder, "duck.semicolon.csv"), sep=";")
    pyarrow.csv.write_csv(flat.to_arrow_table(), os.path.join(folder, "arrow.csv"))
    for name in ["duck.parquet", "duck.csv", "duck.semicolon.csv", "arrow.csv", "python.csv"]:
        names[name] = some
    with open(os.path.join(folder, "python.csv"), "w", encoding="utf-8-sig", newline="") as file:
        out = csv.writer(file)  # CRLF, as Excel has it
        out.writerow(flat.columns)
        out.writerows(["" if v is None else str(v).lower() if isinstance(v, bool) else v for v in row] for row in flat.fetchall())
    return names


def parse(program, folder, name, keep, out):
    subprocess.run([program, "parse", os.path.join(folder, name), "--text", "review", "--id", "key",
                    "--keep", ",".join(keep), "--words", "--output", out, "--quiet"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def check_output(name, keep, out, texts):
    """Checks trees and words of one table, with DuckDB and pyarrow."""
    read = lambda kind: duckdb.sql(f"SELECT * FROM '{out}/{kind}/*.parquet'").to_arrow_table().to_pylist()
    trees, words, documents = read("trees"), read("words"), read("documents")
    check(pyarrow.parquet.read_table(os.path.join(out, "trees")).num_rows == len(trees), f"{name}: pyarrow reads other trees than DuckDB")
    want = {str(row["key"]): row for row in rows()}
    found = collections.defaultdict(list)
    for tree in trees:
        found[tree["doc_id"]].append(tree["text"])
        row = want[tree["doc_id"]]
        for key in keep:
            value = row["shop"]["town"] if key in ("shop.town", "town") else row[key]
            check(tree[f"meta_{key}"] == said(value) or name.endswith(".csv") and key == "stars" and float(tree["meta_stars"]) == value,
                  f"{name}: {tree['sent_id']} has {key} {tree[f'meta_{key}']!r}, the table {value!r}")
    check(len(documents) == 1 and documents[0]["meta_stars"] is None, f"{name}: documents {documents}")
    texts.setdefault("first", dict(found))
    check(dict(found) == texts["first"], f"{name}: other sentences than in another table")
    check(len(found) == ROWS * 3 // 5, f"{name}: {len(found)} documents with trees")
    at = 0
    for tree in trees:
        for i, form in enumerate(tree["tokens"]):
            word = words[at]
            at += 1
            same = all(word[one] == tree[many][i] for one, many in {
                "lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats", "head": "head", "deprel": "deprel", "start_char": "start_char",
                "end_char": "end_char", "head_conf": "head_conf", "deprel_conf": "deprel_conf", "upos_conf": "upos_conf"}.items())
            same = same and all(word[name] == tree[name] for name in ["doc_id", "source_uri", "sent_id"] + [f"meta_{key}" for key in keep])
            check(same and word["form"] == form and word["id"] == i + 1, f"{name}: {word} is not word {i + 1} of {tree['sent_id']}")
    check(at == len(words), f"{name}: {len(words)} words, {at} in trees")
    return words


def check_flat(program, out, words):
    """Compares what convert writes with words/."""
    for to, separator in [("tsv", "\t"), ("csv", ",")]:
        path = f"{out}.{to}"
        subprocess.run([program, "convert", out, "--output", path], check=True, stderr=subprocess.DEVNULL)
        table = duckdb.sql(f"SELECT * FROM read_csv('{path}', delim='{separator}', header=true, quote='\"', escape='\"', all_varchar=true)")
        names, have = table.columns, table.fetchall()
        check(names == list(words[0]), f"convert --to {to} has columns {names}, words/ {list(words[0])}")
        check(len(have) == len(words), f"convert --to {to} has {len(have)} rows, words/ {len(words)}")
        for got, want in zip(have, words):
            text = [None if v is None else v if isinstance(v, str) else f"{v:.6g}" for v in want.values()]
            got = [v if v is None or not isinstance(w, float) else f"{float(v):.6g}" for v, w in zip(got, want.values())]
            if got != text:
                check(False, f"convert --to {to} has {got}, words/ {text}")
                break


def check_columns(out, page):
    """Compares the columns of words/ with the table of the page."""
    section = open(page, encoding="utf-8").read().split("\n## words/\n")[1].split("\n## ")[0]
    want = re.findall(r"^\| `(\w+)` \| `([^`]+)`", section, re.M)
    path = sorted(glob.glob(f"{out}/words/*.parquet"))[0]
    have = [(f.name, f"{f.type}" + ("?" if f.nullable else "")) for f in pyarrow.parquet.ParquetFile(path).schema_arrow]
    check(want == [column for column in have if not column[0].startswith("meta_")], f"words/ has {have}, {page} {want}")


def main():
    program, folder, page = sys.argv[1:4]
    texts = {}
    names = tables(folder)
    for name, keep in names.items():
        out = os.path.join(folder, name + ".out")
        parse(program, folder, name, keep, out)
        words = check_output(name, keep, out, texts)
    check_flat(program, out, words)
    check_columns(out, page)
    for fault in faults[:20]:
        print(fault, file=sys.stderr)
    if faults:
        sys.exit(f"{len(faults)} faults in {folder}")
    print(f"{len(names)} tables of {ROWS} rows by pyarrow {pyarrow.__version__}, DuckDB {duckdb.__version__} and Python come back with their values")


main()
