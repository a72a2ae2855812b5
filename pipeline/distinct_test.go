package pipeline

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/treebeam/treebeam/io/source"
)

// Of files with the same bytes the first is kept, as comparing their bytes says; what is
// known is not read.
func TestDistinct(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(7, 7))
	content := map[string]string{}
	for i := range 60 {
		text := make([]byte, rng.IntN(4)) // few sizes and bytes: many are the same
		for k := range text {
			text[k] = 'a' + byte(rng.IntN(2))
		}
		name := filepath.Join(dir, fmt.Sprintf("%02d.txt", i))
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		content[name] = string(text)
	}
	inputs, err := source.List(t.Context(), []string{dir}, source.ListOptions{})
	if err != nil || len(inputs) != 60 {
		t.Fatal(len(inputs), err)
	}
	var kept []source.Input
	var left []Duplicate
	first := map[string]string{}
	for _, in := range inputs {
		if of, there := first[content[in.URI]]; there {
			left = append(left, Duplicate{in.URI, of})
			continue
		}
		first[content[in.URI]] = in.URI
		kept = append(kept, in)
	}
	gotKept, gotLeft, err := Distinct(t.Context(), inputs, nil)
	if err != nil || !reflect.DeepEqual(gotKept, kept) || !reflect.DeepEqual(gotLeft, left) {
		t.Errorf("%v\nkept %v\nleft %v\nwant %v", err, gotKept, gotLeft, left)
	}
	known := map[string]string{}
	for i := range inputs {
		known[inputs[i].URI] = fmt.Sprint("content ", i)
	}
	if all, none, err := Distinct(t.Context(), inputs, known); err != nil || len(all) != 60 || none != nil {
		t.Errorf("known to differ: %d kept, %v, %v", len(all), none, err)
	}
	gone := []source.Input{{URI: filepath.Join(dir, "gone"), Size: 1}, {URI: filepath.Join(dir, "lost"), Size: 1}}
	if all, none, err := Distinct(t.Context(), gone, nil); err != nil || len(all) != 2 || none != nil {
		t.Errorf("unreadable: %v %v, %v", all, none, err)
	}
}
