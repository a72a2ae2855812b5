"""What a parser accepts: options that leave the pipe alone, and texts."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence, Tuple, Union

#: A text, or a tuple of an id and a text.
Text = Union[str, Tuple[str, str]]

_INPUT = "the parser sends texts to the program itself: give them to parse(), or run treebeam.program() to read files"
_OUTPUT = "the parser reads what the program writes: use parse(), conllu(), arrow() or spacy(), or run treebeam.program() to write files"

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


def pairs(texts: Union[str, Iterable[Text]]) -> Iterator[Tuple[str, str]]:
    """Yields an id and a text for each text. TypeError says which one is neither."""
    if isinstance(texts, str):
        texts = [texts]
    elif isinstance(texts, (bytes, bytearray)):
        raise TypeError(f"texts is {_kind(texts)}: decode it first, for instance with texts.decode()")
    elif hasattr(texts, "columns"):  # iterating it gives the names of its columns
        raise TypeError(f"texts is {_kind(texts)}: give the column with the texts, or zip(ids, texts) of two columns")
    elif isinstance(texts, Mapping):
        raise TypeError(f"texts is {_kind(texts)}: give texts.items() to parse its values with its keys as ids, or texts.values()")
    elif not isinstance(texts, Iterable):
        raise TypeError(f"texts is {_kind(texts)}: want a string, or any number of strings or (id, string)")
    for number, item in enumerate(texts):
        yield _pair(number, item)


def _pair(number: int, item: Any) -> Tuple[str, str]:
    if isinstance(item, str):
        return str(number), item
    if not isinstance(item, tuple):
        raise TypeError(f"text {number} is {_kind(item)}: want a string or a tuple (id, string){_advice(item)}")
    if len(item) != 2:
        raise TypeError(f"text {number} is a tuple of {len(item)}: want a string or a tuple (id, string)")
    document, text = item
    if not isinstance(document, str):
        raise TypeError(f"text {number} has an id that is {_kind(document)}: want a string, such as {str(document)!r}")
    if not isinstance(text, str):
        raise TypeError(f"text {number}, with the id {document!r}, is {_kind(text)}: want a string{_advice(text)}")
    return document, text


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
    if hasattr(value, "as_py"):
        return "; give the array's to_pylist()"
    return ""
