package language

import (
	"strings"

	"github.com/treebeam/treebeam/parser/hash"
)

// windows draws pieces of folded text by language.
type windows struct {
	codes   []string
	texts   [][]rune // by code; nil: there is none
	foreign [][]rune // of other languages, for None
	none    int      // its place among the codes
}

func newWindows(codes []string, texts map[string][]rune, others []Sample) *windows {
	w := &windows{codes: codes, texts: make([][]rune, len(codes))}
	for c, code := range codes {
		w.texts[c] = texts[code]
		if code == None {
			w.none = c
		}
		if code == "sr" {
			w.texts[c] = append(w.texts[c], cyrillic(w.texts[c][:len(w.texts[c])/5])...)
		}
	}
	for _, s := range others {
		w.foreign = append(w.foreign, gather([]Sample{s})[s.Code])
	}
	return w
}

// draw returns a window of about n characters in a language. It begins with a space, and
// ends where n characters end, often within a word.
func (w *windows) draw(r *hash.Rand, code, n int) []rune {
	if code != w.none {
		return cut(r, w.texts[code], n)
	}
	kind := r.Below(10)
	switch {
	case len(w.foreign) > 0 && (kind < 6 || kind < 8 && len(w.texts[code]) == 0):
		return cut(r, w.foreign[r.Below(uint32(len(w.foreign)))], n)
	case kind < 8 && len(w.texts[code]) > 0:
		return cut(r, w.texts[code], n)
	case kind != 9:
		return w.scrambled(r, n)
	}
	return strange(r, n)
}

// cut returns a window of a text that begins with a word.
func cut(r *hash.Rand, text []rune, n int) []rune {
	at := 0
	if len(text) > n {
		at = int(r.Below(uint32(len(text) - n)))
	}
	for back := 0; at > 0 && text[at] != ' '; at-- {
		if back++; back > 30 { // writing without spaces
			return append([]rune{' '}, text[at:min(len(text), at+n)]...)
		}
	}
	return text[at:min(len(text), at+n+1)]
}

// scrambled returns words whose letters were drawn from the texts of one language: they
// have its letters, and nothing else of it.
func (w *windows) scrambled(r *hash.Rand, n int) []rune {
	text := w.texts[r.Below(uint32(len(w.texts)))]
	if len(text) == 0 {
		return strange(r, n)
	}
	out := []rune{' '}
	for len(out) <= n {
		for range 1 + r.Below(9) {
			if c := text[r.Below(uint32(len(text)))]; c != ' ' {
				out = append(out, c)
			}
		}
		out = space(out)
	}
	return out[:n+1]
}

// strange returns words of letters of one block of 128 characters, mostly of a script that
// no sample is likely to have, or words of programs.
func strange(r *hash.Rand, n int) []rune {
	out := []rune{' '}
	block := rune(r.Below(0x3000/128)) * 128
	plain := block == 0 || r.Below(3) == 0
	for tries := 0; len(out) <= n; tries++ {
		if plain || tries > n {
			out = space(append(out, []rune(programs[r.Below(uint32(len(programs)))])...))
			continue
		}
		for range 1 + r.Below(9) {
			if c := letter(block + rune(r.Below(128))); c != gap && c != nothing {
				out = append(out, c)
			}
		}
		out = space(out)
	}
	return out[:n+1]
}

var programs = strings.Fields(`abs alloc and arg args argv arr assert async attr bool break
	buf byte callback case catch char class cls cmd config const continue ctx def default
	del dict dir div elif elem else end endif enum env err error eval except exec export
	expr false fi final float fmt fn foo bar for from func function get global goto href
	html http i idx if impl import in inc init int interface io is iter item j json k kwargs
	lambda len let lib li list log loop main malloc map max min mod msg mut n name namespace
	new nil not null num obj or package params pid pkg print println printf private ptr pub
	public px range ref regex req res ret return rgb select self set sizeof span sql src
	static std stderr stdin stdout str string struct sub sudo svg switch sys table tbl td
	test then this tmp tr true try type typedef ul uint uri url user usr utf val value var
	vec void where while with x xml y yaml yield`)

// cyrillic returns folded Serbian text in the other alphabet of Serbian.
func cyrillic(latin []rune) (out []rune) {
	for i := 0; i < len(latin); i++ {
		if i+1 < len(latin) {
			if c, ok := serbianPairs[[2]rune{latin[i], latin[i+1]}]; ok {
				out = append(out, c)
				i++
				continue
			}
		}
		c, ok := serbian[latin[i]]
		if !ok {
			c = latin[i]
		}
		out = append(out, c)
	}
	return out
}

var (
	serbianPairs = map[[2]rune]rune{{'l', 'j'}: 'љ', {'n', 'j'}: 'њ', {'d', 'ž'}: 'џ'}
	serbian      = func() map[rune]rune {
		from, to := []rune("abvgdđežzijklmnoprstćufhcčš"), []rune("абвгдђежзијклмнопрстћуфхцчш")
		m := map[rune]rune{}
		for i, c := range from {
			m[c] = to[i]
		}
		return m
	}()
)
