package nightly

import "testing"

// A state whose files --dedup would leave out says so when it refuses.
func TestDedupOfKnownFiles(t *testing.T) {
	c := newCorpus(t, 1)
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		c.write(name, "One .\n")
	}
	c.mustNight(c.options())
	o := c.options()
	o.Dedup, o.AllowDeletes = true, false
	c.refused(o, "2 of 3 documents would disappear", "--dedup leaves out 2 of them", "--allow-deletes")
	c.remove("b.txt")
	c.refused(o, "2 of 3 documents would disappear", "--dedup leaves out 1 of them")
}
