package feature

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The keys are part of every model file: a template that changes silently
// would make a model trained before it read other features' weights. If this
// test fails and the change is meant, raise Templates, and keep the keys of the
// older versions.
func TestKeysAreStable(t *testing.T) {
	want := map[string]uint64{ // of all versions but those below
		"crossing":      0xcbb2223c97322fe4,
		"grand-sibling": 0x88664e3182a2493e,
		"grandparent":   0xbe7ddb028a23d90f,
		"head bigram":   0x372003a1d146945c,
		"sibling":       0xdc219e0d9ab2b755,
		"tri-sibling":   0x4a384b36aea561b1,

		"span":               0xab72c8a110758444,
		"coordination":       0xd6855bac7504f9be,
		"grand-grandparent":  0x000aa8b8169059b0,
		"neighbour":          0xff49cee23115a7bd,
		"non-projective":     0x2f4b1d3376273717,
		"valency":            0xb32731635959f096,
		"attachment":         0x09846e9fb619c0af,
		"pair":               0x6c7311a8b0ea5aad,
		"right branch":       0x4db0a3d987935dec,
		"sibling-grandchild": 0x66ffab80552f752e,
	}
	versions := []map[string]uint64{
		{"arc": 0xab6036db75d49694, "lean arc": 0x110e2e2d6ee88460, "prune": 0x3db2d3c9b6ea2bba},
		{"arc": 0x81c5fb3987f21b50, "lean arc": 0x5f909fe1469780fb, "prune": 0x4bfde89610c0cae2},
	}
	if len(versions) != Templates {
		t.Errorf("keys of %d versions, there are %d", len(versions), Templates)
	}
	v := Learn(bank())
	s := fixture()
	for i, own := range versions {
		v.templates = i + 1
		var c Codes
		v.Encode(&s, &c)
		got := map[string]uint64{}
		for _, p := range parts(&c, &s) {
			for _, k := range p.keys {
				got[p.name] = Combine(got[p.name], k)
			}
		}
		for name, hash := range got {
			if wanted := max(want[name], own[name]); wanted != hash {
				t.Errorf("version %d: the keys of %q hash to %#016x, want %#016x", v.templates, name, hash, wanted)
			}
		}
		if len(got) != len(want)+len(own) {
			t.Errorf("%d kinds of parts, want %d", len(got), len(want)+len(own))
		}
	}
}

// A template that a part emits twice for the same atoms counts double and
// costs a look-up for nothing.
func TestNoKeyTwiceInAPart(t *testing.T) {
	v := Learn(bank())
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 30 {
		s := fixture()
		if round > 0 { // words in random order, and too few of them
			rng.Shuffle(s.Len(), func(i, j int) { s.Words[i], s.Words[j] = s.Words[j], s.Words[i] })
			s.Words = s.Words[:1+rng.IntN(s.Len())]
			for i := range s.Words { // a chain: any tree will do
				s.Words[i].Head = int32(i)
			}
		}
		var c Codes
		v.Encode(&s, &c)
		for _, p := range parts(&c, &s) {
			sorted := slices.Clone(p.keys)
			slices.Sort(sorted)
			if n := len(slices.Compact(sorted)); n != len(p.keys) {
				t.Fatalf("round %d: a part %q has %d keys, %d of them different", round, p.name, len(p.keys), n)
			}
		}
	}
}

// Kinds of parts share no keys, arcs that are the same to all templates
// aside: a template id is used in one place.
func TestKindsOfPartsShareNoKeys(t *testing.T) {
	v := Learn(bank())
	s := fixture()
	var c Codes
	v.Encode(&s, &c)
	owner := map[Key]string{}
	for _, p := range parts(&c, &s) {
		if p.name == "prune" || p.name == "lean arc" {
			continue // the pruner has weights of its own; lean arcs stand in for arcs
		}
		for _, k := range p.keys {
			if o, ok := owner[k]; ok && o != p.name {
				t.Fatalf("%q and %q share the key %#x", o, p.name, k)
			}
			owner[k] = p.name
		}
	}
}

// Sizes of parts, so that the number of look-ups does not grow unseen.
func TestNumberOfKeys(t *testing.T) {
	limits := map[string]int{"arc": 130, "lean arc": 75, "prune": 48, "crossing": 4, "grandparent": 22, "head bigram": 4,
		"sibling": 24, "grand-sibling": 6, "tri-sibling": 7, "grand-grandparent": 6, "sibling-grandchild": 6,
		"span": 2, "neighbour": 6, "valency": 4, "non-projective": 9, "attachment": 8, "coordination": 15, "pair": 2,
		"right branch": 1}
	v := Learn(bank())
	s := fixture()
	var c Codes
	v.Encode(&s, &c)
	for _, p := range parts(&c, &s) {
		if len(p.keys) == 0 || len(p.keys) > limits[p.name] {
			t.Errorf("a part %q has %d keys, want 1 to %d", p.name, len(p.keys), limits[p.name])
		}
	}
}

// The bins of distances: by direction, never 0.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		h, m int
		want uint64
	}{
		{2, 1, 1}, {3, 1, 2}, {4, 1, 3}, {5, 1, 4}, {6, 1, 5}, {7, 1, 6}, {11, 1, 6}, {12, 1, 7}, {900, 1, 7},
		{1, 2, 8}, {1, 3, 9}, {1, 4, 10}, {1, 5, 11}, {1, 6, 12}, {1, 7, 13}, {1, 11, 13}, {1, 12, 14}, {0, 900, 14},
	} {
		if got := Distance(c.h, c.m); got != c.want {
			t.Errorf("Distance(%d, %d) = %d, want %d", c.h, c.m, got, c.want)
		}
	}
}

// Direction and order matter where they should.
func TestKeysTellPartsApart(t *testing.T) {
	v := Learn(bank())
	s := fixture()
	var c Codes
	v.Encode(&s, &c)
	for _, pair := range []struct {
		name string
		a, b []Key
	}{
		{"arc and its reverse", c.Arc(2, 6, nil), c.Arc(6, 2, nil)},
		{"heads left and right", c.Arc(1, 2, nil), c.Arc(3, 2, nil)},
		{"first child and last child", c.Sibling(2, Start, 1, nil), c.Sibling(2, 1, End, nil)},
		{"siblings and their reverse", c.Sibling(2, 3, 6, nil), c.Sibling(2, 6, 3, nil)},
		{"grandparents", c.Grandparent(0, 2, 6, nil), c.Grandparent(3, 2, 6, nil)},
		{"head bigrams", c.HeadBigram(3, 2, 6, nil), c.HeadBigram(3, 6, 2, nil)},
	} {
		if slices.Equal(pair.a, pair.b) {
			t.Errorf("%s have the same keys", pair.name)
		}
	}
}

// Extraction in steady state allocates nothing: its buffers are the caller's.
func TestNoAllocations(t *testing.T) {
	v := Learn(bank())
	s := fixture()
	var c Codes
	buf, partner := make([]Key, 0, 1024), []int32(nil)
	v.Encode(&s, &c)
	guess := goldGuess(&c, &s)
	all := func() {
		v.Encode(&s, &c)
		guess.Set(&c)
		for m := 1; m <= c.N; m++ {
			for h := 0; h <= c.N; h++ {
				if h != m {
					buf = c.Arc(h, m, buf[:0])
					buf = c.LeanArc(h, m, buf[:0])
					buf = c.PruneArc(h, m, guess, buf[:0])
				}
			}
		}
		buf = c.Grandparent(0, 2, 6, buf[:0])
		buf = c.Sibling(2, 3, 6, buf[:0])
		buf = c.GrandSibling(0, 2, 3, 6, buf[:0])
		buf = c.TriSibling(2, 2, 3, 6, buf[:0])
		buf = c.HeadBigram(1, 2, 0, buf[:0])
		buf = c.Crossing(2, 6, buf[:0])
		buf = c.GreatGrandparent(0, 2, 6, 12, buf[:0])
		buf = c.SiblingGrandchild(2, 6, 12, 3, buf[:0])
		buf = c.Coordination(9, 6, 12, 2, buf[:0])
		buf = c.Neighbour(2, 6, 3, 4, buf[:0])
		partner = c.Partners(partner)
	}
	all()
	if n := testing.AllocsPerRun(10, all); n != 0 {
		t.Errorf("%.1f allocations a sentence, want none", n)
	}
}

func BenchmarkArcs(b *testing.B) {
	v := Learn(bank())
	s := fixture()
	var c Codes
	v.Encode(&s, &c)
	var buf []Key
	keys := 0
	for b.Loop() {
		for m := 1; m <= c.N; m++ {
			buf = c.Arc(0, m, buf[:0])
			keys += len(buf)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(keys), "ns/key")
}

// Brackets nest; a straight quote goes with the next one.
func TestPartners(t *testing.T) {
	var words string
	for _, form := range strings.Fields("( a \" ( b ) ) c \" ] ( d \"") {
		words += form + "/x/PUNCT/_/_/0/punct "
	}
	s := sentence(words)
	var c Codes
	Learn(nil).Encode(&s, &c)
	want := []int32{0, 7, 0, 9, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	if got := c.Partners([]int32{5, 5, 5}); !slices.Equal(got, want) {
		t.Errorf("partners %v, want %v", got, want)
	}
}

func TestFamilies(t *testing.T) {
	for _, c := range []struct {
		preset, changes, want string
	}{
		{"standard", "", "gp,cs,ts,hb,cross"},
		{"standard", "-ts, +ggp", "gp,cs,hb,cross,ggp"},
		{"full", "-globals", "gp,cs,gs,ts,hb,cross,ggp,psc"},
		{"full", "-all", "arcs"},
		{"fast", "+pairs", "gp,cs,pairs,lean"},
	} {
		f, err := Preset(c.preset)
		if err == nil {
			f, err = f.With(c.changes)
		}
		if err != nil || f.String() != c.want || !f.Valid() {
			t.Errorf("%s with %q: %v, %v; want %s", c.preset, c.changes, f, err, c.want)
		}
	}
	for _, bad := range []string{"gs", "+", "-xx", "+gs,ts", "+unknown"} {
		if f, err := Standard.With(bad); err == nil {
			t.Errorf("%q: %v, want an error", bad, f)
		}
	}
	if _, err := Preset("slow"); err == nil {
		t.Error("preset slow: no error")
	}
	if Families(1 << 30).Valid() {
		t.Error("an unknown family is valid")
	}
}
