"""treebeam parses text into dependency trees, with a probability for each.

>>> import treebeam
>>> nlp = treebeam.load("english")
>>> doc = nlp("The old boat sank in the harbour.")
>>> for word in doc.sentences[0].words:
...     print(word.text, word.upos, word.deprel, word.head)
The DET det boat
old ADJ amod boat
boat NOUN nsubj sank
sank VERB root None
in ADP case harbour
the DET det harbour
harbour NOUN obl sank
. PUNCT punct sank

A wheel holds the program, which does the work in a process of its own. The module needs
nothing but Python. ``Parser.arrow`` needs pyarrow, ``Parser.spacy`` needs spaCy, and
``words_frame`` needs pandas, polars or pyarrow.
"""

from ._documents import Document, Failure, Sentence, Token, Word
from ._parser import Parser, languages, load, program
from ._process import TreebeamError, TreebeamWarning
from ._search import Hit
from ._version import __version__

__all__ = [
    "Document",
    "Failure",
    "Hit",
    "Parser",
    "Sentence",
    "Token",
    "TreebeamError",
    "TreebeamWarning",
    "Word",
    "__version__",
    "languages",
    "load",
    "program",
]
