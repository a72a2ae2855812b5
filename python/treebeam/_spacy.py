"""Documents as spaCy has them."""

from __future__ import annotations

from typing import Callable, List, Optional, Tuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ._documents import Sentence, Word

_Piece = Tuple[str, bool, Optional[Word], int]  # form, a space behind it, its word, its sentence


def maker(vocab: Optional[Vocab]) -> Callable[[str, str, List[Sentence]], Doc]:
    """Returns what makes a Doc of an id, a text and its sentences."""
    shared = Vocab() if vocab is None else vocab
    return lambda document, text, sentences: _doc(shared, document, text, sentences)


def _doc(vocab: Vocab, document: str, text: str, sentences: List[Sentence]) -> Doc:
    pieces: List[_Piece] = []
    at = 0
    for number, sentence in enumerate(sentences):
        for word, start, end in _places(sentence, text):
            if start is not None:
                _gap(pieces, text[at:start], number)
                at = end
            pieces.append((word["form"] or "_", False, word, number))
    _gap(pieces, text[at:], max(len(sentences) - 1, 0))

    index = {(number, word["id"]): i for i, (_, _, word, number) in enumerate(pieces) if word}
    heads: List[int] = []
    for i, (_, _, piece, number) in enumerate(pieces):
        if piece:
            heads.append(i if piece["head"] == 0 else index[number, piece["head"]])
        else:  # white space hangs on a word beside it, as spaCy wants it
            heads.append(next((k for k in (i - 1, i + 1) if 0 <= k < len(pieces) and pieces[k][2]), i))
    words = [word for _, _, word, _ in pieces]
    doc = Doc(
        vocab,
        words=[form for form, _, _, _ in pieces],
        spaces=[space for _, space, _, _ in pieces],
        tags=[(word["xpos"] or "") if word else "_SP" for word in words],
        pos=[(word["upos"] or "") if word else "SPACE" for word in words],
        morphs=["|".join(f"{k}={v}" for k, v in word["feats"].items()) if word else "" for word in words],
        lemmas=[(word["lemma"] or "") if word else form for form, _, word, _ in pieces],
        heads=heads,
        deps=[("ROOT" if word["deprel"] == "root" else word["deprel"]) if word else "dep" for word in words],
    )
    doc.user_data["treebeam_id"] = document
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
    places: List[Tuple[Word, Optional[int], int]] = [(w, w["start"], w["end"] or 0) for w in sentence["words"]]
    for token in sentence["multiword_tokens"]:
        first, last = token["first"] - 1, token["last"]
        at = sentence["words"][first]["start"]
        whole = at is not None and "".join(w["form"] for w in sentence["words"][first:last]) == text[at : sentence["words"][first]["end"]]
        for i in range(first, last):
            word = sentence["words"][i]
            if whole and at is not None:
                places[i] = (word, at, at + len(word["form"]))
                at += len(word["form"])
            elif i > first:
                places[i] = (word, None, 0)
    return places
