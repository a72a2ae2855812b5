package piece

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Words of "Au lait, du lait" (Au = À le, du = de le): a space stands before
// tokens, and not before a comma or inside of a token.
func TestSentenceSpaces(t *testing.T) {
	s := syntax.Sentence{
		Words: []syntax.Word{{Form: "À"}, {Form: "le"}, {Form: "lait", Misc: "X=Y|SpaceAfter=No"}, {Form: ","}, {Form: "de"}, {Form: "le"}, {Form: "lait"}},
		MWTs:  []syntax.MultiwordToken{{First: 1, Last: 2, Form: "Au"}, {First: 5, Last: 6, Form: "du", Misc: "SpaceAfter=No"}},
	}
	v := tiny()
	ids, ends := v.Sentence([]int32{7}, nil, &s)
	var want []int32
	at := []int32{7}
	for i, space := range []bool{true, false, true, false, true, false, false} {
		at = v.Word(at, s.Words[i].Form, space)
		want = append(want, int32(len(at)))
	}
	if !slices.Equal(ids, at) || !slices.Equal(ends, want) {
		t.Errorf("got %v, ends %v; want %v, ends %v", ids, ends, at, want)
	}
}
