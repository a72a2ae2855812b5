package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/train"
)

// A model learns what trees of another kind have in common; the same trees give the same
// bytes with any number of threads; the provenance says from what.
func TestAdapt(t *testing.T) {
	toy := trainedToy(t)
	gold, err := os.ReadFile(manyToys(t, 20))
	must(t, err)
	dir := t.TempDir()
	mine, out, again := filepath.Join(dir, "mine.conllu"), filepath.Join(dir, "a.tbm"), filepath.Join(dir, "b.tbm")
	other := strings.ReplaceAll(string(gold), "\tobj\t", "\tobl\t")
	other = strings.ReplaceAll(other, "\t2\tobl\t_\tSpaceAfter=No\n7", "\t4\tnmod\t_\tSpaceAfter=No\n7")
	other = strings.Replace(other, "\tpunct\t", "\tpunct:odd\t", 1)
	must(t, os.WriteFile(mine, []byte(other), 0o644))

	printed, said := ends(t, exitOK, "part 5 of 5", "adapt", mine, "--from", toy, "--model", out)
	if !strings.Contains(printed, "your ") || !strings.Contains(printed, "--home FILE measures it\n") || !strings.Contains(said, "such as punct:odd: 1 of 340; it") {
		t.Errorf("printed\n%s%s", printed, said)
	}
	ends(t, exitOK, "", "adapt", mine, "--from", toy, "--model", again, "--threads", "1")
	a, err := os.ReadFile(out)
	must(t, err)
	if b, err := os.ReadFile(again); err != nil || !bytes.Equal(a, b) {
		t.Errorf("the same trees give two models (%v)", err)
	}
	from, err := model.Open(toy)
	must(t, err)
	m, err := model.Open(out)
	must(t, err)
	if len(m.Info.Adapted) != 1 || len(m.Info.Scores) > 0 {
		t.Fatalf("provenance %+v", m.Info)
	}
	about := m.Info.Adapted[0]
	if about.After.LAS <= about.Before.LAS || about.From != from.Digest || about.Trees[0].Sentences != strings.Count(other, "# text") {
		t.Errorf("adapted: %+v", about)
	}
	ends(t, exitRefused, "has learned from "+mine+" already", "adapt", toyDev, mine, "--from", out, "--model", again)
	ends(t, exitRefused, "was trained on", "calibrate", "--model", out, "--dev", mine, "--output", again)
	if _, info, _ := treebeam(t, "", "model", "info", out); !strings.Contains(info, from.Digest) || !strings.Contains(info, "mine.conllu") {
		t.Errorf("model info\n%s", info)
	}
}

// What the measurement does not show is said.
func TestAdaptSaysWhatIsUnmeasured(t *testing.T) {
	for _, c := range []struct {
		home  string
		trees int
		want  string
	}{{"", 0, "was not measured: treebeam adapt --home"}, {"empty.conllu", 0, "was not measured"}, {"", 420, "may lose on other text"}, {"x.conllu", 9, ""}} {
		f := adaptFlags{home: c.home}
		if got := f.unmeasured(c.trees); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// A worse model is not written, unless that is asked for.
func TestAdaptKeepsTheBetter(t *testing.T) {
	score := func(las float64) *model.Score { return &model.Score{LAS: las} }
	for _, c := range []struct {
		before, after         float64
		homeBefore, homeAfter *model.Score
		want                  string
	}{
		{80, 79.99, nil, nil, "nothing was written: on your trees, the adapted model has a LAS of 79.99 where the old one has 80.00: check"},
		{80, 82, score(90), score(89.7), "LAS falls from 90.00 to 89.70, by more than 0.2"},
		{80, 80, score(90), score(89.8), ""},
		{80, 82, nil, nil, ""},
	} {
		a := &train.Adapted{Data: []byte("model"), About: model.Adaptation{Before: *score(c.before), After: *score(c.after),
			HomeBefore: c.homeBefore, HomeAfter: c.homeAfter}}
		f := adaptFlags{model: filepath.Join(t.TempDir(), "m.tbm")}
		err := f.write(a, time.Now())
		_, missing := os.Stat(f.model)
		if c.want == "" && (err != nil || missing != nil) {
			t.Errorf("%+v: %v, %v", a.About, err, missing)
		}
		if c.want != "" && (err == nil || missing == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--force")) {
			t.Errorf("%+v: %v, %v", a.About, err, missing)
		}
		f.force = true
		if err := f.write(a, time.Now()); err != nil {
			t.Errorf("forced: %v", err)
		}
		if _, err := os.Stat(f.model); err != nil {
			t.Error(err)
		}
	}
}

// What cannot be learned from is refused with its place and the remedy.
func TestAdaptRefuses(t *testing.T) {
	toy, dir := trainedToy(t), t.TempDir()
	gold, err := os.ReadFile(toyDev)
	must(t, err)
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	first, _, _ := strings.Cut(string(gold), "\n\n")
	out := filepath.Join(dir, "out.tbm")
	for _, c := range []struct{ trees, want string }{
		{file("one.conllu", first+"\n\n"), "at least 2 trees"},
		{file("open.conllu", strings.Replace(string(gold), "\t2\tnsubj\t", "\t_\t_\t", 1)), "open.conllu:4: word 1 has no head: correct the tree, or leave it out"},
		{file("unlabelled.conllu", strings.Replace(string(gold), "\tnsubj\t", "\t_\t", 1)), "unlabelled.conllu:4: word 1 has no UPOS or no relation"},
		{toyTrain, "has learned from"},
		{filepath.Join(dir, "none"), "no such file"},
	} {
		ends(t, exitRefused, c.want, "adapt", c.trees, "--from", toy, "--model", out)
	}
	ends(t, exitRefused, "has learned from "+toyTrain, "adapt", toyDev, "--home", toyTrain, "--from", toy, "--model", out)
	unlabelled := filepath.Join(dir, "unlabelled.conllu")
	ends(t, exitRefused, "1 word without DEPREL", "adapt", toyDev, "--home", unlabelled, "--from", toy, "--model", out)
	for _, same := range [][]string{{toyDev, toyDev}, {toyDev, "--home", toyDev}} {
		ends(t, exitRefused, "the same trees", append(append([]string{"adapt"}, same...), "--from", toy, "--model", out)...)
	}
	ends(t, exitRefused, "a folder that is there", "adapt", toyDev, "--from", toy, "--model", filepath.Join(dir, "none", "m.tbm"))
	ends(t, exitRefused, "it would be lost", "adapt", toyDev, "--from", toy, "--model", toyDev)
	ends(t, exitRefused, "name the files", "adapt", "--model", out)
	ends(t, exitRefused, "give --model", "adapt", toyDev)
}
