"""What the program writes, as rows with places in the text."""

from __future__ import annotations

import json
from typing import List, Tuple

from ._documents import Failure, Row, name_of
from ._process import Ticket

_AROUND = " \t\r\n\v\f\x1c\x1d\x1e\x1f"  # tokens, where the program removes it


def rows_of(document: str, ticket: Ticket) -> Tuple[List[Row], List[Failure]]:
    """Returns the rows of the sentences of a document, and its failures.

    The rows have the columns of the program's JSON lines, but ids that depend
    on the document only, and ``start`` and ``end`` in characters of its text.
    """
    rows: List[Row] = []
    failures: List[Failure] = []
    places = _Places(ticket)
    name = name_of(document)
    for line in ticket.lines:
        row = json.loads(line)
        if "severity" in row:
            failures.append(Failure(*(row[key] for key in ("severity", "kind", "reason", "stage", "text"))))
            continue
        row["start"], row["end"] = places.of(row.pop("start_byte"), row.pop("end_byte"))
        row["sent_id"], row["doc_id"] = f"{name}-{len(rows) + 1}", document
        row["comments"] = [f"# newdoc id = {name}" if c.startswith("# newdoc id = ") else c for c in row["comments"]]
        del row["source_uri"]
        rows.append(row)
    return rows, failures


class _Places:
    """Turns offsets in the stream into characters of a text, in ascending order."""

    def __init__(self, ticket: Ticket):
        self._ticket = ticket
        self._plain = ticket.literal.isascii() and b"\\" not in ticket.literal and not ticket.tokens
        self._byte = self._char = 0

    def of(self, start: int, end: int) -> Tuple[int, int]:
        first, last = self._at(start), self._at(end)
        if not self._ticket.tokens:
            return first, last
        span = self._ticket.text[first : last - 1]  # of tokens as they were given
        first += len(span) - len(span.lstrip(_AROUND))
        return first, first + len(span.strip(_AROUND))

    def _at(self, offset: int) -> int:
        offset -= self._ticket.offset
        if self._plain:
            return offset
        if offset < self._byte:
            self._byte = self._char = 0
        piece = self._ticket.literal[self._byte : offset]
        self._byte = offset
        if self._ticket.tokens:  # each has a space behind it in the text
            self._char += sum(len(token) + 1 for sentence in json.loads(b"[" + piece.strip(b", ") + b"]") for token in sentence)
        else:
            self._char += len(json.loads(b'"' + piece + b'"'))
        return self._char
