"""Documents as spaCy has them."""

from __future__ import annotations

from typing import Callable, List, Optional, Tuple

import spacy
from spacy.tokens import Doc, Token
from spacy.vocab import Vocab

from ._documents import Document, Sentence, Word

_Piece = Tuple[str, bool, Optional[Word], int]  # form, a space behind it, its word, its sentence

_PROBABILITIES = ("head_conf", "deprel_conf", "upos_conf")


def maker(vocab: Optional[Vocab], english: bool) -> Callable[[Document], Doc]:
    """Returns what makes a Doc of a document."""
    for name in _PROBABILITIES:
        if not Token.has_extension(name):
            Token.set_extension(name, default=None)
    shared = vocab or (spacy.blank("en").vocab if english else Vocab())
    return lambda document: _doc(shared, document)


def _doc(vocab: Vocab, document: Document) -> Doc:
    text, sentences = document.text, document.sentences
    pieces: List[_Piece] = []
    at = 0
    for number, sentence in enumerate(sentences):
        for word, start, end in _places(sentence, text):
            if start is not None:
                _gap(pieces, text[at:start], number)
                at = end
            pieces.append((word.form or "_", False, word, number))
    _gap(pieces, text[at:], max(len(sentences) - 1, 0))

    index = {(number, word.id): i for i, (_, _, word, number) in enumerate(pieces) if word}
    heads: List[int] = []
    for i, (_, _, piece, number) in enumerate(pieces):
        if piece:
            heads.append(index[number, piece.head_id] if piece.head_id else i)
        else:  # white space hangs on a word beside it, as spaCy wants it
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
            for name in _PROBABILITIES:
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
