package segment

import "testing"

// Nothing is cut off units. That pronouns are cut off words is tested with a real model.
func TestFrenchUnits(t *testing.T) {
	for block, want := range map[string]string{
		"Ada sees https://x.org/sauve-la":  "Ada sees https://x.org/sauve-la \n",
		"Ada sees a@dis-moi and #dis-moi.": "Ada sees a@dis-moi and #dis-moi _. \n",
	} {
		list := model(t).Segment(block, Request{Language: "fr"})
		check(t, block, list)
		if got := describe(list); got != want {
			t.Errorf("%s: %q", block, got)
		}
	}
}
