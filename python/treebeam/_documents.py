"""What the program says of a text, as objects."""

# mypy: disable-error-code=no-any-return
from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union, overload

from . import _draw, _frame

if TYPE_CHECKING:
    from ._search import Hit

Row = Dict[str, Any]

_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Word:
    """A syntactic word of a sentence.

    Words are equal only if they are the same word. ``str(word)`` is its form.
    """

    __slots__ = ("sentence", "id")

    sentence: "Sentence"  #: the sentence that it stands in
    id: int  #: its number in the sentence, from 1

    def __init__(self, sentence: "Sentence", id: int):
        self.sentence, self.id = sentence, id

    def _of(self, column: str) -> Any:
        values = self.sentence._row[column]
        return None if values is None else values[self.id - 1]

    @property
    def text(self) -> str:
        """The form of the word."""
        return self._of("tokens")

    @property
    def form(self) -> str:
        """The same as ``text``, by its name in CoNLL-U."""
        return self._of("tokens")

    @property
    def lemma(self) -> Optional[str]:
        """The lemma."""
        return self._of("lemmas")

    @property
    def upos(self) -> Optional[str]:
        """The universal part of speech, such as ``NOUN``."""
        return self._of("upos")

    @property
    def xpos(self) -> Optional[str]:
        """The part of speech of the treebank, such as ``NNS``."""
        return self._of("xpos")

    @property
    def feats(self) -> Dict[str, str]:
        """The morphological features, such as ``{"Number": "Plur"}``."""
        return dict(f.split("=", 1) for f in (self._of("feats") or "").split("|") if "=" in f)

    @property
    def deprel(self) -> str:
        """The relation to the head, such as ``nsubj``."""
        return self._of("deprel")

    @property
    def misc(self) -> Optional[str]:
        """The column MISC of CoNLL-U, or None."""
        return self._of("misc")

    @property
    def head(self) -> Optional["Word"]:
        """The head, or None for the root."""
        return self.sentence.words[self.head_id - 1] if self.head_id else None

    @property
    def head_id(self) -> int:
        """The number of the head in the sentence; 0 for the root."""
        return self._of("head")

    @property
    def children(self) -> List["Word"]:
        """The words whose head this is, in the order of the sentence."""
        return [word for word in self.sentence.words if word.head_id == self.id]

    @property
    def subtree(self) -> List["Word"]:
        """The word and all words below it, in the order of the sentence."""
        below: Dict[int, List[int]] = {}
        for word in self.sentence.words:
            below.setdefault(word.head_id, []).append(word.id)
        found = [self.id]
        for id in found:  # grows
            found += below.get(id, ())
        return [self.sentence.words[id - 1] for id in sorted(found)]

    @property
    def head_conf(self) -> Optional[float]:
        """How probable it is that the head is right, 0 to 1. None if the model has no calibrator."""
        return self._of("head_conf")

    @property
    def deprel_conf(self) -> Optional[float]:
        """How probable it is that head and relation are right."""
        return self._of("deprel_conf")

    @property
    def upos_conf(self) -> Optional[float]:
        """How probable it is that the part of speech is right."""
        return self._of("upos_conf")

    @property
    def start(self) -> Optional[int]:
        """Where it begins in the text of the document, in characters.

        The words of a multiword token share its place. None if it is not known.
        """
        places = self.sentence._places
        return None if places is None else places[self._of("start_char")]

    @property
    def end(self) -> Optional[int]:
        """Where it ends in the text of the document, in characters."""
        places = self.sentence._places
        return None if places is None else places[self._of("end_char") - 1] + 1

    def to_dict(self) -> Dict[str, Any]:
        """Returns all that is known of the word; ``head`` is the number of the head."""
        names = ("id", "form", "lemma", "upos", "xpos", "feats", "deprel", "start", "end", "head_conf", "deprel_conf", "upos_conf", "misc")
        return {**{name: getattr(self, name) for name in names}, "head": self.head_id}

    def __str__(self) -> str:
        return self.form

    def __repr__(self) -> str:
        return f"<Word {self.id} {self.form!r} {self.upos} {self.deprel}>"


class Token:
    """A token of the text: a word, or several, such as English ``don't``."""

    __slots__ = ("text", "words")

    text: str  #: as it is written
    words: List[Word]  #: at least one

    def __init__(self, text: str, words: List[Word]):
        self.text, self.words = text, words

    @property
    def start(self) -> Optional[int]:
        """Where it begins in the text of the document, in characters, or None."""
        return self.words[0].start

    @property
    def end(self) -> Optional[int]:
        """Where it ends in the text of the document, in characters, or None."""
        return self.words[-1].end

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Token {self.text!r}>"


class Sentence:
    """A sentence with its tree.

    ``sentence[i]`` is a word, and iterating gives all of them.

        >>> sentence = treebeam.load("english")("Nobody saw the boat.").sentences[0]
        >>> sentence.root, sentence[-2].head, sentence[2:4]
        (<Word 2 'saw' VERB root>, <Word 2 'saw' VERB root>, [<Word 3 'the' DET det>, <Word 4 'boat' NOUN obj>])
    """

    __slots__ = ("document", "words", "_row", "__places")

    document: "Document"  #: the document that it stands in
    words: List[Word]  #: ``words[i].id`` is ``i + 1``

    def __init__(self, document: "Document", row: Row):
        self.document, self._row = document, row
        self.words = [Word(self, i + 1) for i in range(len(row["tokens"]))]
        self.__places: Any = False  # until they are asked for

    @property
    def id(self) -> str:
        """The id of the document and the number of the sentence."""
        return self._row["sent_id"]

    @property
    def text(self) -> str:
        """The text of the sentence, on one line."""
        return self._row["text"]

    @property
    def start(self) -> int:
        """Where it begins in the text of the document, in characters."""
        return self._row["start"]

    @property
    def end(self) -> int:
        """Where it ends in the text of the document, in characters."""
        return self._row["end"]

    @property
    def tokens(self) -> List[Token]:
        """The tokens of the text. A multiword token has several words."""
        found, at = [], 0
        for mwt in [*self._row["mwt"], {"id": "0-0"}]:
            first, last = (int(end) for end in mwt["id"].split("-"))
            alone = self.words[at : first - 1] if first else self.words[at:]
            found += [Token(word.form, [word]) for word in alone]
            if first:
                found.append(Token(mwt["form"], self.words[first - 1 : last]))
            at = last
        return found

    @property
    def root(self) -> Word:
        """The root of the tree."""
        return self.words[self._row["head"].index(0)]

    @property
    def tree_conf(self) -> Optional[float]:
        """How probable it is that the whole tree is right, 0 to 1. None if the model has no calibrator."""
        return self._row["tree_conf"]

    @property
    def certificate(self) -> Optional[str]:
        """Why no other tree scores higher: ``all``, ``bound``, or None."""
        return self._row["certificate"]

    @property
    def language(self) -> Optional[str]:
        """The code of the language that it was parsed in, such as ``de``. ``und`` stands for an unknown one."""
        return self._row["language"]

    @property
    def language_conf(self) -> Optional[float]:
        """How probable that language is, 0 to 1.

        It was found for the whole document, or for a long paragraph in another language,
        so all sentences of that text have the same number. None if the language was given,
        or could not be told from the text.
        """
        return self._row["language_conf"]

    @property
    def status(self) -> str:
        """``ok``, ``repaired``, ``long`` or ``budget``."""
        return self._row["status"]

    @property
    def _places(self) -> Optional[List[int]]:
        if self.__places is False:
            self.__places = _align(self.text, self.document.text[self.start : self.end], self.start)
        return self.__places

    def to_dict(self) -> Dict[str, Any]:
        """Returns the sentence as dictionaries and lists."""
        names = ("id", "text", "start", "end", "tree_conf", "certificate", "status", "language")
        tokens = [{"first": t.words[0].id, "last": t.words[-1].id, "form": t.text} for t in self.tokens if len(t.words) > 1]
        words = [word.to_dict() for word in self.words]
        return {**{name: getattr(self, name) for name in names}, "words": words, "multiword_tokens": tokens}

    def to_conllu(self, conf: bool = False) -> str:
        """Returns the sentence as CoNLL-U. With ``conf``, MISC has the probabilities."""
        return conllu_of([self._row], conf)

    def to_svg(self, conf: bool = True) -> str:
        """Returns a picture of the tree as SVG. With ``conf``, it shows how sure the parser is."""
        return _draw.draw(self.to_conllu(conf), "svg", conf, self.document._program)

    def to_tree(self, conf: bool = False) -> str:
        """Returns the tree drawn with characters, a word in each line. With ``conf``, it shows how sure the parser is.

            >>> print(treebeam.load("english")("Nobody saw the boat.")[0].to_tree())
            0-1
            Nobody saw the boat.
             ╭───╼ Nobody  PRON   nsubj
            ─┼───╼ saw     VERB   root
             │ ╭─╼ the     DET    det
             ├─┴─╼ boat    NOUN   obj
             ╰───╼ .       PUNCT  punct
        """
        return _draw.draw(self.to_conllu(conf), "tree", conf, self.document._program).rstrip("\n")

    def _repr_svg_(self) -> str:  # for notebooks
        return self.to_svg()

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)

    @overload
    def __getitem__(self, i: int) -> Word: ...
    @overload
    def __getitem__(self, i: slice) -> List[Word]: ...
    def __getitem__(self, i: Union[int, slice]) -> Union[Word, List[Word]]:
        return self.words[i]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Sentence {self.id!r}: {self.text!r}>"


@dataclasses.dataclass(frozen=True)
class Failure:
    """Something that could not be parsed, or a warning."""

    severity: str  #: error: a sentence is missing; warning: nothing is
    kind: str  #: such as ``record_too_long``: docs/failures.md
    reason: str  #: what is wrong, and what to do
    stage: str  #: of the program
    text: Optional[str]  #: that is missing, its first 1,000 bytes


class Document:
    """A text and its sentences.

    ``document[i]`` is a sentence, and iterating gives all of them. Two documents are
    equal if their ids, texts, trees and failures are.
    """

    __slots__ = ("id", "text", "sentences", "failures", "_program")

    id: str  #: as it was given, or the number of the text, from 0
    text: str  #: as it was given; of pretokenized input, the tokens with a space between each two
    sentences: List[Sentence]
    failures: List[Failure]  #: what could not be parsed

    def __init__(self, id: str, text: str, rows: List[Row], failures: List[Failure], program: str):
        self.id, self.text, self.failures, self._program = id, text, failures, program
        self.sentences = [Sentence(self, row) for row in rows]

    @property
    def language(self) -> Optional[str]:
        """The language of most of its words. None if there are no sentences."""
        words: Dict[Optional[str], int] = {}
        for sentence in self.sentences:
            words[sentence.language] = words.get(sentence.language, 0) + len(sentence)
        return max(words, key=lambda language: words[language], default=None)

    @property
    def words(self) -> List[Word]:
        """All words of all sentences."""
        return [word for sentence in self.sentences for word in sentence.words]

    def to_dict(self) -> Dict[str, Any]:
        """Returns the document as dictionaries and lists, which can be written as JSON."""
        sentences = [sentence.to_dict() for sentence in self.sentences]
        return {"id": self.id, "text": self.text, "sentences": sentences, "failures": [dataclasses.asdict(f) for f in self.failures]}

    def to_conllu(self, conf: bool = False) -> str:
        """Returns the trees as CoNLL-U. With ``conf``, MISC has the probabilities."""
        return conllu_of([sentence._row for sentence in self.sentences], conf)

    def to_html(self, conf: bool = True) -> str:
        """Returns a page with the trees. With ``conf``, they show how sure the parser is."""
        return _draw.draw(self.to_conllu(conf), "html", conf, self._program)

    def words_frame(self, library: Optional[str] = None) -> Any:
        """Returns a table with a row for each word.

        ``library`` is ``"pandas"``, ``"polars"`` or ``"arrow"``; by default the first of
        these that is installed.
        """
        return _frame.frame([self], library)

    def find(self, pattern: str) -> List["Hit"]:
        """Returns what matches a pattern of ``treebeam find``, in the order of the text.

        ValueError says what is wrong with a pattern. A relation that Universal Dependencies
        do not have is a TreebeamWarning if nothing matches.

            >>> doc = treebeam.load("english")("The old boat sank in the harbour. Nobody cared.")
            >>> [(hit["v"].lemma, hit["s"].text) for hit in doc.find("v:VERB >nsubj s:_")]
            [('sink', 'boat'), ('care', 'Nobody')]
        """
        from ._search import find

        return find([self], pattern)

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self.sentences)

    def __len__(self) -> int:
        return len(self.sentences)

    @overload
    def __getitem__(self, i: int) -> Sentence: ...
    @overload
    def __getitem__(self, i: slice) -> List[Sentence]: ...
    def __getitem__(self, i: Union[int, slice]) -> Union[Sentence, List[Sentence]]:
        return self.sentences[i]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Document):
            return NotImplemented
        return self._key() == other._key()

    __hash__ = None  # type: ignore[assignment]

    def _key(self) -> Tuple[Any, ...]:
        return self.id, self.text, [s._row for s in self.sentences], self.failures

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        text = self.text if len(self.text) <= 60 else self.text[:60] + "..."
        count = len(self.sentences)
        return f"<Document {self.id!r}: {text!r}, {count} sentence{'s' * (count != 1)}>"

    def __getstate__(self) -> Tuple[Any, ...]:
        return (*self._key(), self._program)

    def __setstate__(self, state: Tuple[Any, ...]) -> None:
        id, text, rows, failures, program = state
        self.__init__(id, text, rows, failures, program)  # type: ignore[misc]


def name_of(document: str) -> str:
    """Returns the id of a document as it stands in a comment of CoNLL-U."""
    return _BREAKS.sub(lambda m: "".join(f"%{byte:02X}" for byte in m[0].encode()), document)


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


def conllu_of(rows: Iterable[Row], conf: bool = False) -> str:
    """Writes rows as CoNLL-U, as the program does."""
    lines: List[str] = []
    for row in rows:
        lines += row["comments"]
        lines += [f"# sent_id = {row['sent_id']}", f"# text = {row['text']}"]
        if conf and row["tree_conf"] is not None:
            lines.append(f"# tree_conf = {row['tree_conf']:.4f}")
        if conf and row["certificate"]:
            lines.append(f"# certificate = {row['certificate']}")
        ranges = {int(mwt["id"].split("-")[0]): mwt for mwt in row["mwt"]}
        for i, form in enumerate(row["tokens"]):
            mwt = ranges.get(i + 1)
            if mwt:
                lines.append("\t".join([mwt["id"], mwt["form"], *"___", mwt["feats"] or "_", *"___", mwt["misc"] or "_"]))
            columns = [row[column][i] for column in ("lemmas", "upos", "xpos", "feats", "head", "deprel", "deps")]
            columns.append(_misc(row, i) if conf else row["misc"][i])
            lines.append("\t".join([str(i + 1), form, *("_" if c is None else str(c) for c in columns)]))
        lines.append("")
    return "".join(line + "\n" for line in lines)


def _misc(row: Row, i: int) -> Optional[str]:
    """Returns MISC of a word with its probabilities."""
    items = [row["misc"][i]] if row["misc"][i] else []
    for key, column in (("HeadConf", "head_conf"), ("DeprelConf", "deprel_conf"), ("UPOSConf", "upos_conf")):
        if row[column]:
            items.append(f"{key}={row[column][i]:.4f}")
    return "|".join(items) or None
