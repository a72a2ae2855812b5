package encode

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/piece"
	"github.com/treebeam/treebeam/parser/syntax"
)

// beginner returns a tiny encoder that knows a few Chinese characters, with classifiers of
// begins.
func beginner(t testing.TB) (*Params, *Heads) {
	t.Helper()
	var list []Classifier
	for i := range MaxBegins {
		values := []string{"0", "1"}
		if i%2 == 0 {
			slices.Reverse(values)
		}
		list = append(list, Classifier{Name: BeginPrefix + strconv.Itoa(i), Values: values})
	}
	list = slices.Insert(list, 3, Classifier{Name: "upos", Values: []string{"NOUN", "VERB", "X"}})
	p, h := Tiny(7, []string{"root", "dep"}, list...)
	v := p.Pieces
	known := strings.Split("我们 们 我 去 北京 吧 ทํา งาน", " ")
	for i, name := range known { // in place of letters
		v.Pieces[len(v.Pieces)-1-i] = name
	}
	return p, h
}

// reference computes Begins from the dense scores of runs: the classifiers count as values
// of FEATS there.
func reference(t *testing.T, p *Params, h *Heads, text string) []int32 {
	c := *h
	c.Classifiers = slices.Clone(h.Classifiers)
	var feats []string
	for i := range c.Classifiers {
		if k, ok := strings.CutPrefix(c.Classifiers[i].Name, BeginPrefix); ok {
			x := &c.Classifiers[i]
			x.Name, x.Values = featsPrefix+k, slices.Clone(x.Values)
			x.Values[slices.Index(x.Values, "0")] = ""
			feats = append(feats, k+"=1")
		}
	}
	m := quantized(t, p, &c).Bind(nil, nil, append(feats, ""))
	out := make([]int32, utf8.RuneCountInString(text))
	for place := 0; len(text) > 0; {
		end := runEnd(text)
		run := p.Pieces.Run(text[:end])
		m.Encode([]*syntax.Sentence{&run})
		for i, w := range run.Words {
			row := run.Dense.Feats[i*(len(feats)+1):]
			for j := range min(MaxBegins, utf8.RuneCountInString(w.Form)) {
				if r, _ := utf8.DecodeRuneInString(w.Form); j == 0 || piece.Unspaced(r) {
					out[place+int(w.StartChar)+j] = row[j] - row[len(feats)]
				}
			}
		}
		place += utf8.RuneCountInString(text[:end])
		text = text[end:]
	}
	return out
}

func TestBegins(t *testing.T) {
	p, h := beginner(t)
	m := quantized(t, p, h)
	long := strings.Repeat("我们去北京吧我们去 ab ทำงาน ", 60)
	for _, text := range []string{"", " ", "我们去北京。", "我们去。去吧！ab cd.  去", long, strings.ReplaceAll(long, " ", ""),
		"\xff我\xc3 \u0301去\x00", strings.Repeat("Ω", 3000), strings.Repeat("我", 3000), "a\u2028\u3000b"} {
		got, want := m.Begins([]int32{5}, text), reference(t, p, h, text)
		if len(got) != 1+len(want) || got[0] != 5 {
			t.Fatalf("%.30q: %d numbers, want 1 and %d", text, len(got), len(want))
		}
		known := 0
		for i, x := range want {
			if d := got[1+i] - x; d < -2 || d > 2 { // x is a difference of rounded values
				t.Fatalf("%.30q: character %d has %d, want %d", text, i, got[1+i], x)
			}
			if x != 0 {
				known++
			}
		}
		if strings.Contains(text, "我们") && known < utf8.RuneCountInString(text)/3 {
			t.Errorf("%.30q: %d log-odds are known", text, known)
		}
		if again := m.Begins(nil, text); !slices.Equal(again, got[1:]) {
			t.Errorf("%.30q: other numbers the second time", text)
		}
	}
	// What the text is read with does not change a sentence.
	one, both := m.Begins(nil, "我们去。"), m.Begins(nil, "吧吧！我们去。")
	if !slices.Equal(one, both[3:]) {
		t.Errorf("%v behind another sentence, %v alone", both[3:], one)
	}
	_, plain := Tiny(7, []string{"root", "dep"})
	if got := quantized(t, p, plain).Begins(nil, "我们"); !slices.Equal(got, []int32{0, 0}) {
		t.Errorf("%v without classifiers", got)
	}
}

func FuzzRunEnd(f *testing.F) {
	f.Add("我们去。他说：“好。”a.b (c.) d!! e")
	f.Add(strings.Repeat("ก", 500) + "\xff")
	f.Fuzz(func(t *testing.T, text string) {
		if text == "" {
			return
		}
		end := runEnd(text)
		if end <= 0 || end > len(text) || utf8.RuneCountInString(text[:end]) > maxRun {
			t.Fatalf("%d of %q", end, text)
		}
		if end < len(text) && utf8.RuneCountInString(text[:end])+utf8.RuneCountInString(text[end:]) != utf8.RuneCountInString(text) {
			t.Fatalf("cuts a character of %q at %d", text, end)
		}
	})
}

func TestRunEnd(t *testing.T) {
	for text, want := range map[string]string{
		"我们去。他":          "我们去。",
		"去吧！！他":          "去吧！！",
		"（去。）他":          "（去。）",
		`"去。"他`:          `"去。"他`,
		"v1.2 ab.c d. e": "v1.2 ab.c d.",
		"(a b.) c":       "(a b.)",
		"ปี 2.5 ล้าน":    "ปี 2.5 ล้าน",
		strings.Repeat("ก", 250) + " " + strings.Repeat("ข", 200): strings.Repeat("ก", 250) + " ",
		strings.Repeat("ก", 500):                                  strings.Repeat("ก", maxRun),
	} {
		if got := text[:runEnd(text)]; got != want {
			t.Errorf("%.40q: %.40q, want %.40q", text, got, want)
		}
	}
}
