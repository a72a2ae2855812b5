"""What a parser accepts: options that leave the pipe alone, and texts."""

from __future__ import annotations

import numbers
import operator
import os
import re
from typing import Any, Callable, Deque, Iterable, Iterator, List, Mapping, Optional, Sequence, Sized, Tuple, Union

ENGLISH = "english"
AUTO = "auto"

ONE = "the text"  # of a call

_INPUT = "the parser sends texts to the program itself: give them to pipe(), or run treebeam.program() to read files"
_OUTPUT = "the parser reads what the program writes: use pipe(), arrow() or spacy(), or run treebeam.program() to write files"

# Flags of the program that change what goes through the pipe, and their letters.
_PIPE = {
    **dict.fromkeys(("input", "files-from", "exclude", "from", "limit", "i", "f", "n"), _INPUT),
    **dict.fromkeys(("document", "text", "id", "keep", "rule", "rules"), _INPUT),
    **dict.fromkeys(("output", "to", "end-marks", "o", "t"), _OUTPUT),
}


def list_of(options: Iterable[str]) -> List[str]:
    """Returns the options. ValueError names one that changes what goes through the pipe."""
    if isinstance(options, str):
        raise TypeError(f"options is a string, not a list, such as {options.split()}")
    options = list(options)  # an iterator gives them once
    for option in options:
        if not isinstance(option, str):
            raise TypeError(f"options: {option!r} is {kind(option)}, not a string such as {str(option)!r}")
        remedy = _remedy(option)
        if remedy:
            raise ValueError(f"options: {option} cannot be used: {remedy}")
    return options


def _remedy(option: str) -> Optional[str]:
    """Reads a flag as the program does: --to, --to=conllu, -to, -t, -tconllu, -t=conllu, -qt."""
    name = option.lstrip("-").partition("=")[0]
    dashes = len(option) - len(option.lstrip("-"))
    if dashes not in (1, 2) or name == "threads":
        return None
    if dashes == 1 and name not in _PIPE:
        name = name.lstrip("qv")[:1]
    return _PIPE.get(name)


def path_of(name: str, value: Any) -> str:
    """Returns an argument that is a path or a name."""
    if isinstance(value, bytes) or not hasattr(value, "__fspath__") and not isinstance(value, str):
        raise TypeError(f"{name} is {kind(value)}, not a string or a path")
    return str(os.fspath(value))


def model_of(model: Any, language: Any, known: Callable[[], Sequence[Mapping[str, Any]]]) -> Tuple[Optional[str], Optional[str]]:
    """Returns the path of a model file, if one is named, and the languages, if any are. ``known`` is ``languages``."""
    if isinstance(model, (list, tuple)):
        raise TypeError(f"model is {kind(model)}: to choose between languages, give language={list(model)}")
    given = language
    if language is not None and not isinstance(language, str):
        if not isinstance(language, (list, tuple)) or not all(isinstance(code, str) for code in language):
            raise TypeError(f"language is {kind(language)}, not a string or a list of strings")
        language = ",".join(language)
    if language == "":
        raise ValueError(f"language is {given!r}: name one, such as 'de', or leave it out")
    if model is None:
        return None, language or "en"
    model = path_of("model", model)
    if model == AUTO:
        return None, language or AUTO
    if model != ENGLISH and (os.path.isfile(model) or not all(c.isalnum() or c in "_- ()" for c in model)):
        return model, language
    code = _code_of(model, known)
    if code is None:
        raise ValueError(f"there is no model {model!r}: name a language of treebeam.languages(), or the path of a model file, such as '{model}.tbm'")
    if language is not None and language.lower() not in (code.lower(), model.lower()):
        raise ValueError(f"the model {model!r} is not in language={language!r}: leave out one of them")
    return None, code


def _code_of(model: str, known: Callable[[], Sequence[Mapping[str, Any]]]) -> Optional[str]:
    """Returns the code of a language from its code, such as ``nb`` or ``pt-BR``, which the program checks, or from its name or the name's first word."""
    if model == ENGLISH:
        return "en"
    if re.fullmatch(r"[A-Za-z]{2,3}([-_]\w{2,4}){0,2}", model):
        return model.replace("_", "-")
    names = {x["name"].lower(): x["code"] for x in known()}
    whole = names.get(model.lower())
    begun = [code for name, code in names.items() if name.startswith(model.lower() + " ")]
    return whole or (begun[0] if len(begun) == 1 else None)


def texts_of(texts: Any, ids: Optional[Iterable[Any]], pretokenized: bool) -> Iterator[Tuple[str, Any]]:
    """Yields an id and a text for each text. TypeError says which one is neither."""
    if isinstance(ids, (str, bytes)) or ids is not None and not isinstance(ids, Iterable):
        raise TypeError(f"ids is {kind(ids)}, not a list of ids")
    given = None if ids is None else iter(ids)
    items = _items(texts, pretokenized)
    if isinstance(items, Sized):
        _check_ids(ids, len(items))
    number = -1
    for number, item in enumerate(items):
        id = str(number)
        if given is not None:
            try:
                id = _id(number, next(given))
            except StopIteration:
                raise ValueError(f"text {number} has no id: ids ends after {number}") from None
        yield id, text_of(f"text {number}", item, pretokenized)
    _check_ids(ids, number + 1)


def _check_ids(ids: Any, texts: int) -> None:
    if isinstance(ids, Sized) and len(ids) > texts:
        raise ValueError(f"there are {len(ids)} ids for {texts} text{'s' * (texts != 1)}")


def apart(texts: Any, contexts: Deque[Any]) -> Iterator[Any]:
    """Yields the first items of tuples, and appends the second ones to contexts."""
    for number, item in enumerate(_items(texts, False)):
        if not isinstance(item, tuple) or len(item) != 2:
            what = f"a tuple of {len(item)}" if isinstance(item, tuple) else kind(item)
            raise TypeError(f"text {number} is {what}: with as_tuples=True, give tuples (text, context)")
        contexts.append(item[1])
        yield item[0]


def _items(texts: Any, pretokenized: bool) -> Iterable[Any]:
    if isinstance(texts, str):
        raise TypeError("texts is a string, not a list of texts; to parse one text, call the parser with it")
    if isinstance(texts, (bytes, bytearray)):
        raise TypeError(f"texts is {kind(texts)}: decode it first, for instance with texts.decode()")
    if hasattr(texts, "columns"):  # iterating it gives the names of its columns
        raise TypeError(f"texts is {kind(texts)}: give the column with the texts, and ids= another column")
    if isinstance(texts, Mapping):
        raise TypeError(f"texts is {kind(texts)}: give its values(), and ids= its keys()")
    if not isinstance(texts, Iterable):
        raise TypeError(f"texts is {kind(texts)}: give {'lists of sentences' if pretokenized else 'strings'}")
    return texts


def text_of(name: str, item: Any, pretokenized: bool) -> Union[str, List[List[str]]]:
    """Returns a text. TypeError says what it is instead, by its name: ``text 3``, or ``the text`` of a call."""
    if pretokenized:
        return _sentences(name, item)
    if hasattr(item, "as_py"):  # a scalar of pyarrow
        item = item.as_py()
    if isinstance(item, str):
        return item
    raise TypeError(f"{name} is {kind(item)}, not a string{_advice(item, name == ONE)}")


def _sentences(name: str, item: Any) -> List[List[str]]:
    if isinstance(item, str) or not isinstance(item, Iterable):
        raise TypeError(f"{name} is {kind(item)}, not a list of sentences, each a list of tokens")
    sentences = []
    for i, sentence in enumerate(item):
        if isinstance(sentence, str) or not isinstance(sentence, Iterable):
            raise TypeError(f"{name}, sentence {i}, is {kind(sentence)}, not a list of tokens")
        tokens = list(sentence)
        for token in tokens:
            if not isinstance(token, str):
                raise TypeError(f"{name}, sentence {i}, has a token that is {kind(token)}, not a string")
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
        raise TypeError(f"text {number} has an id that is {kind(id)}, not a string or a whole number") from None


def _is_missing(value: Any) -> bool:
    return value is None or isinstance(value, float) and value != value or type(value).__name__ in ("NAType", "NaTType")  # of pandas


def kind(value: Any) -> str:
    if _is_missing(value):
        return "NaN" if isinstance(value, float) else str(value)
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}" if name != "bytes" else name


def _advice(value: Any, alone: bool) -> str:
    if _is_missing(value):
        return '; leave out missing texts, or give ""'
    if isinstance(value, (bytes, bytearray)):
        return "; decode it first"
    if isinstance(value, os.PathLike):
        return "; read it first, for instance with open(path, encoding='utf-8').read()"
    if hasattr(value, "columns"):
        return "; give pipe() the column with the texts, and ids= another column"
    if isinstance(value, Mapping):
        return "; to parse its values, give them to pipe()"
    if isinstance(value, numbers.Number):
        return "; if it is a text, make it a string with str()"
    if isinstance(value, tuple) and not alone:
        return "; for (text, context) give as_tuples=True, for ids give ids="
    if not isinstance(value, Iterable):
        return ""
    first = next(iter(value), None) if isinstance(value, (list, tuple)) else ""
    if alone and not isinstance(first, (list, tuple)):
        return "; to parse several texts, give them to pipe()"
    return "; for lists of tokens give pretokenized=True"
