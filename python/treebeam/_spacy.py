"""Documents as spaCy has them."""

from __future__ import annotations

import re
from typing import Callable, Dict, List, Optional, Tuple

from spacy.language import BaseDefaults
from spacy.tokens import Doc, Token
from spacy.util import get_lang_class
from spacy.vocab import Vocab, create_vocab

from ._documents import Document, Sentence, Word

_Piece = Tuple[str, bool, Optional[Word], int]  # form, a space behind it, its word, its sentence

_EXTENSIONS = ("head_conf", "deprel_conf", "upos_conf", "start", "end")

_CODES = {"no": "nb", "und": "xx"}  # where spaCy has another


def maker(vocab: Optional[Vocab], language: Optional[str]) -> Callable[[Document], Doc]:
    """Returns what makes a Doc of a document. Those without a language of their own are in ``language``."""
    for name in _EXTENSIONS:
        if not Token.has_extension(name):
            Token.set_extension(name, default=None)
    vocabs: Dict[str, Vocab] = {}

    def make(document: Document) -> Doc:
        code = document.language or language or "und"
        if vocab is None and code not in vocabs:
            vocabs[code] = _vocab(_CODES.get(code, code))
        return _doc(vocabs[code] if vocab is None else vocab, document)

    return make


def _vocab(code: str) -> Vocab:
    """Returns the vocab of spacy.blank(code), whose tokenizer may need more packages; an empty one if spaCy lacks the language."""
    try:
        defaults = get_lang_class(code).Defaults
    except ImportError:
        defaults = BaseDefaults
    return create_vocab(code, defaults)


def _doc(vocab: Vocab, document: Document) -> Doc:
    text, sentences = re.sub("[\ud800-\udfff]", "\ufffd", document.text), document.sentences  # spaCy refuses half a surrogate pair
    pieces: List[_Piece] = []
    at = 0
    for number, sentence in enumerate(sentences):
        for word, start, end in _places(sentence, text):
            if start is not None:
                _gap(pieces, text[at:start], number)
                at = end
            elif pieces:
                pieces[-1] = (pieces[-1][0], True, *pieces[-1][2:])
            pieces.append((word.form or "_", False, word, number))
    _gap(pieces, text[at:], max(len(sentences) - 1, 0))

    index = {(number, word.id): i for i, (_, _, word, number) in enumerate(pieces) if word}
    heads: List[int] = []
    for i, (_, _, piece, number) in enumerate(pieces):
        if piece:
            heads.append(index[number, piece.head_id] if piece.head_id else i)
        else:  # white space is attached to a word beside it, as spaCy wants it
            heads.append(next((k for k in (i - 1, i + 1) if 0 <= k < len(pieces) and pieces[k][2]), i))
    words = [word for _, _, word, _ in pieces]
    doc = Doc(
        vocab,
        words=[form for form, _, _, _ in pieces],
        spaces=[space for _, space, _, _ in pieces],
        tags=[(word.xpos or "") if word else "_SP" for word in words],
        pos=[(word.upos or "") if word else "SPACE" for word in words],
        morphs=["|".join(f"{k}={v}" for k, v in word.feats.items()) if word else "" for word in words],
        lemmas=[(word.lemma or "") if word else form for form, _, word, _ in pieces],
        heads=heads,
        deps=[("ROOT" if word.deprel == "root" else word.deprel) if word else "dep" for word in words],
    )
    doc.user_data["treebeam_id"] = document.id
    for token, given in zip(doc, words):
        if given:
            for name in _EXTENSIONS:
                token._.set(name, getattr(given, name))
    return doc


def _gap(pieces: List[_Piece], gap: str, number: int) -> None:
    """Appends what stands between two words: a space behind the first, and the rest, if any, as a token."""
    if gap.startswith(" ") and pieces:
        form, _, word, of = pieces[-1]
        pieces[-1] = (form, True, word, of)
        gap = gap[1:]
    if gap:
        pieces.append((gap, False, None, number))


def _places(sentence: Sentence, text: str) -> List[Tuple[Word, Optional[int], int]]:
    """Returns the words with their places, those of a multiword token apart.

    A word without a place comes from a token that cannot be cut into its words;
    the first of them then has the place of the token.
    """
    places: List[Tuple[Word, Optional[int], int]] = []
    for token in sentence.tokens:
        at, end = token.start, token.end or 0
        whole = len(token.words) > 1 and at is not None and "".join(word.form for word in token.words) == text[at:end]
        for i, word in enumerate(token.words):
            if whole and at is not None:
                places.append((word, at, at + len(word.form)))
                at += len(word.form)
            else:
                places.append((word, at if i == 0 else None, end))
    return places
