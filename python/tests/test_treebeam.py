"""Tests of the module treebeam as it is installed: python -m unittest discover -s python/tests"""

import decimal
import fractions
import gc
import itertools
import json
import multiprocessing
import os
import pathlib
import pickle
import random
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import unittest.mock
import warnings

import treebeam

ODD = [
    "",
    " \n\t ",
    "One dog barks.",
    "The boat wasn't\ntheirs.  Nobody \"cared\" café 😀 now.",
    "Back\\slash \\n and \"quotes\" don't hurt.\r\nNor \x00 NUL or \ud83d half a pair.",
    "Zeile eins\u2028Zeile zwei. Non\u00a0breaking \u200b zero width.",
    "{\"end_of\": \"0\"}\n# treebeam_end = {}\n",
    "e\u0301 combining, \U0001f469\u200d\U0001f680 joined. " * 50,
    "Two halves \ud83d\ude00 that stay apart, 😀 and a third \udc00. Café.",
    "x" * 70_000,
]


def prose(seed, sentences):
    chance = random.Random(seed)
    words = "the old boat she sold quickly never reached a harbour that nobody knew because it rained".split()
    return " ".join(" ".join(chance.choices(words, k=chance.randint(3, 12))).capitalize() + "." for _ in range(sentences))


def pid(parser):
    return parser._process.child.pid


def lives(number):
    try:
        with open(f"/proc/{number}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def eventually(condition):
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.05)
    return False


def program(*args, stdin=None):
    return subprocess.run([treebeam.program(), *args], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.parser = treebeam.Parser(fast=True)  # the models differ in their trees alone

    @classmethod
    def tearDownClass(cls):
        cls.parser.close()

    def test_document(self):
        (document,) = self.parser.pipe(["The old boat wasn't theirs."], ids=["letter"])
        self.assertEqual((document.id, document.failures, len(document)), ("letter", [], 1))
        sentence = document[0]
        self.assertEqual((sentence.id, sentence.text, sentence.status), ("letter-1", "The old boat wasn't theirs.", "ok"))
        self.assertEqual([str(w) for w in sentence], ["The", "old", "boat", "was", "n't", "theirs", "."])
        self.assertEqual([(t.text, len(t.words)) for t in sentence.tokens[2:5]], [("boat", 1), ("wasn't", 2), ("theirs", 1)])
        boat = document.words[2]
        self.assertIs(boat, sentence.words[2])
        self.assertEqual((sentence[2], sentence[-1:], document[:1]), (boat, sentence.words[-1:], document.sentences))
        self.assertEqual(list(reversed(sentence)), sentence.words[::-1])
        self.assertTrue(repr(document).endswith(", 1 sentence>"), document)
        self.assertEqual((boat.id, boat.text, boat.upos, boat.feats, boat.start, boat.end), (3, "boat", "NOUN", {"Number": "Sing"}, 8, 12))
        self.assertTrue(0 < boat.head_conf <= 1 and 0 < sentence.tree_conf <= 1)
        self.assertEqual([w for w in sentence if w.head is None], [sentence.root])
        self.assertEqual([w.id for w in boat.subtree], [1, 2, 3])
        for word in sentence:
            self.assertTrue(all(child.head is word for child in word.children))
            self.assertEqual(sum(len(child.subtree) for child in word.children) + 1, len(word.subtree))
        self.assertEqual(sentence.root.subtree, sentence.words)
        as_dict = json.loads(json.dumps(document.to_dict()))
        self.assertEqual(as_dict["sentences"][0]["words"][2]["head"], boat.head_id)
        self.assertEqual(as_dict["sentences"][0]["multiword_tokens"], [{"first": 4, "last": 5, "form": "wasn't"}])
        self.assertEqual(pickle.loads(pickle.dumps(document)), document)
        self.assertNotEqual(self.parser("Another."), document)
        for text in (document, sentence, boat, sentence.tokens[0], document.find("NOUN")[0]):
            self.assertIn(text.__class__.__name__, repr(text))

    def test_tokens(self):
        """Tokens of the caller stay as they are, and have places in their text."""
        texts = [[["The", "cat", "doesn't", "sit", "."], ["It", "lies\ndown", "."]], [], [["a", ""], ["[b]", "😀"]]]
        first, none, odd = self.parser.pipe(texts, pretokenized=True)
        self.assertEqual([[w.text for w in s] for s in first], [["The", "cat", "doesn't", "sit", "."], ["It", "lies down", "."]])
        self.assertEqual((first[0].text, first[0].start, first[1].start), ("The cat doesn't sit .", 0, 22))
        self.assertEqual((first[0].words[2].start, first[0].words[2].end), (8, 15))
        self.assertEqual((none.text, none.sentences, none.failures), ("", [], []))
        self.assertEqual(([f.kind for f in odd.failures], [w.text for w in odd.words]), (["no_tokens"], ["[b]", "😀"]))
        self.assertEqual(self.parser(texts[0], pretokenized=True), first)
        self.assertEqual(self.parser("[b] 😀").words[0].start, 0)
        again = [["lies\ndown", "."], ["lies down", "."], ["a", ""], ["a"], [], ["\\\x00\ud83d", " \u00a0x ", "\t😀\t"], ["x"]]
        document = self.parser(again, pretokenized=True)
        self.assertEqual([(s.start, s.end) for s in document], [(0, 11), (12, 23), (27, 28), (29, 40), (42, 43)])
        self.assertEqual([document.text[w.start : w.end].strip() for w in document.words], [t.strip() for s in again if "" not in s for t in s])

    def test_find(self):
        """Hits are words of the sentences that were searched."""
        document = self.parser("The old boat sank in the harbour. Dogs don't bark at cats. It rained.")
        hits = document.find("v:VERB >nsubj n:NOUN")
        self.assertEqual([(h["v"].text, h["n"].text) for h in hits], [("sank", "boat"), ("bark", "Dogs")])
        self.assertIs(hits[1]["n"], document[1].words[0])
        self.assertEqual([h.sentence.id for h in document.find("VERB")], ["0-1", "0-2", "0-3"])
        self.assertEqual([list(h.words) for h in document.find("VERB >nsubj NOUN")], [["1", "2"]] * 2)
        self.assertEqual(self.parser("").find("VERB"), [])
        for end in "\u2028\u2029\x85":  # line breaks to Python, not to CoNLL-U
            odd = self.parser([[f"x{end}# hit = 1:9", "y"]], pretokenized=True)
            self.assertEqual([h["1"].id for h in odd.find("_")], [1, 2])
        for pattern in ("VERB [", "-x", ""):
            with self.subTest(pattern), self.assertRaisesRegex(ValueError, "^the pattern is wrong: "):
                document.find(pattern)
        with self.assertRaisesRegex(TypeError, "pattern is an int, not a string such as 'VERB >nsubj NOUN'"):
            document.find(3)
        with self.assertWarnsRegex(treebeam.TreebeamWarning, "foo is not a relation of Universal Dependencies"):
            self.assertEqual(document.find("VERB >foo NOUN"), [])

    def test_pictures(self):
        document = self.parser("The old boat sank. Dogs don't bark.")
        self.assertTrue(document[1]._repr_svg_().startswith("<svg ") and "bark" in document[1].to_svg(conf=False))
        self.assertIn("boat", document.to_html())
        self.assertRegex(document[0].to_tree(conf=True), r"^0-1\nThe old boat sank\.\n[^\0]* ADJ +[01]\.\d\d +amod [^\0]*[^\n]$")
        self.assertRegex(document.to_conllu(conf=True), r"\tHeadConf=0\.\d{4}\|DeprelConf=")

    def test_words_frame(self):
        texts = ["One dog can't bark.", "Two."]
        for library, module in (("pandas", "pandas"), ("polars", "polars"), ("arrow", "pyarrow")):
            try:
                __import__(module)
            except ImportError:
                continue
            with self.subTest(library):
                frame = self.parser.words_frame(texts, library, ids=["a", "b"])
                column = lambda name: frame[name].to_pylist() if library == "arrow" else list(frame[name])  # noqa: E731
                self.assertEqual(column("doc_id"), ["a"] * 6 + ["b"] * 2)
                self.assertEqual(column("id"), [1, 2, 3, 4, 5, 6, 1, 2])
                self.assertEqual(column("lemma")[:4], ["one", "dog", "can", "not"])
                self.assertEqual(column("head").count(0), 2)
                self.assertEqual(column("language"), ["en"] * 8)
        with self.assertRaisesRegex(ValueError, "must be one of pandas, polars, arrow"):
            self.parser("One.").words_frame("numpy")

    def test_missing_libraries(self):
        """Whoever lacks a library learns how to install it."""
        for module, call in (
            ("pyarrow", lambda: self.parser.arrow(["One."])),
            ("pyarrow", lambda: self.parser.words_frame(["One."], "arrow")),
            ("pandas", lambda: self.parser("One.").words_frame("pandas")),
            ("spacy", lambda: list(self.parser.spacy(["One."]))),
        ):
            with self.subTest(module), unittest.mock.patch.dict(sys.modules, {module: None}):
                with self.assertRaisesRegex(ImportError, f" needs {module}: install it, for instance with pip install {module}$"):
                    call()

    def test_places(self):
        """Every word stands in its document where it says, whatever the escapes."""
        found = 0
        for document in self.parser.pipe(ODD):
            end = 0
            for sentence in document:
                self.assertLessEqual(end, sentence.start)
                end = sentence.end
                for token in sentence.tokens:
                    self.assertIsNotNone(token.start, token)
                    there = document.text[token.start : token.end]
                    self.assertEqual(re.sub("[\ud800-\udfff\x00]", "\ufffd", there), token.text)
                    found += 1
            rest = re.sub(r"\s|\u200b|\u2028", "", document.text[end:])
            self.assertEqual(rest, "")
        self.assertGreater(found, 300)

    def test_alone_and_together(self):
        """A text gives the same alone as among others, sent ahead or not."""
        texts = ODD + [prose(i, i % 7) for i in range(200)]
        together = list(self.parser.pipe(texts))
        self.assertEqual([d.text for d in together], texts)
        for i in range(0, len(texts), 9):
            (alone,) = self.parser.pipe([texts[i]], ids=[i])
            self.assertEqual(alone, together[i])
        self.assertEqual(list(self.parser.pipe(texts, batch_size=3, n_process=2)), together)
        pairs = self.parser.pipe(((text, i) for i, text in enumerate(texts)), as_tuples=True)
        self.assertEqual(list(pairs), [(d, i) for i, d in enumerate(together)])
        with treebeam.Parser(fast=True, look_ahead=0) as slow:
            self.assertEqual(list(slow.pipe(texts[:60])), together[:60])

    def test_conllu(self):
        """CoNLL-U is the program's own, but for the ids."""
        texts = [t for t in ODD if "\ud83d" not in t] + [prose(i, 5) for i in range(20)]
        lines = "".join(json.dumps({"id": str(i), "text": t}) + "\n" for i, t in enumerate(texts))
        said = program("parse", "-", "--fast", "--language", "en", "--from", "jsonl", "--to", "conllu", "--quiet", stdin=lines.encode())
        self.assertEqual(said.returncode, 0, said.stderr)
        without = re.compile("^# sent_id = .*\n", re.MULTILINE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", treebeam.TreebeamWarning)
            ours = self.parser.conllu(texts)
        self.assertEqual(without.sub("", ours), without.sub("", said.stdout.decode()))
        self.assertTrue(ours.startswith("# generator = treebeam "), ours[:200])
        document = self.parser(prose(1, 9))
        said = program("parse", "-", "--fast", "--language", "en", "--to", "conllu", "--conf", "--quiet", stdin=document.text.encode())
        words = re.compile(r"^(# (?!generator|model|newdoc|sent_id)|\d).*\n", re.MULTILINE)
        self.assertEqual("".join(m[0] for m in words.finditer(document.to_conllu(conf=True))), "".join(m[0] for m in words.finditer(said.stdout.decode())))
        self.assertEqual(self.parser.conllu(["", " "]), "")
        self.assertIn("\n# newdoc id = a%0Ab\n# newpar\n# sent_id = a%0Ab-1\n", self.parser.conllu(["One."], ids=["a\nb"]))
        ids = re.findall("^# sent_id = (.*)$", ours, re.MULTILINE)
        self.assertEqual(len(ids), len(set(ids)))

    def test_failures(self):
        """A record over the program's limit is a failure, and the next text is parsed."""
        long, short = self.parser.pipe(["word " * 4_000_000, "One dog barks."])
        self.assertEqual((long.sentences, [f.severity for f in long.failures]), ([], ["error"]))
        self.assertIn("too long", long.failures[0].reason)
        self.assertEqual((len(short.sentences), short.failures), (1, []))
        self.assertEqual([f.severity for f in self.parser("half \ud83d a pair").failures], ["warning"])
        with self.assertWarnsRegex(treebeam.TreebeamWarning, "invalid bytes"):
            self.parser.conllu(["half \ud83d a pair"])

    def test_arrow(self):
        try:
            import pyarrow.parquet
        except ImportError:
            self.skipTest("no pyarrow")

        texts = [prose(i, 4) for i in range(50)]
        table = self.parser.arrow(texts)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "in.jsonl"), "w") as f:
                f.writelines(json.dumps({"id": str(i), "text": t}) + "\n" for i, t in enumerate(texts))
            said = program("parse", "--fast", "--language", "en", os.path.join(folder, "in.jsonl"), "--output", os.path.join(folder, "out"), "--quiet")
            self.assertEqual(said.returncode, 0, said.stderr)
            parquet = pyarrow.parquet.read_table(os.path.join(folder, "out", "trees"))
        ours = set(table.schema.names) - {"sent_id", "start", "end"}
        self.assertEqual(ours, set(parquet.schema.names) - {"sent_id", "source_uri", "start_byte", "end_byte"})
        for name in sorted(ours):
            self.assertEqual(table[name].to_pylist(), parquet[name].to_pylist(), name)
        self.assertEqual(self.parser.arrow([]).schema, table.schema)

    def test_spacy(self):
        try:
            import spacy
        except ImportError:
            self.skipTest("no spaCy")
        text = "One  dog can't bark.\nReally?\n\n"
        vocab = spacy.blank("en").vocab
        (doc,) = self.parser.spacy([text], vocab, ids=["x"])
        self.assertEqual((doc.text, doc.user_data["treebeam_id"]), (text, "x"))
        self.assertIs(doc.vocab, vocab)
        self.assertEqual([t.text for t in doc if not t.is_space], ["One", "dog", "ca", "n't", "bark", ".", "Really", "?"])
        self.assertEqual([s.text.strip() for s in doc.sents], ["One  dog can't bark.", "Really?"])
        dog, bark = doc[2], doc[5]
        self.assertEqual((dog.head, bark.dep_, dog.pos_, dog.morph.get("Number"), doc[4].lemma_), (bark, "ROOT", "NOUN", ["Sing"], "not"))
        self.assertTrue(0 < dog._.head_conf <= 1 and doc[1].is_space and doc[1]._.head_conf is None)
        texts = [t for t in ODD if "\ud83d" not in t]
        self.assertEqual([d.text for d in self.parser.spacy(texts)], texts)
        with self.assertWarnsRegex(treebeam.TreebeamWarning, "token 2 is blank"):
            self.assertEqual([d.text for d in self.parser.spacy([[["\ud83d", ""], ["One"]]], pretokenized=True)], ["\ufffd  One"])
        (doc,) = self.parser.spacy([[["The", "old", "cat"], ["It", "sat"]]], pretokenized=True)
        self.assertEqual(([t.text for t in doc], doc.lang_, len(list(doc.sents))), (["The", "old", "cat", "It", "sat"], "en", 2))
        self.assertEqual([chunk.text for chunk in doc.noun_chunks][:1], ["The old cat"])

    def test_spacy_languages(self):
        """A Doc has the vocab of its language, and spaces between the words of a token that is not cut."""
        try:
            import spacy  # noqa: F401
        except ImportError:
            self.skipTest("no spaCy")
        texts = [f"Le chat dort sur le canapé du salon.{end}" for end in ("", " Il va au parc.")]
        with treebeam.load("fr") as parser:
            first, second, none = parser.spacy([*texts, ""])
        self.assertEqual((first.text, first.lang_, none.lang_), ("Le chat dort sur le canapé de le salon.", "fr", "fr"))
        self.assertEqual(second.text, "Le chat dort sur le canapé de le salon. Il va à le parc.")
        self.assertEqual([texts[0][t._.start : t._.end] for t in first], "Le chat dort sur le canapé du du salon .".split())
        self.assertIn("Le chat", [chunk.text for chunk in first.noun_chunks])
        with treebeam.load("auto") as parser:
            docs = parser.spacy([texts[0], "Die Katze schläft auf dem alten Sofa.", "Så hvilken skolepolitikk får velgerne hvis de stemmer på de røde?"])
            self.assertEqual([doc.lang_ for doc in docs], ["fr", "de", "nb"])


class Documentation(unittest.TestCase):
    def test_examples(self):
        """The examples of the docstrings run, and print what they say."""
        import doctest

        try:
            import pyarrow  # noqa: F401
        except ImportError:
            self.skipTest("no pyarrow")
        import treebeam._documents
        import treebeam._parser

        for module in (treebeam, treebeam._documents, treebeam._parser):
            failed, tried = doctest.testmod(module, extraglobs={"treebeam": treebeam})
            self.assertEqual(failed, 0)
            self.assertGreater(tried, 2)


class Streams(unittest.TestCase):
    def test_bounded_look_ahead(self):
        """Of an endless generator only so much is read ahead."""
        taken = 0

        def endless():
            nonlocal taken
            while True:
                taken += 1
                yield "One dog barks. " * 10

        with treebeam.Parser(fast=True, look_ahead=3_000) as parser:
            results = parser.pipe(endless())
            for used in range(1, 100):
                next(results)
                self.assertLessEqual(taken - used, 3_000 // 150 + 1)
            results.close()
            self.assertEqual(len(list(parser.pipe(["One.", "Two."]))), 2)

    def test_source_that_waits_for_results(self):
        """With look_ahead=0 a source may wait for the result of what it gave."""
        asked = [""]

        def source():
            while asked:
                yield asked.pop()

        with treebeam.Parser(fast=True, look_ahead=0) as parser:
            seen = []
            for document in parser.pipe(source()):
                seen.append(document.text)
                if len(seen) < 5:
                    asked.append(f"Next {len(seen)}.")
        self.assertEqual(len(seen), 5)

    def test_interleaved_and_abandoned(self):
        with treebeam.Parser(fast=True) as parser:
            process = pid(parser)
            first, second = parser.pipe(f"A {i}." for i in range(300)), parser.pipe(f"B {i}." for i in range(300))
            for i, (a, b) in enumerate(zip(first, second)):
                self.assertEqual((a.text, b.text), (f"A {i}.", f"B {i}."))
            for _ in range(20):
                self.assertEqual(next(parser.pipe(f"C {i}." for i in range(50))).text, "C 0.")

            def broken():
                yield "One."
                raise KeyError("mine")

            with self.assertRaises(KeyError):
                list(parser.pipe(broken()))
            with self.assertRaises(TypeError):
                list(parser.pipe(["One.", 2]))
            self.assertEqual(parser("D.").text, "D.")
            self.assertEqual(pid(parser), process)

    def test_threads(self):
        with treebeam.Parser(fast=True, look_ahead=2_000) as parser:
            wrong = []

            def work(name):
                texts = [f"Thread {name} says {i}. {prose(i, 2)}" for i in range(150)]
                if [d.text for d in parser.pipe(texts)] != texts:
                    wrong.append(name)

            threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            self.assertEqual(wrong, [])

    def test_large(self):
        """More than any pipe holds, both ways, at once."""
        texts = [prose(i, 1_000) for i in range(4)]
        with treebeam.Parser(fast=True, look_ahead=10_000_000) as parser:
            self.assertEqual([d.text for d in parser.pipe(texts)], texts)


class Refusals(unittest.TestCase):
    """What cannot work is refused at once, with the remedy."""

    def test_options(self):
        """In no spelling do options change the pipe."""
        for options in (
            "-o x", "-ox", "-o=x", "--o x", "--output x", "--output=x", "-output x", "-qo x",
            "--to conllu", "--to=conllu", "-t conllu", "-tconllu", "-t=conllu", "-to conllu", "-to=conllu", "-qtconllu", "-qvt conllu",
            "--from text", "--from=tokens", "-f text", "-ftext", "-from=text", "--f text",
            "-n 1", "--limit 1", "-i x", "--input x", "--files-from x", "--exclude x", "--end-marks=false", "-end-marks=false",
            "--text body", "--text=body", "--id x", "--keep x", "--document line", "--exact 5 --to tsv",
        ):  # fmt: skip
            with self.subTest(options), self.assertRaisesRegex(ValueError, r"^options: -.* cannot be used: .*pipe\(\).*treebeam\.program\(\)"):
                treebeam.Parser(options=options.split())
        with self.assertRaisesRegex(TypeError, r"not a list, such as \['--exact', '5'\]"):
            treebeam.Parser(options="--exact 5")
        with self.assertRaisesRegex(TypeError, "5 is an int, not a string such as '5'"):
            treebeam.Parser(options=["--exact", 5])
        for options in (["--conf"], ["--words"], ["-threads", "1"], ["--state", "x"], ["--json"], ["-h"], ["--plan-only"], ["--model"], ["nothing.txt"]):
            with self.subTest(options), self.assertRaises(treebeam.TreebeamError):
                treebeam.Parser(options=options)
        for options in (["--exact", "-1"], ["--threads", "1"], ["--threads=1"], ["-v"], ["-q"], ["--", "-"]):
            with self.subTest(options), treebeam.Parser(options=options) as parser:
                self.assertEqual(len(parser("One.")), 1)
                self.assertIn("\n# model = ", parser.conllu(["One."]))
        with self.assertRaises(treebeam.TreebeamError):
            treebeam.Parser(options=iter(["--no-such-flag"]))

    def test_texts(self):
        class NAType:
            __str__ = lambda self: "<NA>"  # noqa: E731

        class DataFrame:
            columns = ["text"]
            __iter__ = lambda self: iter(self.columns)  # noqa: E731

        class Scalar:
            def __init__(self, value):
                self.as_py = lambda: value

        with treebeam.Parser() as parser:
            for texts, want in (
                (["One.", 1], "text 1 is an int, not a string; if it is a text, make it a string with str()"),
                ([None], 'text 0 is None, not a string; leave out missing texts, or give ""'),
                (["One.", float("nan")], "text 1 is NaN, not a string"),
                ([NAType()], "text 0 is <NA>, not a string; leave out"),
                ([b"x"], "text 0 is bytes, not a string; decode it first"),
                ([bytearray(b"x")], "text 0 is a bytearray, not a string; decode it first"),
                ([Scalar(None)], "text 0 is None, not a string; leave out"),
                (b"xyz", "texts is bytes: decode it first"),
                ("One.", "texts is a string, not a list of texts; to parse one text, call the parser with it"),
                ([pathlib.Path("x")], f"text 0 is a {type(pathlib.Path()).__name__}, not a string; read it first"),
                ([{"a": "b"}], "text 0 is a dict, not a string; to parse its values, give them to pipe()"),
                ([("A text.", "ctx")], "text 0 is a tuple, not a string; for (text, context) give as_tuples=True, for ids give ids="),
                ([["Hello", "there"]], "text 0 is a list, not a string; for lists of tokens give pretokenized=True"),
                ({"a": "b"}, "texts is a dict: give its values(), and ids= its keys()"),
                (DataFrame(), "texts is a DataFrame: give the column with the texts, and ids= another column"),
                (5, "texts is an int: give strings"),
                (None, "texts is None: give strings"),
            ):
                with self.subTest(want):
                    for call in (lambda texts: list(parser.pipe(texts)), parser.conllu):
                        with self.assertRaises(TypeError) as caught:
                            call(texts)
                        self.assertTrue(str(caught.exception).startswith(want), caught.exception)
            for options, error, want in (
                ({"ids": ["a", None]}, TypeError, "text 1 has an id that is None, not a string or a whole number"),
                ({"ids": "ab"}, TypeError, "ids is a str, not a list of ids"),
                ({"ids": 7}, TypeError, "ids is an int, not a list of ids"),
                ({"ids": [1.5]}, TypeError, "text 0 has an id that is a float"),
                ({"ids": ["a"]}, ValueError, "text 1 has no id: ids ends after 1"),
                ({"ids": [7, 8, 9]}, ValueError, "there are 3 ids for 2 texts"),
                ({"as_tuples": True}, TypeError, "text 0 is a str: with as_tuples=True, give tuples (text, context)"),
                ({"pretokenized": True}, TypeError, "text 0 is a str, not a list of sentences, each a list of tokens"),
                ({"batch_size": 0}, ValueError, "batch_size is 0; it must be at least 1"),
            ):
                with self.subTest(want), self.assertRaises(error) as caught:
                    list(parser.pipe(["One.", "Two."], **options))
                self.assertTrue(str(caught.exception).startswith(want), caught.exception)
            with self.assertRaisesRegex(ValueError, "there are 3 ids for 1 text$"):
                list(parser.pipe(iter(["One."]), ids=[7, 8, 9]))
            self.assertEqual([d.id for d in parser.pipe(["One.", "Two."], ids=itertools.count(7))], ["7", "8"])
            for text, want in (
                (["A dog.", "A cat."], "the text is a list, not a string; to parse several texts, give them to pipe()"),
                (("A dog.", 1), "the text is a tuple, not a string; to parse several texts, give them to pipe()"),
                ([["A", "dog"]], "the text is a list, not a string; for lists of tokens give pretokenized=True"),
                (DataFrame(), "the text is a DataFrame, not a string; give pipe() the column with the texts"),
                ({"a": "b"}, "the text is a dict, not a string; to parse its values, give them to pipe()"),
                (None, 'the text is None, not a string; leave out missing texts, or give ""'),
            ):
                with self.subTest(want), self.assertRaises(TypeError) as caught:
                    parser(text)
                self.assertTrue(str(caught.exception).startswith(want), caught.exception)
            for text, want in (
                (["One", "dog"], "the text, sentence 0, is a str, not a list of tokens"),
                ([["One", None]], "the text, sentence 0, has a token that is None, not a string"),
                (7, "the text is an int, not a list of sentences"),
            ):
                with self.subTest(want), self.assertRaises(TypeError) as caught:
                    parser(text, pretokenized=True)
                self.assertTrue(str(caught.exception).startswith(want), caught.exception)
            self.assertEqual([d.id for d in parser.pipe([Scalar("One."), "Two."], ids=[Scalar(7), True])], ["7", "1"])

    @unittest.skipIf(sys.platform == "win32", "needs /bin/sh")
    def test_another_program(self):
        """A program that does not answer as treebeam does is refused, and nobody waits for it for ever."""
        from treebeam import _process

        marks = """while read line; do printf '{"end_of": "x"}\\n'; done"""
        patience, _process._PATIENCE = _process._PATIENCE, 1.0
        try:
            for code, want in (
                ("echo Hello; exec cat >/dev/null", "wrote 'Hello', which is not a line of JSON"),
                ("echo '# treebeam_end = {}'; exec cat >/dev/null", "wrote '# treebeam_end = {}'"),
                ("echo why >&2; exec cat >/dev/null", "has not answered an empty text within 1 s: is it treebeam\\?\nwhy"),
                ("exec cat", "has not answered"),
                (f"""echo '{{"severity": "error"}}'; {marks}""", 'answers an empty text with {"severity": "error"}'),
                ("echo bye", "wrote 'bye'"),
                ("exit 3", "ended with status 3"),
            ):
                with self.subTest(code), self.assertRaisesRegex(treebeam.TreebeamError, want):
                    _process.Process(["/bin/sh", "-c", code])
        finally:
            _process._PATIENCE = patience


class Lives(unittest.TestCase):
    def test_names_of_languages(self):
        """A code may be of a country's variety, and a name one word."""
        for name, code in (("nb", "no"), ("pt_BR", "pt"), ("Norwegian", "no"), ("chinese", "zh")):
            with self.subTest(name), treebeam.load(name) as parser:
                self.assertEqual(parser("Hunden bjeffer.").language, code)

    def test_refused(self):
        for name in ("klingon", "en_core_web_sm"):
            with self.assertRaisesRegex(ValueError, rf"there is no model '{name}': name a language of treebeam.languages\(\), or the path of a model file"):
                treebeam.load(name)
        for arguments, error, want in (
            ({"model": ["en", "fr"]}, TypeError, r"model is a list: to choose between languages, give language=\['en', 'fr'\]"),
            ({"model": "zz"}, treebeam.TreebeamError, 'the language "zz" is not known; treebeam languages'),
            ({"model": 3}, TypeError, "model is an int, not a string or a path"),
            ({"language": []}, ValueError, r"language is \[\]: name one, such as 'de', or leave it out"),
            ({"language": ""}, ValueError, "language is '': name one"),
            ({"language": [""]}, ValueError, r"language is \[''\]: name one"),
            ({"model": "auto", "language": ()}, ValueError, r"language is \(\): name one"),
            ({"language": ["de", 3]}, TypeError, "language is a list, not a string or a list of strings"),
            ({"lines": ["wrapped"]}, TypeError, "lines is a list, not a string or a path"),
            ({"exceptions": ["x"]}, TypeError, "exceptions is a list, not a string or a path"),
            ({"model": "fr", "language": "de"}, ValueError, "the model 'fr' is not in language='de': leave out one of them"),
            ({"model": "english", "language": "de,fr"}, ValueError, "the model 'english' is not in language='de,fr'"),
            ({"model": "French", "accurate": True}, ValueError, "fast, accurate and effort are for English, not for language='fr'"),
            ({"model": "fr", "fast": True}, ValueError, "fast, accurate and effort are for English, not for language='fr'"),
            ({"fast": True, "effort": 0.5}, ValueError, "fast excludes accurate and effort"),
            ({"fast": True, "accurate": True}, ValueError, "fast excludes accurate and effort"),
            ({"language": "de,fr", "effort": 0.5}, ValueError, "fast, accurate and effort are for English, not for language='de,fr'"),
        ):
            with self.subTest(arguments), self.assertRaisesRegex(error, want):
                treebeam.load(**arguments)
        with self.assertRaisesRegex(treebeam.TreebeamError, "nothing.tbm") as caught:
            treebeam.load("nothing.tbm")
        self.assertEqual(caught.exception.status, 64)
        with self.assertRaises(treebeam.TreebeamError) as caught:
            treebeam.Parser(options=["--no-such-flag"])
        self.assertEqual(caught.exception.status, 64)
        with self.assertRaisesRegex(treebeam.TreebeamError, "cannot start"):
            treebeam.Parser(executable="/nothing/here")
        with self.assertRaisesRegex(treebeam.TreebeamError, "--threads"):
            treebeam.Parser(threads=-1)
        for number in (fractions.Fraction(-1), decimal.Decimal(-1)):  # as those of numpy, no int
            with self.subTest(number), self.assertRaisesRegex(treebeam.TreebeamError, "--threads"):
                treebeam.Parser(threads=number)

    def test_languages(self):
        """Models and languages that mean the same make the same parser."""
        codes = [known["code"] for known in treebeam.languages()]
        self.assertEqual(([code for code in ("de", "en", "fr") if code in codes], sorted(codes)), (["de", "en", "fr"], codes))
        for want, *given in (
            ("de", {"model": "de"}, {"model": "German"}, {"language": "de"}, {"model": "de", "language": "de"}),
            ("de,fr", {"language": "de,fr"}, {"language": ["de", "fr"]}, {"model": "auto", "language": ["de", "fr"]}),
            ("en", {}, {"model": "english"}, {"language": ["en"]}),
        ):
            for arguments in given:
                with self.subTest(arguments), treebeam.load(**arguments) as parser:
                    self.assertEqual(repr(parser), f"<Parser --lines auto --language {want}>")
                    self.assertEqual(parser("Die Katze schläft auf dem alten Sofa.").language, want.split(",")[0])
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                os.mkdir("fr")  # of texts, perhaps
                with treebeam.load("fr") as parser:
                    self.assertEqual(parser("Le chat dort.").language, "fr")
            finally:
                os.chdir(here)

    def test_english(self):
        """The accurate model is the default."""
        text = "Does the bus stop here? That is the guy whose dog bit you."
        made = {}
        for name, arguments in (("default", {}), ("accurate", {"accurate": True}), ("fast", {"fast": True})):
            with treebeam.load("english", **arguments) as parser:
                made[name] = parser.conllu([text])
        self.assertEqual(made["default"], made["accurate"])
        self.assertIn("\n# model = embedded-accurate ", made["default"])
        self.assertIn("\n# model = embedded ", made["fast"])
        self.assertIn("\tstop\tstop\tVERB\t", made["default"])

    def test_closed(self):
        parser = treebeam.Parser()
        results = parser.pipe(["One.", "Two."])
        next(results)
        process = parser._process
        parser.close()
        parser.close()
        self.assertIsNotNone(process.child.poll())
        with self.assertRaisesRegex(ValueError, "closed"):
            parser("One.")

    def test_collected(self):
        parser = treebeam.Parser()
        child = parser._process.child
        del parser
        gc.collect()
        self.assertIsNotNone(child.poll())

    def test_killed(self):
        with treebeam.Parser() as parser:
            parser._process.child.kill()
            eventually(lambda: parser._process.error)
            self.assertEqual(len(parser("One dog barks.")), 1)  # another process
            results = parser.pipe(prose(i, 300) for i in range(40))
            next(results)
            parser._process.child.kill()
            with self.assertRaises(treebeam.TreebeamError) as caught:
                list(results)
            self.assertNotEqual(caught.exception.status, 0)
            self.assertEqual(len(parser("One dog barks.")), 1)

    def test_another_program(self):
        """A program that says what it should not is an error, and nobody waits for more."""
        from treebeam._process import Process

        mark = """printf '{"end_of": "x"}\\n'"""
        process = Process(["/bin/sh", "-c", f"read line; {mark}; {mark}; exec cat >/dev/null"])
        self.assertTrue(eventually(lambda: process.error))
        with self.assertRaisesRegex(treebeam.TreebeamError, "not given"):
            process.wait(process.write("One."))
        process.stop()
        self.assertIsNotNone(process.child.poll())

    def test_pickled(self):
        with treebeam.Parser(options=["--projective"]) as parser:
            with pickle.loads(pickle.dumps(parser)) as copy:
                self.assertNotEqual(pid(copy), pid(parser))
                self.assertEqual(copy("One."), parser("One."))

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_forked(self):
        """After a fork both sides go on; the child's end does not end the parent's process."""
        with treebeam.Parser() as parser:
            results = parser.pipe(["One.", "Two."] + [prose(i, 50) for i in range(20)])
            next(results)
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    mine = [d.text for d in parser.pipe(["Three.", "Four."])]
                    try:
                        list(results)
                    except treebeam.TreebeamError:
                        status = 0 if mine == ["Three.", "Four."] else 2
                    parser.close()
                finally:
                    os._exit(status)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(len(list(results)), 21)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_pool(self):
        global _shared
        _shared = treebeam.Parser()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of a fork with threads
            with multiprocessing.get_context("fork").Pool(3) as pool:
                texts = [f"Text {i}." for i in range(30)]
                self.assertEqual(pool.map(_in_pool, texts), texts)
        _shared.close()

    @unittest.skipIf(sys.platform == "win32", "signals of POSIX")
    def test_interrupted(self):
        """Ctrl-C is a KeyboardInterrupt, after which the parser works, and the program ends with Python."""
        code = """
            import os, signal, sys, threading, treebeam
            signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
            parser = treebeam.Parser(fast=True)
            def endless():
                yield "One."
                threading.Timer(0.3, lambda: os.killpg(0, signal.SIGINT)).start()
                while True:
                    yield "The old boat was not theirs. " * 100
            try:
                for document in parser.pipe(endless()):
                    pass
            except KeyboardInterrupt:
                print("interrupted", len(parser("It works.")), parser._process.child.pid)
        """
        said = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], start_new_session=True, capture_output=True, text=True, timeout=120)
        self.assertRegex(said.stdout, r"^interrupted 1 \d+\n$", said.stderr)
        if sys.platform == "linux":
            child = int(said.stdout.split()[-1])
            self.assertTrue(eventually(lambda: not lives(child)))

    @unittest.skipUnless(sys.platform == "linux", "/proc")
    def test_orphaned(self):
        """Python may be killed: the program ends when its input does."""
        code = "import treebeam, time; p = treebeam.Parser(); print(p._process.child.pid, flush=True); time.sleep(600)"
        python = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        child = int(python.stdout.readline())
        self.assertTrue(lives(child))
        python.kill()
        python.wait()
        python.stdout.close()
        self.assertTrue(eventually(lambda: not lives(child)))

    def test_command(self):
        """The command treebeam is the program, with its exit status."""
        command = [sys.executable, "-m", "treebeam"]
        said = subprocess.run([*command, "parse", "-", "--to", "text"], input=b"One  dog.", capture_output=True)
        self.assertEqual((said.returncode, said.stdout), (0, b"One dog.\n"), said.stderr)
        self.assertEqual(subprocess.run([*command, "prase"], capture_output=True).returncode, 64)


def _in_pool(text):
    return _shared(text).text


if __name__ == "__main__":
    unittest.main()
