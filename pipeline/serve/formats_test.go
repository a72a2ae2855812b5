package serve

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// sentencesOf is a document with what the formats treat differently.
const sentencesOf = `# newdoc
# newpar
# sent_id = 1
# text = Vámonos, she said.
1-2	Vámonos	_	_	_	_	_	_	_	SpaceAfter=No|TokenRange=0:7
1	Vamos	ir	VERB	VB	Mood=Imp|Number=Plur	5	ccomp	_	_
2	nos	nosotros	PRON	PRP	_	1	obj	_	_
3	,	,	PUNCT	,	_	1	punct	_	TokenRange=7:8
4	she	she	PRON	PRP	_	5	nsubj	_	TokenRange=9:12
5	said	say	VERB	VBD	Tense=Past	0	root	_	SpaceAfter=No|TokenRange=13:17
6	.	.	PUNCT	.	_	5	punct	_	SpacesAfter=\s\n|TokenRange=17:18

# newpar
# sent_id = 2
# text = "10 000" <&>
1	"10 000"	"10 000"	NUM	CD	_	0	root	_	SpacesInToken="10\s\s000"|TokenRange=20:29
2	<&>	<&>	SYM	_	_	1	dep	_	SpacesAfter=\t\p\\\n

# sent_id = 3
1	So	so	ADV	RB	_	0	root	_	SpacesBefore=\s|SpaceAfter=No

`

// What the program udpipe makes of it: written by ufal.udpipe 1.4.0.1.
var formatsOf = map[string]string{
	"conllu":                      sentencesOf,
	"horizontal":                  "Vamos nos , she said .\n\"10\u00a0000\" <&>\nSo\n",
	"horizontal=paragraphs":       "Vamos nos , she said .\n\n\"10\u00a0000\" <&>\nSo\n",
	"vertical":                    "Vamos\nnos\n,\nshe\nsaid\n.\n\n\"10 000\"\n<&>\n\nSo\n\n",
	"vertical=paragraphs":         "Vamos\nnos\n,\nshe\nsaid\n.\n\n\n\"10 000\"\n<&>\n\nSo\n\n",
	"plaintext":                   "Vámonos, she said. \n\"10  000\" <&>\t|\\\n So",
	"plaintext=normalized_spaces": "Vámonos, she said.\n\n\"10 000\" <&>\nSo\n",
}

func TestOutputFormats(t *testing.T) {
	s := newServer(t, Limits{})
	for format, want := range formatsOf {
		got := process(t, s, "data", sentencesOf, "output", format)
		if format == "conllu" {
			got, want = strings.TrimPrefix(got, "# generator = treebeam 1.2.3\n# model = english-fast\n"), sentencesOf
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", format, got, want)
		}
	}
}

// Likewise, of input.
func TestInputFormats(t *testing.T) {
	s := newServer(t, Limits{})
	for _, c := range []struct{ format, data, want string }{
		{"horizontal", "A b c\n\nx\u00a0y z\t w \r\n\n\nq\n", "# newdoc\n# newpar\n# sent_id = 1\nA|b|c\n# newpar\n# sent_id = 2\nx y|z|w\n# newpar\n# sent_id = 3\nq\n"},
		{"horizontal", "A\nb", "# newdoc\n# newpar\n# sent_id = 1\nA\n# sent_id = 2\nb\n"},
		{"vertical", "A\tx\nb\n\nc d\te\n\n\n\nq\n#s", "# newdoc\n# newpar\n# sent_id = 1\nA|b\n# sent_id = 2\nc d\n# newpar\n# sent_id = 3\nq|#s\n"},
		{"vertical", "A\r\nb\r\n\r\nc", "# newdoc\n# newpar\n# sent_id = 1\nA|b\n# sent_id = 2\nc\n"},
		{"vertical", "\n\n", ""},
		{"horizontal", "", ""},
		{"conllu", "", ""},
	} {
		var b strings.Builder
		got := process(t, s, "data", c.data, "input", c.format)
		for line := range strings.Lines(strings.SplitN(got, "\n", 3)[2]) {
			if id, rest, ok := strings.Cut(line, "\t"); ok {
				if id != "1" {
					b.WriteByte('|')
				}
				b.WriteString(rest[:strings.IndexByte(rest, '\t')])
			} else {
				b.WriteString(line)
			}
		}
		text := strings.NewReplacer("\n\n", "\n").Replace(b.String())
		if text != c.want {
			t.Errorf("%s of %q:\n%s\nwant\n%s", c.format, c.data, text, c.want)
		}
	}
}

// A text that is cut into tokens can be put together again, and tokens are where
// they are said to be.
func TestPlacesOfTokens(t *testing.T) {
	s := newServer(t, Limits{})
	pieces := []string{"The boat", "isn't", "theirs", ".", "!", ",", "naïve", "10 000", "東京", "👍🏽", "x|y", "\\", "e.g.", "C++", "(so)", "\"", "\u0301", "A\u0301", "\x00"}
	gaps := []string{" ", " ", " ", "  ", "\n", "\n\n", "\t", "\r\n", "\u00a0", "", "\u2028", " \n \n"}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b strings.Builder
		if rng.IntN(4) == 0 {
			b.WriteString(gaps[rng.IntN(len(gaps))])
		}
		for range rng.IntN(20) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
			b.WriteString(gaps[rng.IntN(len(gaps))])
		}
		checkPlaces(t, s, b.String())
	}
}

func FuzzPlacesOfTokens(f *testing.F) {
	s := newServer(f, Limits{})
	for _, text := range []string{"", " ", "A.B\n\nC", "\r\n\r\nWe can't\r\ngo.", "\ufeffx \ufeff y", "a\x1cb", "\u2028", "<p>x</p>\n| a | b |\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkPlaces(t, s, strings.ToValidUTF8(text, "?")) })
}

// blank is what may be in no token.
func blank(r rune) bool { return isSpace(r) || r == '\ufeff' }

func checkPlaces(t *testing.T, s *Server, text string) {
	t.Helper()
	tokenized := process(t, s, "data", text, "tokenizer", "ranges")
	points := []rune(text)
	last := 0
	for line := range strings.Lines(words(tokenized)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) < 10 || columns[9] == "_" {
			continue
		}
		place, ok := syntax.Value(columns[9], "TokenRange")
		from, to, _ := strings.Cut(place, ":")
		start, err1 := strconv.Atoi(from)
		end, err2 := strconv.Atoi(to)
		if !ok || err1 != nil || err2 != nil || start < last || end <= start || end > len(points) {
			t.Fatalf("%q: MISC %q after %d", text, columns[9], last)
		}
		if gap := strings.TrimFunc(string(points[last:start]), blank); gap != "" {
			t.Fatalf("%q: %q is in no token", text, gap)
		}
		last = end
		form := strings.ReplaceAll(columns[1], "\ufffd", "\x00")
		if got := strings.ReplaceAll(string(points[start:end]), "\ufffd", "\x00"); strings.Join(strings.FieldsFunc(got, isSpace), "") != strings.Join(strings.FieldsFunc(form, isSpace), "") {
			t.Fatalf("%q: token %q is at %q", text, form, got)
		}
	}
	if rest := strings.TrimFunc(string(points[last:]), blank); rest != "" {
		t.Fatalf("%q: %q is in no token", text, rest)
	}
	plain := process(t, s, "data", text, "tokenizer", "", "output", "plaintext")
	if strings.TrimFunc(text, blank) != "" && plain != strings.ReplaceAll(text, "\x00", "\ufffd") {
		t.Fatalf("put together again:\n%q\nwant\n%q\n%s", plain, text, tokenized)
	}
}

// Any white space and any other character of a token with spaces comes back.
func TestEscape(t *testing.T) {
	for _, text := range []string{"\U0001d7cf  b", "é\u00a0\ufeff\u2028x", "\t|\\u0041\r\n\x1c\x00", "👍 👍"} {
		if escaped := escape(text); unescape(escaped) != text || strings.ContainsFunc(escaped, blank) {
			t.Errorf("%q is %q, and that is %q", text, escaped, unescape(escaped))
		}
	}
	for escaped, want := range map[string]string{`a\qb`: "aqb", `a\u12`: "au12", `\u`: "u", `a\`: `a\`} {
		if got := unescape(escaped); got != want {
			t.Errorf("%q is %q, want %q", escaped, got, want)
		}
	}
}

// An object of JSON takes no more than is reserved for a request, whatever its values are.
func TestWeightOfJSON(t *testing.T) {
	const size = 4 << 20
	spare := uint64(weight(size) - size) // but for the body
	for _, piece := range []string{"[],", "0,", "{},", `"",`, "null,", `"x":1,`} {
		open, shut := "[", "0]"
		if strings.Contains(piece, ":") {
			open, shut = "{", `"x":0}`
		}
		body := `{"data":` + open + strings.Repeat(piece, size/len(piece)-8) + shut + "}"
		before := allocated()
		if err := (params{}).object(body); err == nil || !strings.Contains(err.Error(), "neither") {
			t.Errorf("%s: %v", piece, err)
		}
		if most := allocated() - before; most > spare {
			t.Errorf("%s: %d bytes, reserved are %d", piece, most, spare)
		}
	}
	var many strings.Builder
	for i := range size / 16 {
		fmt.Fprintf(&many, `"key %06d":"",`, i)
	}
	before := allocated()
	err := (params{}).object("{" + many.String() + `"z":""}`)
	if most := allocated() - before; err == nil || !strings.Contains(err.Error(), "64") || most > spare {
		t.Errorf("many keys: %v, %d bytes, reserved are %d", err, most, spare)
	}
}

// Reading a sentence allocates no more than is reserved for a request, whatever its
// body holds.
func TestWeight(t *testing.T) {
	s := newServer(t, Limits{})
	const size = 4 << 20
	spare := uint64(weight(size) - 2*size) // but for the body and its parameters
	for _, c := range []struct{ format, piece string }{
		{"horizontal", "a "}, {"horizontal", "a\u00a0"}, {"horizontal", " "},
		{"vertical", "a\n"}, {"vertical", "a\t\n"}, {"vertical", "\n"},
	} {
		data := strings.Repeat(c.piece, size/len(c.piece))
		from, _, _ := s.reader(c.format, data, job{models: s.models.list[0].languages.Alone()})
		before := allocated()
		for range from {
		}
		if most := allocated() - before; most > spare {
			t.Errorf("%s of %.20q: %d bytes for a sentence, reserved are %d", c.format, c.piece, most, spare)
		}
	}
}

// allocated is what was allocated since the test began.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
