package transforms

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
		sums = &File{Piece: f.Piece}
		s[f.Piece] = sums
	}
	return sums
}

// add counts what is in c, which was through all stages.
func (s pieceSums) add(c *Chunk) {
	for i := range c.Segmented {
		sums := s.of(&c.Files[i])
		sums.Segmented += c.Segmented[i].Blocks
		sums.Sentences += c.Segmented[i].Sentences
	}
	for i := range c.Sentences {
		sentence := &c.Sentences[i]
		sums := s.of(&c.Files[sentence.File])
		sums.Trees++
		sums.Words += int64(len(sentence.Words))
		sums.Meet(&sentence.Sentence)
		sums.Expected.Add(&sentence.Confidence.Expected)
	}
	for i := range c.Failures {
		row := &c.Failures[i]
		sums := s.of(&c.Files[row.File])
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
		if err := end.check(); err != nil {
			return fmt.Errorf("%s: %w: something was lost between Read and Write", end.URI, err)
		}
	}
	if len(s) > 0 {
		return fmt.Errorf("rows of %d files came to Write that Read did not count", len(s))
	}
	return nil
}

// A Tally adds up a run without an output folder and checks of it what Write
// and Finish check of one that has one. The zero value is ready.
type Tally struct {
	Summary
	pieces pieceSums // of the range that is under way
	files  []File    // pieces of one file whose ranges are done
}

// Add adds a chunk that was through all stages. Chunks come in order.
func (t *Tally) Add(c *Chunk) error {
	if t.pieces == nil {
		t.pieces = pieceSums{}
	}
	if t.Status == nil {
		t.Status = map[string]int64{}
	}
	t.pieces.add(c)
	for i := range c.Sentences {
		t.Status[c.Sentences[i].Status.String()]++
	}
	for i := range c.Failures {
		row := &c.Failures[i]
		row.SourceURI = c.Files[row.File].URI
		t.Reasons = addReason(t.Reasons, reasonOf(&row.Failure))
	}
	if !c.Last {
		return nil
	}
	if err := t.pieces.close(c.Ends); err != nil {
		return err
	}
	for i := range c.Ends {
		if len(t.files) > 0 && t.files[0].URI != c.Ends[i].URI {
			if err := t.file(); err != nil {
				return err
			}
		}
		t.files = append(t.files, c.Ends[i])
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

// Close ends the tally.
func (t *Tally) Close() error {
	if err := t.file(); err != nil {
		return err
	}
	t.noteSuspects("")
	return t.defects()
}

// addFile adds a file of which all is there, and checks its sums.
func (s *Summary) addFile(f *File) error {
	if err := f.check(); err != nil {
		return fmt.Errorf("%s: %w: something was lost", f.URI, err)
	}
	s.Counts.Add(&f.Counts)
	s.Forecast = s.Expected.Forecast()
	s.Files++
	s.StoredBytes += max(f.Stored, 0) // -1 is unknown
	s.Repaired += f.Repaired
	s.Records += f.Records
	if f.Failed {
		s.FilesFailed++
	}
	if f.muchRepaired() {
		if s.suspects++; s.suspects <= maxSuggestions {
			s.Suggestions = append(s.Suggestions, f.otherEncoding())
		}
	}
	return nil
}

// maxSuggestions is how many files Summary.Suggestions names.
const maxSuggestions = 5

// noteSuspects says how many files it does not name, and where they are.
func (s *Summary) noteSuspects(where string) {
	if more := s.suspects - maxSuggestions; more > 0 {
		s.Suggestions = append(s.Suggestions, fmt.Sprintf("%d more files are like these%s", more, where))
	}
}

// defects is an error if too much failed through defects of the program.
func (s *Summary) defects() error {
	if all := s.Sentences + s.BlocksFailed; s.Internal >= 10 && s.Internal*1000 > all {
		return fmt.Errorf("%d of %d sentences failed through defects of the program: see the failures of kind %v", s.Internal, all, syntax.KindInternal)
	}
	return nil
}
