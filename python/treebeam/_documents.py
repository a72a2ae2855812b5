"""What the program says of a document, as dictionaries."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Optional, Tuple, TypedDict

from ._process import Ticket

Row = Dict[str, Any]

_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Word(TypedDict):
    """A syntactic word."""

    id: int  #: from 1, in the sentence
    form: str
    lemma: Optional[str]
    upos: Optional[str]
    xpos: Optional[str]
    feats: Dict[str, str]  #: for instance {"Number": "Sing"}
    head: int  #: the id of the head; 0 is the root
    deprel: str
    start: Optional[int]  #: in the text of the document, in characters; None if it is not known
    end: Optional[int]
    head_conf: Optional[float]  #: how probable it is that the head is right, 0 to 1
    deprel_conf: Optional[float]  #: that head and deprel are right
    upos_conf: Optional[float]
    misc: Optional[str]


class MultiwordToken(TypedDict):
    """A token of the text that is several words, such as English ``don't``."""

    first: int  #: ids of its first and its last word
    last: int
    form: str


class Sentence(TypedDict):
    """A sentence with its tree."""

    id: str
    text: str
    start: int  #: in the text of the document, in characters
    end: int
    words: List[Word]
    multiword_tokens: List[MultiwordToken]
    tree_conf: Optional[float]  #: how probable it is that the whole tree is right
    certificate: Optional[str]
    status: str  #: ok, repaired, long or budget


class Failure(TypedDict):
    """Something that could not be parsed, or a warning."""

    severity: str  #: error: a sentence is missing; warning: nothing is
    kind: str
    reason: str
    stage: str
    text: Optional[str]


class Document(TypedDict):
    """A text and its sentences."""

    id: str
    text: str
    sentences: List[Sentence]
    failures: List[Failure]


def rows_of(document: str, text: str, ticket: Ticket) -> Tuple[List[Row], List[Failure]]:
    """Returns the rows of the sentences of a document, and its failures.

    The rows have the columns of the program's JSON lines, but ids that depend
    on the document only, and ``start`` and ``end`` in characters of its text.
    """
    rows: List[Row] = []
    failures: List[Failure] = []
    places = _Places(ticket)
    name = _BREAKS.sub(lambda m: "".join(f"%{byte:02X}" for byte in m[0].encode()), document)  # in a comment
    for line in ticket.lines:
        row = json.loads(line)
        if "severity" in row:
            failures.append(
                {
                    "severity": row["severity"],
                    "kind": row["kind"],
                    "reason": row["reason"],
                    "stage": row["stage"],
                    "text": row["text"],
                }
            )
            continue
        row["start"], row["end"] = places.of(row.pop("start_byte")), places.of(row.pop("end_byte"))
        row["sent_id"], row["doc_id"] = f"{name}-{len(rows) + 1}", document
        row["comments"] = [f"# newdoc id = {name}" if c.startswith("# newdoc id = ") else c for c in row["comments"]]
        del row["source_uri"]
        rows.append(row)
    return rows, failures


class _Places:
    """Turns offsets in the stream into characters of a text, in ascending order."""

    def __init__(self, ticket: Ticket):
        self._ticket = ticket
        self._plain = ticket.literal.isascii() and b"\\" not in ticket.literal
        self._byte = self._char = 0

    def of(self, offset: int) -> int:
        offset -= self._ticket.offset
        if self._plain:
            return offset
        if offset < self._byte:
            self._byte = self._char = 0
        piece = self._ticket.literal[self._byte : offset]
        self._byte = offset
        self._char += len(json.loads(b'"' + piece + b'"'))
        return self._char


def sentence_of(row: Row, text: str) -> Sentence:
    """Makes a sentence of a row; text is that of its document."""
    count = len(row["tokens"])
    places = _align(row["text"], text[row["start"] : row["end"]], row["start"])
    words: List[Word] = []
    for i in range(count):
        start = end = None
        if places is not None:
            start = places[row["start_char"][i]]
            end = places[row["end_char"][i] - 1] + 1
        words.append(
            {
                "id": i + 1,
                "form": row["tokens"][i],
                "lemma": row["lemmas"][i],
                "upos": row["upos"][i],
                "xpos": row["xpos"][i],
                "feats": dict(f.split("=", 1) for f in (row["feats"][i] or "").split("|") if "=" in f),
                "head": row["head"][i],
                "deprel": row["deprel"][i],
                "start": start,
                "end": end,
                "head_conf": row["head_conf"] and row["head_conf"][i],
                "deprel_conf": row["deprel_conf"] and row["deprel_conf"][i],
                "upos_conf": row["upos_conf"] and row["upos_conf"][i],
                "misc": row["misc"][i],
            }
        )
    tokens: List[MultiwordToken] = []
    for mwt in row["mwt"]:
        first, last = mwt["id"].split("-")
        tokens.append({"first": int(first), "last": int(last), "form": mwt["form"]})
    return {
        "id": row["sent_id"],
        "text": row["text"],
        "start": row["start"],
        "end": row["end"],
        "words": words,
        "multiword_tokens": tokens,
        "tree_conf": row["tree_conf"],
        "certificate": row["certificate"],
        "status": row["status"],
    }


def _align(sentence: str, source: str, start: int) -> Optional[List[int]]:
    """Returns where each character of a sentence stands in the document.

    They differ in white space: a line break of the document is a space of the
    sentence. None if they differ in more.
    """
    if sentence == source:
        return list(range(start, start + len(source)))
    places: List[int] = []
    at = 0
    for c in sentence:
        while at < len(source) and source[at].isspace() and not c.isspace():
            at += 1
        if at == len(source):
            return None
        places.append(start + at)
        if c.isspace():
            if source[at].isspace():
                at += 1
            continue
        if c != source[at] and c != "\ufffd":
            return None
        at += 1
    return places


def conllu_of(rows: List[Row]) -> str:
    """Writes rows as CoNLL-U, as the program does."""
    lines: List[str] = []
    for row in rows:
        lines += row["comments"]
        lines += [f"# sent_id = {row['sent_id']}", f"# text = {row['text']}"]
        ranges = {int(mwt["id"].split("-")[0]): mwt for mwt in row["mwt"]}
        for i, form in enumerate(row["tokens"]):
            mwt = ranges.get(i + 1)
            if mwt:
                lines.append("\t".join([mwt["id"], mwt["form"], *"___", mwt["feats"] or "_", *"___", mwt["misc"] or "_"]))
            columns = [row[column][i] for column in ("lemmas", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")]
            lines.append("\t".join([str(i + 1), form, *("_" if c is None else str(c) for c in columns)]))
        lines.append("")
    return "".join(line + "\n" for line in lines)
