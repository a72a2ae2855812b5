package tally

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/cluster"
	"github.com/treebeam/treebeam/parser/hash"
)

// toy is text of a few words.
func toy(seed uint64, words, sentences int) (list [][]string) {
	r := hash.Rand(seed)
	for range sentences {
		var s []string
		for range 1 + r.Below(6) {
			s = append(s, fmt.Sprintf("w%d", r.Below(1+r.Below(uint32(words)))))
		}
		list = append(list, s)
	}
	return list
}

// opened are runs that Merge may read.
func opened(runs [][]byte) (list []func() (io.ReadCloser, error)) {
	for _, r := range runs {
		list = append(list, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r)), nil })
	}
	return list
}

// runsOf cuts a text into parts at random, and each of those into runs of so many
// bigrams.
func runsOf(text [][]string, parts uint32, limit int, r *hash.Rand) (runs [][]byte) {
	tallies := make([]Tally, parts)
	for i := range tallies {
		tallies[i].limit = limit
	}
	for _, s := range text {
		t := &tallies[r.Below(parts)]
		t.Add(s)
		if t.Full() {
			runs = append(runs, t.Run())
		}
	}
	for i := range tallies {
		runs = append(runs, tallies[i].Run())
	}
	return runs
}

func TestMergeAddsUpAnyRuns(t *testing.T) {
	r := hash.Rand(1)
	for seed := range uint64(40) {
		text := toy(seed, 3+int(seed), 10+20*int(seed))
		least, most := int64(1+seed%3), 2+int(seed)
		want := cluster.CountSentences(text, least, most)
		for _, parts := range []uint32{1, 2, 9} {
			for _, limit := range []int{0, 1, 10} {
				got, err := Merge(opened(runsOf(text, parts, limit, &r)), Limits{least, most, MaxBigrams})
				if err != nil {
					t.Fatal(err)
				}
				slices.SortFunc(got.Bigrams, func(a, b cluster.Bigram) int {
					return int(a.A-b.A)<<16 + int(a.B-b.B)
				})
				if fmt.Sprint(got.Counts) != fmt.Sprint(*want) || got.Rare != 0 {
					t.Fatalf("seed %d, %d parts: counted %v, want %v", seed, parts, got, want)
				}
			}
		}
	}
}

func TestMergeKeepsTheMostFrequentBigrams(t *testing.T) {
	r := hash.Rand(1)
	text := toy(5, 40, 900)
	all := cluster.CountSentences(text, 1, 1000).Bigrams
	for _, limit := range []int{0, 1, 7, 50, len(all) - 1, len(all)} {
		rare := int64(0) // the least that makes them few enough
		kept := func() (n int) {
			for _, b := range all {
				if b.Count > rare {
					n++
				}
			}
			return n
		}
		for kept() > limit {
			rare++
		}
		for _, parts := range []uint32{1, 6} {
			got, err := Merge(opened(runsOf(text, parts, 20, &r)), Limits{1, 1000, limit})
			if err != nil {
				t.Fatal(err)
			}
			if got.Rare != rare || len(got.Bigrams) != kept() {
				t.Fatalf("at most %d: %d bigrams without those that occur %d times, want %d without %d", limit, len(got.Bigrams), got.Rare, kept(), rare)
			}
		}
	}
}

func TestTallyIsBounded(t *testing.T) {
	tally := Tally{limit: 1000}
	words := make([]string, 64)
	for n := 0; !tally.Full(); n++ {
		for i := range words {
			words[i] = fmt.Sprint("word", n*len(words)+i)
		}
		tally.Add(words)
	}
	if n := len(tally.pairs); n > 1000+len(words)+1 {
		t.Fatalf("%d bigrams in a tally", n)
	}
	long := Tally{}
	for i := range 1 << 20 {
		long.Add([]string{strings.Repeat("x", 240) + fmt.Sprint(i)})
		if long.Full() {
			break
		}
	}
	if long.bytes > maxBytes+cluster.MaxWord || !long.Full() {
		t.Fatalf("%d bytes of words in a tally", long.bytes)
	}
}

// What is too long is as unknown as a rare word: its neighbours are no bigram.
func TestTallyLeavesOutLongWords(t *testing.T) {
	long := strings.Repeat("x", cluster.MaxWord+1)
	var tally Tally
	tally.Add([]string{"a", long, "b", "a"})
	tally.Add([]string{long})
	tally.Add(nil)
	got, err := Merge(opened([][]byte{tally.Run()}), Limits{1, 10, 10})
	if err != nil || fmt.Sprint(got.Counts) != "{[a b] [2 1] [{-1 0 1} {0 -1 1} {1 0 1}]}" {
		t.Fatal(got, err)
	}
	if !tally.Empty() {
		t.Fatal("a run does not empty the tally")
	}
}

func TestMergeRefusesDamage(t *testing.T) {
	r := hash.Rand(4)
	run := runsOf(toy(2, 20, 60), 1, 0, &r)[0]
	limits := Limits{1, 100, 1000}
	for n := range run {
		if _, err := Merge(opened([][]byte{run[:n]}), limits); err == nil {
			t.Fatalf("the first %d of %d bytes are no error", n, len(run))
		}
	}
	for i := range run { // one that only changes a count would change classes
		damaged := slices.Clone(run)
		damaged[i] ^= byte(1 + r.Below(255))
		if _, err := Merge(opened([][]byte{damaged, run}), limits); !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d of %d is another: %v", i, len(run), err)
		}
	}
	if _, err := Merge(nil, limits); err != nil {
		t.Fatal(err)
	}
	pairs := func(steps ...uint64) error { // of one word, a, and its edges
		run := []byte{1, 1, 'a', 9, byte(len(steps))}
		for _, step := range steps {
			run = append(binary.AppendUvarint(run, step), 1)
		}
		_, err := Merge(opened([][]byte{seal(run)}), limits)
		return err
	}
	if err := pairs(1, 1<<32-1, 1); err != nil {
		t.Fatal(err)
	}
	for _, steps := range [][]uint64{{1, 0}, {1 << 32, 1<<64 - 1<<32 + 1}} {
		if pairs(steps...) == nil {
			t.Fatalf("pairs that are %d behind each other are no error", steps)
		}
	}
	if err := pairs(1, 0); !errors.Is(err, ErrDamaged) || errors.Is(err, ErrTooMany) {
		t.Fatal(err)
	}
	gone := func() (io.ReadCloser, error) { return nil, io.ErrClosedPipe }
	if _, err := Merge([]func() (io.ReadCloser, error){gone}, limits); !errors.Is(err, io.ErrClosedPipe) || errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
}

// A run of several blocks, two of which have changed places, or one of which is
// there twice, is damaged.
func TestBlocksHavePlaces(t *testing.T) {
	text := make([]byte, 3*blockBytes+5)
	for i := range text {
		text[i] = byte(i % 251)
	}
	sealed := seal(text)[len(runMagic):]
	got, err := io.ReadAll(&blockReader{r: bytes.NewReader(sealed)})
	if err != nil || !bytes.Equal(got, text) {
		t.Fatal(len(got), err)
	}
	const side = blockBytes + headerBytes
	a, b := sealed[:side], sealed[side:2*side]
	for _, wrong := range [][]byte{slices.Concat(b, a), slices.Concat(a, a), b, append(slices.Clone(a), 0, 0, 0, 0, 0, 0, 0, 0)} {
		if _, err := io.ReadAll(&blockReader{r: bytes.NewReader(wrong)}); err == nil {
			t.Error("wrong blocks are no error")
		}
	}
}

// More text than can be clustered is not damage.
func TestMergeRefusesTooManyWords(t *testing.T) {
	most := seal(append(binary.AppendUvarint([]byte{1, 1, 'a'}, cluster.MaxTokens), 0))
	limits := Limits{1, 10, 10}
	if got, err := Merge(opened([][]byte{most}), limits); err != nil || got.Count[0] != cluster.MaxTokens {
		t.Fatal(got, err)
	}
	if _, err := Merge(opened([][]byte{most, most}), limits); !errors.Is(err, ErrTooMany) || errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
}
