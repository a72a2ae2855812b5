package segment

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// known writes a chunk with | where a token always ends, and · where the
// classifier is asked.
func known(text string) string {
	var l layout
	l.read(text)
	c := newChunk(&l, 0)
	var b strings.Builder
	for g, u := range c.units(nil) {
		if g > 0 {
			b.WriteString(map[uint8]string{ask: "·", never: "", always: "|"}[u])
		}
		b.WriteString(l.text(span{int32(g), int32(g) + 1}))
	}
	return b.String()
}

func TestUnits(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"http://x.org/a?b=c&d=e,f.", "http://x.org/a?b=c&d=e,f|."},
		{"(see:https://x.org/a_(b))", "(·s·e·e·:|https://x.org/a_(b)|)"},
		{"<http://x.org/>", "<|http://x.org/|>"},
		{"“http://x.org”,", "“|http://x.org|”·,"}, {"«http://x.org/a»", "«|http://x.org/a|»"},
		{"‹x.org/a?q=1›.", "‹|x.org/a?q=1|›·."},
		{"https://x.org/ا،", "https://x.org/ا|،"}, {"https://x.org/क।", "https://x.org/क|।"},
		{"www.x.org/a,b!", "www.x.org/a,b|!"},
		{"x.org/a?q=1", "x.org/a?q=1"}, {"x.co.uk", "x.co.uk"},
		{"(a.b-c@d.e.org),", "(|a.b-c@d.e.org|)·,"},
		{"mailto:a@b.org", "mailto:a@b.org"}, {"Ann@HOME:", "Ann@HOME|:"}, {"@ann,", "@ann|,"}, {"#win!!", "#win|!!"},
		{"#1", "#·1"}, {"2.9@3.5", "2.9·@·3.5"},
		{"/usr/local.", "/usr/local|."}, {"~/x,", "~/x|,"}, {"./a.sh", "./a.sh"}, {"../x", "../x"},
		{`C:\a\b.txt.`, `C:\a\b.txt|.`},
		{"u/r/2/c", "u/r/2/c"}, {"docs/input.md,", "docs/input.md|,"},
		{"and/or", "a·n·d·/·o·r"}, {"a/b/c", "a·/·b·/·c"}, {"24/7", "24·/·7"}, {"w/", "w·/"},
		{"all.conllu.", "all.conllu|."}, {"m.Parse(x)", "m.Parse|(·x·)"}, {"os.path.join", "os.path.join"},
		{"a_b.c", "a_b.c"},
		{"A-B-2.DOC", "A-B-2.DOC"}, {"x.newReader", "x.newReader"}, {"end.The", "e·n·d·.·T·h·e"},
		{"end.Doc", "e·n·d·.·D·o·c"},
		{"D.C.", "D·.·C·."}, {"p.m.", "p·.·m·."}, {"_St.John", "_·S·t·.·J·o·h·n"}, {"x.com's", "x.com·'·s"},
		{"--help,", "--help|,"}, {"--lang=en.", "--lang=en|."}, {"-v", "-v"}, {"--Ann", "-·-·A·n·n"},
		{"man--who", "m·a·n·-·-·w·h·o"},
		{"-c'est", "-·c·'·e·s·t"},
		{"`a.b`,", "`a.b`|,"}, {"Mama`s", "M·a·m·a·`·s"}, {"C++,", "C++|,"}, {"C#", "C#"},
		{"cmd/treebeam,", "cmd/treebeam|,"}, {"(src/x)", "(|src/x|)"}, {"srv/Ann", "s·r·v·/·A·n·n"},
		{"he/she", "h·e·/·s·h·e"}, {"src/", "s·r·c·/"},
		{"fmt.Println.", "fmt.Println|."}, {"np.Inf", "np.Inf"}, {"fmt.", "f·m·t·."},
		{"--x", "--x"}, {"C:/a/b", "C:/a/b"}, {"v1.2.3.", "v1.2.3|."}, {".txt,", ".txt|,"},
		{".waste", ".·w·a·s·t·e"}, {"a/bc/", "a/bc/"}, {"go.mod", "go.mod"}, {"x.fr", "x.fr"},
		{"😀👍🏽!", "😀|👍🏽|!"}, {"ok👩‍👩‍👧🇺🇸🇹🇷a", "o·k|👩‍👩‍👧|🇺🇸|🇹🇷|a"}, {"❤️.", "❤️|."}, {"1️⃣,", "1️⃣|,"}, {"x#️⃣2⃣", "x|#️⃣|2⃣"},
		{"$1,234.50", "$·1,234.50"}, {"12:30pm", "12:30·p·m"}, {"wow!!!?", "w·o·w·!!!?"}, {"so...", "s·o·..."},
		{"-----", "-----"}, {"$$$", "$$$"},
		{"见https://x.org/a?b=1。谢谢", "见|https://x.org/a?b=1|。·谢·谢"}, {"见https://x.org，", "见|https://x.org|，"}, {"はx.org/aを", "は|x.org/a|を"}, {"คือa.b@c.comนะ", "คื·อ|a.b@c.com|น·ะ"},
		{"邮箱是a@b.com，好", "邮·箱·是|a@b.com|，·好"}, {"@小明", "@小明"}, {"#东京！", "#东京|！"},
		{"e\u0301\u0323a!", "e\u0301\u0323·a·!"}, {"A\u0301", "A\u0301"}, {".\u0301", ".·\u0301"}, {"हिन्दी", "हि·न्·दी"},
	} {
		if got := known(c.text); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// pieces are what the units are about.
var pieces = strings.Fields("a B é 1 . , : ; ! ? - -- _ / \\ @ # ` ' ’ “ ( ) [ < > = + ~ … — $ % www. :// http mailto: .com .txt C:\\ 😀 🏽 🇺 \u200d \ufe0f")

func anyChunk(r *hash.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(pieces[r.Below(uint32(len(pieces)))])
	}
	return b.String()
}

// A row is found as a regular expression would, and an address of the web ends
// at no punctuation.
func TestUnitsOfAnyText(t *testing.T) {
	r := hash.Rand(5)
	marks := regexp.MustCompile(`[!?]{2,}|\d+|\d+(?:[.,:]\d+)+|\.{3,}`)
	web := regexp.MustCompile("^[a-z]+://[^<>\"`“…—]*")
	for range 50_000 {
		text := anyChunk(&r, 1+int(r.Below(12)))
		var l layout
		l.read(text)
		c := newChunk(&l, 0)
		list := c.units(nil)
		if list[0] != ask || len(list) != len(c.norm) {
			t.Fatalf("%q: %v", text, list)
		}
		for _, m := range marks.FindAllStringIndex(text, -1) {
			from, to := slices.Index(l.at, int32(m[0])), slices.Index(l.at, int32(m[1]))
			if slices.Contains(list[from+1:to], ask) {
				t.Fatalf("%q in %q: %s", text[m[0]:m[1]], text, known(text))
			}
		}
		if found := web.FindString(text); found != "" {
			want := strings.TrimRight(found, ".,;:!?'’*-")
			for want != "" && strings.HasSuffix(want, ")") && strings.Count(want, ")") > strings.Count(want, "(") ||
				strings.HasSuffix(want, "(") || strings.HasSuffix(want, "[") || strings.HasSuffix(want, "]") &&
				strings.Count(want, "]") > strings.Count(want, "[") {
				want = strings.TrimRight(want[:len(want)-1], ".,;:!?'’*-")
			}
			n := slices.Index(l.at, int32(len(want)))
			if !strings.ContainsAny(want, "()[]") && len(want) > strings.Index(want, "://")+3 &&
				slices.ContainsFunc(list[1:n], func(u uint8) bool { return u != never }) {
				t.Fatalf("%q: %s, want %q whole", text, known(text), want)
			}
		}
	}
}

func TestUnitsStayTokens(t *testing.T) {
	m := model(t)
	text := "Ada sees https://x.org/a?b=c. Bela wants all.conllu, --help and 👍🏽. Cora finds 1,234.50 pears!!! Dino sees u/r/2/c."
	got := describe(m.Segment(text, Request{}))
	for _, want := range []string{" https://x.org/a?b=c _.", " all.conllu _,", " --help ", " 👍🏽 _.",
		" 1,234.50 ", " u/r/2/c _."} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestEmojiBelongToTheSentenceBefore(t *testing.T) {
	m := model(t)
	want := describe(m.Segment("Ada sees pears. Bela wants boats.", Request{}))
	got := describe(m.Segment("Ada sees pears. 😀👍🏽 Bela wants boats.", Request{}))
	if want = strings.Replace(want, "_. \n", "_. 😀 _👍🏽 \n", 1); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, s := range m.Segment("> Ada sees pears.\n> Bela wants boats.", Request{}) {
		if s.Text == ">" {
			t.Error("the sign of quoted mail is a sentence")
		}
	}
}

func TestEmojiInsideASentence(t *testing.T) {
	m := model(t)
	for text, want := range map[string]int{
		"Ada sees 😀😀 pears.": 1, "Ada sees pears 😀 and boats.": 1, "😀 pears are here.": 1,
		"Ada sees pears. 😀 Bela wants boats.": 2,
	} {
		if got := m.Segment(text, Request{}); len(got) != want {
			t.Errorf("%s: %d sentences, want %d", text, len(got), want)
		}
	}
}

func TestCodeWithSpaces(t *testing.T) {
	m := model(t)
	for text, want := range map[string]string{
		"Ada sees `Bela wants. Cora finds. Dino` pears.": "Ada sees ` _Bela wants _. Cora finds _. Dino _` pears _. \n",
		"Ada sees (`a b`) pears.":                        "Ada sees ( _` _a b _` _) pears _. \n",
		"Ada `sees Bela.\nCora` wants boats.":            "Ada `sees Bela _. Cora` wants boats _. \n",
		"Ada` sees pears` boats.":                        "Ada` sees pears _` boats _. \n",
	} {
		if got := describe(m.Segment(text, Request{})); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%s:\n%s, want\n%s", text, got, want)
		}
	}
}
