package text

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// otherLines are texts in which lines were broken at a margin, beside others that
// are headings, code, lists or speech, and their blocks, a line each, with / for
// line breaks inside.
var otherLines = map[string]struct{ data, want string }{
	"Markdown": {`# A Title

This is the text of a file that was broken at a margin of some eighty columns
by its editor, and goes on here.

` + "```sh\ngit clone x\ncd x\n\nmake\nmake install\n```" + `

The options:

- ` + "`--help`" + `: says what can be done
  with it
- the other one, which is long enough to be broken by the editor, and so it
  is
1. Open it.
2. Close it.

Usage
-----
Call it so:
` + "```" + `
func main() {
	x.Sort()
}
` + "```" + `
It returns an error if there is nothing to do for it, and then the text
goes on.
`, `# A Title
This is the text of a file that was broken at a margin of some eighty columns/by its editor, and goes on here.
` + "```sh" + `
git clone x
cd x
make
make install
` + "```" + `
The options:
- ` + "`--help`" + `: says what can be done/  with it
- the other one, which is long enough to be broken by the editor, and so it/  is
1. Open it.
2. Close it.
Usage
-----
Call it so:
` + "```" + `
func main() {
x.Sort()
}
` + "```" + `
It returns an error if there is nothing to do for it, and then the text/goes on.`},
	"quoted mail": {`Hi Ada,

> I have been asking myself all day what the letter from your sister may
> mean, and why nobody told me anything about it.
> Bela

>> and what about the cat
> It is fine, but it eats too much and the neighbours have begun to talk
> about it

Great
See you on Monday
`, `Hi Ada,
> I have been asking myself all day what the letter from your sister may/> mean, and why nobody told me anything about it.
> Bela
>> and what about the cat
> It is fine, but it eats too much and the neighbours have begun to talk/> about it
Great
See you on Monday`},
	"a letter": {`Dear Mr. Smith,
I am writing to you about the bill that you sent us in March. We have
paid it twice, and would like to have our money back as soon as it is
possible for you.
Yours sincerely,
John Brown
12 Elm Street
London
`, `Dear Mr. Smith,
I am writing to you about the bill that you sent us in March. We have/paid it twice, and would like to have our money back as soon as it is/possible for you.
Yours sincerely,
John Brown
12 Elm Street
London`},
	"indented code": {`Here is how it is done:

    for i in range(10):
        print(i)
    x = 3

The loop prints ten numbers, one a line, and then x is set to three, which
nobody will ever see, for nothing is done with it afterwards.
`, `Here is how it is done:
for i in range(10):
print(i)
x = 3
The loop prints ten numbers, one a line, and then x is set to three, which/nobody will ever see, for nothing is done with it afterwards.`},
	"speech": {`Ada: I was thinking we could go to the cinema tonight and then
have dinner at the new place on the corner
Bela: sounds great what time does it start, and who
is coming along with us? I hope not too many.
`, `Ada: I was thinking we could go to the cinema tonight and then/have dinner at the new place on the corner
Bela: sounds great what time does it start, and who/is coming along with us? I hope not too many.`},
	"indented paragraphs": {`   The boat lay at the quay for as long as anybody could remember, and
nobody knew whose it was or where it had come from in the first place.
   "What do you want?" asked the boy, who had been
watching him.
   "Nothing," he said.
`, `The boat lay at the quay for as long as anybody could remember, and/nobody knew whose it was or where it had come from in the first place.
"What do you want?" asked the boy, who had been/watching him.
"Nothing," he said.`},
	"a table": {`The boat lay at the quay for as long as anybody could remember, and
nobody knew whose it was.
| colour | socks |
|--------|-------|
| red    | 12    |
`, `The boat lay at the quay for as long as anybody could remember, and/nobody knew whose it was.
| colour | socks |
|--------|-------|
| red    | 12    |`},
	"two say something": {"I was thinking we could go to the cinema tonight\nThat sounds great what time does it start\n",
		"I was thinking we could go to the cinema tonight\nThat sounds great what time does it start"},
	"in lower case":    {"so what are you up to this weekend then\nnothing much\n", "so what are you up to this weekend then\nnothing much"},
	"the first begins": {"I was thinking we could go to the cinema tonight\nyeah that sounds great\n", "I was thinking we could go to the cinema tonight\nyeah that sounds great"},
	"hanging":          {"* talk to Ada\n* buy milk and\n  eggs\n* call home\n", "* talk to Ada\n* buy milk and/  eggs\n* call home"},
	"not hanging":      {"* talk to Ada\n* buy milk and\neggs\n* call home\n", "* talk to Ada\n* buy milk and\neggs\n* call home"},
	"a reply": {"Bela wrote:\n> Could you send me the report by tomorrow morning at\n> the latest? I need it\nSure, will do\nCheers\nAda\n",
		"Bela wrote:\n> Could you send me the report by tomorrow morning at/> the latest? I need it\nSure, will do\nCheers\nAda"},
	"commands": {`Here is how it is done, if you have the time and the patience that it may
take:

    git clone https://example.com/a/b.git
    cd b
    make install
`, `Here is how it is done, if you have the time and the patience that it may/take:
git clone https://example.com/a/b.git
cd b
make install`},
	"one sentence": {"The meeting was moved to the third floor because the projector in the big\nroom is broken.\n",
		"The meeting was moved to the third floor because the projector in the big/room is broken."},
}

func TestWrappedTextWithOtherLines(t *testing.T) {
	for name, c := range otherLines {
		for _, end := range []string{"\n", "\r\n"} {
			data := strings.ReplaceAll(c.data, "\n", end)
			blocks, _ := read(t, []byte(data), decide(t, data, Options{}), 0, -1)
			var got []string
			for _, b := range blocks {
				got = append(got, strings.ReplaceAll(b.Text, end, "/"))
			}
			if g := strings.Join(got, "\n"); g != c.want {
				t.Errorf("%s:\n%s\n\nwant\n%s", name, g, c.want)
			}
		}
	}
}

// With --lines wrapped, how long a line is does not matter, what it is does.
func TestWrappedSaid(t *testing.T) {
	for data, want := range map[string]string{
		"It was\nA long\nday":                            "It was/A long/day",
		"Buy:\n- milk\n- the\n  eggs":                    "Buy:|- milk|- the/  eggs",
		"He said\n- and meant it -\nno":                  "He said/- and meant it -/no",
		"In\n1992. The\nend":                             "In/1992. The/end",
		"Run\n```\na\nb\n```\nso\nit":                    "Run|```|a|b|```|so/it",
		"```\na\n\nb\nc\n```\n\nd\ne":                    "```|a|b/c|```|d/e", // a blank line ends code
		"```go\n\na\nb\n\nc\nd\n```\nd\ne\n\nf\ng":       "```go|a/b|c/d|```|d|e|f/g",
		"so ```a b``` it\ngoes":                          "so ```a b``` it/goes",
		"A\n===\nb\nc\n# D\ne":                           "A|===|b/c|# D|e",
		"> a\n> b\nc\nd\n>> e\n> f":                      "> a/> b|c/d|>> e|> f",
		"the file(s)\nthat x(s) has\nin Foo (bar)\nhere": "the file(s)/that x(s) has/in Foo (bar)/here",
		"call\nx.Sort(a, b);\nthen":                      "call|x.Sort(a, b);|then",
		"a\tb\nc\td\ne":                                  "a\tb|c\td|e",
	} {
		blocks, _ := read(t, []byte(data), decide(t, data, Options{Lines: Wrapped}), 0, -1)
		if got := strings.ReplaceAll(texts(blocks), "\n", "/"); got != want {
			t.Errorf("%q: got %q, want %q", data, got, want)
		}
	}
}

// wrappedSample makes text of what changes the meaning of line breaks.
func wrappedSample(rng *rand.Rand, size int) []byte {
	pieces := []string{
		"```\n", "```\n", "```go\n", "\n", "\n", "\n", " \n", "x := f()\n", "a: \n", "Ada: yes\n", "- an item\n", "  goes on\n",
		"words that go on and\n", "until the end of it, where\n", "It ends here.\n", "> quoted mail\n", "~~~\n", "---\n", "\ufeff", "\u2029", "\r\n", "é\xff ", " ", "\t",
	}
	var b []byte
	for len(b) < size {
		b = append(b, pieces[rng.IntN(len(pieces))]...)
		if rng.IntN(300) == 0 { // beyond what a reader sees of a line, of a block, before its range
			b = append(b, strings.Repeat([]string{"and so on ", " ", "code\n", "\n"}[rng.IntN(4)], rng.IntN(2500))...)
		}
	}
	return b
}

// A range that begins in code or behind it has the blocks of the whole, and so has
// every other.
func TestAnyRangeOfWrappedText(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 40 {
		data := wrappedSample(rng, 1+rng.IntN(20000))
		for _, o := range []Options{{Lines: Wrapped}, {}, {Lines: Wrapped, Encoding: "latin1"}, {Lines: Wrapped, Encoding: "gb18030"}} {
			l := decide(t, string(data), o)
			if o.Lines == AutoLines {
				l.Lines, l.Margin = Wrapped, 24
			}
			size := int64(len(data))
			a := rng.Int64N(size)
			checkRanges(t, data, l, a, a+rng.Int64N(size-a))
			l.Plain = true
			checkRanges(t, data, l, a, a+rng.Int64N(size-a))
		}
	}
}

// Where lines are tokens, only what is blank ends a block.
func TestPlain(t *testing.T) {
	data := strings.Repeat("# a\n- b\tc\n```\n\n", 5000)
	l := decide(t, data, Options{Lines: Wrapped})
	l.Plain = true
	blocks, _ := read(t, []byte(data), l, 0, -1)
	if len(blocks) != 5000 || blocks[4999].Text != "# a\n- b\tc\n```" {
		t.Errorf("%d blocks", len(blocks))
	}
}
