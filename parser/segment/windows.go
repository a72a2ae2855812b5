package segment

import (
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// windowTokens is how many tokens of a paragraph an encoder reads at once to find where
// sentences begin.
const windowTokens = 64

// startsHere is in MISC of the first token of a sentence in a window of a treebank.
const startsHere = "Starts=Yes"

// IsStart reports whether a token of Windows is the first one of its sentence.
func IsStart(w *syntax.Word) bool { return strings.HasPrefix(w.Misc, startsHere) }

// Windows returns windows of the paragraphs of a treebank that have several sentences: up to
// 64 consecutive tokens each, wherever a sentence begins or ends. The words of a window are
// tokens, as Segment has them before it splits any. They have neither trees nor tags. Together
// the windows have all tokens.
func Windows(treebank []syntax.Sentence) (out []syntax.Sentence) {
	for _, p := range paragraphs(treebank) {
		n, ends := len(p), 0
		for i := range p {
			if p[i].ends {
				ends++
			}
		}
		if ends < 2 {
			continue
		}
		for from := 0; from < n; from += windowTokens {
			first := max(0, min(from, n-windowTokens))
			var s syntax.Sentence
			for i := first; i < min(first+windowTokens, n); i++ {
				w := windowWord(p[i].form, p[i].after != "")
				if i == 0 || p[i-1].ends {
					w.Misc = strings.TrimSuffix(startsHere+"|"+w.Misc, "|")
				}
				s.Words = append(s.Words, w)
			}
			out = append(out, s)
		}
	}
	return out
}

// windowWord is a token in a window.
func windowWord(form string, space bool) syntax.Word {
	w := syntax.Word{Form: form, Head: syntax.NoHead}
	if !space {
		w.Misc = "SpaceAfter=No"
	}
	return w
}

// Starts appends to dst, for each token of each window, the log-odds that it begins a
// sentence, in units of 1/score.Unit nat (encode.Model.Starts). Starts is deterministic and safe for concurrent use.
type Starts = func(dst []int32, windows []*syntax.Sentence) []int32

// Starts are asked where the log-odds of the sentence classifier are within unsure, but not
// between lines, and not behind a mark that begins a line (of a list, a heading): no window
// of a treebank has a line break. A window has context tokens on both sides of the gaps that it is
// read for, or as many as Starts depend on.
const (
	unsure  = 3 * unit
	context = 16
)

// mostWindows are how many windows are read at once.
const mostWindows = 8

// askStarts fills w.starts after a first cut, and reports whether there is anything to ask.
func (w *workspace) askStarts(r *Request) bool {
	toks, around := w.tokens, context
	if r.Reach > 0 {
		around = min(r.Reach+1, context) // the tokens of the gap are two of them
	}
	asks := func(i int) bool {
		mark := toks[i].role&roleWord == 0 && (i == 0 || toks[i-1].gap >= gapNewline)
		return !mark && toks[i].gap < gapNewline && toks[i].score >= -unsure && toks[i].score <= unsure
	}
	var windows []*syntax.Sentence
	var at []span // of the tokens of windows
	var odds []int32
	ask := func() {
		odds = r.Starts(odds[:0], windows)
		n := 0
		for _, s := range at {
			for i := s.start; i < s.end; i++ {
				if i > 0 && asks(int(i-1)) && n < len(odds) {
					w.starts[i-1] = odds[n]
				}
				n++
			}
		}
		windows, at = windows[:0], at[:0]
	}
	for i := 0; i < len(toks)-1; i++ {
		if !asks(i) {
			continue
		}
		if len(w.starts) == 0 {
			w.starts = append(w.starts, make([]int32, len(toks))...)
		}
		last := i
		for j := i + 1; j < len(toks)-1 && j <= min(i+windowTokens-2*around, last+2*around); j++ {
			if asks(j) {
				last = j
			}
		}
		s := span{int32(max(0, i+1-around)), int32(min(len(toks), last+1+around))}
		windows, at = append(windows, w.window(s)), append(at, s)
		if len(windows) == mostWindows {
			ask()
		}
		i = last
	}
	if len(windows) > 0 {
		ask()
	}
	return len(odds) > 0 // a model may know nothing of starts
}

// window returns some tokens as a window.
func (w *workspace) window(s span) *syntax.Sentence {
	out := &syntax.Sentence{}
	for i := s.start; i < s.end; i++ {
		t := &w.tokens[i]
		out.Words = append(out.Words, windowWord(w.layout.text(t.span), t.gap != gapNone))
	}
	return out
}
