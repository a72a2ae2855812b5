package segment

import "strings"

// dropShare is the share of the sentences of augmented copies that lose their
// final punctuation, which teaches the ends of headings: twice the share that
// has none anyway, within limits. Where the treebank has no headings at all,
// more of them cost a point of sentence F1.
func dropShare(sentences []paragraph) float64 {
	bare := 0
	for _, s := range sentences {
		bare += int(b2u(!endsInPunctuation(s)))
	}
	return max(0.01, min(0.1, 2*float64(bare)/float64(max(1, len(sentences)))))
}

func endsInPunctuation(s paragraph) bool {
	c := classOf([]rune(s[len(s)-1].form)[0])
	return !isWordly(c)
}

// augment returns altered copies of the paragraphs, so that the sentence
// classifier meets layouts that the treebank lacks: other groupings into
// paragraphs, lines wrapped at some width, and now and then a sentence
// without its final punctuation.
func augment(all []paragraph, seed uint64) []paragraph {
	r := random{seed}
	var sentences []paragraph
	for _, p := range all {
		start := 0
		for i := range p {
			if p[i].ends {
				sentences = append(sentences, p[start:i+1])
				start = i + 1
			}
		}
	}
	dropped := dropShare(sentences)
	var out []paragraph
	for len(sentences) > 0 {
		n := min(1+r.below(10), len(sentences))
		var p paragraph
		for _, s := range sentences[:n] {
			s = append(paragraph(nil), s...)
			if k := len(s); k > 2 && r.chance(dropped) && endsInPunctuation(s) {
				s = s[:k-1]
				s[k-2].ends = true
			}
			if k := len(s) - 1; s[k].after == "" {
				s[k].after = " "
			}
			p = append(p, s...)
		}
		sentences = sentences[n:]
		if r.chance(0.7) {
			wrap(p, int32(40+r.below(60)), &r)
		}
		out = append(out, p)
	}
	return out
}

// wrap breaks the lines of a paragraph at a width, as an editor does, and
// sometimes at a sentence end before that.
func wrap(p paragraph, width int32, r *random) {
	early := 0.0
	if r.chance(0.2) {
		early = 0.5
	}
	line := int32(0)
	for i := range p {
		line += int32(runeCount(p[i].form))
		if p[i].after == "" || i+1 == len(p) {
			continue
		}
		next := int32(1)
		for j := i + 1; j < len(p); j++ {
			first, _, spaced := strings.Cut(p[j].form, " ")
			next += int32(runeCount(first))
			if spaced || p[j].after != "" {
				break
			}
		}
		if line+next > width || p[i].ends && r.chance(early) {
			p[i].after = "\n"
			line = 0
		} else {
			line++
		}
	}
}
