package model

import (
	"reflect"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
)

// A sparse model and the overlay of an accurate one are the accurate one without
// its calibrator, and with the sparse model's for parses without the encoder; with
// another sparse model, or a damaged overlay, there is an error with a remedy.
func TestOverlay(t *testing.T) {
	section := func(name, data string) pack.Section { return pack.Section{Name: name, Data: []byte(data)} }
	sparse := &File{Info: Info{Treebank: "t"}, Sections: []pack.Section{section("parse.a", "1"), section("confidence.heads", "2")}}
	whole := &File{Info: Info{Treebank: "t", Licence: "both", Encoder: &Encoded{Name: "e"}}, Sections: []pack.Section{
		section("parse.a", "1"), section("encode.x", "3"), section("mix.x", "4"), section("confidence.heads", "5"), section("confidence-fast.heads", "6"),
	}}
	want := []pack.Section{section("parse.a", "1"), section("encode.x", "3"), section("mix.x", "4"), section("confidence-fast.heads", "2")}
	data := must(EncodeOverlay(whole, "digest"))
	got := must(sparse.Overlay(data, "digest"))
	if got.Info.Encoder == nil || got.Info.Encoder.Sparse != "digest" || whole.Info.Encoder.Sparse != "" {
		t.Errorf("%+v", got.Info.Encoder)
	}
	if got.Info.Licence != "both" || !reflect.DeepEqual(got.Sections, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	alone := must(Decode(data))
	if _, err := New(alone); err == nil || !strings.Contains(err.Error(), "this is an overlay") {
		t.Errorf("an overlay alone: %v", err)
	}
	bare := must(Encode(Info{}, nil))
	for digest, overlay := range map[string][]byte{"other": data, "digest": data[:len(data)-1], "bare": bare} {
		if _, err := sparse.Overlay(overlay, digest); err == nil || !strings.Contains(err.Error(), "make mix") {
			t.Errorf("%s: %v", digest, err)
		}
	}
	if _, err := EncodeOverlay(sparse, "digest"); err == nil {
		t.Error("an overlay without an encoder")
	}
}
