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
		dev  bool
		want int
	}{{true, 2}, {false, 1}} {
		m, err := Train(notes(200, true), notes(30, c.dev), Options{Seed: 1})
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

func TestContractionsOfContractions(t *testing.T) {
	var list []syntax.Sentence
	for i := range 60 {
		who := []string{"I", "You", "We", "They"}[i%4]
		list = append(list, gold(who+"+"+[]string{"'d", "'ve", "'ll"}[i%3], "seen", "pears", "_."), gold("Boats", "are", "here", "_."))
	}
	m, err := Train(list, nil, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"You'd've seen pears.": "You+'d+'ve seen pears _. \n",
		"We’d’ve seen pears.":  "We+’d+’ve seen pears _. \n",
		"I'll've seen pears.":  "I+'ll+'ve seen pears _. \n",
		"O'x've seen pears.":   "O'x+'ve seen pears _. \n",
	} {
		if got := describe(m.Segment(text, Request{})); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
