package transforms_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/transforms"
)

// What travels of a list says what the file says, whatever that holds, and is the
// same when it is read again.
func TestCustomTextsTravel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	pieces := []string{"a", "b", "#", " ", "\t", "\n", "\n", "\r", "\ufeff", "\u00a0", "_", "NOUN", "\tX\t", "\u2028", "\x00", "\x85", "\xff", "# ", "."}
	accepted := [3]int{}
	for range 30_000 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		for list := range accepted {
			if travels(t, list, b.String()) {
				accepted[list]++
			}
		}
	}
	if slices.Min(accepted[:]) < 1000 {
		t.Errorf("only %d texts could be used", accepted)
	}
}

// travels checks a text, and reports whether it is a list.
func travels(t *testing.T, list int, text string) bool {
	plain, err := transforms.PlainList(list, []byte(text))
	if err != nil {
		return false
	}
	again, err := transforms.PlainList(list, []byte(plain))
	if err != nil || again != plain {
		t.Fatalf("list %d: %q becomes %q, %v", list, plain, again, err)
	}
	said := func(text string) *model.Lists {
		texts := [3]transforms.CustomTexts{{Abbreviations: text}, {KeepTogether: text}, {Exceptions: text}}
		l, err := texts[list].Lists()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	got, want := said(plain), said(text)
	// The order of the first two changes nothing, nor do repetitions.
	if !slices.Equal(got.Exceptions, want.Exceptions) || !sameStrings(got.Abbreviations, want.Abbreviations) || !sameStrings(got.KeepTogether, want.KeepTogether) {
		t.Fatalf("list %d: %q says %+v, what travels %+v", list, text, *want, *got)
	}
	return true
}

func sameStrings(a, b []string) bool {
	set := func(list []string) map[string]bool {
		m := map[string]bool{}
		for _, s := range list {
			m[s] = true
		}
		return m
	}
	return maps.Equal(set(a), set(b))
}
