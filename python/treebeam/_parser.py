"""The parser."""

from __future__ import annotations

import collections
import os
import shutil
import subprocess
import sys
import threading
import warnings
import weakref
from typing import TYPE_CHECKING, Any, Deque, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from ._arguments import Text, check_options, pairs
from ._documents import Document, Failure, Row, conllu_of, rows_of, sentence_of
from ._process import Process, Ticket, TreebeamError

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped,unused-ignore]
    import spacy

_LOOK_AHEAD = 400_000  # characters; less starves the program, more only costs memory
_MOST_AHEAD = 2_000  # documents


class TreebeamWarning(UserWarning):
    """Some of a text could not be parsed, and the result has no place to say so."""


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
    """Parses texts to dependency trees.

    ``model`` is a model file, and None the English one in the program;
    ``accurate`` takes the accurate English one. ``effort``, from 0 to 1, spends
    the accurate model's time only where the fast one expects to be wrong.
    ``lines`` says what a line break in a text means: auto, wrapped, paragraph
    or sentence. ``abbreviations``, ``keep_together`` and ``exceptions`` name
    files that say what you know of the texts. ``threads`` is how many compute, by
    default one for each core. ``options`` are more flags of
    ``treebeam parse``, for instance ``["--projective"]``, but for those that change
    what is read and written.

    ``look_ahead`` is how many characters of texts are read and sent before
    the first result is used; 0 sends one text at a time.

    One process of the program serves a parser until ``close``, the end of a
    ``with`` block, or Python's own end. The constructor starts it, and raises
    TreebeamError if it refuses the options or does not answer within two minutes. If it dies, or after a fork, the next
    call starts another. Threads may share a parser; each call then waits for its
    own texts only. A parser can be pickled: the copy starts a process of its own.
    """

    def __init__(
        self,
        model: Union[str, "os.PathLike[str]", None] = None,
        *,
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
        check_options(options)
        self._command = [executable or program(), "parse", "-", "--from", "jsonl", "--to", "jsonl", "--end-marks", "--quiet"]
        self._command += ["--lines", lines]
        if accurate:
            self._command.append("--accurate")
        for flag, value in (
            ("--model", model),
            ("--effort", effort),
            ("--abbreviations", abbreviations),
            ("--keep-together", keep_together),
            ("--exceptions", exceptions),
            ("--threads", threads),
        ):
            if value is not None:
                self._command += [flag, str(value) if isinstance(value, (int, float)) else os.fspath(value)]
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

    def __getstate__(self) -> Tuple[List[str], int, str]:
        return self._command, self._look_ahead, self._head

    def __setstate__(self, state: Tuple[List[str], int, str]) -> None:
        self._command, self._look_ahead, self._head = state
        self._open()

    def parse(self, texts: Union[str, Iterable[Text]]) -> Iterator[Document]:
        """Yields a document for each text, in their order.

        ``texts`` is one text or any number: strings, or tuples of an id and a
        string. TypeError says which one is neither. Without an id a text has its number, from 0. What could not be
        parsed stands in the document's ``failures``. Texts are read and sent
        ahead, as far as ``look_ahead`` says, by the thread that asks for
        documents.
        """
        for document, text, rows, failures in self._rows(texts):
            yield {"id": document, "text": text, "sentences": [sentence_of(row, text) for row in rows], "failures": failures}

    def conllu(self, texts: Union[str, Iterable[Text]]) -> str:
        """Returns the trees as CoNLL-U, as the program writes it. What failed is a TreebeamWarning."""
        made: List[str] = []
        for _, _, rows, failures in self._rows(texts):
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
            said = subprocess.run([*self._command, "--to", "conllu"], input=b'{"text":"One."}\n', stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if said.returncode:
                raise TreebeamError(said.stderr.decode("utf-8", "replace").rstrip(), said.returncode)
            lines = said.stdout.decode("utf-8").splitlines(keepends=True)
            self._head = "".join(line for line in lines if line.startswith(("# generator = ", "# model = ")))
        return self._head

    def arrow(self, texts: Union[str, Iterable[Text]]) -> "pyarrow.Table":
        """Returns a table of sentences. It needs pyarrow.

        It has the columns of ``trees/`` in the Parquet output, but for those
        about a file, and ``start`` and ``end`` in characters of the text. What
        failed is a TreebeamWarning.
        """
        from . import _arrow

        return _arrow.table(row for _, _, rows, failures in self._rows(texts) if _warn(failures) for row in rows)

    def spacy(self, texts: Union[str, Iterable[Text]], vocab: Optional["spacy.vocab.Vocab"] = None) -> Iterator["spacy.tokens.Doc"]:
        """Yields a spaCy Doc for each text. It needs spaCy.

        A Doc has words with heads, deps (``root`` is ``ROOT`` there), tags
        (XPOS), pos (UPOS), morph and lemmas. Its text is the given one where
        words can be found in it; the words of a token such as French ``du``
        (``de le``) stand for themselves. What failed is a TreebeamWarning.
        """
        from . import _spacy

        make = _spacy.maker(vocab)
        for document, text, rows, failures in self._rows(texts):
            _warn(failures)
            yield make(document, text, [sentence_of(row, text) for row in rows])

    def _rows(self, texts: Union[str, Iterable[Text]]) -> Iterator[Tuple[str, str, List[Row], List[Failure]]]:
        process = self._running()
        ahead: Deque[Tuple[str, str, Ticket]] = collections.deque()
        size = 0
        for document, text in pairs(texts):
            ahead.append((document, text, process.write(text)))
            size += len(text)
            while ahead and (ahead[0][2].done or size > self._look_ahead or len(ahead) > _MOST_AHEAD):
                size -= len(ahead[0][1])
                yield _result(process, *ahead.popleft())
        while ahead:
            yield _result(process, *ahead.popleft())


def _result(process: Process, document: str, text: str, ticket: Ticket) -> Tuple[str, str, List[Row], List[Failure]]:
    process.wait(ticket)
    rows, failures = rows_of(document, text, ticket)
    return document, text, rows, failures


def _warn(failures: List[Failure]) -> bool:
    for failure in failures:
        warnings.warn(f"{failure['severity']}: {failure['reason']}", TreebeamWarning, stacklevel=4)
    return True
