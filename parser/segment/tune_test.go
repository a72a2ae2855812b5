package segment

import (
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// notes are sentences of which some have a colon before a capital; if ended, one
// ends there.
func notes(n int, ended bool) (list []syntax.Sentence) {
	g := &tongue{21}
	for i := range n {
		list = append(list, g.sentence())
		if i%3 > 0 {
			continue
		}
		who, what, object := g.pick("Note Remember Warning"), g.pick("Ada Bela Cora"), g.pick("pears boats clouds")
		if ended {
			list = append(list, gold(who, "_:"), gold(what, "sees", object, "_."))
		} else {
			list = append(list, gold(who, "_:", what, "sees", object, "_."))
		}
	}
	list[0].Comments = []string{"# newpar"}
	return list
}

// What ends behind a colon in training ends there if dev has it so, too.
func TestColonsAreTunedOnDev(t *testing.T) {
	for _, c := range []struct {
		dev, small bool
		want       int
	}{{true, false, 2}, {false, false, 1}, {true, true, 2}, {false, true, 1}} {
		m, err := Train(notes(200, true), notes(30, c.dev), Options{Seed: 1, Small: c.small})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Segment("Note: Ada sees pears.", Request{}); len(got) != c.want {
			t.Errorf("dev ends sentences behind colons: %v; the model finds %d, want %d", c.dev, len(got), c.want)
		}
		if got := m.Segment("Ada sees pears. Note:\nBela sees boats.", Request{}); len(got) < 2 {
			t.Errorf("dev ends sentences behind colons: %v; %s", c.dev, describe(got))
		}
	}
}
