package pipeline

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/pick"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A conlluFile is the format conllu.
type conlluFile struct {
	o     WriteOptions
	begun bool
}

func (f *conlluFile) append(dst []byte, r *output.Row) ([]byte, error) {
	start := len(dst)
	if dst = appendTree(dst, r, f.o.Conf); len(dst) > start && !f.begun {
		f.begun = true
		dst = f.comment(dst, start, r)
	}
	return dst, nil
}

func (f *conlluFile) end(dst []byte) ([]byte, error) { return dst, nil }

// appendTree appends a row as CoNLL-U, with its confidence or without.
func appendTree(dst []byte, r *output.Row, conf bool) []byte {
	if r.Tree == nil {
		return append(dst, r.Failure.Block...)
	}
	s, err := parquet.FromRow(r.Tree)
	if err != nil {
		return append(dst, "# treebeam_failure = "+err.Error()+"\n\n"...)
	}
	s = withNames(&s, r.DocID, r.Format)
	if conf {
		noteConfidence(&s)
	}
	return conllu.Append(dst, &s)
}

// comment puts the comments of a file before its first row, which is dst[start:].
func (f *conlluFile) comment(dst []byte, start int, r *output.Row) []byte {
	if r.Format == string(source.CoNLLX) {
		return dst
	}
	for line := range bytes.Lines(dst[start:]) {
		if line[0] != '#' {
			break
		}
		if key, _ := conllu.Comment(strings.TrimSuffix(string(line), "\n")); key == "generator" || key == "model" {
			return dst
		}
	}
	var comments []byte
	for _, c := range [...][2]string{{"generator", f.o.Generator}, {"model", f.o.Model}} {
		if c[1] != "" {
			comments = append(comments, "# "+c[0]+" = "+c[1]+"\n"...)
		}
	}
	return slices.Insert(dst, start, comments...)
}

// Keys of the comments that hold what a row says of its whole tree where CoNLL-U
// does.
const (
	treeConfComment    = "tree_conf"
	certificateComment = "certificate"
)

// noteConfidence puts what is known of how sure a sentence is into MISC and into
// its last comments: HeadConf, DeprelConf and UPOSConf of its words, tree_conf
// and certificate. What the input has under these names is of another parse, and
// goes, also where there is nothing to put in its place. Values have four
// decimals, which tell all multiples of 1/4096 apart.
func noteConfidence(s *syntax.Sentence) {
	c := &s.Confidence
	columns := [...]struct {
		key  string
		conf []float32
	}{{syntax.HeadConfKey, c.HeadConf}, {syntax.DeprelConfKey, c.DeprelConf}, {syntax.UPOSConfKey, c.UPOSConf}}
	var misc []byte
	for i := range s.Words {
		w := &s.Words[i]
		misc = append(misc[:0], withoutConfidence(w.Misc)...)
		for _, column := range columns {
			if i >= len(column.conf) {
				continue
			}
			if len(misc) > 0 {
				misc = append(misc, '|')
			}
			misc = append(append(misc, column.key...), '=')
			misc = appendProbability(misc, column.conf[i])
		}
		w.Misc = string(misc)
	}
	var comments []string // a copy: others may read the row's comments
	for _, comment := range s.Comments {
		if key, _ := conllu.Comment(comment); key != treeConfComment && key != certificateComment {
			comments = append(comments, comment)
		}
	}
	if c.HasTreeConf {
		comments = append(comments, "# "+treeConfComment+" = "+string(appendProbability(nil, c.TreeConf)))
	}
	if name := c.Certificate.String(); name != "" {
		comments = append(comments, "# "+certificateComment+" = "+name)
	}
	s.Comments = comments
}

// withoutConfidence is a MISC without the attributes that noteConfidence sets.
func withoutConfidence(misc string) string {
	if !strings.Contains(misc, "Conf=") {
		return misc
	}
	var kept []string
	for item := range strings.SplitSeq(misc, "|") {
		switch key, _, _ := strings.Cut(item, "="); key {
		case syntax.HeadConfKey, syntax.DeprelConfKey, syntax.UPOSConfKey:
		default:
			kept = append(kept, item)
		}
	}
	return strings.Join(kept, "|")
}

func appendProbability(dst []byte, p float32) []byte {
	return strconv.AppendFloat(dst, float64(p), 'f', 4, 32)
}

// withNames is s with its comments for CoNLL-U. A sentence from CoNLL keeps its
// comments; any other gets a sent_id and a text.
func withNames(s *syntax.Sentence, docID, format string) syntax.Sentence {
	named := *s
	if !source.Format(format).Annotated() {
		named.Comments = append(append([]string(nil), s.Comments...),
			conllu.TextComments("", false, cmp.Or(s.ID, parquet.MadeUpID(docID, s.StartByte)), s.Text)...)
	}
	return named
}

// AppendForCorrection appends the tree of a row as CoNLL-U with its confidence, for
// manual correction. The tree always gets a sent_id. It loses the input's marks of the
// beginnings of documents and paragraphs, because they would be wrong once other
// sentences are left out. A row without a sentence is an error.
func AppendForCorrection(dst []byte, r *output.Row) ([]byte, error) {
	s, err := parquet.FromRow(r.Tree)
	if err != nil {
		return dst, err
	}
	s = withNames(&s, r.DocID, r.Format)
	var comments []string
	id := false
	for _, comment := range s.Comments {
		switch key, _ := conllu.Comment(comment); {
		case key == pick.Comment, conllu.BeginsParagraph([]string{comment}):
			continue
		case key == "sent_id":
			id = true
		}
		comments = append(comments, comment)
	}
	if !id {
		comments = append(comments, "# sent_id = "+cmp.Or(s.ID, parquet.MadeUpID(r.DocID, s.StartByte)))
	}
	s.Comments = comments
	noteConfidence(&s)
	return conllu.Append(dst, &s), nil
}

// ReadConfidence sets the confidence and the language of a sentence that was written
// with --conf. It reads them from MISC and the comments and leaves these as they are. A
// column that is missing for a word, or is not a probability, becomes nil.
func ReadConfidence(s *syntax.Sentence) {
	c := &s.Confidence
	for _, column := range [...]struct {
		key string
		to  *[]float32
	}{{syntax.HeadConfKey, &c.HeadConf}, {syntax.DeprelConfKey, &c.DeprelConf}, {syntax.UPOSConfKey, &c.UPOSConf}} {
		list := make([]float32, 0, len(s.Words))
		for i := range s.Words {
			value, _ := syntax.Value(s.Words[i].Misc, column.key)
			p, ok := parseProbability(value)
			if !ok {
				break
			}
			list = append(list, p)
		}
		*column.to = nil
		if len(list) == len(s.Words) {
			*column.to = list
		}
	}
	for _, comment := range s.Comments {
		switch key, value := conllu.Comment(comment); key {
		case treeConfComment:
			c.TreeConf, c.HasTreeConf = parseProbability(value)
		case "language":
			s.Language = value
		case certificateComment:
			for k := syntax.All; k <= syntax.Bound; k++ {
				if k.String() == value {
					c.Certificate = k
				}
			}
		}
	}
}

// parseProbability reads what appendProbability wrote, to the last bit.
func parseProbability(text string) (p float32, ok bool) {
	const unit = 4096
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return 0, false
	}
	return float32(math.Round(v*unit) / unit), true
}
