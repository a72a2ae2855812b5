package output

import (
	"reflect"
	"strings"
	"testing"
)

// Revisions come back as they were written, and no byte of them can change unnoticed.
func TestRevisions(t *testing.T) {
	dir := t.TempDir()
	if _, found, err := ReadRevisions(t.Context(), dir, "0123456789abcdef0"); found || err != nil {
		t.Fatalf("of an empty folder: %v, %v", found, err)
	}
	for _, want := range []*Revisions{
		{Kinds: []string{"NOUN", "VERB"}},
		{Kinds: []string{"NOUN", "VERB"}, Forms: []Revision{{"# sha", 2, []int16{0, -32768}}, {"naïve words", 1 << 40, []int16{32767, -1}}}},
	} {
		if err := want.Write(t.Context(), dir, "0123456789abcdef0"); err != nil {
			t.Fatal(err)
		}
		got, found, err := ReadRevisions(t.Context(), dir, "0123456789abcdef0")
		if err != nil || !found || !reflect.DeepEqual(got, want) {
			t.Errorf("read %+v, %v, %v, want %+v", got, found, err, want)
		}
	}
}

func FuzzRevisions(f *testing.F) {
	good := "form\tcount\tNOUN\nx\t2\t-3\n"
	f.Add([]byte(good + digestLine(good)))
	f.Add([]byte(digestLine("")))
	bad := "form\nx\t2\t-3\n\n"
	f.Add([]byte(bad + digestLine(bad)))
	long := "form\tcount\tNOUN\nx\t2\t-40000\n"
	f.Add([]byte(long + digestLine(long)))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, text := range []string{string(data), string(data) + digestLine(string(data))} {
			v, err := parseRevisions([]byte(text))
			if err != nil {
				continue
			}
			for _, r := range v.Forms {
				if len(r.Add) != len(v.Kinds) || strings.ContainsAny(r.Form, "\t\n") {
					t.Fatalf("%q: %+v", text, v)
				}
			}
		}
	})
}
