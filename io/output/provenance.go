package output

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Provenance is everything except the input that changes rows. Two runs with the same
// provenance give the same rows for the same file.
type Provenance struct {
	FormatVersion string     `json:"format_version"`
	ModelDigest   string     `json:"model_digest"`
	Options       RowOptions `json:"options"`
}

// ModelID returns the column model_id of a run with one model.
func (p *Provenance) ModelID() string { return ModelID(p.ModelDigest) }

// modelID is the column model_id of a sentence.
func (p *Provenance) modelID(s *syntax.Sentence) string {
	if p.Options.World != "" && s.Language != syntax.English {
		return ModelID(p.Options.World)
	}
	return p.ModelID()
}

// ModelID returns the column model_id, the beginning of the model's digest.
func ModelID(digest string) string { return digest[:min(len(digest), 16)] }

// Differences returns sorted lines that say how a run with the provenance now differs
// from one with p. Options have the names of their flags.
func (p Provenance) Differences(now Provenance) []string {
	before, after := p.flat(), now.flat()
	all := maps.Clone(before)
	maps.Copy(all, after)
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if before[key] != after[key] {
			lines = append(lines, fmt.Sprintf("%s: was %s, is %s", key, named(before[key]), named(after[key])))
		}
	}
	return lines
}

// named is the value of an option in a sentence. What has several words is in quotes,
// unless it is the digest of a file.
func named(value string) string {
	if strings.ContainsAny(value, ", ") && !strings.HasPrefix(value, "digest ") {
		return strconv.Quote(value)
	}
	return cmp.Or(value, "the default")
}

// flat is everything in p by name.
func (p Provenance) flat() map[string]string {
	values := p.Options.Flags()
	values["the version of the format"], values["the model"] = p.FormatVersion, p.ModelID()
	return values
}

// Flags returns the options by the names of their flags. It derives them from the JSON
// that is fingerprinted, so that none can be forgotten.
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

// flagsOf are options that have no flag, or one of another name.
var flagsOf = map[string]string{"world": "the models of other languages", "text_key": "--text", "id_key": "--id", "rules": "--rule"}

// flatten writes options under the names of their flags.
func flatten(values map[string]string, options map[string]any) {
	for key, value := range options {
		if inner, ok := value.(map[string]any); ok {
			flatten(values, inner)
			continue
		}
		text := fmt.Sprint(value)
		if isFingerprint(text) { // of a file
			text = "digest " + ModelID(text)
		}
		values[cmp.Or(flagsOf[key], "--"+strings.ReplaceAll(key, "_", "-"))] = text
	}
}

// FormatVersion changes whenever the same input and model give other bytes. Its first
// number changes if the program makes other rows, its second one with the columns.
const FormatVersion = "6." + parquet.FormatVersion

// RowOptions are the options that change rows. They are part of the
// fingerprint, so nothing else may change a byte of trees/ or failures/.
type RowOptions struct {
	From      string `json:"from"`                 // "auto" or a format
	Encoding  string `json:"encoding"`             // of raw text
	Lines     string `json:"lines"`                // auto, wrapped, paragraph or sentence
	StripHTML bool   `json:"strip_html,omitempty"` // of raw text and records
	Document  string `json:"document,omitempty"`   // of raw text: "" for files, or ByLine
	// TextKey and IDKey are the keys or columns of text and id of JSON lines and tables, as
	// in record.Options; "" is record.DefaultText and record.DefaultID.
	TextKey string `json:"text_key,omitempty"`
	IDKey   string `json:"id_key,omitempty"`
	// Keep are the keys and columns whose values become columns of the output, with
	// commas between them: see parquet.MetaColumn.
	Keep string `json:"keep,omitempty"`
	// Rules say how some files are read, in the form of Rules.String.
	Rules    string `json:"rules,omitempty"`
	Words    bool   `json:"words,omitempty"` // words/, too: a row for each word
	MaxWords int    `json:"max_words"`       // raw sentences are cut above this
	// Ranges puts the place of each token of raw text into MISC: TokenRange=start:end,
	// in code points of its document, half open.
	Ranges bool `json:"ranges,omitempty"`
	// Language is the language of the texts: "auto" to find it, codes with commas between
	// them to choose from, or "" for the language of the model.
	Language string `json:"language,omitempty"`
	// World is the digest of the models of other languages; "" if they are not used.
	World string `json:"world,omitempty"`
	Retag bool   `json:"retag"`
	// KeepHeads keeps the heads and deprels of CoNLL input.
	KeepHeads bool `json:"keep_heads"`
	// StopAfter is the last stage that is run: StopSegment, StopTag or "" for
	// all of them.
	StopAfter string `json:"stop_after,omitempty"`
	// Effort is the least expected LAS, from 0 to 1, at which a parse without the encoder
	// is kept; "" is 1, also for a model without an encoder.
	Effort string `json:"effort,omitempty"`
	// Digests of the user's lists (transforms.CustomTexts), "" for none.
	Abbreviations string `json:"abbreviations,omitempty"`
	KeepTogether  string `json:"keep_together,omitempty"`
	Exceptions    string `json:"exceptions,omitempty"`
	// Unconstrained allows trees that break rules of Universal Dependencies.
	Unconstrained bool `json:"unconstrained,omitempty"`

	Parse ParseOptions `json:"parse"`
}

// Stages that a run can end with, without trees.
const (
	StopSegment = "segment"
	StopTag     = "tag"
)

// ByLine is the value of RowOptions.Document that makes every line of raw
// text a document.
const ByLine = "line"

// ParseOptions are the options of the search that the command line has. The zero value
// means the model's defaults.
type ParseOptions struct {
	Seed       uint64 `json:"seed"`
	Restarts   int    `json:"restarts"`
	Exact      int    `json:"exact,omitempty"`
	Budget     int    `json:"budget,omitempty"`
	Projective bool   `json:"projective,omitempty"`
	Certify    int    `json:"certify,omitempty"`
}

// CustomLists are the names of the user's three lists (transforms.CustomFiles). The
// command's options have the same names.
var CustomLists = [...]string{"abbreviations", "keep-together", "exceptions"}

// CustomDigests returns the digests of the user's lists, in the order of CustomLists;
// "" for none.
func (o *RowOptions) CustomDigests() [3]*string {
	return [...]*string{&o.Abbreviations, &o.KeepTogether, &o.Exceptions}
}

// CustomName returns the place of the list with a digest in an output folder.
func CustomName(list int, digest string) string {
	return OwnDir + "/custom/" + fmt.Sprintf("%s-%.16s.txt", CustomLists[list], digest)
}

// CustomNames returns the files of an output folder that hold the lists of a run with
// the options o.
func CustomNames(o *RowOptions) (names []string) {
	for i, digest := range o.CustomDigests() {
		if _, err := hex.DecodeString(*digest); err == nil && *digest != "" { // names are made of it
			names = append(names, CustomName(i, *digest))
		}
	}
	return names
}
