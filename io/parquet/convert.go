package parquet

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A Doc says where a sentence comes from, for ToRow.
type Doc struct {
	DocID         string
	SourceURI     string
	SourceVersion string
	ModelID       string
	Meta          []KeyValue // kept values
}

// madeUpID is the sent_id of a sentence that has none of its own.
func madeUpID(docID string, startByte int64) string {
	return docID + "@" + strconv.FormatInt(startByte, 10)
}

// ToRow returns the row of a parsed sentence. The row shares the sentence's
// slices where it can; neither may change afterwards.
func ToRow(s *syntax.Sentence, d *Doc) Tree {
	n := len(s.Words)
	columns := make([]string, 8*n)
	column := func(i int) []string { return columns[i*n : (i+1)*n : (i+1)*n] }
	numbers := make([]int32, 3*n)
	c := &s.Confidence
	t := Tree{
		SentID: s.ID, Text: s.Text, Comments: s.Comments,
		Tokens: column(0), Lemmas: column(1), UPOS: column(2), XPOS: column(3), Feats: column(4),
		Deprel: column(5), Deps: column(6), Misc: column(7), Head: numbers[:n:n],
		DocID: d.DocID, SourceURI: d.SourceURI, SourceVersion: d.SourceVersion, ModelID: d.ModelID,
		StartByte: s.StartByte, EndByte: s.EndByte, Status: s.Status.String(),
		HeadMarginal: c.HeadMarginal, HeadMargin: c.HeadMargin, LabelMarginal: c.LabelProb,
		HeadConf: c.HeadConf, DeprelConf: c.DeprelConf, UPOSConf: c.UPOSConf,
		TreeMargin: c.TreeMargin, TreeScore: c.TreeScore, Certificate: c.Certificate.String(),
		Restarts: c.Restarts, NCandidates: c.NCandidates, Meta: d.Meta,
	}
	if t.SentID == "" {
		t.SentID = madeUpID(d.DocID, s.StartByte)
	}
	if c.HasTreeConf {
		conf := c.TreeConf
		t.TreeConf = &conf
	}
	if slices.ContainsFunc(s.Words, func(w syntax.Word) bool { return w.EndChar > 0 }) {
		t.StartChar, t.EndChar = numbers[n:2*n:2*n], numbers[2*n:]
	}
	for i := range s.Words {
		w := &s.Words[i]
		t.Tokens[i], t.Lemmas[i], t.UPOS[i], t.XPOS[i], t.Feats[i] = w.Form, w.Lemma, w.UPOS, w.XPOS, w.Feats
		t.Head[i], t.Deprel[i], t.Deps[i], t.Misc[i] = w.Head, w.Deprel, w.Deps, w.Misc
		if t.StartChar != nil {
			t.StartChar[i], t.EndChar[i] = w.StartChar, w.EndChar
		}
	}
	if len(s.MWTs) > 0 {
		t.MWT = make([]MWT, len(s.MWTs))
		for i := range s.MWTs {
			m := &s.MWTs[i]
			t.MWT[i] = MWT{ID: fmt.Sprintf("%d-%d", m.First, m.Last), Form: m.Form, Feats: m.Feats, Misc: m.Misc, Rest: m.Rest}
		}
	}
	if len(s.Empty) > 0 {
		t.EmptyNodes = make([]EmptyNode, len(s.Empty))
		for i := range s.Empty {
			e := &s.Empty[i]
			t.EmptyNodes[i] = EmptyNode{fmt.Sprintf("%d.%d", e.After, e.Index), e.Form, e.Lemma, e.UPOS, e.XPOS,
				e.Feats, e.Head, e.Deprel, e.Deps, e.Misc}
		}
	}
	return t
}

// FromRow returns the sentence of a row: what ToRow was given but for Line and
// the candidates. A sent_id that ToRow made up is not set as the sentence's ID.
func FromRow(t *Tree) (syntax.Sentence, error) {
	s := syntax.Sentence{
		ID: t.SentID, Text: t.Text, StartByte: t.StartByte, EndByte: t.EndByte,
		Confidence: syntax.Confidence{
			HeadMarginal: t.HeadMarginal, HeadMargin: t.HeadMargin, LabelProb: t.LabelMarginal,
			HeadConf: t.HeadConf, DeprelConf: t.DeprelConf, UPOSConf: t.UPOSConf,
			TreeMargin: t.TreeMargin, TreeScore: t.TreeScore,
			Restarts: t.Restarts, NCandidates: t.NCandidates,
		},
	}
	if err := t.check(); err != nil {
		return s, fmt.Errorf("row of %s at byte %d: %w", t.SourceURI, t.StartByte, err)
	}
	if s.ID == madeUpID(t.DocID, t.StartByte) {
		s.ID = ""
	}
	if len(t.Comments) > 0 {
		s.Comments = t.Comments
	}
	if t.TreeConf != nil {
		s.Confidence.TreeConf, s.Confidence.HasTreeConf = *t.TreeConf, true
	}
	for s.Status.String() != t.Status {
		s.Status++
		if s.Status > syntax.Budget {
			return s, fmt.Errorf("row of %s at byte %d: unknown status %q", t.SourceURI, t.StartByte, t.Status)
		}
	}
	for s.Confidence.Certificate.String() != t.Certificate {
		s.Confidence.Certificate++
		if s.Confidence.Certificate > syntax.Bound {
			return s, fmt.Errorf("row of %s at byte %d: unknown certificate %q", t.SourceURI, t.StartByte, t.Certificate)
		}
	}
	s.Words = make([]syntax.Word, len(t.Tokens))
	for i := range s.Words {
		s.Words[i] = syntax.Word{
			Form: t.Tokens[i], Lemma: t.Lemmas[i], UPOS: t.UPOS[i], XPOS: t.XPOS[i], Feats: t.Feats[i],
			Head: t.Head[i], Deprel: t.Deprel[i], Deps: t.Deps[i], Misc: t.Misc[i],
		}
		if len(t.StartChar) > 0 {
			s.Words[i].StartChar, s.Words[i].EndChar = t.StartChar[i], t.EndChar[i]
		}
	}
	for _, m := range t.MWT {
		first, last, err := parseID(m.ID, "-")
		if err != nil {
			return s, fmt.Errorf("row of %s at byte %d: %w", t.SourceURI, t.StartByte, err)
		}
		s.MWTs = append(s.MWTs, syntax.MultiwordToken{First: first, Last: last, Form: m.Form, Feats: m.Feats, Misc: m.Misc, Rest: m.Rest})
	}
	for _, e := range t.EmptyNodes {
		after, index, err := parseID(e.ID, ".")
		if err != nil {
			return s, fmt.Errorf("row of %s at byte %d: %w", t.SourceURI, t.StartByte, err)
		}
		s.Empty = append(s.Empty, syntax.EmptyNode{After: after, Index: index, Form: e.Form, Lemma: e.Lemma,
			UPOS: e.UPOS, XPOS: e.XPOS, Feats: e.Feats, Head: e.Head, Deprel: e.Deprel, Deps: e.Deps, Misc: e.Misc})
	}
	return s, nil
}

// Expected returns the sums behind the shares of the row: right words are exact
// up to 2^37 words, variances as far as a standard error tells them.
func (d *Document) Expected() *syntax.Expected {
	const unit = 4096
	n := float64(d.CalibratedWords)
	estimate := func(share, stderr float64) syntax.Estimate {
		words := stderr * n
		return syntax.Estimate{Right: int64(math.Round(share * n * unit)), Variance: int64(math.Round(words * words * unit))}
	}
	return &syntax.Expected{Words: d.CalibratedWords, UPOS: estimate(d.ExpectedUPOS, d.ExpectedUPOSStderr),
		UAS: estimate(d.ExpectedUAS, d.ExpectedUASStderr), LAS: estimate(d.ExpectedLAS, d.ExpectedLASStderr)}
}

// check returns an error unless all lists of words have the same length.
func (t *Tree) check() error {
	n := len(t.Tokens)
	for _, list := range [][]string{t.Lemmas, t.UPOS, t.XPOS, t.Feats, t.Deprel, t.Deps, t.Misc} {
		if len(list) != n {
			return fmt.Errorf("%d tokens, but a list of %d", n, len(list))
		}
	}
	if len(t.Head) != n || len(t.StartChar) != len(t.EndChar) || len(t.StartChar) != n && len(t.StartChar) != 0 {
		return fmt.Errorf("%d tokens, but %d heads and %d offsets", n, len(t.Head), len(t.StartChar))
	}
	return nil
}

// parseID parses "3-4" or "3.1".
func parseID(id, sep string) (a, b int32, err error) {
	x, y, _ := strings.Cut(id, sep)
	i, err := strconv.ParseInt(x, 10, 32)
	if err == nil {
		var j int64
		if j, err = strconv.ParseInt(y, 10, 32); err == nil {
			return int32(i), int32(j), nil
		}
	}
	return 0, 0, fmt.Errorf("bad token id %q", id)
}

// ToFailure returns the row of a failure.
func ToFailure(f *syntax.Failure) Failure {
	r := Failure{
		DocID: f.DocID, SourceURI: f.SourceURI, ByteOffset: f.ByteOffset,
		Stage: f.Stage, Severity: f.Severity, Kind: f.Kind.String(), Reason: valid(f.Reason), Text: valid(f.Text), Block: valid(f.Block),
	}
	if f.Line > 0 {
		line := f.Line
		r.Line = &line
	}
	return r
}

// valid returns s as UTF-8: readers refuse a whole file for one bad byte.
func valid(s string) string { return strings.ToValidUTF8(s, string(utf8.RuneError)) }

// FromFailure returns the failure of a row. A kind that this version does not
// know is an error.
func FromFailure(r *Failure) (syntax.Failure, error) {
	f := syntax.Failure{
		DocID: r.DocID, SourceURI: r.SourceURI, ByteOffset: r.ByteOffset,
		Stage: r.Stage, Severity: r.Severity, Fault: syntax.Fault{Reason: r.Reason}, Text: r.Text, Block: r.Block,
	}
	if r.Line != nil {
		f.Line = *r.Line
	}
	if err := f.Kind.UnmarshalText([]byte(r.Kind)); err != nil {
		return f, fmt.Errorf("row of %s at byte %d: %w", r.SourceURI, r.ByteOffset, err)
	}
	return f, nil
}
