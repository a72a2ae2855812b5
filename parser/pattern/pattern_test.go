package pattern

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// example is "They have not bought new books , she said": word, lemma, UPOS,
// FEATS, head, deprel.
func example() *syntax.Sentence {
	s := &syntax.Sentence{}
	for line := range strings.Lines(`They they PRON Case=Nom|Number=Plur 4 nsubj
have have AUX Mood=Ind 4 aux
not not PART _ 4 advmod
bought buy VERB Tense=Past|VerbForm=Part 9 ccomp
new new ADJ Degree=Pos 6 amod
books book NOUN Case=Acc,Dat|Number=Plur|Number[psor]=Sing 4 obj
, , PUNCT _ 9 punct
she she PRON Case=Nom|Number=Sing 9 nsubj:outer
said say VERB Mood=Ind 0 root
`) {
		f := strings.Fields(line)
		w := syntax.Word{Form: f[0], Lemma: f[1], UPOS: f[2], XPOS: "X" + f[2], Deprel: f[5]}
		if f[3] != "_" {
			w.Feats = f[3]
		}
		fmt.Sscan(f[4], &w.Head)
		s.Words = append(s.Words, w)
	}
	s.Words[5].Misc = "SpaceAfter=No|Gloss=a|HeadConf=0.5"
	return s
}

// language has patterns and the words that they find in the example, by number.
var language = [...]struct{ pattern, want string }{
	// Tests of words.
	{"VERB", "[4] [9]"},
	{"VERB|AUX", "[2] [4] [9]"},
	{"PRON & Number=Sing", "[8]"},
	{"!VERB & !PRON & !PUNCT", "[2] [3] [5] [6]"},
	{`"they"`, ""},
	{`"they"i`, "[1]"},
	{"/.he/i", "[8]"}, // the whole form
	{"/b.*/", "[4] [6]"},
	{"/buy|books/", "[6]"},
	{`L=buy`, "[4]"},
	{`lemma="buy"|L=say`, "[4] [9]"},
	{"L!=/[a-z]+/", "[7]"},
	{"xpos=XADJ", "[5]"},
	{"Case=Dat", "[6]"},
	{"Case=Acc,Dat", "[6]"},
	{"Number[psor]=Sing", "[6]"},
	{"Number[psor]!=Sing & NOUN", ""},
	{"Mood=*", "[2] [9]"},
	{"VERB & Mood=_", "[4]"},
	{"feats=_", "[3] [7]"},
	{"misc.Gloss=a", "[6]"},
	{"misc.Gloss!=_", "[6]"},
	{"misc=/.*HeadConf.*/", "[6]"},
	{"deprel=nsubj", "[1]"},
	{"deprel=nsubj:*", "[1] [8]"},
	{"id=1", "[1]"},
	{"id=-1", "[9]"},
	{"_ & id!=1 & VERB", "[4] [9]"},
	// Arcs.
	{"VERB >nsubj PRON", "[4 1]"},
	{"VERB >nsubj:* PRON", "[4 1] [9 8]"},
	{"VERB >/nsubj.*/ PRON", "[4 1] [9 8]"},
	{"VERB >obj", "[4 6]"},
	{"VERB >obj|nsubj _", "[4 1] [4 6]"},
	{"L=buy >!aux|advmod _", "[4 1] [4 6]"},
	{"PRON <nsubj _", "[1 4]"},
	{"ADJ < NOUN", "[5 6]"},
	{"L=say >> NOUN", "[9 6]"},
	{"L=say >>amod _", "[9 5]"},
	{"L=say >{2} _", "[9 1] [9 2] [9 3] [9 6]"},
	{"L=say >>{3,} _", "[9 5]"},
	{"ADJ << VERB", "[5 4] [5 9]"},
	{"ADJ <<{1,2} _", "[5 4] [5 6]"},
	{"L=buy >@R _", "[4 6]"},
	{"VERB >obj@L _", ""},
	{"VERB <@R VERB", "[4 9]"},
	{"NOUN $ PART", "[6 3]"},
	{"AUX $advmod@R _", "[2 3]"},
	{">obj NOUN", "[4 6]"},
	// Order.
	{"AUX . PART", "[2 3]"},
	{"AUX .. NOUN", "[2 6]"},
	{"VERB - PART", "[4 3]"},
	{"VERB -- NOUN", "[9 6]"},
	{"PRON .{2} PART", "[1 3]"},
	{"PRON ..{1,3} _", "[1 2] [1 3] [1 4] [8 9]"},
	// Several links; parentheses; the same word is not found twice.
	{"VERB >nsubj _ >obj _", "[4 1 6]"},
	{"VERB >nsubj _ & >obj _", "[4 1 6]"},
	{"VERB >ccomp (VERB >obj (NOUN >amod _))", "[9 4 6 5]"},
	{"VERB >ccomp (VERB >obj NOUN) >nsubj:outer _", "[9 4 6 8]"},
	{"NOUN < _ < _", ""},
	{"VERB >aux _ > PART|AUX", "[4 2 3]"},
	// Alternatives, negation and what may be missing.
	{"VERB [>obj NOUN | >nsubj:outer PRON]", "[4 6 0] [9 0 8]"},
	{"(VERB >obj NOUN) | (ADJ < NOUN)", "[4 6 0] [5 0 6]"},
	{"VERB !>obj _", "[9]"},
	{"VERB !>obj", "[9]"},
	{"VERB !(>obj _)", "[9]"},
	{"VERB & !(_ >obj _)", "[9]"},
	{"VERB !>obj !>aux", "[9]"},
	{"VERB ![>xcomp _ | >obj _]", "[9]"},
	{"VERB !>obj (NOUN !>amod _)", "[4] [9]"},
	{"VERB ?>obj NOUN", "[4 6] [9 0]"},
	{"n:PRON < v:VERB !>punct", "[1 4] [8 9]"},
	{"n:PRON < (v:VERB !>punct)", "[1 4]"},
	{"L=buy >aux _ !> PART", ""},
	{"L=buy > PART !> PART", "[4 3]"}, // no other one
	// Names.
	{"v:VERB >nsubj PRON", "[4]"},
	{"v:VERB > _", "[4] [9]"},
	{"VERB >nsubj s:_", "[1]"},
	{"a:VERB > o:NOUN & > (_ .. o:_)", "[4 6]"},
	{"v:VERB > (p:PRON .. v:_)", "[4 1] [9 8]"},
	{"v:VERB > (p:PRON - v:_)", ""},
	{"v:VERB [>obj x:_ | >nsubj:outer x:_]", "[4 6] [9 8]"},
	{"n:_ >amod _ !(. (_ >nsubj n:_))", "[6]"},
	{"n:_ >amod _ !(<obj (_ >advmod _))", ""},
	{"L=buy >nsubj _ !> x:AUX", ""},
	{"L=buy >nsubj _ !> 2:AUX", ""}, // a name like any other, not the number of the PRON
}

func TestLanguage(t *testing.T) {
	for _, c := range language {
		p, err := Compile(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		hits, whole := p.NewMatcher().Match(example())
		var got []string
		for _, h := range hits {
			got = append(got, fmt.Sprint(h.Words))
		}
		if strings.Join(got, " ") != c.want || !whole {
			t.Errorf("%s (%s) finds %v, want %s", c.pattern, p, got, c.want)
		}
	}
}

// An accent may be a character of its own, in the pattern or in the word.
func TestNormalForms(t *testing.T) {
	const composed, apart = "caf\u00e9", "cafe\u0301"
	for _, form := range []string{composed, apart} {
		s := &syntax.Sentence{Words: []syntax.Word{{Form: form, Lemma: form, Misc: "Gloss=" + form + "|" + form + "=1", Deprel: form + ":x"},
			{Form: "cafe", Lemma: "cafe", Head: 1, Deprel: form}}}
		for _, text := range []string{composed, apart} {
			for _, test := range []string{`"TEXT"`, `"TEXT"i`, "L=TEXT", "L!=cafe & /caf./", "/TEXT/", "/caf[TEXT]/ & !L=cafe", "misc.Gloss=TEXT",
				"misc.TEXT=1", "misc=/.*TEXT=1/", "deprel=TEXT:* & !deprel=TEXT", "x:_ >TEXT _", "x:_ >TEXT:*|obj _", "x:_ >/TEXT/ _"} {
				written := strings.ReplaceAll(test, "TEXT", text)
				p, err := Compile(written)
				if err != nil {
					t.Fatal(err)
				}
				if hits, _ := p.NewMatcher().Match(s); len(hits) != 1 || hits[0].Words[0] != 1 {
					t.Errorf("%+q in %+q: hits %v", written, form, hits)
				}
			}
		}
	}
}

// What a hit depends on must be sure: the tag of a negated test, too, but nothing in a
// negated part with links.
func TestMinConf(t *testing.T) {
	s := example()
	s.Confidence.UPOSConf = make([]float32, len(s.Words))
	for text, want := range map[string]int{"!PUNCT": 0, "!(NOUN | PUNCT)": 0, "_ & upos!=NOUN": 0, "L=buy !>obj": 0, "L=say !>obj NOUN": 1,
		"L=say !(PUNCT >obj NOUN)": 1, "L=say": 1} {
		p, err := Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		m := p.NewMatcher()
		m.MinConf = 0.9
		if hits, _ := m.Match(s); len(hits) != want {
			t.Errorf("%s: %d hits, want %d", text, len(hits), want)
		}
	}
}

// Errors say where, and what to write instead.
func TestErrors(t *testing.T) {
	for _, c := range [...]struct {
		pattern string
		column  int
		says    string
	}{
		{"", 1, "ends here"},
		{"   ", 4, "ends here"},
		{"VERB >nsubj|", 13, "must follow"},
		{"VERB >NOUN", 7, "put a space before"},
		{"verb", 1, "VERB"},
		{"dog", 1, `L=dog`},
		{"NN", 1, "xpos=NN"},
		{"VERB NOUN", 6, "must join two words"},
		{`"dog`, 1, "no second"},
		{`""`, 1, "=_"},
		{"/[/", 1, "not a regular expression"},
		{"/a)(b/", 1, "not a regular expression"},
		{"/a", 1, "no second /"},
		{"(VERB", 1, "has no )"},
		{"[>obj NOUN", 1, "has no ]"},
		{"[NOUN]", 2, "parentheses"},
		{"VERB)", 5, "closes nothing"},
		{"VERB >obj NOUN | >nsubj NOUN", 16, "brackets"},
		{"VERB ..{0} NOUN", 8, "not a distance"},
		{"VERB ..{3,2} NOUN", 8, "not a distance"},
		{"VERB ..{1 NOUN", 8, "no }"},
		{"VERB ..@L NOUN", 8, "@L"},
		{"VERB >@X NOUN", 7, "@L"},
		{`VERB >"dog"`, 7, "put a space"},
		{"VERB >obj*", 10, "nsubj:*"},
		{"form=go*", 6, "/go.*/"},
		{"id=x", 4, "id=-1"},
		{"id=0", 4, "id=1"},
		{"size=3", 1, "no attribute"},
		{"misc=", 6, "a value must follow"},
		{"misc.=3", 6, "MISC"},
		{"misc.A!", 7, "MISC"},
		{"v: >obj NOUN", 4, "v:_"},
		{"VERB ?NOUN", 7, "may be missing"},
		{"élan & dog", 1, "a form is written \"élan\", a lemma L=élan"}, {"VERB 'go'", 6, "' is not possible here"},
		{"VERB NOUN", 6, "NOUN is not possible"},
		{"VERB\x00NOUN", 5, "\x00 is not possible"},
		{"\xff", 1, "UTF-8"},
		{strings.Repeat("(", 100) + "_", 33, "inside each other"},
		{"_" + strings.Repeat(" . _", 80), 259, "links"},
		{strings.Repeat(" ", maxLength) + "_", 1, "4096"},
	} {
		p, err := Compile(c.pattern)
		var e *Error
		if !errors.As(err, &e) || e.Column != c.column || !strings.Contains(e.Reason, c.says) {
			t.Errorf("%.40q: %v (%v), want column %d and %q", c.pattern, err, p, c.column, c.says)
		}
	}
}

// Parentheses, brackets and negations are allowed as deep as the limit says, and links between
// them do not count.
func TestDepth(t *testing.T) {
	for _, c := range [...]struct{ open, inner, end string }{{"(", "_", ")"}, {"VERB > (", "_", ")"}, {"!", "_", ""}, {"!", ">_", ""},
		{"[", ">_", "]"}, {"[>_ ", "", "]"}} {
		for n := range 3 {
			n += maxDepth - 1
			_, err := Compile(strings.Repeat(c.open, n) + c.inner + strings.Repeat(c.end, n))
			if (err == nil) != (n <= maxDepth) {
				t.Errorf("%d times %s: %v", n, c.open, err)
			}
		}
	}
}

// A pattern says which columns it reads, so that no others are decoded.
func TestNeeds(t *testing.T) {
	for pattern, want := range map[string]Columns{
		"_ .. _":                  0,
		"VERB":                    UPOS,
		`"go"`:                    Form,
		"L=go > _":                Lemma | Head,
		"_ >obj _":                Head | Deprel,
		"deprel=obj":              Deprel,
		"!Case=Nom & misc.X=y":    Feats | Misc,
		"xpos=NN $ _ .. feats!=_": XPOS | Head | Feats,
	} {
		if p, err := Compile(pattern); err != nil || p.Needs() != want {
			t.Errorf("%s: %b, %v, want %b", pattern, p.Needs(), err, want)
		}
	}
}

// A sentence with too much work ends, and says so; hits are then the same ones
// every time.
func TestBounds(t *testing.T) {
	s := &syntax.Sentence{Words: make([]syntax.Word, 3000)}
	for i := range s.Words {
		s.Words[i] = syntax.Word{Form: "a", UPOS: "NOUN", Head: int32(i)}
	}
	for _, pattern := range []string{"_ .. _ .. _ .. _", "_ >> _ >> _ >> VERB", "x:_ >> _ >> _ >> VERB",
		"x:_ !(>> _ >> _ >> VERB)", "(x:_|x:_)" + strings.Repeat(" & (x:_|x:_)", 29),
		"(id=1" + strings.Repeat(" ?[!< _]", 30) + ") & (x:_ & !(< _))"} {
		p, err := Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		m := p.NewMatcher()
		hits, whole := m.Match(s)
		first := fmt.Sprint(hits)
		if whole || len(hits) > MaxHits || m.work > maxWork+len(s.Words) {
			t.Errorf("%s: %d hits, whole: %v, after %d steps", pattern, len(hits), whole, m.work)
		}
		if hits, _ := m.Match(s); fmt.Sprint(hits) != first {
			t.Errorf("%s gives other hits the second time", pattern)
		}
	}
	p, _ := Compile("x:NOUN .. NOUN >> NOUN") // one way is enough for what has no name
	if hits, whole := p.NewMatcher().Match(s); !whole || len(hits) != 2998 {
		t.Errorf("%d hits, whole: %v", len(hits), whole)
	}
}

func TestMatchDoesNotAllocate(t *testing.T) {
	s := example()
	p, err := Compile("v:VERB >nsubj|nsubj:* s:PRON [>obj (NOUN >amod _) | !>aux _] -- L=have")
	if err != nil {
		t.Fatal(err)
	}
	m := p.NewMatcher()
	if hits, _ := m.Match(s); len(hits) != 2 {
		t.Fatal(hits)
	}
	if n := testing.AllocsPerRun(100, func() { m.Match(s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// No pattern crashes, what compiles is written in a form that compiles to itself,
// and no hit has words that are not in the sentence.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{"VERB >nsubj NOUN", `v:(L=go|"x"i) !>obj|!x:* _ [. a | - /b\/c/i]`,
		"?>>{2,3}@L Number[psor]!=Plur", "misc.A=*&id=-1$punct_"} {
		f.Add(seed)
	}
	s := example()
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Compile(text)
		if err != nil {
			return
		}
		again, err := Compile(p.String())
		if err != nil && len(p.String()) <= maxLength && !strings.Contains(err.Error(), "inside each other") {
			t.Fatalf("%q is written %q: %v", text, p, err)
		}
		if err == nil && again.String() != p.String() {
			t.Fatalf("%q is written %q, and that %q", text, p, again)
		}
		hits, _ := p.NewMatcher().Match(s)
		for _, h := range hits {
			for _, w := range h.Words {
				if w < 0 || int(w) > len(s.Words) {
					t.Fatalf("%q: %v", text, hits)
				}
			}
		}
		if err == nil {
			if other, _ := again.NewMatcher().Match(s); fmt.Sprint(hits) != fmt.Sprint(other) {
				t.Fatalf("%q finds %v, %q %v", text, hits, p, other)
			}
		}
	})
}

// Relations that are none of Universal Dependencies are found wherever they stand.
func TestUnknown(t *testing.T) {
	if len(Relations) != 37 {
		t.Errorf("%d relations", len(Relations))
	}
	for text, want := range map[string]string{
		"VERB >nsubj:outer _ >obj|iobj _": "", "VERB >sunbj NOUN": "sunbj",
		"VERB !(> (_ >!dobj:x|pobj (_ & deprel=nn)))": "dobj pobj nn",
		"VERB >/x.*/ _ & deprel=_ & deprel=*":         "", "deprel!=nope | deprel=nope:x": "nope",
		`deprel="NSUBJ"i | deprel="Nope"i`: "nope",
	} {
		p, err := Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.Unknown(), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestNamed(t *testing.T) {
	p, err := Compile(`VERB & Number=Plur & Case!=Acc & Case=* & Tense=/P.*/ & Mood="imp"i & feats=_ & misc.Gloss=x & "a"
		>nsubj:pas|obj:* (_ & deprel=dep & Number[psor]=Sing) !>obj (Case=Acc !> deprel=nsubj:pas)`)
	if err != nil {
		t.Fatal(err)
	}
	relations, features := p.Named()
	if got := fmt.Sprint(relations, features); got != "[nsubj:pas dep obj] [Number=Plur Case=Acc Number[psor]=Sing]" {
		t.Error(got)
	}
}
