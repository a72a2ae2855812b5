package segment

import (
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/hash"
)

// augment returns altered copies of the paragraphs, so that the sentence
// classifier sees layouts that the treebank lacks: other groupings into
// paragraphs, lines wrapped at some width, and now and then a sentence without
// its final punctuation, which teaches the ends of headings. Their share is
// twice the share of such sentences in the treebank, within limits: where the
// treebank has no headings at all, more of them lower sentence F1. A space joins the
// sentences, but not behind punctuation if most tokens of the treebank have none behind them.
//
// weight is the weight of their instances. It is lower where the treebank marks
// its real paragraphs; where it does not, the copies are nearer to real text.
func augment(all []paragraph, seed uint64) (copies []paragraph, weight float32) {
	r := hash.Rand(seed)
	var sentences []paragraph
	bare, tokens, joined := 0, 0, 0
	for _, p := range all {
		start := 0
		for i := range p {
			if tokens++; p[i].after == "" {
				joined++
			}
			if !p[i].ends {
				continue
			}
			sentences = append(sentences, p[start:i+1])
			if start = i + 1; !endsInPunctuation(p[:start]) {
				bare++
			}
		}
	}
	if weight = 0.3; len(sentences) > 10*len(all) {
		weight = 1
	}
	dropped := max(0.01, min(0.1, 2*float64(bare)/float64(max(1, len(sentences)))))
	for len(sentences) > 0 {
		n := min(1+int(r.Below(10)), len(sentences))
		var p paragraph
		for _, s := range sentences[:n] {
			p = append(p, s...)
			last := len(p) - 1
			if len(s) > 2 && r.Float() < dropped && endsInPunctuation(s) {
				p, last = p[:last], last-1
				p[last].ends = true
			}
			if 2*joined > tokens && endsInPunctuation(p) { // as in Japanese
				p[last].after = ""
			} else if p[last].after == "" {
				p[last].after = " "
			}
		}
		sentences = sentences[n:]
		if r.Float() < 0.7 {
			wrap(p, int32(40+r.Below(60)), &r)
		}
		copies = append(copies, p)
	}
	return copies, weight
}

func endsInPunctuation(s paragraph) bool {
	first, _ := utf8.DecodeRuneInString(s[len(s)-1].form)
	return !isWordly(classOf(first))
}

// wrap breaks the lines of a paragraph at a width, as an editor does, and
// sometimes at a sentence end before that.
func wrap(p paragraph, width int32, r *hash.Rand) {
	early := 0.0
	if r.Float() < 0.2 {
		early = 0.5
	}
	line := int32(0)
	for i := range p {
		line += runes(p[i].form)
		if p[i].after == "" || i+1 == len(p) {
			continue
		}
		next := int32(1)
		for j := i + 1; j < len(p); j++ {
			first, _, spaced := strings.Cut(p[j].form, " ")
			next += runes(first)
			if spaced || p[j].after != "" {
				break
			}
		}
		if line+next > width || p[i].ends && r.Float() < early {
			p[i].after = "\n"
			line = 0
		} else {
			line++
		}
	}
}
