package source

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// inputs makes inputs of the given sizes; negative ones are compressed.
func inputs(sizes ...int64) []Input {
	list := make([]Input, len(sizes))
	for i, size := range sizes {
		name := fmt.Sprintf("f%07d.txt", i)
		if size < 0 {
			name, size = name+".gz", -size
		}
		list[i] = Input{URI: "in/" + name, DocID: name, Size: size, Version: "m1"}
	}
	return list
}

// outline writes a plan as "0:[0,10) 1+2 ..." : the pieces of each range.
func outline(p *Plan, in []Input) string {
	place := map[string]int{}
	for i := range in {
		place[in[i].URI] = i
	}
	var ranges []string
	for _, r := range rangesOf(p) {
		var s []string
		for _, q := range r.Pieces {
			one := fmt.Sprint(place[q.URI])
			if !q.Whole() {
				one += fmt.Sprintf("[%d,%d)", q.Start, q.End)
			}
			s = append(s, one)
		}
		ranges = append(ranges, strings.Join(s, "+"))
	}
	return strings.Join(ranges, " ")
}

func TestNewPlan(t *testing.T) {
	for _, c := range []struct {
		target int64
		sizes  []int64
		want   string
	}{
		{100, nil, ""},
		{100, []int64{0}, "0"},
		{100, []int64{100}, "0"},
		{100, []int64{149}, "0"},
		{100, []int64{150}, "0[0,75) 0[75,150)"},
		{100, []int64{301}, "0[0,100) 0[100,200) 0[200,301)"},
		{100, []int64{-301}, "0"},
		{100, []int64{30, 30, 30, 30}, "0+1+2 3"},
		{100, []int64{30, 250, 30, 30}, "0 1[0,83) 1[83,166) 1[166,250) 2+3"},
		{100, []int64{50, 120, 0, 0, -30}, "0 1 2+3+4"},
		{0, []int64{1 << 20, 1 << 20}, "0[0,131072) 0[131072,262144) 0[262144,393216) 0[393216,524288) 0[524288,655360) 0[655360,786432) 0[786432,917504) 0[917504,1048576)" +
			" 1[0,131072) 1[131072,262144) 1[262144,393216) 1[393216,524288) 1[524288,655360) 1[655360,786432) 1[786432,917504) 1[917504,1048576)"},
	} {
		in := inputs(c.sizes...)
		p, err := NewPlan(t.Context(), ListingOf(in), PlanOptions{RangeBytes: c.target})
		must(t, err)
		if got := outline(p, in); got != c.want {
			t.Errorf("%d %v:\n got %s\nwant %s", c.target, c.sizes, got, c.want)
		}
		checkPlan(t, p, in)
	}
	if _, err := NewPlan(t.Context(), ListingOf(nil), PlanOptions{RangeBytes: -1}); err == nil {
		t.Error("a negative range size was accepted")
	}
}

// checkPlan checks that the pieces of a plan tile its files in order.
func checkPlan(t *testing.T, p *Plan, in []Input) {
	t.Helper()
	i, at := 0, int64(0)
	for k, r := range rangesOf(p) {
		if r.K != k || r.N != len(rangesOf(p)) || r.Dir != p.Dir || len(r.Pieces) > MaxPack {
			t.Fatalf("range %d is %+v", k, r)
		}
		for _, q := range r.Pieces {
			if q.URI != in[i].URI || q.Start != at || q.Size != in[i].Size {
				t.Fatalf("range %d: piece %+v where byte %d of %s is due", k, q, at, in[i].URI)
			}
			if at = q.End; at == q.Size {
				i, at = i+1, 0
			}
		}
	}
	if i != len(in) {
		t.Fatalf("the plan ends before file %d of %d", i, len(in))
	}
}

func TestRangeSizes(t *testing.T) {
	for _, c := range []struct{ total, want int64 }{{1, minRange}, {256 << 20, 1 << 20}, {100 << 30, maxRange}} {
		p, err := NewPlan(t.Context(), ListingOf(inputs(c.total)), PlanOptions{})
		if err != nil || p.RangeBytes != c.want {
			t.Errorf("%d bytes: ranges of %d, want %d (%v)", c.total, p.RangeBytes, c.want, err)
		}
	}
	sizes := make([]int64, 9001)
	p, err := NewPlan(t.Context(), ListingOf(inputs(sizes...)), PlanOptions{})
	if err != nil || len(rangesOf(p)) != 5 {
		t.Errorf("9,001 empty files make %d ranges, %v", len(rangesOf(p)), err)
	}
}

func TestPlanFile(t *testing.T) {
	dir := t.TempDir()
	in := inputs(30, 250, -400, 30, 30)
	in[3].Path = "/spool/caf\xe9"
	p, err := NewPlan(t.Context(), ListingOf(in), PlanOptions{RangeBytes: 100, Dir: dir})
	must(t, err)
	name := filepath.Join(dir, PlanName(p.Fingerprint("a")))
	for range 2 {
		must(t, p.Write(t.Context(), name, ""))
	}
	first, _ := os.ReadFile(name)
	got, err := ReadPlan(t.Context(), name)
	must(t, err)
	want := *p
	want.pieces = got.pieces
	if fmt.Sprintf("%+v", *got) != fmt.Sprintf("%+v", want) || fmt.Sprintf("%+v", rangesOf(got)) != fmt.Sprintf("%+v", rangesOf(p)) {
		t.Errorf("\n got %+v\nwant %+v", got, p)
	}
	must(t, got.Write(t.Context(), name, dir))
	if second, _ := os.ReadFile(name); !bytes.Equal(first, second) {
		t.Error("a plan that was read is written differently")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%d files where the plan should be alone", len(left))
	}
	for cut := 0; cut < len(first); cut += 7 {
		must(t, os.WriteFile(name, first[:cut], 0o666))
		if _, err := ReadPlan(t.Context(), name); err == nil || !strings.Contains(err.Error(), "delete it") {
			t.Fatalf("cut at %d of %d: %v", cut, len(first), err)
		}
	}
	if err := p.Write(t.Context(), filepath.Join(name, "a file is no folder"), ""); err == nil {
		t.Error("a plan was written nowhere")
	}
}

func TestFingerprint(t *testing.T) {
	base := func() ([]Input, PlanOptions) { return inputs(30, 250, 30), PlanOptions{RangeBytes: 100} }
	print := func(change func([]Input, *PlanOptions), parts ...string) string {
		in, o := base()
		change(in, &o)
		p, err := NewPlan(t.Context(), ListingOf(in), o)
		must(t, err)
		return p.Fingerprint(parts...)
	}
	nothing := func([]Input, *PlanOptions) {}
	want := print(nothing, "a", "b")
	if len(want) != 64 {
		t.Errorf("the fingerprint is %q", want)
	}
	for name, same := range map[string]func([]Input, *PlanOptions){
		"folder": func(_ []Input, o *PlanOptions) { o.Dir = "/elsewhere" },
		"spool":  func(in []Input, _ *PlanOptions) { in[0].Path = "/spool/x" },
	} {
		if print(same, "a", "b") != want {
			t.Errorf("%s changes the fingerprint", name)
		}
	}
	for name, other := range map[string]func([]Input, *PlanOptions){
		"name":    func(in []Input, _ *PlanOptions) { in[0].URI = "in/f" },
		"id":      func(in []Input, _ *PlanOptions) { in[0].DocID = "f" },
		"size":    func(in []Input, _ *PlanOptions) { in[0].Size++ },
		"version": func(in []Input, _ *PlanOptions) { in[0].Version = "m2" },
		"ranges":  func(_ []Input, o *PlanOptions) { o.RangeBytes = 50 },
	} {
		if print(other, "a", "b") == want {
			t.Errorf("%s does not change the fingerprint", name)
		}
	}
	if print(nothing, "ab", "") == want || print(nothing, "b", "a") == want {
		t.Error("the options do not change the fingerprint")
	}
}

func ExampleNewPlan() {
	inputs := []Input{
		{URI: "in/a.txt", DocID: "a.txt", Size: 250, Version: "m1"},
		{URI: "in/b.txt", DocID: "b.txt", Size: 20, Version: "m1"},
		{URI: "in/c.txt.gz", DocID: "c.txt.gz", Size: 70, Version: "m1"},
	}
	plan, _ := NewPlan(context.Background(), ListingOf(inputs), PlanOptions{RangeBytes: 100})
	for _, r := range rangesOf(plan) {
		fmt.Print(r.K, ":")
		for _, p := range r.Pieces {
			fmt.Printf(" %s [%d, %d)", p.DocID, p.Start, p.End)
		}
		fmt.Println()
	}
	// Output:
	// 0: a.txt [0, 83)
	// 1: a.txt [83, 166)
	// 2: a.txt [166, 250)
	// 3: b.txt [0, 20) c.txt.gz [0, 70)
}

func FuzzPlan(f *testing.F) {
	p, err := NewPlan(context.Background(), ListingOf(inputs(30, 250, -400)), PlanOptions{RangeBytes: 100, Dir: "/x"})
	if err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.encode(&b); err != nil {
		f.Fatal(err)
	}
	z, err := zstd.NewReader(&b)
	if err != nil {
		f.Fatal(err)
	}
	lines, err := io.ReadAll(z)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(lines)
	f.Add([]byte(`{"treebeam_plan":1,"ranges":1}` + "\n" + `{"k":0,"n":1,"pieces":[{"uri":"a","size":-1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		decodePlan(bytes.NewReader(data), new(Plan), func(r Range) bool {
			if r.K != n || len(r.Pieces) == 0 {
				t.Fatalf("range %d is %+v", n, r)
			}
			for _, q := range r.Pieces {
				if q.Start < 0 || q.End < q.Start || q.Size < q.End {
					t.Fatalf("piece %+v", q)
				}
			}
			n++
			return true
		})
	})
}
