package output

import (
	"fmt"

	"github.com/treebeam/treebeam/parser/syntax"
)

// pieceSums are what the stages have made of each piece of a range.
type pieceSums map[int]*File

// of returns the sums of the piece that f is in.
func (s pieceSums) of(f *File) *File {
	sums := s[f.Piece]
	if sums == nil {
		sums = &File{Piece: f.Piece, URI: f.URI}
		s[f.Piece] = sums
	}
	return sums
}

// add counts what is in b.
func (s pieceSums) add(b *Batch) {
	for i := range b.Segmented {
		sums := s.of(&b.Files[i])
		sums.Segmented += b.Segmented[i].Blocks
		sums.Sentences += b.Segmented[i].Sentences
	}
	for i := range b.Trees {
		sentence := b.Trees[i].Sentence
		sums := s.of(&b.Files[b.Trees[i].File])
		sums.Trees++
		sums.Words += int64(len(sentence.Words))
		sums.Meet(sentence)
		sums.Expected.Add(&sentence.Confidence.Expected)
	}
	for i := range b.Failures {
		row := &b.Failures[i]
		sums := s.of(&b.Files[row.File])
		if row.Block {
			sums.BlocksFailed++
		}
		if row.Sentence {
			sums.SentencesFailed++
		}
		if row.Kind == syntax.KindInternal {
			sums.Internal++
		}
		if row.Severity == syntax.SeverityWarning {
			sums.Warnings++
		} else {
			sums.Errors++
		}
	}
}

// close completes what Read has counted with these sums. It says if something
// was lost on the way.
func (s pieceSums) close(ends []File) error {
	for i := range ends {
		end := &ends[i]
		if sums := s[end.Piece]; sums != nil {
			blocks := end.Blocks
			end.Counts = sums.Counts
			end.Blocks = blocks
			delete(s, end.Piece)
		}
		if err := end.Check(); err != nil {
			return fmt.Errorf("%s: %w: something was lost between Read and Write", end.URI, err)
		}
	}
	if len(s) > 0 {
		return fmt.Errorf("rows of %d files came to Write that Read did not count", len(s))
	}
	return nil
}

// A Tally adds up a run without an output folder and checks of it what Parts
// and Run.Finish check of one that has one. The zero value is ready.
type Tally struct {
	Summary
	pieces pieceSums // of the range that is under way
	files  []File    // pieces of one file whose ranges are done
}

// Add adds a batch. Batches come in order, those of a range after those of the
// one before.
func (t *Tally) Add(b *Batch) error {
	if t.pieces == nil {
		t.pieces = pieceSums{}
	}
	if t.Status == nil {
		t.Status = map[string]int64{}
	}
	t.pieces.add(b)
	for i := range b.Trees {
		t.Status[b.Trees[i].Sentence.Status.String()]++
	}
	for i := range b.Failures {
		row := &b.Failures[i]
		row.SourceURI = b.Files[row.File].URI
		t.Reasons = addReason(t.Reasons, reasonOf(&row.Failure))
	}
	if !b.Last {
		return nil
	}
	if err := t.pieces.close(b.Ends); err != nil {
		return err
	}
	for i := range b.Ends {
		if len(t.files) > 0 && t.files[0].URI != b.Ends[i].URI {
			if err := t.file(); err != nil {
				return err
			}
		}
		t.files = append(t.files, b.Ends[i])
	}
	return nil
}

// file adds the file whose pieces are all there.
func (t *Tally) file() error {
	whole, err := mergeFiles(t.files)
	if err != nil {
		return err
	}
	t.files = t.files[:0]
	for i := range whole {
		if err := t.addFile(&whole[i]); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the tally of a run that has parsed all of its input.
func (t *Tally) Close() error {
	if err := t.file(); err != nil {
		return err
	}
	t.noteSuspects("")
	t.sortReasons()
	return t.defects()
}

// Cut ends the tally of a run that has parsed enough before the end of its
// input. Files count if something of them was parsed, or could not be; blocks,
// as far as they were segmented. The size of a file that was cut off is not in
// the sums.
func (t *Tally) Cut() {
	for _, sums := range t.pieces {
		sums.Sentences = sums.Trees + sums.SentencesFailed // more were segmented
		sums.Blocks = sums.Segmented + sums.BlocksFailed
		if sums.Sentences+sums.Errors+sums.Warnings > 0 {
			t.files = append(t.files, *sums)
		}
	}
	uris := map[string]bool{}
	for i := range t.files {
		t.Counts.Add(&t.files[i].Counts)
		uris[t.files[i].URI] = true
	}
	t.Files += int64(len(uris))
	t.Forecast = t.Expected.Forecast()
	t.sortReasons()
}
