package output

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/source"
)

// TestRules has the options for files, by the first rule that matches.
func TestRules(t *testing.T) {
	rules, err := ParseRules("*.csv: keep=a,b text=\"main text\"\n# none\n\n x/**:\nx: from=text\n?: document=file\n")
	if err != nil {
		t.Fatal(err)
	}
	const want = "*.csv: text=\"main text\" keep=a,b\nx/**:\nx: from=text\n?: document=file"
	if rules.String() != want {
		t.Errorf("got %s", rules)
	}
	o := &RowOptions{From: "auto", TextKey: "body", Keep: "A", Document: ByLine, Rules: want}
	for id, want := range map[string]RowOptions{
		"a.csv":      {From: "auto", TextKey: "main text", Keep: "a,b", Document: ByLine},
		"y/a.csv":    {From: "auto", TextKey: "main text", Keep: "a,b", Document: ByLine},
		"x/a.csv.gz": {From: "auto", TextKey: "main text", Keep: "a,b", Document: ByLine},
		"x/b":        {From: "auto", TextKey: "body", Keep: "A", Document: ByLine},
		"w/x/b":      {From: "text", TextKey: "body", Keep: "A", Document: ByLine},
		"w/y":        {From: "auto", TextKey: "body", Keep: "A"},
		"a/x!/c/b":   {From: "text", TextKey: "body", Keep: "A", Document: ByLine}, // in an archive
		"aa/x!":      {From: "auto", TextKey: "body", Keep: "A", Document: ByLine},
		"other":      {From: "auto", TextKey: "body", Keep: "A", Document: ByLine},
	} {
		if got := rules.Options(o, &source.Input{URI: "in/" + id, DocID: id}); got != want {
			t.Errorf("%s: got %+v, want %+v", id, got, want)
		}
	}
	if got := strings.Join(o.KeepColumns(), " "); got != "A b" {
		t.Errorf("columns %s", got)
	}
}

// TestRuleRefused has rules that could not be written and read again.
func TestRuleRefused(t *testing.T) {
	for rule, want := range map[string]string{
		"*.csv: text=caf\xe9": "not UTF-8",
		"./#a: text=b":        "begins with #",
		"a\x00b: text=c":      "control characters",
	} {
		if _, err := ParseRule(rule); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", rule, err)
		}
	}
}

// FuzzRules writes rules as they are read.
func FuzzRules(f *testing.F) {
	f.Add("*.csv: text=Body id=\"a b\" keep=x,y")
	f.Add("a: b: from=csv\n#c\n[x]:")
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := ParseRules(text)
		if err != nil {
			return
		}
		again, err := ParseRules(rules.String())
		if err != nil || again.String() != rules.String() || len(again) != len(rules) {
			t.Fatalf("%q: %q, then %q, %v", text, rules, again, err)
		}
		o := RowOptions{Rules: rules.String()}
		in := &source.Input{URI: "in/a.csv", DocID: "a.csv"}
		if rules.Options(&o, in) != again.Options(&o, in) {
			t.Fatalf("%q: other options", text)
		}
	})
}
