"""Checks `treebeam eval` against udtools' scorer on perturbed CoNLL-U.

usage: scorer.py TREEBEAM GOLD.conllu...

Every gold file is changed at random, from a fixed seed: heads, deprels, tags,
lemmas, token, word and sentence boundaries, enhanced graphs. The results stay
valid trees over the same characters. For each pair all counts and figures of
the JSON form must be equal, and the table must be udeval's.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

from udtools import udeval

RUNS = 24  # perturbed files for each gold file
METRICS = ["Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas",
           "UAS", "LAS", "CLAS", "MLAS", "BLEX"]
UPOS = ["NOUN", "VERB", "DET", "PUNCT", "X", "_"]
FEATS = ["_", "Number=Sing", "Number=Plur|PronType=Art", "Style=Coll", "Foo=1|Case=Nom|Bar=2"]
DEPRELS = ["nsubj", "nsubj:pass", "det", "det:poss", "case", "aux:pass", "cc", "punct", "obl", "acl:relcl", "_"]


class Word:
    """A word whose head is another Word, or None for the root."""

    def __init__(self, columns):
        self.columns = columns
        self.head = None

    def __repr__(self):
        return self.columns[1]


class Token:
    """A surface token. is_range says whether it has a line of its own."""

    def __init__(self, form, words, is_range):
        self.form, self.words, self.is_range = form, words, is_range


def read(path):
    """Returns the sentences of a file as lists of Tokens."""
    sentences = []
    for block in open(path, encoding="utf-8", newline="\n").read().split("\n\n"):
        lines = [line.split("\t") for line in block.split("\n") if line and line[0] != "#"]
        tokens, words, last = [], [], 0
        for columns in lines:
            number = columns[0]
            if "-" in number:
                last = int(number.split("-")[1])
                tokens.append(Token(columns[1], [], True))
            elif "." not in number:
                word = Word(columns)
                words.append(word)
                if int(number) <= last:
                    tokens[-1].words.append(word)
                else:
                    tokens.append(Token(columns[1], [word], False))
        for word in words:
            head = int(word.columns[6])
            word.head = words[head - 1] if head else None
        if tokens:
            sentences.append(tokens)
    return sentences


def words_of(tokens):
    return [word for token in tokens for word in token.words]


def dominates(word, other):
    while other is not None:
        if other is word:
            return True
        other = other.head
    return False


def change_labels(rng, tokens):
    word = rng.choice(words_of(tokens))
    column, values = rng.choice([(2, ["x", "_"]), (3, UPOS), (4, ["A", "_"]), (5, FEATS), (7, DEPRELS)])
    word.columns[column] = rng.choice(values)


def change_head(rng, tokens):
    words = words_of(tokens)
    word, head = rng.choice(words), rng.choice(words)
    if word.head is not None and not dominates(word, head):
        word.head = head


def change_root(rng, tokens):
    words = words_of(tokens)
    root = next(word for word in words if word.head is None)
    word = rng.choice(words)
    if word is not root:
        word.head, root.head = None, word


def remove(tokens, word, heir):
    """Gives the place of word in the tree to heir, and deletes it."""
    if dominates(word, heir):
        heir.head = word.head
    for other in words_of(tokens):
        if other.head is word and other is not heir:
            other.head = heir
    for token in tokens:
        if word in token.words:
            token.words.remove(word)


def new_word(form, head):
    word = Word(["_", form] + ["_"] * 8)
    word.columns[7], word.head = "dep", head
    return word


def merge_tokens(rng, tokens):
    if len(tokens) < 2:
        return
    i = rng.randrange(len(tokens) - 1)
    first, second = tokens[i], tokens[i + 1]
    form = first.form + second.form
    if rng.random() < 0.5:
        tokens[i:i + 2] = [Token(form, first.words + second.words, True)]
        return
    keep = first.words[0]
    for word in first.words[1:] + second.words:
        remove(tokens, word, keep)
    keep.columns[1] = form
    tokens[i:i + 2] = [Token(form, [keep], False)]


def split_token(rng, tokens):
    i = rng.randrange(len(tokens))
    form = tokens[i].form
    if len(form) < 2 or tokens[i].is_range:
        return
    cut = rng.randrange(1, len(form))
    if not form[:cut].strip() or not form[cut:].strip():
        return
    word = tokens[i].words[0]
    parts = [word, new_word(form[cut:], word)]
    if rng.random() < 0.5:
        word.columns[1] = form[:cut]
        tokens[i:i + 1] = [Token(form[:cut], parts[:1], False), Token(form[cut:], parts[1:], False)]
    else:
        word.columns[1] = rng.choice([form[:cut].upper(), form[:cut], form, "Q"])
        tokens[i] = Token(form, parts, True)


def flatten_range(rng, tokens):
    ranges = [token for token in tokens if token.is_range]
    if not ranges:
        return
    token = rng.choice(ranges)
    keep = token.words[0]
    for word in token.words[1:]:
        remove(tokens, word, keep)
    keep.columns[1], token.is_range = token.form, False


def change_range(rng, tokens):
    ranges = [token for token in tokens if token.is_range]
    if not ranges:
        return
    token = rng.choice(ranges)
    word = rng.choice(token.words)
    if rng.random() < 0.5:
        token.words.insert(rng.randrange(len(token.words) + 1), new_word(word.columns[1].swapcase(), word))
    else:
        word.columns[1] = rng.choice([word.columns[1].lower(), word.columns[1].upper(), "zz"])


def merge_sentences(rng, sentences):
    if len(sentences) < 2:
        return
    i = rng.randrange(len(sentences) - 1)
    roots = [next(w for w in words_of(s) if w.head is None) for s in sentences[i:i + 2]]
    roots[1].head = roots[0]
    roots[1].columns[7] = "parataxis"
    sentences[i:i + 2] = [sentences[i] + sentences[i + 1]]


def split_sentence(rng, sentences):
    i = rng.randrange(len(sentences))
    if len(sentences[i]) < 2:
        return
    cut = rng.randrange(1, len(sentences[i]))
    halves = [sentences[i][:cut], sentences[i][cut:]]
    for half in halves:
        words = words_of(half)
        loose = [word for word in words if word.head is None or word.head not in words]
        for word in loose:
            word.head = None if word is loose[0] else loose[0]
        loose[0].columns[7] = "root"
    sentences[i:i + 1] = halves


WITHIN = [change_labels, change_labels, change_head, change_head, change_root, merge_tokens,
          split_token, flatten_range, change_range]


def perturb(rng, sentences, amount):
    for _ in range(max(1, int(amount * sum(len(s) for s in sentences)))):
        if rng.random() < 0.05:
            rng.choice([merge_sentences, split_sentence])(rng, sentences)
        else:
            rng.choice(WITHIN)(rng, rng.choice(sentences))


def write(rng, path, sentences):
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for tokens in sentences:
            words = words_of(tokens)
            number = {word: i + 1 for i, word in enumerate(words)}
            for token in tokens:
                first = number[token.words[0]]
                if token.is_range:
                    out.write("\t".join([f"{first}-{first + len(token.words) - 1}", token.form] + ["_"] * 8) + "\n")
                for word in token.words:
                    c = list(word.columns)
                    c[0], c[6] = str(number[word]), str(number[word.head]) if word.head else "0"
                    c[8] = enhanced(rng, c, len(words))
                    out.write("\t".join(c) + "\n")
                    if rng.random() < 0.03:
                        out.write("\t".join([c[0] + ".1"] + ["_"] * 9) + "\n")
            out.write("\n")


def enhanced(rng, columns, n):
    deps = [columns[6] + ":" + columns[7]]
    if rng.random() < 0.2:
        deps.append(f"{rng.randint(0, n)}:{rng.choice(DEPRELS)}>{rng.choice(DEPRELS)}")
    if rng.random() < 0.1:
        deps.append(f"{n}.1:nsubj")
    if rng.random() < 0.1:
        deps = [f"{columns[6]}:{columns[7]}:in"]
    return "|".join(deps) if rng.random() < 0.9 else "_"


def same(name, gold, system, official, ours):
    """Prints the differences of one metric and says whether there are none."""
    expected = {
        "gold": official.gold_total, "system": official.system_total, "correct": official.correct,
        "aligned": official.aligned_total, "precision": official.precision, "recall": official.recall,
        "f1": official.f1, "aligned_accuracy": official.aligned_accuracy,
    }
    wrong = {key: (ours.get(key), value) for key, value in expected.items() if ours.get(key) != value}
    for key, (got, want) in wrong.items():
        print(f"{gold} {system}: {name} {key} is {got}, udtools has {want}", file=sys.stderr)
    return not wrong


def main():
    treebeam, golds = sys.argv[1], sys.argv[2:]
    compared, good = 0, True
    with tempfile.TemporaryDirectory() as folder:
        for gold in golds:
            for run in range(RUNS):
                rng = random.Random(f"{os.path.basename(gold)} {run}")
                system = os.path.join(folder, f"system-{run}.conllu")
                sentences = read(gold)
                perturb(rng, sentences, [0, 0.05, 0.3, 1][run % 4])
                write(rng, system, sentences)
                scores = udeval.evaluate(udeval.load_conllu_file(gold), udeval.load_conllu_file(system))
                command = [treebeam, "eval", "--gold", gold, "--system", system]
                ours = json.loads(subprocess.check_output(command + ["--json"]))["metrics"]
                good = all([same(name, gold, run, scores[name], ours[name]) for name in METRICS]) and good
                compared += len(METRICS)
                if run < 4:
                    table = udeval.build_evaluation_table(scores, verbose=True)
                    if table not in subprocess.check_output(command, text=True):
                        print(f"{gold} {run}: the table is not udeval's:\n{table}", file=sys.stderr)
                        good = False
    print(f"treebeam eval and udtools: {compared} metrics compared, {'all equal' if good else 'NOT EQUAL'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
