package segment

import (
	"slices"
	"strings"
	"testing"
)

func TestMarksOfTreebanksWithSpaces(t *testing.T) {
	w := &workspace{}
	for block, want := range map[string]string{
		"qua, (nay) đẹp! “chào”, v.v. là đồng/năm.": "qua|,|(|nay|)|đẹp|!|“|chào|”|,|v.v.|là|đồng/năm|.",
		"a... [“b”]? :) ( 3,5 https://x.org/a_(b)":  "a|...|[|“|b|”|]|?|:)|(|3,5|https://x.org/a_(b)",
		"((( ...":             "(((|...",
		"\xabx\x9d \x80y\xe2": "\xabx\x9d|\x80y\xe2", // bytes of marks are no marks
	} {
		w.layout.read(block)
		w.tokens = w.tokens[:0]
		for _, s := range w.layout.chunks {
			w.tokens = append(w.tokens, newToken(&w.layout, s))
		}
		w.splitMarks(model(t), everyMark)
		var got []string
		for _, x := range w.tokens {
			got = append(got, w.layout.text(x.span))
		}
		if !slices.Equal(got, strings.Split(want, "|")) {
			t.Errorf("%s: %q", block, got)
		}
	}
	block := "(Ada) sees. [Bob], v.v."
	for _, language := range []string{"vi", "te", "el", ""} {
		check(t, block, model(t).Segment(block, Request{Language: language}))
	}
}

func TestEndsOfJapanese(t *testing.T) {
	w := &workspace{}
	for block, want := range map[string]string{
		"島 である 。 首都 は ！ ？ 人口 。": "島である。|首都は！？|人口。",
		"彼女 は 「 嫌 。 」 と 。 はい 。": "彼女は「嫌。」と。|はい。",
		"彼 は 「 まだ 。 行か ない":      "彼は「まだ。|行かない",
		"」 。 。 （ 。":             "」。。|（。",
	} {
		tokens := strings.Fields(block)
		w.layout.read(strings.Join(tokens, ""))
		w.tokens = w.tokens[:0]
		at := int32(0)
		for _, form := range tokens {
			w.tokens = append(w.tokens, newToken(&w.layout, span{at, at + runes(form)}))
			at += runes(form)
		}
		w.layout.setGaps(w.tokens)
		got := ""
		ends := w.endsInJapanese()
		w.cut(model(t), "ja", Portion{})
		for i, end := range ends {
			if got += tokens[i]; end {
				got += "|"
			}
			if end && w.tokens[i].last != ofSentence {
				t.Errorf("%s: the end behind token %d is not obeyed", block, i)
			}
		}
		if got != want {
			t.Errorf("%s: %s", block, got)
		}
	}
}
