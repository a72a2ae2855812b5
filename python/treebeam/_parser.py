"""The parser."""

from __future__ import annotations

import collections
import json
import numbers
import os
import re
import shutil
import subprocess
import sys
import threading
import warnings
import weakref
from typing import TYPE_CHECKING, Any, Deque, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, TypeVar, Union, overload

from . import _draw, _frame
from ._arguments import AUTO, ENGLISH, ONE, apart, list_of, model_of, path_of, text_of, texts_of
from ._documents import Document, Failure, Row, conllu_of
from ._process import Process, Ticket, TreebeamError, TreebeamWarning
from ._rows import rows_of

if TYPE_CHECKING:
    from typing import Literal

    import pyarrow  # type: ignore[import-untyped,unused-ignore]
    import spacy

#: A text that is cut into sentences and tokens already.
Sentences = Sequence[Sequence[str]]

Context = TypeVar("Context")

_LOOK_AHEAD = 400_000  # characters; less starves the program, more only costs memory
_MOST_AHEAD = 2_000  # documents

_PIPE = ("parse", "-", "--from", "jsonl", "--to", "jsonl", "--end-marks", "--quiet")


def program() -> str:
    """Returns the path of the program: that of the wheel, else of ``PATH``."""
    name = "treebeam.exe" if sys.platform == "win32" else "treebeam"
    ours = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    if os.path.exists(ours):
        return ours
    found = shutil.which("treebeam")
    if found is None:
        raise TreebeamError("there is no program treebeam, neither in this package nor in PATH: install the wheel of this platform")
    return found


class Parser:
    """Parses texts into dependency trees: call it with a text, or ``pipe`` with many.

    ``model`` is ``"english"`` (the default), another language that is in the program, by
    name or code (``languages``), ``"auto"``, which finds the language of each text, or the
    path of a model file. ``language`` instead names the languages to choose from, as a
    list or with commas between them, such as ``"de,fr"``. A text whose language is unclear
    is parsed in the first of them; with ``"auto"``, that is English.

    English is parsed by the accurate model. ``fast`` uses the fast one, which takes a
    third of the time and makes more mistakes. ``effort``, from 0 to 1, is between: the
    sentences whose expected LAS is not lower in the fast model keep its parse.
    ``accurate`` names the default. All three are refused for languages without English,
    which have one model each, and ``fast`` together with one of the others. ``lines`` says what a line
    break in a text means: ``auto``, ``wrapped``, ``paragraph`` or ``sentence``.
    ``abbreviations``, ``keep_together`` and ``exceptions`` name files with your own lists.
    ``threads`` is how many threads compute, by default one for each core. ``options`` are
    more flags of ``treebeam parse``, for instance ``["--projective"]``. Those that change
    what is read or written, such as ``--from``, ``--to`` and ``--output``, raise
    ValueError. ``executable`` is a program to use instead of the wheel's.

    ``look_ahead`` is how many characters of texts are read and sent before the first
    result is used; 0 sends one text at a time.

    One process of the program serves a parser until ``close``, the end of a ``with``
    block, or Python's own end. The constructor starts it, and raises TreebeamError if it
    refuses the options or does not answer within two minutes. If it dies, or after a fork,
    the next call starts another. Threads may share a parser; each call then waits for its
    own texts only. A parser can be pickled: the copy starts a process of its own.

        >>> nlp = treebeam.load("auto")
        >>> nlp("Die Katze schläft auf dem alten Sofa.").language
        'de'
    """

    def __init__(
        self,
        model: Union[str, "os.PathLike[str]", None] = None,
        *,
        language: Union[str, Sequence[str], None] = None,
        fast: bool = False,
        accurate: bool = False,
        effort: Optional[float] = None,
        lines: str = "auto",
        abbreviations: Union[str, "os.PathLike[str]", None] = None,
        keep_together: Union[str, "os.PathLike[str]", None] = None,
        exceptions: Union[str, "os.PathLike[str]", None] = None,
        threads: Optional[int] = None,
        options: Sequence[str] = (),
        look_ahead: int = _LOOK_AHEAD,
        executable: Optional[str] = None,
    ):
        options = list_of(options)
        path, chosen = model_of(model, language, lambda: languages(executable))
        if model in (None, ENGLISH) and language is None and any(option.startswith(("--model", "-m")) for option in options):
            chosen = None
        if fast and (accurate or effort is not None):
            raise ValueError("fast excludes accurate and effort: leave out fast, or the others")
        if chosen not in (None, AUTO) and (fast or accurate or effort is not None) and not re.search(r"(?i)\ben(glish)?\b", str(chosen)):
            raise ValueError(f"fast, accurate and effort are for English, not for language={chosen!r}: leave them out")
        self._language = chosen if chosen is not None and len(chosen) == 2 else None
        self._command = [executable or program(), *_PIPE]
        self._command += ["--fast"] * bool(fast) + ["--accurate"] * bool(accurate)
        for flag, value in (
            ("--lines", lines),
            ("--model", path),
            ("--language", chosen),
            ("--effort", effort),
            ("--abbreviations", abbreviations),
            ("--keep-together", keep_together),
            ("--exceptions", exceptions),
            ("--threads", threads),
        ):
            if value is not None:
                self._command += [flag, str(value) if isinstance(value, numbers.Number) else path_of(flag[2:].replace("-", "_"), value)]
        self._command += options
        self._look_ahead = look_ahead
        self._head = ""
        self._open()

    def _open(self) -> None:
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._closed = False
        self._process: Optional[Process] = None
        self._finalizer: Optional["weakref.finalize[..., Parser]"] = None
        self._running()

    def _running(self) -> Process:
        if self._owner != os.getpid():  # forked, perhaps with the lock held
            self._lock, self._owner = threading.Lock(), os.getpid()
        with self._lock:
            if self._closed:
                raise ValueError("the parser is closed")
            if self._process is None or not self._process.alive():
                if self._finalizer:
                    self._finalizer()
                self._process = Process(self._command)
                self._finalizer = weakref.finalize(self, self._process.stop)
            return self._process

    def close(self) -> None:
        """Ends the program. The parser cannot be used any more."""
        self._closed = True
        if self._finalizer:
            self._finalizer()

    def __enter__(self) -> "Parser":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Parser {' '.join(self._command[1 + len(_PIPE) :])}>"

    def __getstate__(self) -> Tuple[List[str], int, str, Optional[str]]:
        return self._command, self._look_ahead, self._head, self._language

    def __setstate__(self, state: Tuple[List[str], int, str, Optional[str]]) -> None:
        self._command, self._look_ahead, self._head, self._language = state
        self._open()

    def __call__(self, text: Union[str, Sentences], *, pretokenized: bool = False) -> Document:
        """Returns the document of one text.

        With ``pretokenized``, the text is a list of sentences, each a list of tokens,
        and the parser takes them as they are.

            >>> doc = treebeam.load("english")("The dog barked at the cat.")
            >>> [child.text for child in doc.sentences[0].root.children]
            ['dog', 'cat', '.']
        """
        return next(self.pipe([text_of(ONE, text, pretokenized)], pretokenized=pretokenized))

    @overload
    def pipe(
        self, texts: Iterable[Union[str, Sentences]], *, ids: Optional[Iterable[Union[str, int]]] = None, as_tuples: Literal[False] = False,
        pretokenized: bool = False, batch_size: Optional[int] = None, n_process: int = 1,
    ) -> Iterator[Document]: ...  # fmt: skip
    @overload
    def pipe(
        self, texts: Iterable[Tuple[Union[str, Sentences], Context]], *, ids: Optional[Iterable[Union[str, int]]] = None, as_tuples: Literal[True],
        pretokenized: bool = False, batch_size: Optional[int] = None, n_process: int = 1,
    ) -> Iterator[Tuple[Document, Context]]: ...  # fmt: skip
    def pipe(
        self,
        texts: Iterable[Any],
        *,
        ids: Optional[Iterable[Union[str, int]]] = None,
        as_tuples: bool = False,
        pretokenized: bool = False,
        batch_size: Optional[int] = None,
        n_process: int = 1,
    ) -> Iterator[Any]:
        """Yields a document for each text, in their order.

        A text is a string or, with ``pretokenized``, a list of sentences, each a list of
        tokens. ``ids`` are the ids of the documents; without them they are numbered from
        0. With ``as_tuples``, the texts are tuples of a text and anything else, and so are
        the results. TypeError says which text is not what it should be, and ValueError that
        there are fewer ids than texts or, if ``ids`` has a length, more.

        What could not be parsed stands in the document's ``failures``. Texts are read and
        sent ahead, as far as ``look_ahead`` says and at most ``batch_size`` texts, by the
        thread that asks for documents. ``n_process`` is there for programs written for
        spaCy: the program uses all cores whatever it is.

            >>> nlp = treebeam.load("english")
            >>> [(doc.id, len(doc.sentences)) for doc in nlp.pipe(["One dog barks.", "Two cats sleep. One wakes."], ids=["a", "b"])]
            [('a', 1), ('b', 2)]
        """
        if batch_size is not None and batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}; it must be at least 1")
        if not as_tuples:
            yield from self._documents(texts, ids, pretokenized, batch_size)
            return
        contexts: Deque[Any] = collections.deque()
        for document in self._documents(apart(texts, contexts), ids, pretokenized, batch_size):
            yield document, contexts.popleft()

    def conllu(self, texts: Iterable[str], *, ids: Optional[Iterable[Union[str, int]]] = None) -> str:
        """Returns the trees as CoNLL-U, as the program writes it. Texts that failed issue a TreebeamWarning."""
        made: List[str] = []
        for _, _, rows, failures in self._rows(texts, ids):
            _warn(failures)
            if not rows:
                continue
            if not made:
                made.append(self._comments())
            made.append(conllu_of(rows))
        return "".join(made)

    def _comments(self) -> str:
        """Returns the comments that CoNLL-U begins with. The program says them, once for a parser."""
        if not self._head:
            pipe, options = self._command[: 1 + len(_PIPE)], self._command[1 + len(_PIPE) :]  # which may end flags
            said = subprocess.run([*pipe, "--to", "conllu", *options], input=b'{"text":"One."}\n', stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if said.returncode:
                raise TreebeamError(said.stderr.decode("utf-8", "replace").rstrip(), said.returncode)
            lines = said.stdout.decode("utf-8").splitlines(keepends=True)
            self._head = "".join(line for line in lines if line.startswith(("# generator = ", "# model = ")))
        return self._head

    def arrow(self, texts: Iterable[str], *, ids: Optional[Iterable[Union[str, int]]] = None) -> "pyarrow.Table":
        """Returns a table of sentences. It needs pyarrow.

        It has the columns of ``trees/`` in the Parquet output except those about a file,
        and ``start`` and ``end`` in characters of the text. Texts that failed issue a
        TreebeamWarning.
        """
        _frame.need("pyarrow", "arrow")
        from . import _arrow

        return _arrow.table(row for _, _, rows, failures in self._rows(texts, ids) if _warn(failures) for row in rows)

    def words_frame(self, texts: Iterable[str], library: Optional[str] = None, *, ids: Optional[Iterable[Union[str, int]]] = None) -> Any:
        """Returns a table with a row for each word of all texts.

        ``library`` is ``"pandas"``, ``"polars"`` or ``"arrow"``; by default the first of
        these that is installed. Texts that failed issue a TreebeamWarning.

            >>> frame = treebeam.load("english").words_frame(["One dog barks.", "Two cats sleep."], "arrow")
            >>> frame.column("lemma").to_pylist()
            ['one', 'dog', 'bark', '.', 'two', 'cat', 'sleep', '.']
        """
        return _frame.frame((d for d in self._documents(texts, ids, False, None) if _warn(d.failures)), library)

    def spacy(
        self,
        texts: Iterable[Union[str, Sentences]],
        vocab: Optional["spacy.vocab.Vocab"] = None,
        *,
        ids: Optional[Iterable[Union[str, int]]] = None,
        pretokenized: bool = False,
    ) -> Iterator["spacy.tokens.Doc"]:
        """Yields a spaCy Doc for each text. It needs spaCy.

        A Doc has words with heads, deps (``root`` is ``ROOT`` there), tags (XPOS), pos
        (UPOS), morph and lemmas, and ``token._.head_conf``, ``deprel_conf`` and
        ``upos_conf``. Without ``vocab``, its vocab and ``lang_`` are those of spaCy for the
        document's language; those of Norwegian are ``nb``, of an unknown language ``xx``.

        Its text is the given one where words can be found in it. The words of a token such
        as French ``du`` stand for themselves, with spaces between them (``de le``).
        ``token._.start`` and ``token._.end`` are places in the given text. Texts that
        failed issue a TreebeamWarning.
        """
        _frame.need("spacy", "spacy")
        from . import _spacy

        make = _spacy.maker(vocab, self._language)
        for document in self._documents(texts, ids, pretokenized, None):
            _warn(document.failures)
            yield make(document)

    def _documents(self, texts: Any, ids: Any, pretokenized: bool, most: Optional[int]) -> Iterator[Document]:
        for id, text, rows, failures in self._rows(texts, ids, pretokenized, most):
            yield Document(id, text, rows, failures, self._command[0])

    def _rows(
        self, texts: Any, ids: Any, pretokenized: bool = False, most: Optional[int] = None
    ) -> Iterator[Tuple[str, str, List[Row], List[Failure]]]:
        process = self._running()
        ahead: Deque[Tuple[str, Ticket]] = collections.deque()
        size = 0
        for id, text in texts_of(texts, ids, pretokenized):
            ahead.append((id, process.write(text)))
            size += len(ahead[-1][1].text)
            while ahead and (ahead[0][1].done or size >= self._look_ahead or len(ahead) > (most or _MOST_AHEAD)):
                size -= len(ahead[0][1].text)
                yield _result(process, *ahead.popleft())
        while ahead:
            yield _result(process, *ahead.popleft())


def _result(process: Process, id: str, ticket: Ticket) -> Tuple[str, str, List[Row], List[Failure]]:
    process.wait(ticket)
    rows, failures = rows_of(id, ticket)
    return id, ticket.text, rows, failures


def _warn(failures: List[Failure]) -> bool:
    for failure in failures:
        warnings.warn(f"{failure.severity}: {failure.reason}", TreebeamWarning, stacklevel=4)
    return True


def languages(executable: Optional[str] = None) -> List[Dict[str, Any]]:
    """Returns the languages that are in the program, sorted by code.

    Each is a dictionary with ``code``, ``name``, ``treebanks``, ``train_words``,
    ``scores`` and an ``example``.

        >>> [known["name"] for known in treebeam.languages() if known["code"] in ("de", "fr")]
        ['German', 'French']
    """
    said, _ = _draw.run(executable or program(), ["languages", "--json"], "")
    known: List[Dict[str, Any]] = json.loads(said)
    return known


def load(model: Union[str, "os.PathLike[str]", None] = None, **options: Any) -> Parser:
    """Returns a parser with a model: ``"english"`` (the default), another language, ``"auto"``, or the path of a model file.

    ``options`` are the arguments of ``Parser``.

        >>> nlp = treebeam.load("english", accurate=True)
        >>> print(nlp("She gave him a book.").sentences[0].root.lemma)
        give
    """
    return Parser(model, **options)
