package segment

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// Templates of the multiword classifier.
const (
	mWord = splitKeys + 32*iota
	mAffix
	mContext
	mStem
)

const (
	maxAffix = 8 // characters of an affix that chooses an expansion
	minStem  = 2 // characters that an expansion leaves
	maxRules = 3 // expansions that compete for a token
)

// An expansion spells out a multiword token in lower case as words, each but
// the first after a wordMark. stemMark stands for what is left of the token
// without prefix and suffix; without a stemMark the token is the prefix.
// "wouldn't" -> "would n't" is suffix "n't", words "‹stem›‹word›n't".
type expansion struct {
	prefix, suffix []rune
	words          string
}

const (
	fieldMark = "\x00"
	wordMark  = "\x01"
	stemMark  = "\x02"
)

func (e *expansion) code() string {
	return string(e.prefix) + fieldMark + string(e.suffix) + fieldMark + e.words
}

// infer finds the expansion that explains a form by the longest stem that it
// shares with one of its words, both in lower case; ok is false if the stem is
// too short, or the whole form, or if there are more than word.MaxRun runes.
func infer(form, words string) (e expansion, ok bool) {
	f, w := []rune(form), []rune(words)
	at, from, best := word.CommonRun(w, f)
	if best < minStem || best == len(f) {
		return e, false
	}
	return expansion{f[:from], f[from+best:], string(w[:at]) + stemMark + string(w[at+best:])}, true
}

// whole reports whether the expansion fits one form only.
func (e *expansion) whole() bool { return !strings.Contains(e.words, stemMark) }

// fits reports whether the expansion applies to a form in lower case.
func (e *expansion) fits(form []rune) bool {
	if e.whole() {
		return slices.Equal(form, e.prefix)
	}
	p, s := len(e.prefix), len(form)-len(e.suffix)
	return s-p >= minStem && slices.Equal(form[:p], e.prefix) && slices.Equal(form[s:], e.suffix)
}

// spell returns the words of a form, in its casing, or nil if the expansion
// does not fit.
func (e *expansion) spell(form string) []string {
	lower := foldLower(form)
	if strings.Contains(form, wordMark) { // text may have it, as any control character
		return nil
	}
	if words := e.apply(lower); strings.Contains(words, wordMark) {
		return copyCase(form, lower, strings.Split(words, wordMark))
	}
	return nil
}

// apply returns the words of a form in lower case, or "" if the expansion does
// not fit.
func (e *expansion) apply(form string) string {
	lower := []rune(form)
	switch {
	case !e.fits(lower):
		return ""
	case e.whole():
		return e.words
	}
	return strings.Replace(e.words, stemMark, string(lower[len(e.prefix):len(lower)-len(e.suffix)]), 1)
}

// A splitter holds how multiword tokens are spelled out. It is read-only.
type splitter struct {
	index hash.Map[uint32] // wordKey and affixes -> index of an expansion
	codes []string
	list  []expansion
}

func (s *splitter) layout(l *pack.Layout, name string) {
	l.Nested(name, func(l *pack.Layout) {
		s.index.Layout(l, "index.keys", "index.values")
		l.Strings("expansions", &s.codes)
		pack.Below(l, "index.values", s.index.Values(), len(s.codes))
		for _, code := range s.codes {
			f := strings.Split(code, fieldMark)
			if l.Check("expansions", len(f) == 3, "has an expansion that cannot be read"); !l.Reading() {
				return
			}
			s.list = append(s.list, expansion{[]rune(f[0]), []rune(f[1]), f[2]})
		}
	})
}

func wordKey(word uint64) hash.Key   { return hash.Key1(tableKeys+1, word) }
func affixKey(affix uint64) hash.Key { return hash.Key1(tableKeys+2, affix) }

// A proposal is a token with the expansions that compete for it.
type proposal struct {
	toks []token // of the sentence
	i    int
	norm []rune
	// Hashes of the first and of the last k+1 characters, the last ones read
	// backwards, as far as they leave any.
	prefix, suffix []uint64
	found          []*expansion
}

// readAffixes fills in the affixes of norm.
func (p *proposal) readAffixes(norm []rune) {
	p.norm, p.prefix, p.suffix = norm, p.prefix[:0], p.suffix[:0]
	first, last := uint64(hash.Start), hash.Step(hash.Start, -1)
	for k := range min(maxAffix, len(norm)-1) {
		first, last = hash.Step(first, norm[k]), hash.Step(last, norm[len(norm)-1-k])
		p.prefix, p.suffix = append(p.prefix, hash.Mix(first)), append(p.suffix, hash.Mix(last))
	}
}

// propose finds the expansions of token i of a sentence: the expansion of the
// whole form if known is set and there is one, else the expansions of its
// affixes, the longest first.
func (p *proposal) propose(s *splitter, l *layout, toks []token, i int, known bool) {
	t := &toks[i]
	p.toks, p.i, p.found = toks, i, p.found[:0]
	p.readAffixes(l.norm[t.start:t.end])
	if known {
		p.add(s, wordKey(t.word))
	}
	for k := len(p.suffix) - 1; k >= 0 && (len(p.found) == 0 || !p.found[0].whole()); k-- {
		p.add(s, affixKey(p.suffix[k]))
		p.add(s, affixKey(p.prefix[k]))
	}
}

// add adds the expansion of a key, if there is one that fits.
func (p *proposal) add(s *splitter, key hash.Key) {
	if i, ok := s.index.Find(key); ok && len(p.found) < maxRules {
		if e := &s.list[i]; e.fits(p.norm) && !slices.Contains(p.found, e) {
			p.found = append(p.found, e)
		}
	}
}

// features appends the features of splitting the token by e.
func (p *proposal) features(buf []hash.Key, x *lexicon, e *expansion) []hash.Key {
	t := &p.toks[p.i]
	a, a2, b, b2 := around(p.toks, p.i-1), around(p.toks, p.i-2), around(p.toks, p.i+1), around(p.toks, p.i+2)
	frequency := t.stats.frequency()
	buf = append(buf,
		hash.Key0(splitKeys),
		hash.Key1(mWord+1, t.word), hash.Key2(mWord+2, t.word, t.shape), hash.Key2(mWord+3, t.word, a.word),
		hash.Key2(mWord+4, t.word, b.word),
		hash.Key3(mWord+5, a.word, t.word, b.word), hash.Key2(mWord+6, t.word, a2.word), hash.Key2(mWord+7, t.word, b2.word),
		hash.Key2(mWord+8, t.word, a.suffix), hash.Key2(mWord+9, t.word, b.suffix), hash.Key2(mWord+10, t.word, b.shape),
		hash.Key2(mWord+11, t.word, a.shape), hash.Key3(mWord+12, t.word, a2.word, a.word),
		hash.Key3(mWord+13, t.word, b.word, b2.word),
		hash.Key3(mWord+14, t.word, a.suffix, b.suffix),

		hash.Key1(mContext, t.shape), hash.Key2(mContext+1, t.suffix, a.word), hash.Key2(mContext+2, t.suffix, b.word),
		hash.Key2(mContext+3, t.suffix, b.suffix), hash.Key2(mContext+4, t.suffix, a.suffix),
		hash.Key2(mContext+5, t.suffix, b.shape),
		hash.Key1(mContext+6, frequency), hash.Key2(mContext+7, frequency, t.suffix),
	)
	for k, suffix := range p.suffix {
		buf = append(buf, hash.Key1(mAffix, suffix), hash.Key2(mAffix+1, suffix, b.shape))
		if k < maxAffix/2 {
			buf = append(buf, hash.Key1(mAffix+2, p.prefix[k]))
		}
	}
	if e.whole() {
		return append(buf, hash.Key0(mStem))
	}
	// Whether the rest of the token is a token of its own.
	stem := p.norm[len(e.prefix) : len(p.norm)-len(e.suffix)]
	known := x.look(hash.Runes(stem)).frequency()
	cut := hash.Pair(hash.Runes(e.prefix), hash.Runes(e.suffix))
	last := func(k int) uint64 { return hash.Runes(stem[max(0, len(stem)-k):]) }
	return append(buf, hash.Key1(mStem+1, cut), hash.Key2(mStem+2, cut, known), hash.Key2(mStem+3, known, frequency),
		hash.Key3(mStem+4, cut, known, frequency), hash.Key2(mStem+5, cut, last(1)), hash.Key2(mStem+6, cut, last(2)),
		hash.Key2(mStem+7, cut, last(3)), hash.Key2(mStem+8, cut, uint64(min(len(stem), 8))),
		hash.Key2(mStem+9, cut, t.shape),
		hash.Key2(mStem+10, cut, b.suffix), hash.Key2(mStem+11, cut, b.shape))
}

// expand fills in the words of the multiword tokens of a sentence.
func (w *workspace) expand(m *Model, toks []token, language string) {
	if len(m.split.list) == 0 {
		return
	}
	for i := range toks {
		if toks[i].rule&unsplit == 0 {
			toks[i].words = w.words(m, toks, i)
			switch language {
			case syntax.English:
				if toks[i].isPlural() {
					toks[i].words = nil
				}
			case "hy":
				if words := splitArmenian(w.layout.text(toks[i].span)); words != nil {
					toks[i].words = words
				}
			case "es", "it":
				unseen := toks[i].words == nil && toks[i].stats.frequency() == 0
				if words := splitEnclitics(w.layout.text(toks[i].span), language); len(words) > 2 || unseen {
					toks[i].words = words
				}
			}
		}
	}
}

// maxSplits bounds how often one token is split: couldn't've.
const maxSplits = 3

// words returns the words of token i, or nil if it is one word.
func (w *workspace) words(m *Model, toks []token, i int) []string {
	if words := w.double(m, toks, i); words != nil {
		return words
	}
	e := w.bestSplit(m, toks, i)
	if e == nil {
		return nil
	}
	t, text := toks[i], w.layout.text(toks[i].span)
	words := e.spell(text)
	for range maxSplits {
		if len(words) < 2 || strings.Join(words, "") != text {
			break
		}
		// A first word with an apostrophe, and a last one with two, may be several.
		part, last := span{t.start, t.start + runes(words[0])}, len(words)-1
		at := 0
		switch {
		case strings.ContainsFunc(words[0], isApostrophe):
		case strings.LastIndexFunc(words[last], isApostrophe) > 0:
			at, part = last, span{t.end - runes(words[last]), t.end}
		default:
			at = -1
		}
		if at < 0 {
			break
		}
		toks[i] = newToken(&w.layout, part)
		toks[i].recall(m.lexicon.look(toks[i].word))
		if e = w.bestSplit(m, toks, i); e == nil {
			break
		}
		list := e.spell(words[at])
		if len(list) < 2 {
			break
		}
		words = slices.Replace(words, at, at+1, list...)
	}
	toks[i] = t
	return words
}

// double returns the words of a contraction that is contracted again, such as
// you'd've, or nil if token i is not one. Few treebanks have such a token. So the end
// from the last apostrophe on is split off if it is a word of any multiword token of
// the treebank, and the rest is several words.
func (w *workspace) double(m *Model, toks []token, i int) []string {
	t := toks[i]
	norm := w.layout.norm[t.start:t.end]
	last := len(norm) - 1
	for last > 0 && norm[last] != '\'' {
		last--
	}
	if first := slices.Index(norm, '\''); first <= 0 || first >= last {
		return nil
	}
	w.split.propose(&m.split, &w.layout, toks, i, false)
	at := slices.IndexFunc(w.split.found, func(e *expansion) bool {
		return len(e.prefix) == 0 &&
			slices.Equal(e.suffix, norm[last:])
	})
	if at < 0 {
		return nil
	}
	text := w.layout.text(t.span)
	end := w.split.found[at].spell(text)
	toks[i] = newToken(&w.layout, span{t.start, t.start + int32(last)})
	toks[i].recall(m.lexicon.look(toks[i].word))
	e := w.bestSplit(m, toks, i)
	toks[i] = t
	if e == nil || len(end) != 2 || strings.Join(end, "") != text {
		return nil
	}
	if words := e.spell(end[0]); len(words) > 1 {
		return append(words, end[1])
	}
	return nil
}

// bestSplit returns the expansion of token i, or nil if it is one word.
func (w *workspace) bestSplit(m *Model, toks []token, i int) (by *expansion) {
	best, next := int32(0), int32(-certain)
	w.split.propose(&m.split, &w.layout, toks, i, true)
	for _, e := range w.split.found {
		w.buf = w.split.features(w.buf[:0], &m.lexicon, e)
		if score := m.weights.Score(w.buf); score > best {
			best, next, by = score, best, e
		} else {
			next = max(next, score)
		}
	}
	toks[i].doubt(best - next)
	return by
}

func isApostrophe(r rune) bool { return word.PlainRune(r) == '\'' }

// copyCase gives words in lower case the casing of the form that they spell
// out.
func copyCase(form, lower string, words []string) []string {
	if strings.Join(words, "") == lower {
		rest := form
		for i := range words {
			words[i], rest = head(rest, utf8.RuneCountInString(words[i]))
		}
		return words
	}
	capitals := strings.IndexFunc(form, unicode.IsUpper) < strings.LastIndexFunc(form, unicode.IsUpper) // more than one
	switch first, _ := utf8.DecodeRuneInString(form); {
	case capitals && !strings.ContainsFunc(form, unicode.IsLower):
		for i := range words {
			words[i] = strings.ToUpper(words[i])
		}
	case unicode.IsUpper(first):
		initial, rest := head(words[0], 1)
		words[0] = strings.ToUpper(initial) + rest
	}
	return words
}

// head cuts off the first n characters of s.
func head(s string, n int) (first, rest string) {
	for i := range s {
		if n == 0 {
			return s[:i], s[i:]
		}
		n--
	}
	return s, ""
}
