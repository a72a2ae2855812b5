package output

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/store"
)

// Revisions are what the first pass of a run (RowOptions.ReviseUnknown) says of
// forms that training has not, as the file in the output folder has them: tab
// separated, with the names of the columns in the first line.
type Revisions struct {
	Kinds []string   // UPOS
	Forms []Revision // sorted by form
}

// A Revision is what is added to the scores of a form: one number for each of Kinds.
type Revision struct {
	Form  string
	Count int64 // occurrences in the text
	Add   []int16
}

// revisionsEnd begins the last line, which has a digest of those before it.
const revisionsEnd = "# sha256 "

// RevisionsName is where in an output folder the revisions of the run fp are.
func RevisionsName(fp string) string { return OwnDir + "/revisions/" + fmt.Sprintf("%.16s.tsv", fp) }

// Write writes the revisions of the run fp into an output folder.
func (v *Revisions) Write(ctx context.Context, folder, fp string) error {
	var b bytes.Buffer
	b.WriteString("form\tcount\t" + strings.Join(v.Kinds, "\t") + "\n")
	for i := range v.Forms {
		r := &v.Forms[i]
		b.WriteString(r.Form)
		b.WriteByte('\t')
		b.Write(strconv.AppendInt(b.AvailableBuffer(), r.Count, 10))
		for _, x := range r.Add {
			b.WriteByte('\t')
			b.Write(strconv.AppendInt(b.AvailableBuffer(), int64(x), 10))
		}
		b.WriteByte('\n')
	}
	b.WriteString(digestLine(b.String()))
	return WriteFile(ctx, folder, RevisionsName(fp), b.Bytes())
}

// digestLine is the line that follows text.
func digestLine(text string) string {
	sum := sha256.Sum256([]byte(text))
	return revisionsEnd + hex.EncodeToString(sum[:]) + "\n"
}

// errRevisions is the error of a file of revisions that is not as it was written.
var errRevisions = errors.New("it is damaged; remove it and start the run again")

// ReadRevisions reads what Write has written. found is false if there is nothing.
func ReadRevisions(ctx context.Context, folder, fp string) (v *Revisions, found bool, err error) {
	name := store.Join(folder, RevisionsName(fp))
	data, err := store.ReadFile(ctx, name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	if err == nil {
		v, err = parseRevisions(data)
	}
	if err != nil {
		return nil, false, fmt.Errorf("--revise-unknown: %s: %w", store.Redact(name), err)
	}
	return v, true, nil
}

func parseRevisions(data []byte) (*Revisions, error) {
	body := string(data[:max(bytes.LastIndex(data, []byte(revisionsEnd)), 0)])
	if string(data[len(body):]) != digestLine(body) {
		return nil, errRevisions
	}
	v := new(Revisions)
	for line := range strings.Lines(body) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) < 2 {
			return nil, errRevisions
		}
		if v.Kinds == nil {
			v.Kinds = columns[2:]
			continue
		}
		r := Revision{Form: strings.Clone(columns[0]), Add: make([]int16, len(v.Kinds))}
		var err error
		if r.Count, err = strconv.ParseInt(columns[1], 10, 64); err != nil || len(columns) != 2+len(v.Kinds) {
			return nil, errRevisions
		}
		for k, s := range columns[2:] {
			x, err := strconv.ParseInt(s, 10, 16)
			if err != nil {
				return nil, errRevisions
			}
			r.Add[k] = int16(x)
		}
		v.Forms = append(v.Forms, r)
	}
	return v, nil
}
