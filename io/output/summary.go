package output

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A Summary is summary.json: sums over a whole output. It holds no times, so
// that the same input gives the same bytes.
type Summary struct {
	Files       int64            `json:"files"`
	FilesFailed int64            `json:"files_failed"` // could not be read, or not to their end
	StoredBytes int64            `json:"stored_bytes"`
	Repaired    int64            `json:"repaired_characters"`
	Records     int64            `json:"records,omitempty"` // of JSON lines, those without text included
	Status      map[string]int64 `json:"status"`            // trees by status
	Reasons     []Reason         `json:"reasons"`           // of failures and warnings by kind, the commonest first
	Work        *Work            `json:"work,omitempty"`    // of the search
	// Forecast says how good the trees are expected to be; nil if no word has
	// calibrated probabilities.
	Forecast *Forecast `json:"expected,omitempty"`
	// Suggestions name files of which so much had to be repaired that their
	// encoding is probably another, and say if the language seems to be.
	Suggestions []string `json:"suggestions,omitempty"`
	Counts

	suspects int // files of which much had to be repaired
}

// addFile adds a file of which all is there, and checks its sums.
func (s *Summary) addFile(f *File) error {
	if err := f.Check(); err != nil {
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
	if f.MuchRepaired() {
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

// sortReasons puts the commonest first; there are none rather than null in JSON.
func (s *Summary) sortReasons() {
	if s.Reasons == nil {
		s.Reasons = []Reason{}
	}
	slices.SortStableFunc(s.Reasons, func(a, b Reason) int { return cmp.Compare(b.Count, a.Count) })
}

// defects is an error if too much failed through defects of the program.
func (s *Summary) defects() error {
	if all := s.Sentences + s.BlocksFailed; s.Internal >= 10 && s.Internal*1000 > all {
		return fmt.Errorf("%d of %d sentences failed through defects of the program: see the failures of kind %v", s.Internal, all, syntax.KindInternal)
	}
	return nil
}

// Merge adds the sums of o to s.
func (s *Summary) Merge(o *Summary) {
	s.Files += o.Files
	s.FilesFailed += o.FilesFailed
	s.StoredBytes += o.StoredBytes
	s.Repaired += o.Repaired
	s.Records += o.Records
	s.Counts.Add(&o.Counts)
	s.Forecast = s.Expected.Forecast()
	s.Suggestions = append(s.Suggestions, o.Suggestions...)
	if s.Status == nil {
		s.Status = map[string]int64{}
	}
	for status, n := range o.Status {
		s.Status[status] += n
	}
	for _, r := range o.Reasons {
		s.Reasons = addReason(s.Reasons, r)
	}
	if o.Work != nil {
		s.addWork(o.Work)
		s.Work.setQuantiles()
	}
}
