"""Runs the examples of the documentation.

usage: examples.py PAGE OUT [KIND]

Of a Markdown page the fenced blocks marked sql (DuckDB), python and sh are
run, in order, in the working directory; 'out/' in the first two is replaced by
OUT. Blocks of other kinds are for reading. An example that fails, or a query
without rows, fails the run. Python examples whose library is not installed
are named and passed over. With KIND only blocks of that kind are run.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(sql|python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_sql(code):
    import duckdb

    result = duckdb.sql(code)
    rows = result.fetchall() if result is not None else []
    if code.startswith("CREATE "):  # what follows uses it
        return True, "done"
    return len(rows) > 0, f"{len(rows)} rows"


def run_python(code):
    library = re.search(r"^(?:import|from) (polars|pandas|pyarrow|pyspark|treebeam)", code, re.MULTILINE)
    if library:
        try:
            __import__(library[1])
        except ImportError:
            return True, f"passed over: no {library[1]} here"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "example", "exec"), {"__name__": "example"})
    return printed.getvalue() != "", f"{len(printed.getvalue().splitlines())} lines"


def run_shell(code):
    with tempfile.TemporaryFile("w+") as log:
        status = subprocess.run(["bash", "-euo", "pipefail", "-c", code], stdout=log, stderr=log).returncode
        log.seek(0)
        text = log.read()
    if status:
        print(text, file=sys.stderr)
    return status == 0, f"status {status}, {len(text.splitlines())} lines"


def main():
    page, out = sys.argv[1:3]
    only = sys.argv[3:]
    bad, count = 0, 0
    for kind, code in BLOCK.findall(open(page, encoding="utf-8").read()):
        if only and kind not in only:
            continue
        count += 1
        if kind != "sh":
            code = re.sub(r"""(?<=['"])out/""", os.path.join(out, ""), code)
        try:
            good, result = {"sql": run_sql, "python": run_python, "sh": run_shell}[kind](code)
        except Exception as error:
            good, result = False, repr(error)
        first = next(line for line in code.splitlines() if line.strip())
        print(f"{page}: {kind}: {first}: {result}")
        if not good:
            bad += 1
            print(f"this example failed:\n{code}", file=sys.stderr)
    if bad or not count:
        sys.exit(f"{bad} of {count} examples of {page} failed")


main()
