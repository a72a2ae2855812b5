package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/cluster"
	"github.com/treebeam/treebeam/parser/tally"
	"github.com/treebeam/treebeam/transforms"
)

// Ranges that are counted are not read again, and the others are; the counts are
// those of all of the text, as it is read in one process.
func TestCountContinues(t *testing.T) {
	dir := write(t, map[string]string{"a.txt": prose(300), "b.txt": prose(40)})
	out := filepath.Join(t.TempDir(), "out")
	o := options(dir, out)
	var sentences [][]string
	counted, err := EachSentence(context.Background(), o, func(words []string) error {
		sentences = append(sentences, slices.Clone(words))
		return nil
	})
	if err != nil || counted.Sentences != int64(len(sentences)) || len(sentences) < 900 {
		t.Fatal(err, counted, len(sentences))
	}
	want := cluster.CountSentences(sentences, 2, 100)
	o.RangeBytes = 4000
	limits := tally.Limits{Least: 2, Words: 100, Bigrams: 10000}
	count := func() (*Prepared, int64) {
		t.Helper()
		before := transforms.Progress.Written.Load()
		p, err := Prepare(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		got, n, err := Count(context.Background(), p, limits)
		if err != nil {
			t.Fatal(err)
		}
		if n.Words != counted.Words || n.Sentences != counted.Sentences || n.Failures != 0 || n.Runs < p.Job.Ranges-2 {
			t.Fatalf("counted %+v in %d ranges, want %+v", n, p.Job.Ranges, counted)
		}
		slices.SortFunc(got.Bigrams, func(a, b cluster.Bigram) int { return int(a.A-b.A)<<16 + int(a.B-b.B) })
		if !reflect.DeepEqual(&got.Counts, want) {
			t.Fatalf("counted %v, want %v", got.Counts, want)
		}
		return p, transforms.Progress.Written.Load() - before
	}
	p, written := count()
	if written != int64(p.Job.Ranges) || written < 5 {
		t.Fatalf("%d of %d ranges were counted", written, p.Job.Ranges)
	}
	lost, err := filepath.Glob(filepath.Join(out, transforms.CountsDir, "*-00000[13].json"))
	if err != nil || len(lost) != 2 {
		t.Fatal(lost, err)
	}
	for _, name := range lost {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	name := strings.Replace(lost[0], "-000001.json", "-000002.json", 1) // one digit of it is another: a run fewer
	data, err := os.ReadFile(name)
	if fewer := strings.Replace(string(data), `"runs":1`, `"runs":0`, 1); err != nil || fewer == string(data) || os.WriteFile(name, []byte(fewer), 0o644) != nil {
		t.Fatal(name, err, string(data))
	}
	p, written = count()
	if written != 3 {
		t.Fatalf("%d ranges were counted again, 2 were lost and 1 was damaged", written)
	}
	if err := os.WriteFile(filepath.Join(out, "note"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := p.RemoveCounts(context.Background()); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(out)
	if err != nil || len(left) != 1 || left[0].Name() != "note" {
		t.Fatal(left, err)
	}
}

// Without what another range has, there are no counts.
func TestCountNamesWhatIsLost(t *testing.T) {
	dir := write(t, map[string]string{"a.txt": prose(100)})
	o := options(dir, filepath.Join(t.TempDir(), "out"))
	p, err := Prepare(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, _, err := Count(context.Background(), p, tally.Limits{Least: 1, Words: 10, Bigrams: 10}); err != nil {
		t.Fatal(err)
	}
	name := transforms.CountsPath(&p.Job, 0, 0)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	changed := slices.Clone(data)
	changed[len(changed)-1] ^= 1 // how often the last pair occurs
	for _, damaged := range [][]byte{data[:len(data)/2], changed} {
		if err := os.WriteFile(name, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if p, err = Prepare(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		_, _, err := Count(context.Background(), p, tally.Limits{Least: 1, Words: 10, Bigrams: 10})
		if p.Close(); !errors.Is(err, tally.ErrDamaged) || !strings.Contains(err.Error(), "remove "+o.Output) {
			t.Fatalf("%d of %d bytes of %s: %v", len(damaged), len(data), name, err)
		}
	}
}

// Sentences come in the order of the inputs, of which standard input is one.
func TestEachSentenceInOrder(t *testing.T) {
	t.Chdir(write(t, map[string]string{"!first.txt": "One .\n", "last.txt": "Three .\n"}))
	o := options("", "")
	o.Inputs, o.Stdin = []string{"!first.txt", "-", "last.txt"}, strings.NewReader("Two .\n")
	var got []string
	if _, err := EachSentence(t.Context(), o, func(words []string) error {
		got = append(got, words[0])
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"One", "Two", "Three"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What is left of a job that was ended before it had counted anything does not keep it
// from beginning again.
func TestCheckCountsOfAnEarlyEnd(t *testing.T) {
	b := s3Bucket(t)
	for _, out := range []string{filepath.Join(t.TempDir(), "out"), b.uri + "/early"} {
		put := func(name string) {
			t.Helper()
			if err := output.WriteFile(t.Context(), out, name, []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		put(output.OwnDir + "/running.json")
		if err := CheckCounts(t.Context(), out); err != nil {
			t.Error(err)
		}
	}
}

// Counts in a bucket are those of a disk, and nothing is left of them.
func TestCountInBucket(t *testing.T) {
	dir := write(t, map[string]string{"a.txt": prose(120)})
	b := s3Bucket(t)
	o := options(dir, filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = 3000
	count := func() *tally.Merged {
		t.Helper()
		if err := CheckCounts(t.Context(), o.Output); err != nil {
			t.Fatal(err)
		}
		p, err := Prepare(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		got, _, err := Count(t.Context(), p, tally.Limits{Least: 1, Words: 100, Bigrams: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckCounts(t.Context(), o.Output); err != nil {
			t.Fatal(err)
		}
		if err := p.RemoveCounts(t.Context()); err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := count()
	o.Output = b.uri + "/counts/"
	if got := count(); !reflect.DeepEqual(got, want) {
		t.Fatalf("counted %v, on a disk %v", got, want)
	}
	if left := objects(t, b.uri+"/counts"); len(left) != 0 {
		t.Fatal(left)
	}
	b.upload(t, dir, "counts")
	if err := CheckCounts(t.Context(), o.Output); err == nil {
		t.Fatal("a folder with other files is no error")
	}
}
