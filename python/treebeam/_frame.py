"""Words as a table of another library."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional

if TYPE_CHECKING:
    from ._documents import Document

# Libraries, and what makes a table of columns by their names.
_LIBRARIES = {"pandas": ("pandas", "DataFrame"), "polars": ("polars", "DataFrame"), "arrow": ("pyarrow", "table")}

_WORD = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "head_conf", "deprel_conf", "upos_conf", "start", "end")


def frame(documents: Iterable["Document"], library: Optional[str]) -> Any:
    """Returns a table with a row for each word of the documents."""
    if library is None:
        library = next((name for name, (module, _) in _LIBRARIES.items() if importlib.util.find_spec(module)), None)
        if library is None:
            raise ImportError("words_frame needs pandas, polars or pyarrow: install one of them, for instance with pip install pandas")
    if library not in _LIBRARIES:
        raise ValueError(f"library {library!r}: must be one of {', '.join(_LIBRARIES)}")
    module, make = _LIBRARIES[library]
    return getattr(need(module, f"words_frame with the library {library!r}"), make)(_columns(documents))


def need(module: str, who: str) -> Any:
    """Imports a library that the user has to install. ImportError says how."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{who} needs {module}: install it, for instance with pip install {module}", name=module) from error


def _columns(documents: Iterable["Document"]) -> Dict[str, List[Any]]:
    columns: Dict[str, List[Any]] = {name: [] for name in ("doc_id", "sent_id", "id", *_WORD, "language")}
    for document in documents:
        for sentence in document.sentences:
            for word in sentence.words:
                columns["doc_id"].append(document.id)
                columns["sent_id"].append(sentence.id)
                columns["id"].append(word.id)
                for name in _WORD:
                    columns[name].append(getattr(word, name))
                columns["feats"][-1] = word._of("feats")  # one string, as in CoNLL-U
                columns["head"][-1] = word.head_id
                columns["language"].append(sentence.language)
    return columns
