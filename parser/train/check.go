package train

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
)

// maxPlaces is how many places of one finding are kept.
const maxPlaces = 5

// maxUnseen is the percentage of dev's words unknown in train above which the
// report suspects a wrong pair of files.
const maxUnseen = 50.0

// A Report says what Check has found in train and dev.
type Report struct {
	Facts    []string  // one line each
	Findings []Finding // fatal findings first
}

// A Finding is a kind of fault and the places where it occurs.
type Finding struct {
	Fatal  bool
	What   string // cause, and remedy if there is one
	Count  int
	Places []string // the first few, as file:line
}

// String returns the finding in one line.
func (f Finding) String() string {
	if f.Fatal {
		return "error: " + f.text()
	}
	return "warning: " + f.text()
}

func (f Finding) text() string {
	text := f.What
	if f.Count > 0 {
		text += fmt.Sprintf(": %d", f.Count)
	}
	for _, place := range f.Places {
		text += ", " + place
	}
	if f.Count > len(f.Places) {
		text += ", ..."
	}
	return text
}

// Fatal returns an error that lists the fatal findings, which prevent training, or nil
// if there are none.
func (r *Report) Fatal() error {
	var lines []string
	for _, f := range r.Findings {
		if f.Fatal {
			lines = append(lines, f.text())
		}
	}
	if lines == nil {
		return nil
	}
	return fmt.Errorf("the treebanks cannot be trained on: %s", strings.Join(lines, "; "))
}

// WriteTo writes the report as text for people.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	lines := slices.Clone(r.Facts)
	for _, f := range r.Findings {
		lines = append(lines, f.String())
	}
	n, err := io.WriteString(w, strings.Join(append(lines, ""), "\n"))
	return int64(n), err
}

// Check looks for faults that harm training in dev and in all files of train: invalid
// trees, empty columns, sentences in both treebanks, missing text, and further files
// with other tags or relations. It reports all faults, not only the first.
func Check(train, dev Treebank) *Report {
	c := &checker{}
	for _, t := range slices.Concat([]Treebank{train}, train.More) {
		c.columns(t)
		c.open(t)
		for i := range t.Sentences {
			c.sentence(t, &t.Sentences[i], true)
		}
	}
	c.columns(dev)
	for i := range dev.Sentences {
		c.sentence(dev, &dev.Sentences[i], false)
	}
	c.further(train)
	whole := train
	whole.Sentences = train.All()
	c.learnable(whole)
	c.pair(whole, dev)
	order := map[bool]int{true: 0, false: 1}
	slices.SortStableFunc(c.Findings, func(a, b Finding) int { return order[a.Fatal] - order[b.Fatal] })
	return &c.Report
}

type checker struct{ Report }

func (c *checker) fact(format string, a ...any) { c.Facts = append(c.Facts, fmt.Sprintf(format, a...)) }

// find adds a finding of a whole treebank.
func (c *checker) find(fatal bool, format string, a ...any) {
	c.Findings = append(c.Findings, Finding{Fatal: fatal, What: fmt.Sprintf(format, a...)})
}

// add counts a finding, at the sentence's place and word (0 is none).
func (c *checker) add(fatal bool, what string, t Treebank, s *syntax.Sentence, word int) {
	at := slices.IndexFunc(c.Findings, func(f Finding) bool { return f.What == what })
	if at < 0 {
		at = len(c.Findings)
		c.Findings = append(c.Findings, Finding{Fatal: fatal, What: what})
	}
	f := &c.Findings[at]
	f.Count++
	if len(f.Places) < maxPlaces {
		f.Places = append(f.Places, place(t, s, word))
	}
}

// place returns file:line of a word of a sentence, of the sentence's first line
// for word 0.
func place(t Treebank, s *syntax.Sentence, word int) string {
	if s.Line == 0 {
		return fmt.Sprintf("%s: sentence %q", t.Name, s.ID)
	}
	line := s.Line
	if word > 0 {
		line += int64(len(s.Comments) + word - 1)
		for _, m := range s.MWTs {
			if int(m.First) <= word {
				line++
			}
		}
		for _, e := range s.Empty {
			if int(e.After) < word {
				line++
			}
		}
	}
	return fmt.Sprintf("%s:%d", t.Name, line)
}

// sentence checks one tree and its text. A partial tree may lack heads and
// relations.
func (c *checker) sentence(t Treebank, s *syntax.Sentence, partial bool) {
	sound := true
	if partial {
		c.leftOpen(t, s)
	}
	for i := range s.Words {
		w := &s.Words[i]
		switch {
		case w.Head == syntax.NoHead && partial:
		case w.Head == syntax.NoHead:
			c.add(true, "word without a head in the development treebank: complete the tree or leave the sentence out", t, s, i+1)
			sound = false
		case w.Head < 0 || int(w.Head) > s.Len():
			c.add(true, "head outside the sentence", t, s, i+1)
			sound = false
		case int(w.Head) == i+1:
			c.add(true, "word that is its own head", t, s, i+1)
			sound = false
		}
		if w.Deprel == "" {
			if !partial {
				c.add(true, "word without a relation in the development treebank: complete the DEPREL column", t, s, i+1)
			}
		} else if w.Head != syntax.NoHead && (w.Head == syntax.Root) != w.RootRelation() {
			c.add(false, "relation root on a word that hangs on another, or the reverse", t, s, i+1)
		}
	}
	if sound {
		if at := syntax.Cycle(s.Words); at > 0 {
			c.add(true, "heads that form a cycle", t, s, at)
		} else if s.Roots() > 1 {
			c.add(false, "sentences with several roots, left out when pruner, parser and labels are trained", t, s, 0)
		}
	}
	if !slices.ContainsFunc(s.Comments, func(line string) bool { return strings.HasPrefix(line, "# text =") }) {
		c.add(false, "sentences without # text, whose text is made of forms and SpaceAfter", t, s, 0)
	} else if s.Text != "" && !slices.Equal(strings.Fields(s.Text), strings.Fields(surface(s))) {
		c.add(false, "sentences whose # text differs from forms and SpaceAfter, which the segmenter learns from", t, s, 0)
	}
}

// surface is the text of a sentence by its forms and SpaceAfter.
func surface(s *syntax.Sentence) string {
	var b strings.Builder
	for t := range s.Tokens() {
		b.WriteString(t.Form)
		if !syntax.NoSpaceAfter(t.Misc) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// columns records the treebank's size and the columns that have no value at
// all.
func (c *checker) columns(t Treebank) {
	words, multiword := syntax.CountWords(t.Sentences), 0
	var lemma, upos, xpos, feats bool
	for i := range t.Sentences {
		multiword += len(t.Sentences[i].MWTs)
		for _, w := range t.Sentences[i].Words {
			lemma, upos = lemma || w.Lemma != "", upos || w.UPOS != ""
			xpos, feats = xpos || w.XPOS != "", feats || w.Feats != ""
		}
	}
	c.fact("%s: sentences: %d, words: %d, multiword tokens: %d", t.Name, len(t.Sentences), words, multiword)
	if words == 0 {
		c.find(true, "%s has no words: name a CoNLL-U file with trees", t.Name)
		return
	}
	if !upos {
		c.find(true, "%s: the UPOS column is empty: no tagger can be trained", t.Name)
	}
	for _, column := range []struct {
		name string
		ok   bool
	}{{"LEMMA", lemma}, {"XPOS", xpos}, {"FEATS", feats}} {
		if !column.ok {
			c.fact("%s: the %s column is empty and will not be predicted", t.Name, column.name)
		}
	}
}

// further reports tags and relations that further files have and the treebank
// does not have. They are usually slips or other conventions.
func (c *checker) further(t Treebank) {
	tags, relations := map[[2]string]bool{}, map[string]bool{}
	for w := range syntax.Words(t.Sentences) {
		tags[[2]string{w.UPOS, w.XPOS}], relations[w.Deprel] = true, true
	}
	relations[""] = true // an open relation
	for _, x := range t.More {
		for i := range x.Sentences {
			for j, w := range x.Sentences[i].Words {
				if !tags[[2]string{w.UPOS, w.XPOS}] {
					c.add(false, "UPOS and XPOS together that "+t.Name+" does not have", x, &x.Sentences[i], j+1)
				}
				if !relations[w.Deprel] {
					c.add(false, "relations that "+t.Name+" does not have", x, &x.Sentences[i], j+1)
				}
			}
		}
	}
}

// learnable reports what a training treebank lacks although its trees are
// valid.
func (c *checker) learnable(t Treebank) {
	values := map[string]bool{}
	relations, open := 0, 0
	trees := oneRoot(t.Sentences)
	for i := range t.Sentences {
		for _, w := range t.Sentences[i].Words {
			values[w.UPOS] = true
			switch {
			case w.OpenRelation():
				open++
			case w.Head != syntax.Root:
				relations++
			}
		}
	}
	delete(values, "")
	if n := len(values); n > tag.MaxUPOS {
		c.find(true, "%s: %d different UPOS, a model holds %d: put tags finer than those of UD into the XPOS column",
			t.Name, n, tag.MaxUPOS)
	}
	if open > 0 && relations == 0 {
		c.find(true, "%s: no word has both a head and a relation, other than roots: complete some of the HEAD and DEPREL columns", t.Name)
	}
	if n := len(syntax.GoldRelations(trees)); n > label.MaxRelations {
		c.find(true, "%s: %d different relations, a model holds %d: check the DEPREL column", t.Name, n, label.MaxRelations)
	}
	if len(trees) == 0 && syntax.CountWords(t.Sentences) > 0 {
		c.find(true, "%s: no sentence has exactly one root, as all that the parser learns from must have", t.Name)
	}
}

// pair compares the two treebanks: overlap and unseen forms.
func (c *checker) pair(train, dev Treebank) {
	known, texts := map[string]bool{}, map[string]bool{}
	for i := range train.Sentences {
		s := &train.Sentences[i]
		texts[words(s)] = true
		for j := range s.Words {
			known[s.Words[j].Form] = true
		}
	}
	total, unseen, long, longBoth := 0, 0, 0, 0
	for i := range dev.Sentences {
		s := &dev.Sentences[i]
		for j := range s.Words {
			total++
			if !known[s.Words[j].Form] {
				unseen++
			}
		}
		if s.Len() < 5 {
			continue // greetings, headings and the like may well be in both
		}
		long++
		if texts[words(s)] {
			longBoth++
			c.add(false, "sentences of 5 words or more that are in both treebanks, so that scores on dev are too good", dev, s, 0)
		}
	}
	if total == 0 {
		return
	}
	share := 100 * float64(unseen) / float64(total)
	c.fact("dev: %.1f %% of the words have forms that train does not have; sentences of 5 words or more that are in train too: %d of %d", share, longBoth, long)
	if share > maxUnseen && len(known) > 0 {
		c.find(false, "%.0f %% of dev's words are unknown to train: check that both are of one language", share)
	}
}

// words returns the forms of a sentence as one string.
func words(s *syntax.Sentence) string {
	var forms []string
	for i := range s.Words {
		forms = append(forms, s.Words[i].Form)
	}
	return strings.Join(forms, " ")
}
