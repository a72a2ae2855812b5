"""What a parser accepts: options that leave the pipe alone, and texts."""

from __future__ import annotations

import operator
from typing import Any, Deque, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

_INPUT = "the parser sends texts to the program itself: give them to pipe(), or run treebeam.program() to read files"
_OUTPUT = "the parser reads what the program writes: use pipe(), arrow() or spacy(), or run treebeam.program() to write files"

# Flags of the program that change what goes through the pipe, and their letters.
_PIPE = {
    **dict.fromkeys(("input", "files-from", "exclude", "from", "limit", "i", "f", "n"), _INPUT),
    **dict.fromkeys(("document", "text-key", "id-key", "text-column", "id-column", "keep"), _INPUT),
    **dict.fromkeys(("output", "to", "end-marks", "o", "t"), _OUTPUT),
}


def check_options(options: Sequence[str]) -> None:
    """Raises ValueError for an option that changes what goes through the pipe."""
    if isinstance(options, str):
        raise TypeError(f"options is a string: want a list, such as {options.split()}")
    for option in options:
        if not isinstance(option, str):
            raise TypeError(f"options: {option!r} is {_kind(option)}: want strings, such as {str(option)!r}")
        remedy = _remedy(option)
        if remedy:
            raise ValueError(f"options: {option} cannot be used: {remedy}")


def _remedy(option: str) -> Optional[str]:
    """Reads a flag as the program does: --to, --to=conllu, -to, -t, -tconllu, -t=conllu, -qt."""
    name = option.lstrip("-").partition("=")[0]
    dashes = len(option) - len(option.lstrip("-"))
    if dashes not in (1, 2) or name == "threads":
        return None
    if dashes == 1 and name not in _PIPE:
        name = name.lstrip("qv")[:1]
    return _PIPE.get(name)


def texts_of(texts: Any, ids: Optional[Iterable[Any]], pretokenized: bool) -> Iterator[Tuple[str, Any]]:
    """Yields an id and a text for each text. TypeError says which one is neither."""
    given = None if ids is None else iter(ids)
    for number, item in enumerate(_items(texts, pretokenized)):
        id = str(number)
        if given is not None:
            try:
                id = _id(number, next(given))
            except StopIteration:
                raise ValueError(f"text {number} has no id: there are {number} ids") from None
        yield id, (_sentences if pretokenized else _text)(number, item)


def apart(texts: Any, contexts: Deque[Any]) -> Iterator[Any]:
    """Yields the first items of tuples, and appends the second ones to contexts."""
    for number, item in enumerate(_items(texts, False)):
        if not isinstance(item, tuple) or len(item) != 2:
            what = f"a tuple of {len(item)}" if isinstance(item, tuple) else _kind(item)
            raise TypeError(f"text {number} is {what}: with as_tuples=True, want tuples (text, context)")
        contexts.append(item[1])
        yield item[0]


def _items(texts: Any, pretokenized: bool) -> Iterable[Any]:
    if isinstance(texts, str):
        raise TypeError("texts is a string: want a list of texts; to parse one text, call the parser with it")
    if isinstance(texts, (bytes, bytearray)):
        raise TypeError(f"texts is {_kind(texts)}: decode it first, for instance with texts.decode()")
    if hasattr(texts, "columns"):  # iterating it gives the names of its columns
        raise TypeError(f"texts is {_kind(texts)}: give the column with the texts, and ids= another column")
    if isinstance(texts, Mapping):
        raise TypeError(f"texts is {_kind(texts)}: give its values(), and ids= its keys()")
    if not isinstance(texts, Iterable):
        raise TypeError(f"texts is {_kind(texts)}: want {'lists of sentences' if pretokenized else 'strings'}")
    return texts


def _text(number: int, item: Any) -> str:
    if hasattr(item, "as_py"):  # a scalar of pyarrow
        item = item.as_py()
    if isinstance(item, str):
        return item
    raise TypeError(f"text {number} is {_kind(item)}: want a string{_advice(item)}")


def _sentences(number: int, item: Any) -> List[List[str]]:
    if isinstance(item, str) or not isinstance(item, Iterable):
        raise TypeError(f"text {number} is {_kind(item)}: want a list of sentences, each a list of tokens")
    sentences = []
    for i, sentence in enumerate(item):
        if isinstance(sentence, str) or not isinstance(sentence, Iterable):
            raise TypeError(f"text {number}, sentence {i}, is {_kind(sentence)}: want a list of tokens")
        tokens = list(sentence)
        for token in tokens:
            if not isinstance(token, str):
                raise TypeError(f"text {number}, sentence {i}, has a token that is {_kind(token)}: want a string")
        sentences.append(tokens)
    return sentences


def _id(number: int, id: Any) -> str:
    if hasattr(id, "as_py"):
        id = id.as_py()
    if isinstance(id, str):
        return id
    try:
        return str(operator.index(id))  # whole numbers, of numpy, too
    except TypeError:
        raise TypeError(f"text {number} has an id that is {_kind(id)}: want a string or a whole number") from None


def _is_missing(value: Any) -> bool:
    return value is None or isinstance(value, float) and value != value or type(value).__name__ in ("NAType", "NaTType")  # of pandas


def _kind(value: Any) -> str:
    if _is_missing(value):
        return "NaN" if isinstance(value, float) else str(value)
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}" if name != "bytes" else name


def _advice(value: Any) -> str:
    if _is_missing(value):
        return '; leave out missing texts, or give ""'
    if isinstance(value, (bytes, bytearray)):
        return "; decode it first"
    if isinstance(value, tuple):
        return "; for (text, context) give as_tuples=True, for ids give ids="
    if isinstance(value, list):
        return "; for lists of tokens give pretokenized=True"
    return ""
