package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

func TestProvenanceOfTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	readme := "# Summary\n* 2020-05-15 v2.6\n* 2024-11-15 v2.15\nLicense: CC BY-SA 4.0 \nIncludes text: yes\n"
	must(t, os.WriteFile(filepath.Join(dir, "README.md"), []byte(readme), 0o644))
	fs := newCommand("train", "", "").Flags()
	var f trainFlags
	f.define(fs)
	args := []string{"--train", filepath.Join(dir, "xx_toy-ud-train.conllu"), "--dev", "elsewhere/my dev.conllu",
		"--model", "m.tbm", "--preset", "fast", "--families=-cs", "--gold_tags", "--threads", "7", "--treebank", "a toy", "--seed=9"}
	must(t, fs.Parse(args))
	f.describe(fs)
	i := f.o.Info
	want := "treebeam train --train xx_toy-ud-train.conllu --dev 'my dev.conllu' --families -cs --gold-tags --preset fast --seed 9 --treebank 'a toy'"
	if i.Command != want {
		t.Errorf("command %s, want %s", i.Command, want)
	}
	if i.Language != "xx" || i.Treebank != "a toy" || i.Licence != "CC BY-SA 4.0" || i.Release != "2.15" {
		t.Errorf("provenance %+v", i)
	}
}

// A model of several files names all of them, and their licences.
func TestTrainOnSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	more, path := filepath.Join(dir, "more.conllu"), filepath.Join(dir, "m.tbm")
	must(t, os.WriteFile(more, []byte(silverTree), 0o644), os.WriteFile(filepath.Join(dir, "README.md"), []byte("License: CC0\n"), 0o644))
	args := []string{"--train", toyTrain, "--train", more, "--repeat", "3", "--dev", toyDev, "--model", path, "--folds", "2"}
	must(t, runTrain(t.Context(), args))
	m, err := model.Open(path)
	must(t, err)
	var b bytes.Buffer
	printModel(&b, m)
	if text := b.String(); strings.Count(text, "more.conllu, 1 sentence, 3 words, sha256 ") != 1 ||
		!strings.Contains(text, "treebeam train --train xx_toy-ud-train.conllu --train more.conllu --dev xx_toy-ud-dev.conllu --folds 2 --repeat 3 ") ||
		!strings.Contains(text, "licence      CC0\n") {
		t.Errorf("model info:\n%s", text)
	}
	err = runTrain(t.Context(), []string{"--train", toyTrain, "--train", more, "--dev", toyDev, "--model", more})
	if err == nil || !strings.Contains(err.Error(), "would be lost") {
		t.Errorf("a model over a further file: %v", err)
	}
}

func TestTrainRefusals(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.conllu")
	must(t, os.WriteFile(bad, []byte("1\ta\ta\tX\t_\t_\t2\tdep\t_\t_\n2\tb\tb\tX\t_\t_\t1\tdep\t_\t_\n\n"), 0o644))
	for _, c := range []struct{ args, want string }{
		{"", "give --train"},
		{"--train x --dev y", "give --model"},
		{"--train x --dev y --model s3://bucket/m.tbm", "name a local file"},
		{"--train x --dev y --model new/", "is a folder"},
		{"--train x --dev y --model m --reuse s3://bucket/phases", "--reuse s3://bucket/phases: only local files"},
		{"--train x --dev y --model m --only encoder --encoder e --from s3://bucket/m.tbm", "--from s3://bucket/m.tbm: only local files"},
		{"--train x --dev y --model m --encoder gs://bucket/e.whl", "--encoder gs://bucket/e.whl: only local files"},
		{"--train nowhere --dev y --model m", "nowhere"},
		{"--train " + bad + " --dev " + bad + " --model m", bad + ":1"},
		{"--train x --dev y --model m --preset huge", "fast, standard or accurate"},
		{"--train x --dev y --model m --preset full", "lab/notes/ablation.md"},
		{"--train x --dev y --model m --delta 1", "lab/notes/ablation.md"},
		{"--train x --dev y --model m --families +gs", "lab/notes/ablation.md"},
		{"--train x --dev y --model m --families gs", "+ or -"},
		{"--train x --dev y --model m --families -gp,-cs,-hb,-cross", "only arcs"},
		{"--train x --dev y --model m --strategy skip", "lab/notes/family.md"},
		{"--train x --dev y --model m --silver-weight 0.5 --silver-words 9 --silver-tags 9", "--silver-weight, --silver-words, --silver-tags: add --silver"},
		{"--train x --dev y --model m --repeat 3", "--repeat 3: add a further --train"},
		{"--nonsense", "unknown option --nonsense"},
		{"x.conllu", "x.conllu"},
	} {
		err := runTrain(t.Context(), strings.Fields(c.args))
		if _, ok := err.(*refusal); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("train %s: %v, want a refusal with %q", c.args, err, c.want)
		}
	}
}

func TestTrainOnlyLemmas(t *testing.T)    { trainsAlone(t, "lemmas", "lemmas      ") }
func TestTrainOnlySegmenter(t *testing.T) { trainsAlone(t, "segmenter", "segmenter   ") }

// trainsAlone trains a part of a model again, of the same treebank: all of it
// stays as it is but for the provenance. said is how its line there begins. Such a training
// keeps no phases, and leaves those of another one alone.
func trainsAlone(t *testing.T, part, said string) {
	toy := trainedToy(t)
	path := filepath.Join(t.TempDir(), "new.tbm")
	command := "train --only " + part + " --from " + toy + " --train " + toyTrain + " --dev " + toyDev + " --created-by me --model " + path
	phase := filepath.Join(path+".train", "words.phase")
	must(t, os.Mkdir(filepath.Dir(phase), 0o755), os.WriteFile(phase, nil, 0o644))
	must(t, runTrain(t.Context(), strings.Fields(command)[1:]))
	if list, err := filepath.Glob(filepath.Join(path+".train", "*")); !slices.Equal(list, []string{phase}) {
		t.Errorf("among phases: %v, %v", list, err)
	}
	old, err := os.ReadFile(toy)
	must(t, err)
	m, err := model.Open(path)
	must(t, err)
	var b bytes.Buffer
	printModel(&b, m)
	for _, want := range []string{
		said + " treebeam train --train xx_toy-ud-train.conllu --dev xx_toy-ud-dev.conllu --from toy.tbm --only " + part + "\n",
		"made for   " + model.Digest(old), "created    me", "gold-tokens",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("model info lacks %q:\n%s", want, &b)
		}
	}
	before, err := model.Decode(old)
	must(t, err)
	if m.Info.Command != before.Info.Command || m.Info.Release != before.Info.Release || len(m.Sections) != len(before.Sections) {
		t.Errorf("provenance %+v", m.Info)
	}
	for i, s := range m.Sections {
		if !bytes.Equal(s.Data, before.Sections[i].Data) {
			t.Errorf("section %s changed", s.Name)
		}
	}
}

// TestTrainRecordsCommand checks that the recorded command says all that changes the file.
func TestTrainRecordsCommand(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--train x/t.conllu --model x/m.tbm --gold-tags --threads 2", "--train t.conllu --gold-tags"},
		{"--train t.conllu --only mix --from x/m.tbm --overlay --resume --model n.tbm", "--train t.conllu --from m.tbm --only mix --overlay"},
	} {
		fs := newCommand("train", "", "").Flags()
		var f trainFlags
		f.define(fs)
		must(t, fs.Parse(strings.Fields(c.args)))
		if got := f.command(fs); got != "treebeam train "+c.want {
			t.Errorf("train %s: records %q", c.args, got)
		}
	}
}

func TestTrainOnlyRefusals(t *testing.T) {
	toy := trainedToy(t)
	other := filepath.Join(t.TempDir(), "yy_toy-ud-train.conllu")
	data, err := os.ReadFile(toyTrain)
	must(t, err)
	must(t, os.WriteFile(other, data, 0o644))
	part := incomplete(t, toy)
	model := filepath.Join(t.TempDir(), "new.tbm")
	banks := " --train " + toyTrain + " --dev " + toyDev + " --model " + model
	for _, c := range []struct{ args, want string }{
		{"--only lemmas" + banks, "give --from"},
		{"--from " + toy + banks, "is only for --only"},
		{"--only pruner --from " + toy + banks, "must be lemmas, segmenter, encoder or mix"},
		{"--only lemmas --from " + toy + banks + " --preset fast --resume", "nothing to do for --preset, --resume"},
		{"--only encoder --from " + toy + banks, "give --encoder"},
		{"--only encoder --from " + toy + " --encoder nowhere.whl" + banks, "nowhere.whl"},
		{"--only encoder --from " + toy + " --encoder " + toyTrain + banks, "this is not an encoder"},
		{"--only encoder --from " + toy + " --encoder x.whl --preset fast" + banks, "nothing to do for --preset"},
		{"--only mix --from " + toy + " --layers 3" + banks, "nothing to do for --layers"},
		{"--only mix --from " + toy + banks, "has no encoder"},
		{"--only mix --from " + toy + " --encoder " + toyDev + banks, "looks like CoNLL-U"},
		{"--preset accurate" + banks, "add --encoder"},
		{"--layers 3 --text a.txt" + banks, "--layers, --text: add --encoder"},
		{"--small" + banks, "--small: add --encoder"},
		{"--small --layers 2 --encoder a" + banks, "--layers is nothing for --small"},
		{"--small --encoder a" + banks, "also give --silver FILE"},
		{"--only encoder --small --encoder a --from " + toy + banks, "also give --silver FILE"},
		{"--small --encoder a --silver b --silver-weight 0" + banks, "leaves out the text that --small learns from"},
		{"--only encoder --encoder a --silver b --from " + toy + banks, "learns from --silver with --small alone"},
		{"--only encoder --small --overlay --encoder a --from " + toy + banks, "leave --overlay out"},
		{"--only lemmas --from nowhere.tbm" + banks, "nowhere.tbm"},
		{"--only lemmas --from " + toyTrain + banks, "looks like CoNLL-U"},
		{"--only lemmas --from " + toy + " --train " + other + " --dev " + toyDev + " --model " + model, `language "xx"`},
		{"--only encoder --from " + toy + " --encoder x.whl --train " + toyTrain + " --dev " + toyDev + " --overlay --model " + toy, "which an overlay only adds to"},
		{"--encoder " + other + " --train " + toyTrain + " --dev " + toyDev + " --model " + other, "is the file of --encoder"},
		{"--encoder x.whl --text " + toy + " --text " + other + " --train " + toyTrain + " --dev " + toyDev + " --model " + other, "is a file of --text"},
		{"--only encoder --encoder x.whl --from " + part + banks, "component tag"},
	} {
		err := runTrain(t.Context(), strings.Fields(c.args))
		if _, ok := err.(*refusal); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("train %s: %v, want a refusal with %q", c.args, err, c.want)
		}
	}
	if _, err := os.Stat(model); err == nil {
		t.Error("a refused training wrote a model")
	}
}

// incomplete returns a copy of a model that lacks its tagger.
func incomplete(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	must(t, err)
	f, err := model.Decode(data)
	must(t, err)
	part := filepath.Join(t.TempDir(), "part.tbm")
	left := slices.DeleteFunc(slices.Clone(f.Sections), func(s pack.Section) bool { return strings.HasPrefix(s.Name, model.TagName+".") })
	cut, err := model.Encode(f.Info, left)
	must(t, err, os.WriteFile(part, cut, 0o644))
	return part
}

// Its letters are those of the toy treebank, twice: others would be left out.
const silverTree = "1\tWe\twe\tPRON\t_\t_\t2\tnsubj\t_\tHeadConf=0.9\n2\tmended\tmend\tVERB\t_\t_\t0\troot\t_\tHeadConf=0.8|DeprelConf=0.8\n" +
	"3\tboat\tboat\tNOUN\t_\t_\t2\tobj\t_\t_\n\n"

func TestTrainSilver(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(silverTree)); err != nil {
		t.Fatal(err)
	}
	must(t, z.Close())
	first := write("first one.conllu.gz", zipped.String())
	second := write("second.conllu", silverTree+strings.ReplaceAll(silverTree, "We", "She"))
	path := filepath.Join(dir, "m.tbm")
	banks := []string{"--train", toyTrain, "--dev", toyDev, "--model", path, "--folds", "2"}
	must(t, runTrain(t.Context(), append(banks, "--silver", first, "--silver", second, "--silver-weight", "0.5")))
	m, err := model.Open(path)
	must(t, err)
	var b bytes.Buffer
	printModel(&b, m)
	for _, want := range []string{"--silver 'first one.conllu.gz' --silver second.conllu --silver-weight 0.5", "silver-weight  0.5",
		"first one.conllu.gz, 1 sentence, 3 words, sha256 ", "second.conllu, 1 sentence, 3 words, sha256 "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("model info lacks %q:\n%s", want, &b)
		}
	}

	refused := filepath.Join(dir, "refused.tbm")
	for _, c := range []struct{ silver, want string }{
		{filepath.Join(dir, "nowhere.conllu"), "nowhere.conllu"},
		{dir, "directory"},
		{write("text.conllu", "This is no CoNLL-U.\n"), "text.conllu:1"},
		{write("plain.conllu.gz", silverTree), "plain.conllu.gz: gzip"},
		{write("cut.conllu.gz", zipped.String()[:zipped.Len()-12]), "cut.conllu.gz: "},
		{write("headless.conllu", strings.ReplaceAll(silverTree, "\t2\t", "\t_\t")), "no sentence to learn from"},
		{write("empty.conllu", ""), "no sentence to learn from"},
		{first + " --silver-tags -1", "--silver-tags -1"},
		{first + " --silver-words 0", "must be a positive number"},
		{first + " --silver-weight -1", "--silver-weight -1"},
	} {
		args := []string{"--train", toyTrain, "--dev", toyDev, "--model", refused, "--silver"}
		if path, option, ok := strings.Cut(c.silver, " --silver-"); ok {
			args = append(append(args, path), strings.Fields("--silver-"+option)...)
		} else {
			args = append(args, c.silver)
		}
		err := runTrain(t.Context(), args)
		if _, ok := err.(*refusal); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("train --silver %s: %v, want a refusal with %q", c.silver, err, c.want)
		}
	}
	if err := runTrain(t.Context(), []string{"--train", toyTrain, "--dev", toyDev, "--model", second, "--silver", second}); err == nil ||
		!strings.Contains(err.Error(), "would be lost") {
		t.Errorf("a model over silver: %v", err)
	}
	if _, err := os.Stat(refused); err == nil {
		t.Error("a refused training wrote a model")
	}
}

// A lexicon teaches lemmas, alone too, and the model says so.
func TestTrainLexicon(t *testing.T) {
	toy := trainedToy(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	words := write("words.tsv", "zwom\tVERB\t_\t_\tzwim\n")
	path := filepath.Join(dir, "new.tbm")
	command := "--only lemmas --from " + toy + " --train " + toyTrain + " --dev " + toyDev + " --lexicon " + words + " --model " + path
	must(t, runTrain(t.Context(), strings.Fields(command)))
	m, err := model.Open(path)
	must(t, err)
	s := syntax.Sentence{Words: []syntax.Word{{Form: "zwom", UPOS: "VERB"}}}
	m.Tag(&s, false)
	if s.Words[0].Lemma != "zwim" {
		t.Errorf("%+v", s.Words[0])
	}
	var b bytes.Buffer
	printModel(&b, m)
	if got := m.Info.Options["lexicon of lemmas"]; !strings.HasPrefix(got, "1 words of words.tsv ") || !strings.Contains(b.String(), "--lexicon words.tsv") {
		t.Errorf("%q in\n%s", got, &b)
	}
	// Lemmas of another treebank, in a model without options, which one of a world has not.
	bare := filepath.Join(dir, "bare.tbm")
	m.Info.Options = nil
	data, err := model.Encode(m.Info, m.Sections)
	must(t, err, os.WriteFile(bare, data, 0o644))
	text, err := os.ReadFile(toyTrain)
	must(t, err)
	other := write("xx_toy-ud-other.conllu", string(text)+"\n")
	must(t, runTrain(t.Context(), strings.Fields(strings.NewReplacer(toy, bare, toyTrain, other).Replace(command))))
	ends(t, exitRefused, "was trained on", "calibrate", "--model", path, "--dev", other, "--output", bare)
	must(t, runTrain(t.Context(), strings.Fields("--only lemmas --from "+path+" --train "+toyTrain+" --dev "+toyDev+" --model "+path)))
	if m, err = model.Open(path); err != nil || m.Info.Options["lexicon of lemmas"] != "" {
		t.Errorf("lemmas of no lexicon have options %v (%v)", m.Info.Options, err)
	}
	for _, x := range []struct{ args, want string }{
		{"--lexicon " + write("bad.tsv", "zwom\tVERB\n"), "line 1 has 2 columns"},
		{"--lexicon " + filepath.Join(dir, "none.tsv"), "none.tsv"},
	} {
		args := strings.Fields("--train " + toyTrain + " --dev " + toyDev + " --model " + path + " " + x.args)
		if err := runTrain(t.Context(), args); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v", x.args, err)
		}
	}
	args := strings.Fields("--train " + toyTrain + " --dev " + toyDev + " --lexicon " + words + " --model " + words)
	if err := runTrain(t.Context(), args); err == nil || !strings.Contains(err.Error(), "would be lost") {
		t.Errorf("a model over its lexicon: %v", err)
	}
}
