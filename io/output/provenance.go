package output

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Provenance is what changes rows beside the input: two runs with the same
// one give the same rows for the same file.
type Provenance struct {
	FormatVersion string     `json:"format_version"`
	ModelDigest   string     `json:"model_digest"`
	Options       RowOptions `json:"options"`
}

// ModelID is the column model_id.
func (p *Provenance) ModelID() string { return ModelID(p.ModelDigest) }

// Footer is what footers of parts say of it.
func (p *Provenance) Footer() map[string]string {
	r := Record{FormatVersion: p.FormatVersion, ModelDigest: p.ModelDigest, Options: p.Options}
	return r.Footer(nil)
}

// ModelID is the column model_id: enough of the digest to tell models apart.
func ModelID(digest string) string {
	if len(digest) > 16 {
		return digest[:16]
	}
	return digest
}

// Differences says in lines, sorted, what sets a run with the provenance now
// apart from one with p: options by the names of their flags.
func (p Provenance) Differences(now Provenance) []string {
	before, after := p.flat(), now.flat()
	all := maps.Clone(before)
	maps.Copy(all, after)
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if before[key] != after[key] {
			lines = append(lines, fmt.Sprintf("%s: was %s, is %s", key, cmp.Or(before[key], "the default"), cmp.Or(after[key], "the default")))
		}
	}
	return lines
}

// flat is everything in p by name.
func (p Provenance) flat() map[string]string {
	values := p.Options.Flags()
	values["the version of the format"], values["the model"] = p.FormatVersion, p.ModelID()
	return values
}

// Flags returns the options by their flags. They are
// taken from their JSON, as the fingerprint sees them, so that none can be forgotten.
func (o *RowOptions) Flags() map[string]string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // plain data
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // a seed has more digits than a float64
	var options map[string]any
	if err := d.Decode(&options); err != nil {
		panic(err) // was written just now
	}
	values := map[string]string{}
	flatten(values, options)
	return values
}

// flagsOf are options that have two flags, one for JSON lines and one for tables.
var flagsOf = map[string]string{"text_key": "--text-key or --text-column", "id_key": "--id-key or --id-column"}

// flatten writes options under the names of their flags.
func flatten(values map[string]string, options map[string]any) {
	for key, value := range options {
		if inner, ok := value.(map[string]any); ok {
			flatten(values, inner)
			continue
		}
		text := fmt.Sprint(value)
		if IsFingerprint(text) { // of a file
			text = "digest " + ModelID(text)
		}
		values[cmp.Or(flagsOf[key], "--"+strings.ReplaceAll(key, "_", "-"))] = text
	}
}
