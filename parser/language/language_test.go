package language

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
)

var learned = []string{"bg", "ca", "eu", "hu", "mk", "sq", "sw", "ur"}

// halves returns the sentences of our own in a language, to learn from and to ask for.
func halves(code string) (learn, ask string) {
	for _, s := range Foreign() {
		if s.Code == code {
			sentences := strings.SplitAfter(s.Text, " ")
			k := len(sentences) * 2 / 3
			return strings.Join(sentences[:k], ""), strings.Join(sentences[k:], "")
		}
	}
	return "", ""
}

func small(t testing.TB, seed uint64) *Model {
	t.Helper()
	var samples, dev []Sample
	var others []string // all but scripts of their own: the samples are too few to tell their like
	for _, s := range Foreign() {
		if s.Text[0] < 0xE0 {
			others = append(others, s.Code)
		}
	}
	for _, code := range learned {
		learn, ask := halves(code)
		samples, dev = append(samples, Sample{code, learn}), append(dev, Sample{code, ask})
	}
	m, err := Train(samples, Options{Rows: 4096, Epochs: 10, Windows: 60, Seed: seed, Dev: dev, Without: others})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var toy = sync.OnceValue(func() *Model { return small(&testing.T{}, 1) })

func sections(m *Model) []pack.Section {
	var b pack.Builder
	m.Pack(b.Sub("language"))
	return b.Sections
}

func TestIdentify(t *testing.T) {
	m := toy()
	right := 0
	for _, code := range learned {
		_, ask := halves(code)
		for _, text := range []string{ask, strings.ToUpper(ask),
			"<p class=\"x\">" + ask + "</p> https://example.org 123"} {
			if g := m.Identify(text); g.Code == code {
				right++
			} else {
				t.Logf("%s is called %v: %s", code, g, text)
			}
		}
	}
	if all := 3 * len(learned); right < all*2/3 { // from 400 letters of each
		t.Errorf("%d of %d texts have the right language", right, all)
	}
	for _, text := range []string{"", " \n", "12:30 100 %", `{"end_of": "0"}`, "😀 😀", "https://example.org/hu/oldal", "a_b x1 f(x)", "\xff\xfe"} {
		if g := m.Identify(text); g != (Guess{Code: None}) {
			t.Errorf("%q is called %v", text, g)
		}
	}
	for _, text := range []string{"a", "OK", "és"} {
		if g := m.Identify(text); g.Conf >= 0.9 {
			t.Errorf("%q is called %v", text, g)
		}
	}
	// A relative of Hungarian: its letters, but not its common n-grams.
	_, ask := halves("hu")
	relative := strings.NewReplacer("e", "a", "t", "k", "a", "o", "k", "t", "s", "p", "o", "e", "m", "d").Replace(ask)
	if g := m.Identify(relative); g.Code == "hu" && g.Conf > 0.5 {
		t.Errorf("a relative of Hungarian is called %v", g)
	}
	if g := m.Identify("இன்று வானிலை மிகவும் நன்றாக இருக்கிறது"); g.Code != None {
		t.Errorf("Tamil is called %v", g)
	}
}

// A text many times over is what it was, and what is not looked at changes nothing.
func TestRepetitionAndBounds(t *testing.T) {
	m := toy()
	for _, code := range learned {
		_, ask := halves(code)
		once := m.Identify(ask)
		for _, n := range []int{2, 7, 500} {
			if g := m.Identify(strings.Repeat(ask+" ", n)); g.Code != once.Code && once.Conf > 0.6 {
				t.Errorf("%s: once %v, %d times %v", code, once, n, g)
			}
		}
	}
	quarter := strings.Repeat("es a magyar ", 100)[:1000]
	a := strings.Repeat(quarter+strings.Repeat("x", 1000), parts)
	b := strings.Repeat(quarter+strings.Repeat("y", 1000), parts)
	if m.Identify(a) != m.Identify(b) {
		t.Error("characters behind those that are looked at count")
	}
}

func TestIdentifyDoesNotAllocate(t *testing.T) {
	m := toy()
	_, ask := halves("hu")
	text := strings.Repeat(ask, 100) + "e\u0301"
	if n := testing.AllocsPerRun(10, func() { m.Identify(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The sums of bytes in words agree with plain integers.
func TestScores(t *testing.T) {
	m := toy()
	_, ask := halves("eu")
	folded := fold(nil, strings.Repeat(ask, 9))
	g := grams{text: folded, at: 1, word: 1, rows: uint64(len(m.vectors) * lanes / width)}
	var sum [width]int64
	n := 0
	for _, row := range g.next(make([]uint32, 0, len(folded)*perRune)) {
		n++
		for k := range sum {
			sum[k] += int64(uint8(m.vectors[int(row)*width/lanes+k/lanes]>>(k%lanes*8))) - 128
		}
	}
	var got [maxCodes]int64
	m.scores(folded, &got)
	for c := range m.codes {
		want := int64(m.bias[c]) * int64(n)
		for k, x := range sum {
			want += x * int64(m.output[c*width+k])
		}
		if got[c] != want {
			t.Errorf("%s: %d, want %d", m.codes[c], got[c], want)
		}
	}
}

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  " ",
		"Über die BRÜCKE":                   " über die brücke ",
		"a\u0301rbol Á":                     " árbol á ",
		"l'été, d’Artagnan 'quoted' dogs'":  " l'été d'artagnan quoted dogs ",
		"one-two, three,four":               " one two three four ",
		"see www.example.org/x?y=1 or a_b.": " see or ",
		"getName x86 foo() and/or":          " foo ",
		"<b>Hello</b> <a href='x'>du</a>":   " hello du ",
		"3 < 4 and 5 > 2":                   " and ",
		"ISTANBUL İstanbul ıstanbul":        " istanbul istanbul istanbul ",
		"ΟΔΟΣ οδός":                         " οδοσ οδοσ ",
		"שָׁלוֹם عَرَبِيّ":                  " שלום عربي ",
		"日本語、テスト":                           " 日本語 テスト ",
		"हिन्दी":                            " हिन्दी ",
		"a\xffb":                            " a b ",
	} {
		if got := string(fold(nil, text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestPackAndOpen(t *testing.T) {
	m := toy()
	list := sections(m)
	again, err := Open(pack.NewView(list), "language")
	if err != nil {
		t.Fatal(err)
	}
	_, ask := halves("ur")
	if a, b := m.Identify(ask), again.Identify(ask); a != b {
		t.Errorf("%v before, %v after", a, b)
	}
	for i, s := range sections(small(t, 1)) { // trained again
		if !bytes.Equal(s.Data, list[i].Data) {
			t.Errorf("section %s differs from one training to the next", s.Name)
		}
	}
	for name, change := range map[string]func(m *Model){
		"codes":   func(m *Model) { m.codes[0] = "zz" },
		"vectors": func(m *Model) { m.vectors = m.vectors[1:] },
		"output":  func(m *Model) { m.output = m.output[1:] },
		"bias":    func(m *Model) { m.bias = m.bias[1:] },
		"common":  func(m *Model) { m.common = m.common[1:] },
		"latin":   func(m *Model) { m.latin = m.latin[1:] },
		"floors":  func(m *Model) { m.floors = m.floors[1:] },
		"factors": func(m *Model) { m.factors[3] = -1 },
	} {
		c := *m
		c.codes, c.factors = slices.Clone(m.codes), slices.Clone(m.factors)
		change(&c)
		_, err := Open(pack.NewView(sections(&c)), "language")
		if err == nil || !strings.Contains(err.Error(), "language."+name) {
			t.Errorf("wrong %s: %v", name, err)
		}
	}
}

func TestTrainRefuses(t *testing.T) {
	for _, c := range []struct {
		samples []Sample
		o       Options
	}{{nil, Options{}}, {[]Sample{{"de", "12"}}, Options{}}, {[]Sample{{"de", "ja"}}, Options{Rows: maxRows + 1}}} {
		if _, err := Train(c.samples, c.o); err == nil {
			t.Errorf("%v, %v: no error", c.samples, c.o)
		}
	}
}

func FuzzIdentify(f *testing.F) {
	for _, s := range []string{"", "és a", "<a", "a\u0301\u0301", "\xcc", strings.Repeat("é(a)", 1500), strings.Repeat("<b> x", 999)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := toy()
		if folded := fold(nil, text); len(folded) > looked+2*parts || folded[0] != ' ' || folded[len(folded)-1] != ' ' {
			t.Fatalf("%d folded characters of %d bytes", len(folded), len(text))
		}
		if g := m.Identify(text); !(g.Conf >= 0 && g.Conf <= 1) || !slices.Contains(m.codes, g.Code) {
			t.Fatal(g)
		}
	})
}

// No bytes of a section make Open or Identify fail otherwise than by an error.
func FuzzOpen(f *testing.F) {
	f.Add(uint8(0), []byte("xyz"))
	f.Add(uint8(3), make([]byte, 4*sizes))
	f.Add(uint8(2), make([]byte, 16))
	f.Fuzz(func(t *testing.T, at uint8, data []byte) {
		list := sections(toy())
		i := int(at) % len(list)
		aligned := make([]uint64, len(data)/8+1)
		var b pack.Builder
		pack.Put(b.Sub("x"), "x", aligned)
		copy(b.Sections[0].Data, data)
		list[i].Data = b.Sections[0].Data[:len(data)]
		m, err := Open(pack.NewView(list), "language")
		if err != nil {
			return
		}
		if g := m.Identify("és a magyar"); !(g.Conf >= 0 && g.Conf <= 1) {
			t.Fatal(g)
		}
	})
}
