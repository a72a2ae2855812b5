package nightly

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
)

// A state and its input in an object store: nights, a race that CURRENT's
// generation decides, a compaction and what it leaves.
func TestObjectStore(t *testing.T) {
	memory := &storetest.Memory{}
	store.Register("mem", func(context.Context) (store.Store, error) { return memory, nil })
	c := newCorpus(t, 1)
	c.dir, c.state = "mem://bucket/in", "mem://bucket/state"
	put := func(name, content string) { memory.Put("mem://bucket/in/"+name, []byte(content)) }
	for i := range 8 {
		put(fmt.Sprintf("%d.txt", i), fmt.Sprintf("File %d . Its end .\n", i))
	}
	c.mustNight(c.options())
	c.check("the first night")
	if n, _ := c.mustNight(c.options()); !n.Idle() {
		t.Errorf("without changes: %v", n.Counts)
	}
	put("3.txt", "Quite another text .\n")
	put("4.txt", "File 4 . Its end .\n") // another generation, the same bytes
	put("new.txt", "New .\n")
	first, err := Plan(context.Background(), c.options())
	c.must(err)
	if first.Counts[Changed] != 1 || first.Counts[New] != 1 || first.Touched != 1 {
		t.Errorf("decided %v, %d touched", first.Counts, first.Touched)
	}
	put("newer.txt", "Newer .\n")
	second, err := Plan(context.Background(), c.options())
	c.must(err)
	// The second night replaces CURRENT just before the first one would.
	between = func(step string) error {
		if step != "snapshot" {
			return nil
		}
		between = nil
		_, err := second.Run(context.Background(), nil)
		return err
	}
	var conflict *Conflict
	if _, err := first.Run(context.Background(), nil); !errors.As(err, &conflict) {
		t.Fatalf("got %v", err)
	}
	c.check("the second night won")
	done, err := Compact(context.Background(), CompactOptions{State: c.state})
	if err != nil || done.Merged != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	c.check("compacted")
	removed, err := Prune(context.Background(), c.state, 1)
	c.must(err)
	if got := strings.Join(removed, "\n"); strings.Count(got, "snapshots/") != 3 || strings.Count(got, "data/") != 3 {
		t.Errorf("removed\n%s", got)
	}
	for info, err := range memory.List(context.Background(), "mem://bucket/state/data/") {
		if err != nil || !strings.Contains(info.Name, done.Run) {
			t.Errorf("%s is left, %v", info.Name, err)
		}
	}
	c.check("pruned")
}
