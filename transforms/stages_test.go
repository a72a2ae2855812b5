package transforms_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

func encodingToy(t *testing.T) *transformstest.Encoder {
	t.Helper()
	transformstest.Register()
	m, _, err := transforms.OpenModel(transformstest.EncoderURI)
	must(t, err)
	return m.(*transformstest.Encoder)
}

// chunkOf returns a chunk with a sentence of each line.
func chunkOf(lines ...string) transforms.Chunk {
	c := transforms.Chunk{Files: []output.File{{DocID: "a.txt"}}}
	for i, line := range lines {
		s := transforms.Sentence{}
		s.ID = fmt.Sprint(i + 1)
		for _, form := range strings.Fields(line) {
			s.Words = append(s.Words, syntax.Word{Form: form, Head: syntax.NoHead})
		}
		c.Sentences = append(c.Sentences, s)
	}
	return c
}

// shape is every sentence's id and tree, S for a star and C for a chain, and
// every failure's stage.
func shape(t *testing.T, c transforms.Chunk) string {
	t.Helper()
	var list []string
	for i := range c.Sentences {
		s := &c.Sentences[i]
		kind, last := "S", s.Words[len(s.Words)-1].Head
		if int(last) == len(s.Words)-1 {
			kind = "C"
		}
		if (kind == "S") != (s.Words[0].UPOS == "INTJ") {
			t.Errorf("sentence %s has the tags of the one way and the heads of the other", s.ID)
		}
		if !reflect.DeepEqual(s.Dense, syntax.Dense{}) || s.Candidates.Heads != nil {
			t.Errorf("sentence %s still has dense scores or candidates", s.ID)
		}
		list = append(list, s.ID+kind)
	}
	for _, f := range c.Failures {
		list = append(list, "!"+f.Stage)
	}
	return strings.Join(list, " ")
}

// A model with an encoder parses every sentence with it, in one stage; what is
// wrong with one sentence is not wrong with those that were encoded with it.
func TestEncodeChunk(t *testing.T) {
	m := encodingToy(t)
	defer transforms.SetCores(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 8} {
		transforms.SetCores(cores)
		c := chunkOf("a b c", "a b PANICENCODE", "d e f", "PANICTAG a b", "a PANICPRUNE b", "a b PANICPARSE", "x y CYCLIC", "a b c d")
		c, words := transforms.EncodeChunk(c, m, output.RowOptions{})
		if words != 25 {
			t.Errorf("%d words were encoded, want 25", words)
		}
		const want = "1S 3S 8S !encode !tag !prune !parse !parse"
		if got := shape(t, c); got != want {
			t.Errorf("%d cores: %s, want %s", cores, got, want)
		}
		after := transforms.ParseChunk(transforms.PruneChunk(transforms.TagChunk(c, m, output.RowOptions{}), m, output.RowOptions{}), m, output.RowOptions{})
		if !reflect.DeepEqual(after, c) {
			t.Error("the stages behind Encode changed what it has done")
		}
	}
	c := chunkOf("a b c")
	if got, _ := transforms.EncodeChunk(c, m.Toy, output.RowOptions{}); got.Sentences[0].Words[0].UPOS != "" {
		t.Error("a model without an encoder did something")
	}
	o := output.RowOptions{StopAfter: output.StopTag}
	c = transforms.Stage(chunkOf("a b c"), m, o)
	if w := c.Sentences[0].Words[1]; w.UPOS != "INTJ" || w.Head != syntax.NoHead || c.Sentences[0].Dense.Arcs != nil {
		t.Errorf("--stop-after tag: %+v", w)
	}
}

// The dense scores of a small network do not stay in chunks either.
func TestNetworkChunk(t *testing.T) {
	m, _, err := transforms.OpenModel(model.Embedded)
	must(t, err)
	for _, stop := range []string{"", output.StopTag} {
		o := output.RowOptions{StopAfter: stop}
		read := chunkOf("The dog barks .", "I saw her yesterday .")
		c, words := transforms.EncodeChunk(read, m, o)
		if words > 0 {
			t.Errorf("%d words count as encoded", words)
		}
		if after := transforms.PruneChunk(transforms.TagChunk(c, m, o), m, o); !reflect.DeepEqual(after, c) {
			t.Errorf("stop after %q: the stages behind Encode changed what it has done", stop)
		}
		for i := range c.Sentences {
			s := &c.Sentences[i]
			if s.Words[0].UPOS == "" || s.Words[0].Head == syntax.NoHead != (stop != "") {
				t.Errorf("stop after %q: %+v", stop, s.Words)
			}
			if !reflect.DeepEqual(s.Dense, syntax.Dense{}) || s.Candidates.Heads != nil {
				t.Errorf("sentence %s still has dense scores or candidates", s.ID)
			}
		}
	}
}

// Sentences that the fast way is sure of keep its tree, whatever else is in the
// chunk and whatever heads were given.
func TestEffort(t *testing.T) {
	m := encodingToy(t)
	var lines, all []string
	for i := range 200 {
		lines = append(lines, fmt.Sprintf("w%d%s .", i, strings.Repeat(" x", i%40+1)))
	}
	for _, effort := range []float64{0, 0.3, 0.7, 1} {
		o := output.RowOptions{Effort: fmt.Sprint(effort)}
		var want []string
		words := 0
		for i, line := range lines {
			form, _, _ := strings.Cut(line, " ")
			if float64(transformstest.Sure(form)) >= effort && effort < 1 {
				want = append(want, fmt.Sprint(i+1, "C"))
			} else {
				want = append(want, fmt.Sprint(i+1, "S"))
				words += len(strings.Fields(line))
			}
		}
		m.Encoded.Store(0)
		got := shape(t, transforms.Stage(chunkOf(lines...), m, o))
		if got != strings.Join(want, " ") {
			t.Errorf("effort %v: %s, want %s", effort, got, want)
		}
		if n := int(m.Encoded.Load()); n != words {
			t.Errorf("effort %v: %d words were encoded, want %d", effort, n, words)
		}
		all = append(all, got)
	}
	if all[0] == all[1] || all[1] == all[2] || all[2] == all[3] {
		t.Error("efforts make no difference")
	}

	// The heads that were given are those of the input, not of the fast way.
	for _, effort := range []string{"0", "0.5", "1"} {
		c := chunkOf(lines...)
		for i := range c.Sentences {
			c.Sentences[i].Words[0].Head, c.Sentences[i].Words[0].Deprel = 2, "given"
			c.Sentences[i].Words[1].Head, c.Sentences[i].Words[1].Deprel = 0, "root"
		}
		c = transforms.Stage(c, m, output.RowOptions{Effort: effort, KeepHeads: true})
		stars := 0
		for i := range c.Sentences {
			w := c.Sentences[i].Words
			if w[0].Head != 2 || w[0].Deprel != "given" || w[1].Head != 0 {
				t.Fatalf("effort %s: %+v", effort, w)
			}
			if w[len(w)-1].UPOS == "INTJ" {
				stars++
			}
		}
		if len(c.Sentences) != len(lines) || (stars > 0) != (effort != "0") || (stars < len(lines)) != (effort != "1") {
			t.Errorf("effort %s: %d sentences, %d of them encoded", effort, len(c.Sentences), stars)
		}
	}
}

func TestCheckEffort(t *testing.T) {
	m := encodingToy(t)
	for _, c := range []struct {
		m    transforms.Stages
		o    output.RowOptions
		want string
	}{
		{m, output.RowOptions{}, ""},
		{m.Toy, output.RowOptions{}, ""},
		{m, output.RowOptions{Effort: "0.5"}, ""},
		{m, output.RowOptions{Effort: "1", StopAfter: output.StopTag}, ""},
		{m, output.RowOptions{Effort: "0.5", StopAfter: output.StopTag}, "--stop-after tag"},
		{m.Toy, output.RowOptions{Effort: "1"}, "no encoder"},
		{mute{m}, output.RowOptions{Effort: "0.5"}, "not calibrated"},
		{mute{m}, output.RowOptions{Effort: "0"}, ""},
		{m, output.RowOptions{Effort: "1.5"}, "from 0"},
		{m, output.RowOptions{Effort: "NaN"}, "from 0"},
		{m, output.RowOptions{Effort: "much"}, "from 0"},
	} {
		err := transforms.CheckEffort(c.m, &c.o)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
}

// A mute encoder has no calibrator for parses without it.
type mute struct{ *transformstest.Encoder }

func (mute) CanChoose() bool { return false }

// A sentence whose words all have UPOS says so, though nobody tags it.
func TestTagsGiven(t *testing.T) {
	m := encodingToy(t).Toy
	for _, retag := range []bool{false, true} {
		c := chunkOf("a b", "a b", "a b")
		c.Sentences[1].Words[1].UPOS = "X"
		for i := range c.Sentences[2].Words {
			c.Sentences[2].Words[i].UPOS = "X"
		}
		c = transforms.TagChunk(c, m, output.RowOptions{Retag: retag})
		for i, given := range []bool{false, false, !retag} {
			if s := c.Sentences[i]; s.TagsGiven != given || s.Words[0].UPOS == "" {
				t.Errorf("retag %v, sentence %d: tags given %v, want %v: %v", retag, i+1, s.TagsGiven, given, s.Words)
			}
		}
	}
}
