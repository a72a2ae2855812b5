"""Searches in trees, done by the program."""

from __future__ import annotations

import re
import warnings
from typing import Dict, Iterable, List

from ._arguments import kind
from ._documents import Document, Sentence, Word
from ._draw import run
from ._process import REFUSED, TreebeamError, TreebeamWarning


class Hit:
    """Words that match a pattern.

    ``hit["v"]`` is the word with the name ``v`` in the pattern. In a pattern without
    names, the words are ``hit["1"]``, ``hit["2"]`` and so on.
    """

    __slots__ = ("sentence", "words")

    sentence: Sentence
    words: Dict[str, Word]  #: by name, in the order of the pattern

    def __init__(self, sentence: Sentence, words: Dict[str, Word]):
        self.sentence, self.words = sentence, words

    def __getitem__(self, name: str) -> Word:
        return self.words[name]

    def __repr__(self) -> str:
        return f"<Hit {' '.join(f'{name}={word.form!r}' for name, word in self.words.items())}>"


def find(documents: Iterable[Document], pattern: str) -> List[Hit]:
    """Returns what matches a pattern of ``treebeam find``, in the order of the documents."""
    if not isinstance(pattern, str):
        raise TypeError(f"pattern is {kind(pattern)}, not a string such as 'VERB >nsubj NOUN'")
    sentences: List[Sentence] = []
    lines: List[str] = []
    program = ""
    for document in documents:
        program = document._program
        for sentence in document.sentences:
            # The program returns sentences with a hit only: their ids say which they are.
            lines.append(re.sub("^# sent_id = .*$", f"# sent_id = {len(sentences)}", sentence.to_conllu(conf=True), count=1, flags=re.MULTILINE))
            sentences.append(sentence)
    if not sentences:
        return []
    hits: List[Hit] = []
    at = 0
    try:
        found, said = run(program, ["find", "--to", "conllu", "--", "-", pattern], "".join(lines))
    except TreebeamError as error:
        if error.status != REFUSED:
            raise
        raise ValueError(str(error)[len("treebeam find: ") :]) from None
    for line in said.splitlines():
        if not line.startswith("hits: "):
            warnings.warn(line, TreebeamWarning, stacklevel=3)
    for line in found.split("\n"):  # forms may have other line breaks
        if line.startswith("# sent_id = "):
            at = int(line[len("# sent_id = ") :])
        elif line.startswith("# hit = "):
            named = (item.rpartition(":") for item in line[len("# hit = ") :].split())
            hits.append(Hit(sentences[at], {name: sentences[at].words[int(id) - 1] for name, _, id in named}))
    return hits
