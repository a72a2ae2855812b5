package text

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

func TestPlace(t *testing.T) {
	rd, err := NewReader(strings.NewReader("\n  One.\nTw\xffo. Three."), Layout{Encoding: "utf-8", Newline: '\n', Lines: Wrapped, Cuttable: true}, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := rd.Next()
	if err != nil {
		t.Fatal(err)
	}
	cut := func(spans ...[2]int) (list []syntax.Sentence) {
		for _, s := range spans {
			list = append(list, syntax.Sentence{Text: b.Text[s[0]:s[1]], StartByte: int64(s[0]), EndByte: int64(s[1])})
		}
		return list
	}
	one, two, three := [2]int{0, 4}, [2]int{5, 12}, [2]int{13, 19}
	got := cut(one, two, three)
	if err := b.Place(got, Wrapped); err != nil {
		t.Fatal(err)
	}
	for i, want := range []syntax.Sentence{
		{StartByte: 3, EndByte: 7, Line: 2},
		{StartByte: 8, EndByte: 13, Line: 3, Status: syntax.Repaired},
		{StartByte: 14, EndByte: 20, Line: 3},
	} {
		s := &got[i]
		if s.StartByte != want.StartByte || s.EndByte != want.EndByte || s.Line != want.Line || s.Status != want.Status {
			t.Errorf("sentence %d: %+v, want %+v", i, s, want)
		}
	}
	for what, list := range map[string][]syntax.Sentence{
		`"One."`:       cut(two, three),
		`"Three."`:     cut(one, two),
		"the order of": cut(one, one, two, three),
	} {
		if err := b.Place(list, Wrapped); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("without %s: %v", what, err)
		}
	}
	b.Cut = true
	got = cut(one, two, three)
	if err := b.Place(got, Sentence); err != nil || got[0].Status != syntax.Long || got[1].Status != syntax.Repaired {
		t.Errorf("a line that was cut: %v, %v, %v", got[0].Status, got[1].Status, err)
	}
}
