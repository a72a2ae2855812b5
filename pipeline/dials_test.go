package pipeline

import (
	"encoding/json"
	"strings"
	"testing"
)

// The names of the default decoder are one run; samples and other decoders are
// part of what a run is.
func TestDialsOfTheSearch(t *testing.T) {
	plain, err := json.Marshal(DefaultRows().Parse)
	if err != nil {
		t.Fatal(err)
	}
	rows := DefaultRows()
	rows.Parse.Decoder = "greedy"
	if err := ValidateRows(&rows); err != nil {
		t.Fatal(err)
	}
	if got, _ := json.Marshal(rows.Parse); string(got) != string(plain) || strings.Contains(string(got), "decoder") {
		t.Errorf("greedy is %s, the default %s", got, plain)
	}
	rows.Parse.Decoder, rows.Parse.Samples = "risk", 2
	if err := ValidateRows(&rows); err != nil {
		t.Fatal(err)
	}
	if got, _ := json.Marshal(rows.Parse); !strings.Contains(string(got), `"samples":2,"decoder":"risk"`) {
		t.Errorf("two samples and risk are %s", got)
	}
	rows.Parse.Certify = 7
	if ValidateRows(&rows) == nil {
		t.Error("a proof for a decoder that does not climb")
	}
}
