package pick

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Comment is the key of the comment that says why a sentence is in a sample.
const Comment = "treebeam_sample"

// kindUncertain begins the comment of a sentence that was chosen for its doubts.
const kindUncertain = "uncertain"

// MaxSample bounds a sample in sentences: 8 times as many are in memory.
const MaxSample = 10_000

// maxStretch is how many sentences of a paragraph are drawn together.
const maxStretch = 20

// A Sample says which sentences of an output to choose: one of Uncertain and Random
// is from 1 to MaxSample, the other 0.
type Sample struct {
	Uncertain  int    // how many of the sentences most worth a correction
	Random     int    // how many drawn at random
	Seed       uint64 // of the lot
	Paragraphs bool   // draw whole paragraphs, long ones in parts
	// Sentences of fewer or more words are left out, punctuation not counted.
	MinWords, MaxWords int
	Without            *Exclusion // sentences that are left out; nil for none
}

// An Exclusion is a set of sentences that must not be chosen. It knows them by id and
// by text, because a corrected sentence may have other words.
type Exclusion struct {
	ids   map[string]bool
	texts map[uint64]bool
}

// Add adds the sentences of a sample.
func (e *Exclusion) Add(sentences []syntax.Sentence) {
	if e.ids == nil {
		e.ids, e.texts = map[string]bool{}, map[uint64]bool{}
	}
	for i := range sentences {
		s := &sentences[i]
		forms := make([]string, len(s.Words))
		for k := range forms {
			forms[k] = s.Words[k].Form
		}
		e.ids[s.ID], e.texts[textKey(forms)] = true, true
	}
	delete(e.ids, "")
}

func (e *Exclusion) has(t *parquet.Tree) bool {
	return e != nil && (e.ids[t.SentID] || len(e.texts) > 0 && e.texts[textKey(t.Tokens)])
}

// A Drawn is a sample with the number of sentences that were left out.
type Drawn struct {
	Chosen []Chosen // in the order of the input
	Trees  int      // of the output

	sample        *Sample
	excluded      int // in Without
	outside       int // of another length
	unknown, sure int // as uncertain has them
}

// Draw reads all trees of an output once. text makes CoNLL-U of a row, with its
// confidence and an id.
func (s *Sample) Draw(ctx context.Context, from *output.Reader, text func(*output.Row) ([]byte, error)) (*Drawn, error) {
	d := &Drawn{sample: s}
	doubtful := &uncertain{N: s.Uncertain}
	var of interface {
		add(t *parquet.Tree, text func() []byte)
		skip(t *parquet.Tree)
		chosen() []Chosen
	} = doubtful
	if s.Random > 0 {
		lot := newLot(s.Random)
		lot.Seed = s.Seed
		if s.Paragraphs {
			lot.Stretch = maxStretch
		}
		of = lot
	}
	_, err := from.Sentences(func(r *output.Row) error {
		if r.Tree == nil {
			return ctx.Err()
		}
		d.Trees++
		var bad error
		words := Words(r.Tree)
		switch {
		case s.Without.has(r.Tree):
			d.excluded++
			of.skip(r.Tree)
		case words < s.MinWords || words > s.MaxWords:
			d.outside++
			of.skip(r.Tree)
		default:
			of.add(r.Tree, func() (block []byte) {
				block, bad = text(r)
				return block
			})
		}
		return errors.Join(bad, ctx.Err())
	})
	if err != nil {
		return nil, err
	}
	d.Chosen, d.unknown, d.sure = of.chosen(), doubtful.Unknown, doubtful.Sure
	return d, nil
}

// why says why a sentence was chosen, for its comment.
func (d *Drawn) why(c *Chosen) string {
	switch {
	case d.sample.Random == 0:
		return fmt.Sprintf("%s, %d of %d; %.1f of %d words expected wrong by %s", kindUncertain, c.Rank, len(d.Chosen), c.Doubt.Expected(), c.Doubt.Words, c.Doubt.By)
	case d.sample.Paragraphs:
		return fmt.Sprintf("random paragraphs, %d of %d, seed %d", len(d.Chosen), d.Trees, d.sample.Seed)
	}
	return fmt.Sprintf("random, %d of %d, seed %d", len(d.Chosen), d.Trees, d.sample.Seed)
}

// Write writes the sample as CoNLL-U. It begins a paragraph at each sentence that
// does not follow on the one before it.
func (d *Drawn) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	for i := range d.Chosen {
		c := &d.Chosen[i]
		if i == 0 || c.document != d.Chosen[i-1].document {
			fmt.Fprintf(out, "# newdoc id = %s\n", oneLine(c.Document))
		}
		if c.Opens {
			out.WriteString("# newpar\n")
		}
		fmt.Fprintf(out, "# %s = %s\n", Comment, d.why(c))
		out.Write(c.Text)
	}
	return out.Flush()
}

// oneLine is an id that came from anywhere, for a comment.
func oneLine(s string) string { return strings.NewReplacer("\n", " ", "\r", " ").Replace(s) }

// Totals are sums over a sample.
type Totals struct {
	Documents int
	Doubt     Doubt // words, and how many are expected to be wrong
	Raw       bool  // by head_marginal, because the model is not calibrated
}

// Totals adds up what was chosen.
func (d *Drawn) Totals() (t Totals) {
	documents := map[int]bool{}
	for i := range d.Chosen {
		doubt := &d.Chosen[i].Doubt
		documents[d.Chosen[i].document] = true
		t.Doubt.Wrong, t.Doubt.Words, t.Raw = t.Doubt.Wrong+doubt.Wrong, t.Doubt.Words+doubt.Words, t.Raw || doubt.By == Raw
	}
	t.Documents = len(documents)
	return t
}

// Left says in words why the other sentences were not chosen.
func (d *Drawn) Left() string {
	alike := 0 // with Random all others are chosen
	if d.sample.Uncertain > 0 {
		alike = d.Trees - len(d.Chosen) - d.outside - d.excluded - d.unknown - d.sure
	}
	var reasons []string
	for _, r := range []struct {
		n   int
		why string
	}{
		{d.outside, fmt.Sprintf("have not %d to %d words (--min-words, --max-words)", d.sample.MinWords, d.sample.MaxWords)},
		{d.excluded, "are in --without"},
		{d.unknown, "have no probabilities, or punctuation alone"},
		{d.sure, "have nothing that is expected to be wrong"},
		{alike, "say what one of these says"},
	} {
		if r.n > 0 {
			reasons = append(reasons, fmt.Sprintf("%d %s", r.n, r.why))
		}
	}
	switch {
	case len(reasons) == 0 && d.Trees == 1:
		return "there is 1 sentence"
	case len(reasons) == 0:
		return fmt.Sprintf("there are %d sentences", d.Trees)
	}
	return strings.Join(append([]string{fmt.Sprintf("of %d sentences", d.Trees)}, reasons...), ", ")
}

// ChosenForDoubts counts the sentences that were chosen because they are uncertain. A
// measurement on them does not hold for other text.
func ChosenForDoubts(sentences []syntax.Sentence) (n int) {
	for i := range sentences {
		for _, c := range sentences[i].Comments {
			if key, value := conllu.Comment(c); key == Comment && strings.HasPrefix(value, kindUncertain) {
				n++
				break
			}
		}
	}
	return n
}
