package search

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// randomChoices gives about every other word of s other tags.
func randomChoices(s *syntax.Sentence, r *hash.Rand) *syntax.Choices {
	c := &syntax.Choices{}
	for i := range s.Words {
		w := &s.Words[i]
		c.Words = append(c.Words, []syntax.Choice{{UPOS: w.UPOS, Feats: w.Feats, Lemma: w.Lemma}})
		for range r.Below(3) {
			upos := tags[r.Below(uint32(len(tags)))]
			c.Words[i] = append(c.Words[i], syntax.Choice{UPOS: upos, Feats: "Case=" + upos[:1], Lemma: w.Form, Score: -int64(r.Below(2000))})
		}
		if i == 0 {
			continue
		}
		pairs := make([]int64, len(c.Words[i-1])*len(c.Words[i]))
		for k := range pairs {
			pairs[k] = -int64(r.Below(1000))
		}
		c.Pairs = append(c.Pairs, pairs)
	}
	return c
}

// eachPath calls f with every path through c.
func eachPath(c *syntax.Choices, f func(path []int)) {
	path := make([]int, len(c.Words))
	var rec func(i int)
	rec = func(i int) {
		if i == len(path) {
			f(path)
			return
		}
		for path[i] = range c.Words[i] {
			rec(i + 1)
		}
	}
	rec(0)
}

// The tree of every path is the best of all trees, so what is left to the climb
// is the choice of tags: it must end where no word's other tag has a better tree,
// and mostly in the best of tags and trees.
func TestBestTagsAgainstAllTagsAndTrees(t *testing.T) {
	r := hash.Rand(5)
	best, all := 0, 0
	for range 60 {
		s := randomSentence(2+int(r.Below(4)), 5, &r)
		c := randomChoices(s, &r)
		m := newModel(noise(60), part.Locals)
		o := JointOptions{Weight: 200, Trials: 1000}
		value := map[string]int64{}
		key := func(path []int) string {
			b := make([]byte, len(path))
			for i, k := range path {
				b[i] = byte(k)
			}
			return string(b)
		}
		top := int64(worst)
		eachPath(c, func(path []int) {
			work := syntax.Clone([]syntax.Sentence{*s})[0]
			c.Set(&work, path)
			var x Search
			x.prepare(m, &work)
			tree := int64(worst)
			allTrees(&work, func(head []int32) { tree = max(tree, scratchScore(&x, head)) })
			value[key(path)] = tree + c.Score(path)*int64(o.Weight)>>10
			top = max(top, value[key(path)])
		})
		work := syntax.Clone([]syntax.Sentence{*s})[0]
		path, trials := BestTags(c, o, func(path []int) (int64, bool) {
			c.Set(&work, path)
			_, score, ok := m.Best(&work, Options{})
			if want := value[key(path)] - c.Score(path)*int64(o.Weight)>>10; !ok || score > want {
				t.Fatalf("path %v: tree of score %d, the best of all has %d", path, score, want)
			} else {
				score = want // the search may miss it, seldom; the climb over tags is on trial here
			}
			return score, ok
		})
		if c.Open() == 0 {
			continue
		}
		all++
		if value[key(path)] == top {
			best++
		}
		for i := range path {
			other := slices.Clone(path)
			for other[i] = range c.Words[i] {
				if value[key(other)] > value[key(path)] {
					t.Errorf("path %v scores %d, its neighbour %v %d", path, value[key(path)], other, value[key(other)])
				}
			}
		}
		if trials < 2 || trials > 1000 {
			t.Errorf("%d trials", trials)
		}
	}
	if all < 40 || best*10 < all*8 {
		t.Errorf("the best of all tags and trees in %d of %d sentences", best, all)
	}
}

func TestBestTagsKeepsWithinItsTrials(t *testing.T) {
	r := hash.Rand(6)
	s := randomSentence(8, 5, &r)
	c := randomChoices(s, &r)
	looked := 0
	path, trials := BestTags(c, JointOptions{Trials: 3}, func([]int) (int64, bool) {
		looked++
		return int64(looked), true // every change is for the better
	})
	if trials != 3 || looked != 3 || len(path) != 8 {
		t.Errorf("%d trials, %d looked at, path %v", trials, looked, path)
	}
}

// Wherever the trials end, the path is the best one that was tried.
func TestBestTagsLeavesTheBestOfItsTrials(t *testing.T) {
	r := hash.Rand(3)
	for range 300 {
		s := randomSentence(4, 3, &r)
		c := randomChoices(s, &r)
		for trials := 1; trials < 8; trials++ {
			worth := map[string]int64{} // of the paths that were tried
			best := int64(math.MinInt64)
			path, _ := BestTags(c, JointOptions{Trials: trials, Weight: 1024}, func(path []int) (int64, bool) {
				score := int64(r.Below(10_000))
				worth[fmt.Sprint(path)] = score + c.Score(path)
				best = max(best, score+c.Score(path))
				return score, true
			})
			if got, tried := worth[fmt.Sprint(path)]; len(worth) > 0 && (!tried || got != best) {
				t.Fatalf("%d trials: path %v is worth %d (tried %v), the best one %d", trials, path, got, tried, best)
			}
		}
	}
}

func TestBestIsWhatParseFinds(t *testing.T) {
	r := hash.Rand(7)
	m := newModel(noise(500), part.Standard)
	for range 20 {
		s := randomSentence(4+int(r.Below(12)), 5, &r)
		heads, score, ok := m.Best(s, Options{Seed: 3})
		if !ok || m.Parse(s, Options{Seed: 3}) != nil {
			t.Fatal("no tree")
		}
		for i, h := range heads {
			if s.Words[i].Head != h {
				t.Fatalf("word %d hangs on %d, in Parse on %d", i+1, h, s.Words[i].Head)
			}
		}
		if x, _ := m.Score(s, heads); x != score {
			t.Errorf("score %d, want %d", score, x)
		}
	}
	if _, _, ok := m.Best(&syntax.Sentence{Words: make([]syntax.Word, 2)}, Options{}); ok {
		t.Error("a sentence without candidates has a tree")
	}
}

// slips are sentences of the grammar with tags of a tagger that takes every third
// noun for an adjective, and cannot tell which: by it alone, the wrong tag is a little
// better. Trees tell, for adjectives hang on the next noun.
func slips(count int, seed uint64) (list []syntax.Sentence, joint []JointExample, gold []syntax.Sentence) {
	r := hash.Rand(seed)
	gold = grammar(count, seed)
	list = syntax.Clone(gold)
	for i := range list {
		s, c := &list[i], &syntax.Choices{}
		e := JointExample{Choices: c}
		for k := range s.Words {
			w := &s.Words[k]
			w.Form, w.Lemma = "w", "w"
			gold[i].Words[k].Form, gold[i].Words[k].Lemma = "w", "w"
			choices, right := []syntax.Choice{{UPOS: w.UPOS, Lemma: "w"}}, 0
			if w.UPOS == "NOUN" && r.Below(3) == 0 {
				choices, right = []syntax.Choice{{UPOS: "ADJ", Lemma: "w"}, {UPOS: "NOUN", Lemma: "w", Score: -200}}, 1
				w.UPOS = "ADJ"
			}
			c.Words, e.Gold = append(c.Words, choices), append(e.Gold, right)
			if k > 0 {
				c.Pairs = append(c.Pairs, make([]int64, len(c.Words[k-1])*len(choices)))
			}
		}
		joint = append(joint, e)
	}
	return list, joint, gold
}

func TestJointTrainingFindsTagsByTrees(t *testing.T) {
	train, joint, _ := slips(80, 1)
	dev, choices, gold := slips(40, 2)
	m, err := Train(word.Learn(gold), train, nil, TrainOptions{Epochs: 5, Joint: joint})
	if err != nil {
		t.Fatal(err)
	}
	words, own, found := 0, 0, 0
	for i := range dev {
		work := dev[i]
		path, _ := BestTags(choices[i].Choices, JointOptions{}, func(path []int) (int64, bool) {
			choices[i].Choices.Set(&work, path)
			_, score, ok := m.Best(&work, Options{})
			return score, ok
		})
		for k := range path {
			words++
			if choices[i].Gold[k] == 0 {
				own++
			}
			if path[k] == choices[i].Gold[k] {
				found++
			}
		}
	}
	if words-found > (words-own)/3 {
		t.Errorf("of %d words %d have the right tag by the tagger, %d with trees", words, own, found)
	}
}

func TestJointTrainingDoesNotDependOnWorkers(t *testing.T) {
	train, joint, gold := slips(30, 3)
	var want []byte
	for _, workers := range []int{1, 4} {
		m, err := Train(word.Learn(gold), train, nil, TrainOptions{Epochs: 2, Joint: joint, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if got := packed(m); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Error("another number of workers, another model")
		}
	}
	plain, err := Train(word.Learn(gold), train, nil, TrainOptions{Epochs: 2})
	if err != nil || bytes.Equal(packed(plain), want) {
		t.Errorf("joint tags teach nothing: %v", err)
	}
}

func TestTrainRefusesWhatDoesNotGoTogether(t *testing.T) {
	train, joint, _ := slips(3, 4)
	for _, o := range []TrainOptions{
		{Learner: "mira"},
		{Joint: joint[:2]},
		{Joint: joint, Learner: SampleRank},
		{Joint: []JointExample{joint[1], joint[0], joint[2]}},
		{Joint: joint, Tensor: &score.TensorOptions{}},
		{Learner: SampleRank, Tensor: &score.TensorOptions{}},
	} {
		if len(train[0].Words) == len(train[1].Words) {
			t.Fatal("choose another seed")
		}
		if _, err := Train(word.Learn(train), train, nil, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// Gold choices that there are not are an error, and no panic of a worker.
func TestTrainRefusesGoldThatIsNoChoice(t *testing.T) {
	train, joint, _ := slips(3, 4)
	for name, spoil := range map[string]func(e *JointExample){
		"below all":  func(e *JointExample) { e.Gold[0] = -1 },
		"beyond all": func(e *JointExample) { e.Gold[0] = len(e.Choices.Words[0]) },
		"no choice":  func(e *JointExample) { e.Choices.Words[0] = nil },
		"no pairs":   func(e *JointExample) { e.Choices.Pairs = nil },
		"few pairs":  func(e *JointExample) { e.Choices.Pairs[0] = e.Choices.Pairs[0][:0] },
	} {
		c := *joint[0].Choices
		c.Words, c.Pairs = slices.Clone(c.Words), slices.Clone(c.Pairs)
		e := JointExample{Choices: &c, Gold: slices.Clone(joint[0].Gold)}
		spoil(&e)
		if _, err := Train(word.Learn(train), train, nil, TrainOptions{Epochs: 1, Joint: []JointExample{e, joint[1], joint[2]}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
