package output

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
)

// A Manifest is manifest.json, the mark of a complete output: it names all
// its files.
type Manifest struct {
	Record
	Model  string `json:"model_id"`
	Ranges int    `json:"ranges"`
	// Files are the trees and the failures of every range, in order (with Options.Words
	// its words, too), then documents/ and summary.json.
	Files []Listed `json:"files"`
	// Digest is the SHA-256 of the file as it would be with "" here.
	Digest string `json:"digest"`

	others []string // see Reader.Others; set by Check
}

// A Listed file is one of an output, by its path in the folder.
type Listed struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Rows  int64  `json:"rows,omitempty"`
}

// writeManifest writes the manifest with its digest.
func (r *Run) writeManifest(ctx context.Context, m *Manifest) error {
	m.Digest = ""
	text, err := manifestText(m)
	if err != nil {
		return err
	}
	m.Digest = DigestOf(text)
	if text, err = manifestText(m); err != nil {
		return err
	}
	return WriteFile(ctx, r.Output, ManifestFile, text)
}

func manifestText(m *Manifest) ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}

// DigestOf is the SHA-256 of a text, hex.
func DigestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// checkDigest returns an error if the manifest is not what was written. The digest
// comes last in the text.
func (m *Manifest) checkDigest(text []byte) error {
	if m.Digest == "" {
		return errors.New("it has no digest")
	}
	at := bytes.LastIndex(text, []byte(m.Digest))
	if at < 0 || DigestOf(slices.Delete(slices.Clone(text), at, at+len(m.Digest))) != m.Digest {
		return errors.New("it is not as it was written: its digest is that of another text")
	}
	return nil
}

// ParseManifest reads the text of a manifest and checks it against itself: that
// it is as it was written, and names each part of each range once and nothing
// else. If it does not, the error says why, and the manifest is what could be
// read.
func ParseManifest(text []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return m, err
	}
	if fp, err := hex.DecodeString(m.FP); err != nil || len(fp) != sha256.Size || m.Ranges < 1 {
		return m, errors.New("it names no run")
	}
	if err := m.checkDigest(text); err != nil {
		return m, err
	}
	if want := m.perRange()*m.Ranges + 2; len(m.Files) != want {
		return m, fmt.Errorf("it names %d files; %d ranges have %d", len(m.Files), m.Ranges, want)
	}
	at := 0
	for name := range m.names() {
		if f := m.Files[at]; f.Path != name || f.Bytes <= 0 || f.Rows < 0 {
			return m, fmt.Errorf("it names %q of %d bytes and %d rows where %s must stand", f.Path, f.Bytes, f.Rows, name)
		}
		at++
	}
	return m, nil
}

// kinds are the kinds of the parts of a range.
func (m *Manifest) kinds() []string { return parquet.Kinds(m.Options.Words) }

// perRange is how many files a range has.
func (m *Manifest) perRange() int { return len(m.kinds()) }

// names yields the files of the output in the order of Files.
func (m *Manifest) names() iter.Seq[string] {
	r := Run{Record: m.Record, Ranges: m.Ranges}
	return func(yield func(string) bool) {
		for k := range m.Ranges {
			for _, kind := range m.kinds() {
				if !yield(r.name(kind, k)) {
					return
				}
			}
		}
		_ = yield(r.documentsName()) && yield(SummaryFile)
	}
}

// Parts returns the parts of a kind, trees, failures, words or documents, of the
// output in a folder whose manifest was checked.
func (m *Manifest) Parts(folder, kind string) (list []parquet.PartFile) {
	add := func(at, k, n int) {
		f := &m.Files[at]
		list = append(list, parquet.PartFile{Path: store.Join(folder, f.Path), FP: m.FP, K: k, N: n, Rows: f.Rows})
	}
	if kind == "documents" {
		add(m.perRange()*m.Ranges, 0, 0)
	} else if first := slices.Index(m.kinds(), kind); first >= 0 {
		for k := range m.Ranges {
			add(m.perRange()*k+first, k, m.Ranges)
		}
	}
	return list
}

// CheckSums returns an error unless the manifest and the summary count the
// same, and the equations of a complete output hold.
func (m *Manifest) CheckSums(sum *Summary) error {
	rows := [3]int64{}
	for i := range m.perRange() * m.Ranges {
		rows[i%m.perRange()] += m.Files[i].Rows
	}
	if !m.Options.Words {
		rows[2] = sum.Words
	}
	for _, c := range []struct {
		what        string
		here, there int64
	}{
		{"trees", rows[0], sum.Trees},
		{"failures and warnings", rows[1], sum.Errors + sum.Warnings},
		{"words", rows[2], sum.Words},
		{"documents", m.Files[m.perRange()*m.Ranges].Rows, sum.Files},
	} {
		if c.here != c.there {
			return fmt.Errorf("it counts %d %s, but %s counts %d", c.here, c.what, SummaryFile, c.there)
		}
	}
	if sum.Blocks != sum.Segmented+sum.BlocksFailed || sum.Sentences != sum.Trees+sum.SentencesFailed {
		return fmt.Errorf("the sums in %s do not add up", SummaryFile)
	}
	return nil
}
