package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// doubtful is a sentence of five words of a document, one of them with this
// deprel_conf.
func doubtful(doc, word string, start int64, conf float32) parquet.Tree {
	t := parquet.Tree{SentID: fmt.Sprintf("%s@%d", doc, start), DocID: doc, SourceURI: "in/" + doc, StartByte: start, EndByte: start + 1, Status: "ok",
		Tokens: []string{"They", "saw", "the", word, "."}, UPOS: []string{"PRON", "VERB", "DET", "NOUN", "PUNCT"}, Head: []int32{2, 0, 4, 2, 2},
		Deprel: []string{"nsubj", "root", "det", "obj", "punct"}, HeadConf: []float32{1, 1, 1, 1, 1}, DeprelConf: []float32{1, 1, 1, conf, 0.25}}
	t.Text = strings.Join(t.Tokens, " ")
	empty := make([]string, len(t.Tokens))
	t.Lemmas, t.XPOS, t.Feats, t.Deps, t.Misc = empty, empty, empty, empty, empty
	return t
}

// A sample says where its sentences are from and why they are there.
func TestSample(t *testing.T) {
	own := doubtful("b", "quay", 7, 0.5)
	own.SentID, own.Comments = "own-7", []string{"# newdoc id = B", "# sent_id = own-7", "# treebeam_sample = of yesterday", "# tree_conf = 1", "# mine"}
	nameless := doubtful("b", "ship", 9, 0.25)
	nameless.Comments = []string{"# newpar"}
	out := craftOutput(t, []parquet.Tree{
		doubtful("a", "boat", 0, 0.75), doubtful("a", "Boats", 5, 1), doubtful("a", "boats", 6, 0.25), own, nameless, doubtful("c", "BOAT", 0, 0.75), doubtful("c", "sky", 3, 0.875),
	}, nil, []parquet.Document{{DocID: "a", SourceURI: "in/a", Format: "text"}, {DocID: "b", SourceURI: "in/b", Format: "conllu"}, {DocID: "c", SourceURI: "in/c", Format: "text"}})
	word := func(deprel, object string) string {
		return "1\tThey\t_\tPRON\t_\t_\t2\tnsubj\t_\tHeadConf=1.0000|DeprelConf=1.0000\n2\tsaw\t_\tVERB\t_\t_\t0\troot\t_\tHeadConf=1.0000|DeprelConf=1.0000\n" +
			"3\tthe\t_\tDET\t_\t_\t4\tdet\t_\tHeadConf=1.0000|DeprelConf=1.0000\n4\t" + object + "\t_\tNOUN\t_\t_\t2\tobj\t_\tHeadConf=1.0000|DeprelConf=" + deprel +
			"\n5\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\tHeadConf=1.0000|DeprelConf=0.2500\n\n"
	}
	a := "# newdoc id = a\n# newpar\n# treebeam_sample = uncertain, 1 of 4; 0.8 of 4 words expected wrong by deprel_conf\n# sent_id = a@6\n# text = They saw the boats .\n" + word("0.2500", "boats")
	b := "# newdoc id = B\n# newpar\n# treebeam_sample = uncertain, 3 of 4; 0.5 of 4 words expected wrong by deprel_conf\n# sent_id = own-7\n# mine\n" + word("0.5000", "quay") +
		"# newpar\n# treebeam_sample = uncertain, 2 of 4; 0.8 of 4 words expected wrong by deprel_conf\n# sent_id = b@9\n" + word("0.2500", "ship")
	c := "# newdoc id = c\n# newpar\n# treebeam_sample = uncertain, 4 of 4; 0.2 of 4 words expected wrong by deprel_conf\n# sent_id = c@0\n# text = They saw the BOAT .\n" + word("0.7500", "BOAT")
	file := filepath.Join(t.TempDir(), "sample.conllu")
	sample := func(args string) (stdout, stderr string) {
		t.Helper()
		return ends(t, exitOK, "", append([]string{"sample", out}, strings.Fields(args)...)...)
	}
	got, stderr := sample("--uncertain 4")
	if got != a+b+c || stderr != "4 sentences of 7, from 3 documents; 2 of their 16 words are expected to be wrong\ncorrect them to train on; to measure or to calibrate take --random\n" {
		t.Errorf("%s\n%s", got, firstDifference(got, a+b+c))
	}
	if stdout, _ := sample("--uncertain 4 --output " + file); stdout != "" {
		t.Errorf("%s", stdout)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != got {
		t.Errorf("%v: the file has other bytes", err)
	}
	ids := func(args string) string {
		stdout, _ := sample(args)
		var ids []string
		for _, id := range regexp.MustCompile(`sent_id = (.*)`).FindAllStringSubmatch(stdout, -1) {
			ids = append(ids, id[1])
		}
		return strings.Join(ids, " ")
	}
	// The Boats of a@5 are sure; boat and BOAT are one text.
	for args, want := range map[string]string{
		"--uncertain 3":                             "a@6 b@9 c@0", // one of each document first
		"--uncertain 9":                             "a@6 own-7 b@9 c@0 c@3",
		"--uncertain 9 --without " + file:           "c@3",
		"--uncertain 9 --min-words 4 --max-words 4": "a@6 own-7 b@9 c@0 c@3",
		"--random 9":                                "a@0 a@5 a@6 own-7 b@9 c@0 c@3",
		"--random 9 --without " + file:              "c@3", // the others say what these say
		"--random 3 --seed 1 --output -":            ids("--random 3 --seed 1"),
		"--random 9 --max-words 4 --seed 8":         "a@0 a@5 a@6 own-7 b@9 c@0 c@3",
	} {
		if got := ids(args); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	// Documents begin at a@0, own-7 and c@0, and another paragraph at b@9.
	whole, _ := sample("--random 7 --paragraphs --seed 5")
	const why = "# treebeam_sample = random paragraphs, 7 of 7, seed 5\n"
	if strings.Count(whole, "# newpar\n") != 4 || strings.Count(whole, why) != 7 ||
		!strings.Contains(whole, "# newdoc id = a\n# newpar\n"+why+"# sent_id = a@0\n") || !strings.Contains(whole, "\n\n"+why+"# sent_id = a@5\n") {
		t.Errorf("%s", whole)
	}
	if _, stderr := sample("--uncertain 9 --without " + file); !strings.Contains(stderr, "no more than that can be chosen: of 7 sentences, 6 are in --without\n") {
		t.Error(stderr)
	}
	for args, want := range map[string]string{
		"--uncertain 9": "of 7 sentences, 1 have nothing that is expected to be wrong, 1 say what one of these says\n",
		"--random 9":    "no more than that can be chosen: there are 7 sentences\n",
	} {
		if _, stderr := sample(args); !strings.Contains(stderr, want) {
			t.Errorf("%s: %s", args, stderr)
		}
	}
	if before, err := os.ReadFile(file); err != nil || string(before) != got {
		t.Errorf("%v: --without has changed", err)
	}
	for args, want := range map[string]string{
		"--uncertain 3 --min-words 5":                           "has no sentence to choose: of 7 sentences, 7 have not 5 to 60 words",
		"--uncertain 3 --output " + out + "/trees/x":            "among the data",
		"--uncertain 3 --without " + file + " --output " + file: "would be lost",
		"--uncertain 3 --output none/x":                         "cannot be written",
	} {
		if status, stdout, stderr := treebeam(t, "", append([]string{"sample", out}, strings.Fields(args)...)...); status != exitRefused || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d %s%s", args, status, stdout, stderr)
		}
	}
}

// The whole circle: parse, sample, correct, calibrate, train; first with a model
// that is not calibrated.
func TestSampleIsCorrectedAndUsed(t *testing.T) {
	dir := t.TempDir()
	gold, toy := manyToys(t, 40), trainedToy(t)
	file := func(name string) string { return filepath.Join(dir, name) }
	run := func(want string, args ...string) {
		t.Helper()
		status, stdout, stderr := treebeam(t, "", args...)
		if status != exitOK || !strings.Contains(stdout+stderr, want) {
			t.Fatalf("%v: status %d\n%s%s", args, status, stdout, stderr)
		}
	}
	run("", "parse", "--quiet", gold, "--retag", "--model", toy, "--output", file("raw"))
	run("are ordered by head_marginal", "sample", file("raw"), "--uncertain", "2", "--min-words", "1", "--output", file("uncertain.conllu"))
	run("60 sentences of ", "sample", file("raw"), "--random", "60", "--output", file("random.conllu"))
	for _, name := range []string{"uncertain", "random"} {
		correct(t, file(name+".conllu"), file(name+"-gold.conllu"))
	}
	run("calibrated on random-gold.conllu, 60 sentences", "calibrate", "--model", toy, "--dev", file("random-gold.conllu"), "--output", file("mine.tbm"))
	run("UAS", "eval", "--gold", file("random-gold.conllu"), "--model", file("mine.tbm"), "--gold-tokens")
	run("UAS", "eval", "--gold", file("random-gold.conllu"), "--system", file("random.conllu"))
	run("sentences that were chosen because they are uncertain: 2;", "eval", "--gold", file("uncertain-gold.conllu"), "--system", file("uncertain.conllu"))
	run("", "train", "--check", "--train", file("uncertain-gold.conllu"), "--dev", file("random-gold.conllu"))
	run("", "parse", "--quiet", gold, "--retag", "--model", file("mine.tbm"), "--output", file("out"))
	run("by deprel_conf", "sample", file("out"), "--uncertain", "2", "--min-words", "1")
	if status, _, stderr := treebeam(t, "", "calibrate", "--model", toy, "--dev", file("uncertain-gold.conllu"), "--output", file("x.tbm")); status != exitRefused ||
		!strings.Contains(stderr, "sentences that were chosen because they are uncertain: 2;") {
		t.Errorf("status %d %s", status, stderr)
	}
}

// correct writes a sample with the trees of toyDev in place of the parser's.
func correct(t *testing.T, sample, corrected string) {
	t.Helper()
	gold, err := conllu.ReadAll(toyDev)
	must(t, err)
	byText := map[string]*syntax.Sentence{}
	for i := range gold {
		byText[gold[i].Text] = &gold[i]
	}
	sents, err := conllu.ReadAllWith(sample, conllu.Options{NoHeads: true})
	must(t, err)
	var text []byte
	for i := range sents {
		right := byText[sents[i].Text]
		if right == nil || len(right.Words) != len(sents[i].Words) {
			t.Fatalf("no gold for %q", sents[i].Text)
		}
		for k := range right.Words {
			misc := sents[i].Words[k].Misc
			sents[i].Words[k] = right.Words[k]
			sents[i].Words[k].Misc = misc
		}
		text = conllu.Append(text, &sents[i])
	}
	must(t, os.WriteFile(corrected, text, 0o644))
}
