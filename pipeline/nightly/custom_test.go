package nightly

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A night with other lists is refused, with lists that say the same it is not, and
// what Plan has read is what Run uses.
func TestCustom(t *testing.T) {
	c := newCorpus(t, 7)
	c.write("a.txt", "File 1 .\n")
	path := filepath.Join(t.TempDir(), "exceptions.tsv")
	write := func(text string) { c.must(os.WriteFile(path, []byte(text), 0o644)) }
	o := c.options()
	o.Custom.Exceptions = path
	write("File\tX\tseveral\n")
	c.mustNight(o)
	if n := strings.Count(c.rows(), "several"); n == 0 {
		t.Fatal("the exceptions have no effect: the test sees nothing")
	}
	write("# the same\nFile\tX\tseveral")
	if n, _ := c.mustNight(o); !n.Idle() {
		t.Errorf("the same lists make other rows: %s", n.Account())
	}
	write("File\tX\tmany\n")
	c.refused(o, "was made differently", "--exceptions: was digest ", "--all")
	o.Custom.Exceptions = ""
	c.refused(o, "--exceptions: was digest ", "is the default")
	o.Custom.Exceptions = filepath.Join(t.TempDir(), "none")
	c.refused(o, "--exceptions ", "no such file")

	o.Custom.Exceptions, o.All = path, true
	night, err := Plan(t.Context(), o)
	c.must(err)
	write("File\tX\tfew\n")
	_, err = night.Run(t.Context(), c.watch)
	c.must(err)
	if rows := c.rows(); !strings.Contains(rows, "many") || strings.Contains(rows, "few") || strings.Contains(rows, "several") {
		t.Error("the run has other exceptions than its plan")
	}
}
