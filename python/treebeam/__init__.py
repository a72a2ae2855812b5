"""treebeam parses text to dependency trees, and says how sure it is of each.

    import treebeam

    with treebeam.Parser() as parser:
        for document in parser.parse(["The old boat wasn't theirs to sell."]):
            for sentence in document["sentences"]:
                for word in sentence["words"]:
                    print(word["form"], word["upos"], word["head"], word["deprel"])

A wheel holds the program, which does the work in a process of its own. The
module needs nothing but Python; ``Parser.arrow`` needs pyarrow and
``Parser.spacy`` spaCy.
"""

from ._documents import Document, Failure, MultiwordToken, Sentence, Word
from ._parser import Parser, TreebeamWarning, program
from ._process import TreebeamError
from ._version import __version__

__all__ = [
    "Document",
    "Failure",
    "MultiwordToken",
    "Parser",
    "Sentence",
    "TreebeamError",
    "TreebeamWarning",
    "Word",
    "__version__",
    "program",
]
