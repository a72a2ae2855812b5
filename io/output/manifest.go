package output

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
)

// A Manifest is manifest.json, which names all files of an output and marks it as
// complete.
type Manifest struct {
	Record
	Model  string `json:"model_id"`
	Ranges int    `json:"ranges"`
	// Files are the parts of every range, in order (see parquet.PartID.Kinds), then
	// documents/ and summary.json.
	Files []Listed `json:"files"`
	// Digest is the SHA-256 of the file as it would be with "" here.
	Digest string `json:"digest"`

	others []string // see Reader.Others; set by Check
}

// A Listed is a file of an output.
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

// DigestOf returns the SHA-256 of a text in hexadecimal.
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

// parseManifest reads the text of a manifest and checks that it is unchanged. If it is
// not, the error says why, and the manifest holds what could be read.
func parseManifest(text []byte) (*Manifest, error) {
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
	return m, nil
}

// Parts returns the parts of a kind, trees, failures, words or documents, of the
// output in a folder whose manifest was checked.
func (m *Manifest) Parts(folder, kind string) (list []parquet.PartFile) {
	for _, f := range m.Files {
		if of, name := path.Split(f.Path); of == kind+"/" {
			p := parquet.PartFile{Path: store.Join(folder, f.Path), FP: m.FP, Rows: f.Rows}
			if kind != "documents" {
				p.K, p.N, _, _ = parquet.ParsePartName(name)
			}
			list = append(list, p)
		}
	}
	return list
}

// checkSums returns an error unless the manifest and the summary count the
// same, and the equations of a complete output hold.
func (m *Manifest) checkSums(sum *Summary) error {
	rows := map[string]int64{}
	for _, f := range m.Files {
		rows[path.Dir(f.Path)] += f.Rows
	}
	if !m.Options.Words {
		rows["words"] = sum.Words
	}
	for _, c := range []struct {
		what        string
		here, there int64
	}{
		{"trees", rows["trees"], sum.Trees},
		{"failures and warnings", rows["failures"], sum.Errors + sum.Warnings},
		{"words", rows["words"], sum.Words},
		{"documents", rows["documents"], sum.Files},
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
