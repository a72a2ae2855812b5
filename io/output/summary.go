package output

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Summary is summary.json: sums over a whole output. It holds no times, so
// that the same input gives the same bytes.
type Summary struct {
	Files       int64            `json:"files"`
	FilesFailed int64            `json:"files_failed"` // could not be read, or not to their end, or have errors and no tree
	StoredBytes int64            `json:"stored_bytes"`
	Repaired    int64            `json:"repaired_characters"`
	Records     int64            `json:"records,omitempty"` // of JSON lines, including documents without text
	Status      map[string]int64 `json:"status"`            // trees by status
	Reasons     []Reason         `json:"reasons"`           // of failures and warnings by kind, the commonest first
	// Forecast says how good the trees are expected to be; nil if no word has
	// calibrated probabilities.
	Forecast *Forecast `json:"expected,omitempty"`
	// Suggestions name files that needed so many repairs that they probably have
	// another encoding, and say if the text seems to be in another language.
	Suggestions []string `json:"suggestions,omitempty"`
	Counts

	suspects  int  // files that needed many repairs
	annotated bool // a file is in a CoNLL format
	// Files that meet has met that seem to be in another language, and the first of them.
	foreigners int64
	foreigner  string
}

// addFile adds a complete file, and checks its sums.
func (s *Summary) addFile(f *File) error {
	if err := f.check(); err != nil {
		return fmt.Errorf("%s: %w: something was lost", f.URI, err)
	}
	s.Counts.add(&f.Counts)
	s.Forecast = s.Expected.forecast()
	s.Files++
	s.StoredBytes += max(f.Stored, 0) // -1 is unknown
	s.Repaired += f.Repaired
	s.Records += f.Records
	if f.Failed || f.Errors > 0 && f.Trees == 0 {
		s.FilesFailed++
	}
	s.annotated = s.annotated || source.Format(f.Format).Annotated()
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
	s.Counts.add(&o.Counts)
	s.Forecast = s.Expected.forecast()
	s.Suggestions = append(s.Suggestions, o.Suggestions...)
	s.addRows(o.Reasons, o.Status)
	s.sortReasons()
}

// addRows adds what was counted of rows.
func (s *Summary) addRows(reasons []Reason, status map[string]int64) {
	for _, r := range reasons {
		s.Reasons = addReason(s.Reasons, r)
	}
	if s.Status == nil {
		s.Status = map[string]int64{}
	}
	for name, n := range status {
		s.Status[name] += n
	}
}

// close completes the summary of a run that has an output folder.
func (s *Summary) close(trainedOn string) {
	s.noteSuspects(": see repaired in documents/")
	s.NoteLanguage(trainedOn)
	s.sortReasons()
}

// NoteIdle adds suggestions if options of CoNLL input have met none.
func (s *Summary) NoteIdle(o *RowOptions) {
	for _, x := range []struct {
		given bool
		flag  string
	}{{o.Retag, "--retag"}, {o.KeepHeads, "--keep-heads"}} {
		if x.given && !s.annotated {
			s.Suggestions = append(s.Suggestions, x.flag+" has changed nothing: it is for CoNLL input, and there was none")
		}
	}
}

// A Tally adds up a run without an output folder and checks of it what Parts
// and Run.Finish check of one that has one. The zero value is ready.
type Tally struct {
	Summary
	pieces pieceSums // of the range that is under way
	files  tiles     // whose ranges are done
}

// Add adds a batch. Batches come in order: the batches of a range follow the batches of
// the range before.
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
		if err := t.file(t.files.add(&b.Ends[i])); err != nil {
			return err
		}
	}
	return nil
}

// file adds a file whose pieces are all there, if there is one.
func (t *Tally) file(f *File, err error) error {
	if f == nil || err != nil {
		return err
	}
	return t.addFile(f)
}

// Close ends the tally of a run that has parsed all of its input.
func (t *Tally) Close() error {
	if err := t.file(t.files.end()); err != nil {
		return err
	}
	t.noteSuspects("")
	t.sortReasons()
	return t.defects()
}

// Cut ends the tally of a run that has parsed enough before the end of its input. A
// file counts if part of it was parsed or failed; a block counts as far as it was
// segmented. The sums leave out the size of a file that was cut off.
func (t *Tally) Cut() {
	uris := map[string]bool{}
	if f, _ := t.files.end(); f != nil {
		t.Counts.add(&f.Counts)
		uris[f.URI] = true
	}
	for _, sums := range t.pieces {
		sums.Sentences = sums.Trees + sums.SentencesFailed // more were segmented
		sums.Blocks = sums.Segmented + sums.BlocksFailed
		if sums.Sentences+sums.Errors+sums.Warnings > 0 {
			t.Counts.add(&sums.Counts)
			uris[sums.URI] = true
		}
	}
	t.Files += int64(len(uris))
	t.Forecast = t.Expected.forecast()
	t.sortReasons()
}

// Expected is syntax.Expected, in JSON a list of its seven integers: the words that
// have probabilities, then right words and variance for UPOS, UAS and LAS. Integers
// make the sums over parts, runs and nights exact.
type Expected struct{ syntax.Expected }

// MarshalJSON implements json.Marshaler.
func (e Expected) MarshalJSON() ([]byte, error) {
	return json.Marshal([...]int64{e.Words, e.UPOS.Right, e.UPOS.Variance, e.UAS.Right, e.UAS.Variance, e.LAS.Right, e.LAS.Variance})
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *Expected) UnmarshalJSON(text []byte) error {
	var list []int64
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	if len(list) != 7 {
		return fmt.Errorf("expected_sums has %d numbers, not 7", len(list))
	}
	estimate := func(i int) syntax.Estimate { return syntax.Estimate{Right: list[i], Variance: list[i+1]} }
	e.Expected = syntax.Expected{Words: list[0], UPOS: estimate(1), UAS: estimate(3), LAS: estimate(5)}
	return nil
}

// A Forecast estimates the quality of trees without gold ones: the shares of words, in
// [0,1], that are expected to have the right UPOS, head (UAS), and head and deprel
// (LAS), each with its standard error. JSON has six digits of each.
type Forecast struct {
	Words      int64 `json:"words"` // that have probabilities, over 0
	UPOS       share `json:"upos"`
	UPOSStderr share `json:"upos_stderr"`
	UAS        share `json:"uas"`
	UASStderr  share `json:"uas_stderr"`
	LAS        share `json:"las"`
	LASStderr  share `json:"las_stderr"`
}

// share is a number that JSON gives with six digits after the point.
type share float64

func (s share) MarshalJSON() ([]byte, error) {
	const digits = 1e6
	return json.Marshal(math.Round(float64(s)*digits) / digits)
}

// forecast returns the expected shares, or nil if no word has probabilities.
func (e *Expected) forecast() *Forecast {
	if e.Words == 0 {
		return nil
	}
	f := &Forecast{Words: e.Words}
	for _, x := range []struct {
		of            syntax.Estimate
		share, stderr *share
	}{{e.UPOS, &f.UPOS, &f.UPOSStderr}, {e.UAS, &f.UAS, &f.UASStderr}, {e.LAS, &f.LAS, &f.LASStderr}} {
		mean, stderr := x.of.Share(e.Words)
		*x.share, *x.stderr = share(mean), share(stderr)
	}
	return f
}

// Text is taken to be in another language than the model if it has minLexical
// words, unknownPercent of which the model does not know. Measured with the
// English model: 6 to 8 % in mail and speeches, 20 % in pages on programming,
// 33 % in program code; 68 to 72 % in Romance languages, 74 to 85 % in other
// Germanic ones, 92 % and more in Turkish and Greek. A model of Turkish, trained
// on 37,500 words, does not know 36 % of the words of its own dev data: 30 %
// would be too few.
const (
	minLexical     = 100
	unknownPercent = 50
)

// Meet counts the words of s that the model has met in training.
func (c *Counts) Meet(s *syntax.Sentence) {
	c.Lexical += int64(s.Lexical)
	c.Unknown += int64(s.Unknown)
}

// foreign reports whether what was counted seems to be in a language that the
// model does not know.
func (c *Counts) foreign() bool {
	return c.Lexical >= minLexical && c.Unknown*100 > c.Lexical*unknownPercent
}

// percentUnknown is 0 to 100.
func (c *Counts) percentUnknown() int64 { return (c.Unknown*100 + c.Lexical/2) / max(c.Lexical, 1) }

// meet notes whether the text of a complete file seems to be in another language than
// the model.
func (s *Summary) meet(f *File) {
	if !f.foreign() {
		return
	}
	if s.foreigners++; s.foreigners == 1 {
		s.foreigner = fmt.Sprintf("%s: %d %%", f.URI, f.percentUnknown())
	}
}

// NoteLanguage adds a suggestion if the text of the run, or else the text of some of
// its files, seems to be in another language than the model. trainedOn says what the
// model was trained on.
func (s *Summary) NoteLanguage(trainedOn string) {
	model := "the model"
	if trainedOn != "" {
		model += ", which was trained on " + trainedOn
	}
	const remedy = "docs/languages.md says how to get or train another model, which --model names"
	switch {
	case s.foreign():
		s.Suggestions = append(s.Suggestions, fmt.Sprintf(
			"%d %% of the words are unknown to %s: is this text in another language? %s", s.percentUnknown(), model, remedy))
	case s.foreigners > 0:
		s.Suggestions = append(s.Suggestions, fmt.Sprintf(
			"more than half of the words of %d of %d files are unknown to %s (%s): are these in another language? "+
				"See unknown_words in documents/; %s", s.foreigners, s.Files, model, s.foreigner, remedy))
	}
}
