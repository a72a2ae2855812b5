package part

import (
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// fixture is a sentence with what templates look at: case, agreement, an
// adposition, commas, brackets, quotes, and words that are alike.
func fixture() *syntax.Sentence {
	s := &syntax.Sentence{}
	c := &s.Candidates
	c.Start = []int32{0}
	for m, w := range strings.Fields("Anna/PROPN gave/VERB him/PRON 3/NUM (/PUNCT boxes/NOUN )/PUNCT ,/PUNCT from/ADP \"/PUNCT old/ADJ Xenia/PROPN \"/PUNCT and/CCONJ Eve/PROPN ./PUNCT") {
		form, tag, _ := strings.Cut(w, "/")
		feats := "Number=Sing"
		if m%3 == 0 {
			feats = "Case=Nom|Number=Sing"
		}
		s.Words = append(s.Words, syntax.Word{Form: form, Lemma: strings.ToLower(form), UPOS: tag, Feats: feats})
		for h := range 17 {
			if h != m+1 {
				c.Heads, c.LogOdds = append(c.Heads, int32(h)), append(c.LogOdds, 0)
			}
		}
		c.Start = append(c.Start, int32(len(c.Heads)))
	}
	return s
}

// eachPart calls f with all parts of the trees on a walk, each once.
func eachPart(x *scratch, f func(p Part, keys []hash.Key)) {
	r := hash.Rand(51)
	seen := map[Part]bool{}
	x.chain()
	for range 400 {
		m, arc := randomMove(x, &r)
		x.y.Move(m, arc)
		for _, p := range x.t.Parts(&x.y, nil) {
			if !seen[p] {
				seen[p] = true
				f(p, x.t.Keys(p, nil))
			}
		}
	}
}

func kindName(k Kind) string {
	if k == arcs {
		return "arcs"
	}
	return families[k].Name
}

// The keys are part of every model file: a template that changes silently
// would make a model trained before it read other features' weights. If this
// test fails and the change is meant, raise pack.Templates if models of the
// present version are in use.
func TestKeysAreStable(t *testing.T) {
	got := map[string]uint64{}
	eachPart(newScratch(fixture(), 1, All), func(p Part, keys []hash.Key) {
		for _, k := range keys {
			got[kindName(p.Kind())] += hash.Pair(k, uint64(p.Kind()))
		}
	})
	for name, want := range golden {
		if got[name] != want {
			t.Errorf("the keys of %q hash to %#016x, want %#016x", name, got[name], want)
		}
	}
	if want := len(singles()) + 1; len(got) != want || len(golden) != want {
		t.Errorf("%d kinds of parts, %d in the test, want %d", len(got), len(golden), want)
	}
}

// A template that a part emits twice for the same atoms counts double and
// costs a look-up for nothing; kinds of parts share no keys; and parts do not
// grow unseen.
func TestKeysOfPartsDiffer(t *testing.T) {
	limits := map[string]int{"arcs": 75, "gp": 22, "cs": 24, "ts": 7, "hb": 4, "cross": 4, "valency": 4}
	owner := map[hash.Key]Kind{}
	eachPart(newScratch(fixture(), 1, All), func(p Part, keys []hash.Key) {
		name := kindName(p.Kind())
		if len(keys) > limits[name] || len(keys) == 0 {
			t.Errorf("a part %q has %d keys, want 1 to %d", name, len(keys), limits[name])
		}
		for _, k := range keys {
			if o, ok := owner[k]; ok && o != p.Kind() {
				t.Fatalf("%q and %q share the key %#x", kindName(o), name, k)
			}
			owner[k] = p.Kind()
		}
		slices.Sort(keys)
		if n := len(slices.Compact(keys)); n != len(keys) {
			t.Fatalf("a part %q has %d keys, %d of them different", name, len(keys), n)
		}
	})
}

// Direction and order matter where they should.
func TestKeysTellPartsApart(t *testing.T) {
	x := newScratch(fixture(), 1, All)
	for _, pair := range [][2]Part{
		{arcs.Part(2, 6, 0, 0), arcs.Part(6, 2, 0, 0)},
		{arcs.Part(1, 2, 0, 0), arcs.Part(3, 2, 0, 0)},
		{kindOf("cs").Part(2, Start, 1, 0), kindOf("cs").Part(2, 1, End, 0)},
		{kindOf("cs").Part(2, 3, 6, 0), kindOf("cs").Part(2, 6, 3, 0)},
		{kindOf("gp").Part(0, 2, 6, 0), kindOf("gp").Part(3, 2, 6, 0)},
		{kindOf("hb").Part(3, 2, 6, 0), kindOf("hb").Part(3, 6, 2, 0)},
	} {
		if slices.Equal(x.t.Keys(pair[0], nil), x.t.Keys(pair[1], nil)) {
			t.Errorf("%#x and %#x have the same keys", pair[0], pair[1])
		}
	}
	for _, p := range []Part{arcs.Part(0, 1000, 0, 0), Kind(7).Part(End, Start, 1001, 3),
		Kind(11).Part(5, 45, 9261, 9261)} {
		a, b, c, d := p.Fields()
		if again := p.Kind().Part(int32(a), int32(b), int32(c), int32(d)); again != p {
			t.Errorf("%#x comes back as %#x", p, again)
		}
	}
}

// A word with very many items of FEATS has no more keys than MaxFeats allow.
func TestManyFeats(t *testing.T) {
	var counts []int
	for _, items := range []int{syntax.MaxFeats, syntax.MaxFeats + 1, 5000} {
		s := fixture()
		for i := range s.Words {
			s.Words[i].Feats = strings.Repeat("|A=1", items)[1:]
		}
		counts = append(counts, len(newScratch(s, 1, 0).t.Keys(arcs.Part(2, 1, 0, 0), nil)))
	}
	if counts[1] != counts[0] || counts[2] != counts[0] {
		t.Errorf("%v keys", counts)
	}
}

// Keys, gains and totals in steady state allocate nothing.
func TestNoAllocations(t *testing.T) {
	s := fixture()
	x := newScratch(s, 1, All)
	source := &Source{Vocabulary: x.t.vocabulary, Parts: noise(9), Families: All}
	heads := make([]int32, 17)
	for m := 2; m <= 16; m++ {
		heads[m] = int32(m / 2)
	}
	worth := make([]int32, 16)
	all := func() {
		x.t.Prepare(source, s)
		x.y.Set(&x.t.Arcs, heads)
		for m := 2; m <= 16; m++ {
			for k, h := range s.Candidates.Of(m) {
				worth[k] = 0
				if h == 0 || x.y.Below(h, int32(m)) {
					worth[k] = Barred
				}
			}
			x.t.AttachAll(&x.y, m, worth)
		}
		x.t.Total(&x.y)
	}
	for range 3 {
		all()
	}
	if n := testing.AllocsPerRun(10, all); n != 0 {
		t.Errorf("%.1f allocations a sentence, want none", n)
	}
}

func TestFamilies(t *testing.T) {
	for _, c := range []struct {
		preset, changes, want string
	}{
		{"standard", "-hb, +ts", "gp,cs,ts,cross"},
		{"standard", "+ts,+valency", "gp,cs,ts,hb,cross,valency"},
		{"fast", "-gp,-cs", "arcs"},
		{"fast", "+valency", "gp,cs,valency"},
	} {
		f, err := Preset(c.preset)
		if err == nil {
			f, err = f.With(c.changes)
		}
		if err != nil || f.String() != c.want || !f.Valid() {
			t.Errorf("%s with %q: %v, %v; want %s", c.preset, c.changes, f, err, c.want)
		}
	}
	for _, bad := range []string{"ts", "+", "-xx", "+hb,ts", "+gs", "-coord"} {
		if f, err := Standard.With(bad); err == nil {
			t.Errorf("%q: %v, want an error", bad, f)
		}
	}
	for _, bad := range []string{"slow", "full"} {
		if _, err := Preset(bad); err == nil {
			t.Errorf("preset %s: no error", bad)
		}
	}
	if len(families) >= int(arcs) {
		t.Errorf("%d families, and %d is the Kind of arcs", len(families), arcs)
	}
	for _, bad := range []Kind{2, 6, 12, 15, 30} {
		if Families(1 << bad).Valid() {
			t.Errorf("Kind %d is valid", bad)
		}
	}
}

// golden are sums over the keys of the parts of a walk.
var golden = map[string]uint64{
	"arcs":    0x21807a7e2720f427,
	"cross":   0xd1864d02b24abd38,
	"cs":      0x09ba9cee82454546,
	"gp":      0x50a4230874061aa2,
	"hb":      0x60e1086db052c785,
	"ts":      0xec202c8d087093b2,
	"valency": 0xfd66d0d0d486a585,
}
