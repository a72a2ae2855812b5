"""One treebeam process that parses documents as they come through a pipe.

The program writes a line of JSON for every sentence and failure, and an end
mark after every document. So whoever has written a document knows when all of
it has come back, and the process serves one document after another.
"""

from __future__ import annotations

import collections
import json
import os
import re
import subprocess
import sys
import threading
import time
import weakref
from typing import Any, Deque, Dict, List, Optional, Sequence, Tuple, Union

_END = b'{"end_of":'
_PATIENCE = 120.0  # seconds for a program to start; a large model on a busy machine takes some
_POLL = 0.5  # seconds; on Windows a wait without a timeout cannot be interrupted
_STDERR_LINES = 20

REFUSED = 64  # the exit status of a program that refuses its arguments


class TreebeamError(RuntimeError):
    """The program ended before it had parsed what it was given.

    ``status`` is its exit status, or None if it is not known. 64 means that it
    refused its options; the message says why.
    """

    def __init__(self, message: str, status: Optional[int] = None):
        super().__init__(message)
        self.status = status


class TreebeamWarning(UserWarning):
    """Part of a text could not be parsed and the result cannot show it, or a pattern looks wrong."""


class Ticket:
    """A document that was written, and what came back."""

    __slots__ = ("text", "tokens", "offset", "literal", "lines", "done")

    def __init__(self, text: str, tokens: bool, offset: int, literal: bytes):
        self.text = text
        self.tokens = tokens  # were written, not the text
        self.offset = offset  # of the text's JSON string in the stream, behind its quote
        self.literal = literal  # the JSON string between its quotes
        self.lines: List[bytes] = []  # rows without the end mark
        self.done = False


def _line(text: Union[str, List[List[str]]]) -> Tuple[bytes, bytes]:
    """Returns a record as a line of JSON, and what is between the quotes of its text."""
    literal = json.dumps(text, ensure_ascii=False)
    try:
        string = literal.encode("utf-8")
    except UnicodeEncodeError:
        # Half a surrogate pair. The program makes U+FFFD of it, and says so; two
        # halves that Python has as two characters must not become one.
        string = re.sub("[\ud800-\udfff]", r"\\udc00", literal).encode("utf-8")
    return b'{"text":' + string + b"}\n", string[1:-1]


class Process:
    """A running program. Any number of threads may write documents to it.

    The constructor returns when the program has opened its model and answered an
    empty text. It raises TreebeamError if what comes is no such answer, or if none
    comes in time.
    """

    def __init__(self, command: Sequence[str]):
        self.owner = os.getpid()
        options: Dict[str, Any] = {}
        # Ctrl-C is for Python. The program ends when its standard input does.
        if sys.platform == "win32":
            options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        else:
            options["start_new_session"] = True
        try:
            self.child = subprocess.Popen(
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
            )
        except OSError as error:
            raise TreebeamError(f"cannot start {command[0]}: {error}") from error
        self.error: Optional[TreebeamError] = None
        self._write_lock = threading.Lock()
        self._changed = threading.Condition()
        self._waiting: Deque[Ticket] = collections.deque()
        self._written = 0
        self._said: Deque[str] = collections.deque(maxlen=_STDERR_LINES)
        self._stderr = threading.Thread(target=self._read_stderr, name="treebeam-stderr", daemon=True)
        self._stderr.start()
        threading.Thread(target=self._read, name="treebeam-stdout", daemon=True).start()
        _processes.add(self)
        try:
            self._greet(command[0])
        except BaseException:
            self.stop()
            raise

    def _greet(self, name: str) -> None:
        ticket = self.write("")
        try:
            self.wait(ticket, _PATIENCE)
        except TimeoutError:
            said = "\n".join(["", *self._said])
            raise TreebeamError(f"{name} has not answered an empty text within {_PATIENCE:g} s: is it treebeam?{said}") from None
        if ticket.lines:
            answer = ticket.lines[0].decode("utf-8", "replace").rstrip()
            raise TreebeamError(f"{name} answers an empty text with {answer:.300}; leave out the option that makes it do so")

    def write(self, text: Union[str, List[List[str]]]) -> Ticket:
        """Sends a document: a text, or sentences of tokens. It may block, but never for the reader of results."""
        line, literal = _line(text)
        plain = text if isinstance(text, str) else " ".join(token for sentence in text for token in sentence)
        with self._write_lock:
            if self.error:
                raise self.error
            ticket = Ticket(plain, plain is not text, self._written + len(b'{"text":"'), literal)
            with self._changed:
                self._waiting.append(ticket)
            try:
                assert self.child.stdin
                self.child.stdin.write(line)
                self.child.stdin.flush()
                self._written += len(line)
            except OSError:
                self.child.kill()  # it has ended, most likely: wait says why
            except BaseException:  # half a line may have gone out
                self.error = TreebeamError("interrupted while a text was being sent")
                self.child.kill()
                raise
        return ticket

    def wait(self, ticket: Ticket, limit: Optional[float] = None) -> List[bytes]:
        """Returns the rows of a document when they are there; TimeoutError after ``limit`` seconds."""
        end = None if limit is None else time.monotonic() + limit
        with self._changed:
            while not ticket.done:
                if self.error:
                    raise self.error
                if end is not None and time.monotonic() > end:
                    raise TimeoutError
                self._changed.wait(_POLL)
        return ticket.lines

    def alive(self) -> bool:
        """Reports whether documents may be written to it from this process."""
        return self.owner == os.getpid() and self.error is None

    def stop(self) -> None:
        """Ends the program. What it has not parsed is lost."""
        if self.owner != os.getpid():
            return
        if self._waiting:
            self.child.kill()
        try:
            assert self.child.stdin
            self.child.stdin.close()
        except OSError:
            pass
        try:
            self.child.wait(5)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()

    def _read(self) -> None:
        said: str
        status: Optional[int] = None
        try:
            self._read_rows()
            status = self.child.wait()
            self._stderr.join(5)
            said = "\n".join(self._said) or f"treebeam ended with status {status}"
        except Exception as error:  # whoever waits for a document must not wait forever
            self.child.kill()
            said = f"cannot read what treebeam writes: {error}"
        with self._changed:
            self.error = self.error or TreebeamError(said, status)
            self._changed.notify_all()

    def _read_rows(self) -> None:
        assert self.child.stdout
        lines: List[bytes] = []
        with self.child.stdout as stdout:
            for line in stdout:
                if not line.startswith(b"{"):
                    raise ValueError(f"it wrote {line[:80].decode('utf-8', 'replace').rstrip()!r}, which is not a line of JSON")
                if not line.startswith(_END):
                    lines.append(line)
                    continue
                with self._changed:
                    if not self._waiting:
                        raise TreebeamError("it ended a document that it was not given")
                    ticket = self._waiting.popleft()
                    ticket.lines, ticket.done = lines, True
                    self._changed.notify_all()
                lines = []

    def _read_stderr(self) -> None:
        assert self.child.stderr
        with self.child.stderr as stderr:
            for line in stderr:
                self._said.append(line.decode("utf-8", "replace").rstrip())

    def forget(self) -> None:
        """In a forked process: leaves the program to the parent."""
        null = os.open(os.devnull, os.O_RDWR)
        for pipe in (self.child.stdin, self.child.stdout, self.child.stderr):
            try:  # its number stays taken, and what is buffered goes nowhere
                if pipe:
                    os.dup2(null, pipe.fileno())
            except (OSError, ValueError):
                pass  # closed
        os.close(null)
        self._write_lock = threading.Lock()
        self._changed = threading.Condition()
        self.error = TreebeamError("this process was forked while the text was being parsed: parse it again here")


_processes: "weakref.WeakSet[Process]" = weakref.WeakSet()


def _forget_all() -> None:
    for process in list(_processes):
        process.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
