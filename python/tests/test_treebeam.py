"""Tests of the module treebeam as it is installed: python -m unittest discover -s python/tests"""

import gc
import json
import multiprocessing
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest
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
        cls.parser = treebeam.Parser()

    @classmethod
    def tearDownClass(cls):
        cls.parser.close()

    def test_document(self):
        (document,) = self.parser.parse([("letter", "The old boat wasn't theirs.")])
        self.assertEqual((document["id"], document["failures"], len(document["sentences"])), ("letter", [], 1))
        sentence = document["sentences"][0]
        self.assertEqual((sentence["id"], sentence["text"], sentence["status"]), ("letter-1", "The old boat wasn't theirs.", "ok"))
        self.assertEqual([w["form"] for w in sentence["words"]], ["The", "old", "boat", "was", "n't", "theirs", "."])
        self.assertEqual(sentence["multiword_tokens"], [{"first": 4, "last": 5, "form": "wasn't"}])
        boat = sentence["words"][2]
        self.assertEqual((boat["id"], boat["upos"], boat["feats"], boat["start"], boat["end"]), (3, "NOUN", {"Number": "Sing"}, 8, 12))
        self.assertTrue(0 < boat["head_conf"] <= 1 and 0 < sentence["tree_conf"] <= 1)
        self.assertEqual(sum(w["head"] == 0 for w in sentence["words"]), 1)

    def test_places(self):
        """Every word stands in its document where it says, whatever the escapes."""
        found = 0
        for document in self.parser.parse(ODD):
            end = 0
            for sentence in document["sentences"]:
                self.assertLessEqual(end, sentence["start"])
                end = sentence["end"]
                inside = {i for t in sentence["multiword_tokens"] for i in range(t["first"], t["last"] + 1)}
                for word in sentence["words"]:
                    self.assertIsNotNone(word["start"], word)
                    if word["id"] in inside:
                        continue
                    there = document["text"][word["start"] : word["end"]]
                    self.assertEqual(re.sub("[\ud800-\udfff\x00]", "\ufffd", there), word["form"])
                    found += 1
            rest = re.sub(r"\s|\u200b|\u2028", "", document["text"][end:])
            self.assertEqual(rest, "")
        self.assertGreater(found, 300)

    def test_alone_and_together(self):
        """A text gives the same alone as among others, sent ahead or not."""
        texts = ODD + [prose(i, i % 7) for i in range(200)]
        together = list(self.parser.parse(texts))
        self.assertEqual([d["text"] for d in together], texts)
        for i in range(0, len(texts), 9):
            (alone,) = self.parser.parse([(str(i), texts[i])])
            self.assertEqual(alone, together[i])
        with treebeam.Parser(look_ahead=0) as slow:
            self.assertEqual(list(slow.parse(texts[:60])), together[:60])

    def test_conllu(self):
        """CoNLL-U is the program's own, but for the ids."""
        texts = [t for t in ODD if "\ud83d" not in t] + [prose(i, 5) for i in range(20)]
        lines = "".join(json.dumps({"id": str(i), "text": t}) + "\n" for i, t in enumerate(texts))
        said = program("parse", "-", "--from", "jsonl", "--to", "conllu", "--quiet", stdin=lines.encode())
        self.assertEqual(said.returncode, 0, said.stderr)
        without = re.compile("^# sent_id = .*\n", re.MULTILINE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", treebeam.TreebeamWarning)
            ours = self.parser.conllu(texts)
        self.assertEqual(without.sub("", ours), without.sub("", said.stdout.decode()))
        self.assertTrue(ours.startswith("# generator = treebeam "), ours[:200])
        self.assertEqual(self.parser.conllu(["", " "]), "")
        self.assertIn("\n# newdoc id = a%0Ab\n# newpar\n# sent_id = a%0Ab-1\n", self.parser.conllu([("a\nb", "One.")]))
        ids = re.findall("^# sent_id = (.*)$", ours, re.MULTILINE)
        self.assertEqual(len(ids), len(set(ids)))

    def test_failures(self):
        """A record over the program's limit is a failure, and the next text is parsed."""
        long, short = self.parser.parse(["word " * 4_000_000, "One dog barks."])
        self.assertEqual((long["sentences"], [f["severity"] for f in long["failures"]]), ([], ["error"]))
        self.assertIn("too long", long["failures"][0]["reason"])
        self.assertEqual((len(short["sentences"]), short["failures"]), (1, []))
        (repaired,) = self.parser.parse("half \ud83d a pair")
        self.assertEqual([f["severity"] for f in repaired["failures"]], ["warning"])
        with self.assertWarnsRegex(treebeam.TreebeamWarning, "invalid bytes"):
            self.parser.conllu("half \ud83d a pair")

    def test_arrow(self):
        try:
            import pyarrow.parquet
        except ImportError:
            self.skipTest("no pyarrow")
        import tempfile

        texts = [prose(i, 4) for i in range(50)]
        table = self.parser.arrow(texts)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "in.jsonl"), "w") as f:
                f.writelines(json.dumps({"id": str(i), "text": t}) + "\n" for i, t in enumerate(texts))
            said = program("parse", os.path.join(folder, "in.jsonl"), "--output", os.path.join(folder, "out"), "--quiet")
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
        (doc,) = self.parser.spacy([("x", text)], vocab)
        self.assertEqual((doc.text, doc.user_data["treebeam_id"]), (text, "x"))
        self.assertIs(doc.vocab, vocab)
        self.assertEqual([t.text for t in doc if not t.is_space], ["One", "dog", "ca", "n't", "bark", ".", "Really", "?"])
        self.assertEqual([s.text.strip() for s in doc.sents], ["One  dog can't bark.", "Really?"])
        dog, bark = doc[2], doc[5]
        self.assertEqual((dog.head, bark.dep_, dog.pos_, dog.morph.get("Number"), doc[4].lemma_), (bark, "ROOT", "NOUN", ["Sing"], "not"))
        texts = [t for t in ODD if "\ud83d" not in t]
        self.assertEqual([d.text for d in self.parser.spacy(texts)], texts)


class Streams(unittest.TestCase):
    def test_bounded_look_ahead(self):
        """Of an endless generator only so much is read ahead."""
        taken = 0

        def endless():
            nonlocal taken
            while True:
                taken += 1
                yield "One dog barks. " * 10

        with treebeam.Parser(look_ahead=3_000) as parser:
            results = parser.parse(endless())
            for used in range(1, 100):
                next(results)
                self.assertLessEqual(taken - used, 3_000 // 150 + 1)
            results.close()
            self.assertEqual(len(list(parser.parse(["One.", "Two."]))), 2)

    def test_source_that_waits_for_results(self):
        """With look_ahead=0 a source may wait for the result of what it gave."""
        asked = ["First."]

        def source():
            while asked:
                yield asked.pop()

        with treebeam.Parser(look_ahead=0) as parser:
            seen = []
            for document in parser.parse(source()):
                seen.append(document["text"])
                if len(seen) < 5:
                    asked.append(f"Next {len(seen)}.")
        self.assertEqual(len(seen), 5)

    def test_interleaved_and_abandoned(self):
        with treebeam.Parser() as parser:
            process = pid(parser)
            first, second = parser.parse(f"A {i}." for i in range(300)), parser.parse(f"B {i}." for i in range(300))
            for i, (a, b) in enumerate(zip(first, second)):
                self.assertEqual((a["text"], b["text"]), (f"A {i}.", f"B {i}."))
            for _ in range(20):
                self.assertEqual(next(parser.parse(f"C {i}." for i in range(50)))["text"], "C 0.")

            def broken():
                yield "One."
                raise KeyError("mine")

            with self.assertRaises(KeyError):
                list(parser.parse(broken()))
            with self.assertRaises(TypeError):
                list(parser.parse(["One.", 2]))
            self.assertEqual(next(parser.parse("D."))["text"], "D.")
            self.assertEqual(pid(parser), process)

    def test_threads(self):
        with treebeam.Parser(look_ahead=2_000) as parser:
            wrong = []

            def work(name):
                texts = [f"Thread {name} says {i}. {prose(i, 2)}" for i in range(150)]
                if [d["text"] for d in parser.parse(texts)] != texts:
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
        with treebeam.Parser(look_ahead=10_000_000) as parser:
            self.assertEqual([d["text"] for d in parser.parse(texts)], texts)


class Refusals(unittest.TestCase):
    """What cannot work is refused at once, with the remedy."""

    def test_options(self):
        """In no spelling do options change the pipe."""
        for options in (
            "-o x", "-ox", "-o=x", "--o x", "--output x", "--output=x", "-output x", "-qo x",
            "--to conllu", "--to=conllu", "-t conllu", "-tconllu", "-t=conllu", "-to conllu", "-to=conllu", "-qtconllu", "-qvt conllu",
            "--from text", "--from=tokens", "-f text", "-ftext", "-from=text", "--f text",
            "-n 1", "--limit 1", "-i x", "--input x", "--files-from x", "--exclude x", "--end-marks=false", "-end-marks=false",
            "--text-key body", "--text-column=body", "--id-key x", "--id-column x", "--keep x", "--document line", "--exact 5 --to tsv",
        ):  # fmt: skip
            with self.subTest(options), self.assertRaisesRegex(ValueError, r"^options: -.* cannot be used: .*parse\(\).*treebeam\.program\(\)"):
                treebeam.Parser(options=options.split())
        with self.assertRaisesRegex(TypeError, r"want a list, such as \['--exact', '5'\]"):
            treebeam.Parser(options="--exact 5")
        with self.assertRaisesRegex(TypeError, "5 is an int: want strings, such as '5'"):
            treebeam.Parser(options=["--exact", 5])
        for options in (["--conf"], ["--words"], ["-threads", "1"], ["--state", "x"], ["--json"], ["-h"], ["--plan-only"], ["--model"], ["nothing.txt"]):
            with self.subTest(options), self.assertRaises(treebeam.TreebeamError):
                treebeam.Parser(options=options)
        for options in (["--exact", "-1"], ["--threads", "1"], ["--threads=1"], ["-v"], ["-q"], ["--", "-"]):
            with self.subTest(options), treebeam.Parser(options=options) as parser:
                self.assertEqual(len(next(parser.parse("One."))["sentences"]), 1)

    def test_texts(self):
        class NAType:
            __str__ = lambda self: "<NA>"  # noqa: E731

        class DataFrame:
            columns = ["text"]
            __iter__ = lambda self: iter(self.columns)  # noqa: E731

        class Scalar:
            as_py = None

        with treebeam.Parser() as parser:
            for texts, want in (
                (["One.", 1], "text 1 is an int: want a string or a tuple (id, string)"),
                ([None], 'text 0 is None: want a string or a tuple (id, string); leave out missing texts, or give ""'),
                (["One.", float("nan")], "text 1 is NaN: "),
                ([NAType()], "text 0 is <NA>: want a string or a tuple (id, string); leave out"),
                ([b"x"], "text 0 is bytes: want a string or a tuple (id, string); decode it first"),
                ([bytearray(b"x")], "text 0 is a bytearray: want a string or a tuple (id, string); decode it first"),
                ([Scalar()], "text 0 is a Scalar: want a string or a tuple (id, string); give the array's to_pylist()"),
                (b"xyz", "texts is bytes: decode it first"),
                ([("a", "b", "c")], "text 0 is a tuple of 3: want a string or a tuple (id, string)"),
                ([["Hello", "there"]], "text 0 is a list: want a string or a tuple (id, string)"),
                ([(1, "b")], "text 0 has an id that is an int: want a string, such as '1'"),
                ([("a", "b"), ("c", None)], "text 1, with the id 'c', is None: want a string; leave out"),
                ({"a": "b"}, "texts is a dict: give texts.items()"),
                (DataFrame(), "texts is a DataFrame: give the column with the texts"),
                (5, "texts is an int: want a string"),
                (None, "texts is None: want a string"),
            ):
                with self.subTest(want):
                    for call in (lambda texts: list(parser.parse(texts)), parser.conllu):
                        with self.assertRaises(TypeError) as caught:
                            call(texts)
                        self.assertTrue(str(caught.exception).startswith(want), caught.exception)
            self.assertEqual([d["id"] for d in parser.parse({"a": "One.", "b": "Two."}.items())], ["a", "b"])

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
    def test_refused(self):
        with self.assertRaisesRegex(treebeam.TreebeamError, "nothing.tbm") as caught:
            treebeam.Parser("nothing.tbm")
        self.assertEqual(caught.exception.status, 64)
        with self.assertRaises(treebeam.TreebeamError) as caught:
            treebeam.Parser(options=["--no-such-flag"])
        self.assertEqual(caught.exception.status, 64)
        with self.assertRaisesRegex(treebeam.TreebeamError, "cannot start"):
            treebeam.Parser(executable="/nothing/here")
        with self.assertRaisesRegex(treebeam.TreebeamError, "--threads"):
            treebeam.Parser(threads=-1)

    def test_closed(self):
        parser = treebeam.Parser()
        results = parser.parse(["One.", "Two."])
        next(results)
        process = parser._process
        parser.close()
        parser.close()
        self.assertIsNotNone(process.child.poll())
        with self.assertRaisesRegex(ValueError, "closed"):
            list(parser.parse("One."))

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
            self.assertEqual(len(next(parser.parse("One dog barks."))["sentences"]), 1)  # another process
            results = parser.parse(prose(i, 300) for i in range(40))
            next(results)
            parser._process.child.kill()
            with self.assertRaises(treebeam.TreebeamError) as caught:
                list(results)
            self.assertNotEqual(caught.exception.status, 0)
            self.assertEqual(len(next(parser.parse("One dog barks."))["sentences"]), 1)

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
                self.assertEqual(list(copy.parse("One.")), list(parser.parse("One.")))

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_forked(self):
        """After a fork both sides go on; the child's end does not end the parent's process."""
        with treebeam.Parser() as parser:
            results = parser.parse(["One.", "Two."] + [prose(i, 50) for i in range(20)])
            next(results)
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    mine = [d["text"] for d in parser.parse(["Three.", "Four."])]
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
            parser = treebeam.Parser()
            def endless():
                yield "One."
                threading.Timer(0.3, lambda: os.killpg(0, signal.SIGINT)).start()
                while True:
                    yield "The old boat was not theirs. " * 100
            try:
                for document in parser.parse(endless()):
                    pass
            except KeyboardInterrupt:
                print("interrupted", len(next(parser.parse("It works."))["sentences"]), parser._process.child.pid)
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
    return next(_shared.parse(text))["text"]


if __name__ == "__main__":
    unittest.main()
