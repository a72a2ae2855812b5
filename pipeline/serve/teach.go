package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Teacher is the model behind an editor.
type Teacher struct {
	// Offers returns what each word of a tree may have, the most probable first. Nil: the
	// page offers nothing. It is called by one goroutine at a time.
	Offers func(tree *syntax.Sentence) ([]model.Offers, error)
	// Adapt teaches the model CoNLL-U: the corrected sentences. It tells say what it is
	// doing, line by line, and returns what has come of it, for the reader. Nil: the page
	// offers nothing. It is called by one goroutine at a time, and stops when the program
	// does.
	Adapt func(trees []byte, say func(line string)) (verdict string, err error)
	Model string // the file that Adapt writes, for the page
}

// Bounds of what the page shows of the model.
const (
	shownOffers = 5     // for a column of a word
	leastOffer  = 0.005 // the probability of one that is shown
	shownLines  = 12    // the last ones that Adapt says
	leastTaught = 2     // corrected sentences that Adapt needs
)

// lessons are the adaptations of an editor's model, one after another.
type lessons struct {
	sync.Mutex
	now lesson
}

// A lesson is what the page shows of an adaptation.
type lesson struct {
	Running   bool     `json:"running"`
	Sentences int      `json:"sentences"` // that it learns from
	Lines     []string `json:"lines"`     // the last ones that it has said
	Verdict   string   `json:"verdict"`   // what has come of it, or why nothing has; "" before the end
	Failed    bool     `json:"failed"`
}

// state is what the page shows.
func (l *lessons) state() lesson {
	l.Lock()
	defer l.Unlock()
	now := l.now
	now.Lines = append([]string{}, now.Lines...)
	return now
}

func (l *lessons) say(line string) {
	l.Lock()
	defer l.Unlock()
	l.now.Lines = append(l.now.Lines, line)
	l.now.Lines = l.now.Lines[max(0, len(l.now.Lines)-shownLines):]
}

// begin begins an adaptation, unless one is running.
func (l *lessons) begin(sentences int) bool {
	l.Lock()
	defer l.Unlock()
	if l.now.Running {
		return false
	}
	l.now = lesson{Running: true, Sentences: sentences}
	return true
}

func (l *lessons) end(verdict string, err error) {
	l.Lock()
	defer l.Unlock()
	l.now.Running, l.now.Verdict, l.now.Failed = false, verdict, err != nil
	if err != nil {
		l.now.Verdict = err.Error()
	}
}

// learned returns the sentences that somebody has corrected, in the order of the file. It
// refuses one that is no tree, even in part, by its number on the page.
func (m *manuscript) learned() (trees []byte, sentences int, err error) {
	for i := range m.blocks {
		if !m.blocks[i].done {
			continue
		}
		raw := m.raw(i)
		_, err := conllu.ReadTrees(bytes.NewReader(raw), "", conllu.Options{NoHeads: true})
		if wrong := new(conllu.Error); errors.As(err, &wrong) {
			return nil, 0, badRequest("The model cannot learn sentence %d: %s. Correct it first.", slices.Index(m.order, i)+1, wrong.Reason)
		}
		trees = append(append(trees, bytes.TrimRight(raw, "\r\n")...), "\n\n"...)
		sentences++
	}
	return trees, sentences, nil
}

// adapt answers /adapt: GET says how far it is, POST begins.
func (s *Server) adapt(w *answer, r *http.Request) error {
	if r.Method != http.MethodPost {
		return s.edit(w, r, nil, func(*manuscript) (any, error) { return s.lessons.state(), nil })
	}
	return s.edit(w, r, new(struct{}), func(m *manuscript) (any, error) {
		trees, n, err := m.learned()
		if err != nil {
			return nil, err
		}
		if n < leastTaught {
			return nil, badRequest("Correct at least %d sentences first: some to learn from, some to measure by.", leastTaught)
		}
		if !s.lessons.begin(n) {
			return nil, stale("The model is being adapted already.")
		}
		go func() {
			verdict, err := "", error(nil)
			defer func() {
				if p := recover(); p != nil {
					s.log.Printf("adapting: %v", p)
					err = fmt.Errorf("nothing was written: the program has a defect: %v", p)
				}
				s.lessons.end(verdict, err)
			}()
			verdict, err = s.teacher.Adapt(trees, s.lessons.say)
		}()
		return s.lessons.state(), nil
	})
}

// offers answers /offers: what the words of a sentence may have.
func (s *Server) offers(w *answer, r *http.Request) error {
	return s.within(w, r, nil, func() (any, error) {
		at, err := strconv.Atoi(r.URL.Query().Get("at"))
		if err != nil {
			at = -1
		}
		sentence, version, err := s.edited.sentence(at)
		if err != nil {
			return nil, err
		}
		all, err := s.parse(r.Context(), sentence)
		if err != nil {
			return nil, err
		}
		for i := range all {
			x := &all[i]
			x.Head, x.Deprel, x.UPOS = shown(x.Head), shown(x.Deprel), shown(x.UPOS)
		}
		return map[string]any{"at": at, "version": version, "words": all}, nil
	})
}

// shown are the offers that the page shows of those for a column.
func shown[T any](list []model.Offer[T]) []model.Offer[T] {
	for n, o := range list {
		if n == shownOffers || o.Probability < leastOffer {
			return list[:n]
		}
	}
	return append([]model.Offer[T]{}, list...) // an empty list in JSON, too
}

// sentence returns the sentence at a place, and its version.
func (m *manuscript) sentence(at int) (*syntax.Sentence, string, error) {
	m.Lock()
	defer m.Unlock()
	i, err := m.place(at)
	if err != nil {
		return nil, "", err
	}
	sentence, err := m.parse(m.raw(i))
	if err != nil {
		return nil, "", badRequest("%v", err)
	}
	return sentence, version(m.raw(i)), nil
}

// parse asks the teacher, one request after another; those that have gone are left out.
func (s *Server) parse(ctx context.Context, sentence *syntax.Sentence) ([]model.Offers, error) {
	s.parsing.Lock()
	defer s.parsing.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all, err := s.teacher.Offers(sentence)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	return all, nil
}
