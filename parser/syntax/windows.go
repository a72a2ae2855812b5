package syntax

// Sentences of more than MaxWholeWords words are searched in windows.
const (
	MaxWholeWords = 1000 // up to here a sentence is searched whole
	windowWords   = 100
	aroundWindow  = 50
)

// A Window is words Lo+1..Hi of a long sentence. Its middle is words From+1..To, for
// which results are kept; the others are context.
type Window struct{ Lo, From, To, Hi int }

// Whole reports whether the sentence is searched whole, and not in windows.
func (s *Sentence) Whole() bool { return len(s.Words) <= MaxWholeWords }

// Windows returns the windows of a sentence. Every word is in the middle of one window
// and has 50 words of context or more on both sides, as far as the sentence goes. A
// middle has at most 100 words. It ends after the last sentence-final mark in its
// second half, or else after the last punctuation mark there. Typographic variants of a
// mark count as the mark (word.Plain, which this package cannot import).
func (s *Sentence) Windows() (list []Window) {
	n := len(s.Words)
	for from := 0; from < n; {
		to := min(from+windowWords, n)
		if to < n {
			to = s.cut(from+windowWords/2, to)
		}
		list = append(list, Window{max(from-aroundWindow, 0), from, to, min(to+aroundWindow, n)})
		from = to
	}
	return list
}

func (s *Sentence) cut(from, to int) int {
	soft := to
	for i := to; i > from; i-- {
		switch s.Words[i-1].Form {
		case ".", "!", "?", ";", "...", "…", "。":
			return i
		case ",", ":", ")", "-", "‐", "‑", "‒", "–", "−", "--", "—", "―":
			if soft == to {
				soft = i
			}
		}
	}
	return soft
}

// Window returns words lo+1..hi as a sentence, with the candidates and dense scores
// inside it, if there are any. The root stays a candidate, and heads are renumbered.
// The result is a copy without a memo: changing it does not change s.
func (s *Sentence) Window(lo, hi int) Sentence {
	w := Sentence{Words: append([]Word(nil), s.Words[lo:hi]...), Status: s.Status,
		Dense: s.Dense.window(len(s.Words), lo, hi)}
	if len(s.Candidates.Start) == 0 {
		return w
	}
	c := &w.Candidates
	if s.Candidates.Lost != nil {
		c.Lost = s.Candidates.Lost[lo:hi:hi]
	}
	c.Start = append(c.Start, 0)
	for m := lo + 1; m <= hi; m++ {
		for a := s.Candidates.Start[m-1]; a < s.Candidates.Start[m]; a++ {
			h := s.Candidates.Heads[a]
			switch {
			case h == Root:
			case int(h) <= lo || int(h) > hi:
				continue
			default:
				h -= int32(lo)
			}
			c.Heads = append(c.Heads, h)
			c.LogOdds = append(c.LogOdds, s.Candidates.LogOdds[a])
		}
		c.Start = append(c.Start, int32(len(c.Heads)))
	}
	return w
}

// window returns the scores of words lo+1..hi of n, the root before them.
func (d *Dense) window(n, lo, hi int) (w Dense) {
	w.Network = d.Network
	if len(d.Arcs) > 0 {
		row := func(h int) {
			w.Arcs = append(w.Arcs, d.Arcs[h*(n+1)])
			w.Arcs = append(w.Arcs, d.Arcs[h*(n+1)+lo+1:h*(n+1)+hi+1]...)
		}
		row(Root)
		for h := lo + 1; h <= hi; h++ {
			row(h)
		}
	}
	if k := len(d.Labels) / max(n, 1); k > 0 {
		w.Labels = d.Labels[lo*k : hi*k : hi*k]
	}
	if k := len(d.Tags) / max(n, 1); k > 0 {
		w.Tags = d.Tags[lo*k : hi*k : hi*k]
	}
	if k := len(d.Feats) / max(n, 1); k > 0 {
		w.Feats = d.Feats[lo*k : hi*k : hi*k]
	}
	w.Vectors, w.Scales = rows(d.Vectors, n, lo, hi), rows(d.Scales, n, lo, hi)
	return w
}

// rows returns those of the root and of words lo+1..hi of an array with as many
// elements for each of the root and n words.
func rows[T any](list []T, n, lo, hi int) []T {
	k := len(list) / (n + 1)
	if k == 0 {
		return nil
	}
	return append(list[:k:k], list[(lo+1)*k:(hi+1)*k]...)
}
