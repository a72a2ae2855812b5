// Package tokens reads text that is already cut into tokens, with a sentence or a token
// per line (NewReader). Each token becomes one word, unchanged.
//
// Package text handles ranges, encodings and bad bytes; a sentence is one of its
// blocks.
package tokens

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Format says what a line holds.
type Format uint8

const (
	// Line is a sentence a line, its tokens separated by spaces or tabs. A
	// blank line ends a paragraph.
	Line Format = iota
	// Vertical is a token a line and a blank line between sentences. What
	// follows the first tab of a line is ignored.
	Vertical
)

// A Sentence is a sentence of the input, or the reason why there is none.
type Sentence struct {
	text.Block // its place, and its text as it is written
	// Sentence is valid if Fault is the zero one.
	Sentence syntax.Sentence
	// Fault says why it is none. At is where in Block.Text.
	Fault syntax.Fault
	At    int
}

// A Reader yields the sentences of a part of a file, in order. It is not safe
// for concurrent use.
type Reader struct {
	blocks *text.Reader
	format Format
}

// Decide decides the layout of a file from its first bytes, as text.Decide does.
func Decide(head []byte, encoding string, format Format) (text.Layout, error) {
	lines := text.Sentence
	if format == Vertical {
		lines = text.Wrapped
	}
	l, err := text.Decide(head, text.Options{Encoding: encoding, Lines: lines})
	l.MaxBlock, l.Plain = syntax.MaxBytes, true
	return l, err
}

// NewReader returns a reader of the sentences that begin in [start, end). r must be
// positioned as for text.NewReader; l must come from Decide.
func NewReader(r io.Reader, l text.Layout, format Format, start, end int64) (*Reader, error) {
	blocks, err := text.NewReader(r, l, start, end)
	return &Reader{blocks, format}, err
}

// Covered returns the interval of the file that was read, as text.Reader does.
func (r *Reader) Covered() (start, end int64) { return r.blocks.Covered() }

// Next returns the next sentence, or io.EOF after the last one. Any other
// error is the source's.
func (r *Reader) Next() (Sentence, error) {
	b, err := r.blocks.Next()
	if err != nil {
		return Sentence{}, err
	}
	s := Sentence{Block: b}
	switch {
	case b.Cut || b.Continues:
		s.Fault = syntax.Because(syntax.KindLongSentence, "sentence too long: over %d bytes; is a %s missing?", syntax.MaxBytes, r.between())
	case r.format == Vertical:
		s.vertical()
	default:
		s.line()
	}
	return s, nil
}

func (r *Reader) between() string {
	if r.format == Vertical {
		return "blank line"
	}
	return "line break"
}

// separators are white space that separates tokens; a no-break space does not.
const separators = " \t\r\n\v\f\x1c\x1d\x1e\x1f"

func isSeparator(r rune) bool { return strings.ContainsRune(separators, r) }

// line makes a sentence of a line of tokens.
func (s *Sentence) line() {
	if isCoNLL(s.Text) {
		s.Fault = syntax.Because(syntax.KindNoTokens, "no tokens: this is a line of CoNLL-U or CoNLL-X; give --from conllu or --from conllx")
		return
	}
	n, between := 0, true // what FieldsFunc finds, without what that takes
	for _, r := range s.Text {
		if between && !isSeparator(r) {
			n++
		}
		between = isSeparator(r)
	}
	if s.tooLong(n) {
		return
	}
	tokens := strings.FieldsFunc(s.Text, isSeparator)
	if i := slices.IndexFunc(tokens, isLong); i >= 0 {
		s.Fault, s.At = tooLong(tokens[i]), strings.Index(s.Text, tokens[i])
		return
	}
	s.words(tokens)
}

// structure is a line of the corpus tools that write this format, not a token.
var structure = regexp.MustCompile(`^</?(s|p|g|doc|text)(\s[^<>]*)?/?>$`)

// vertical makes a sentence of lines with a token each.
func (s *Sentence) vertical() {
	var tokens []string
	var spaces []int // within the lines
	tabs, n := false, 0
	for at := 0; at < len(s.Text); {
		line := s.Text[at:]
		if end := strings.IndexAny(line, "\n\r"); end >= 0 {
			line = line[:end]
		}
		if strings.Trim(line, separators) == "" { // CR LF are two ends of a line
			at += len(line) + 1
			continue
		}
		token, _, more := strings.Cut(line, "\t")
		tabs = tabs || more
		token = strings.Map(plainSpace, strings.Trim(token, separators))
		switch {
		case token == "":
			s.Fault = syntax.Because(syntax.KindNoTokens, "no token: a line begins with a tab")
		case structure.MatchString(strings.Trim(line, separators)):
			s.Fault = syntax.Because(syntax.KindNoTokens, "no token: %.40s; remove such lines, and put a blank line between sentences", token)
		case looksCoNLL(line) && (len(tokens) == 0 || strings.HasPrefix(tokens[0], "#")):
			s.Fault = syntax.Because(syntax.KindNoTokens, "no tokens: these are lines of CoNLL-U or CoNLL-X; give --from conllu or --from conllx")
		case isLong(token):
			s.Fault = tooLong(token)
		}
		if s.Fault != (syntax.Fault{}) {
			s.At = at
			return
		}
		if n++; n > syntax.MaxWords {
			at += len(line) + 1
			continue // they are counted only
		}
		tokens, spaces = append(tokens, token), append(spaces, strings.Count(token, " "))
		at += len(line) + 1
	}
	if s.tooLong(n) {
		return
	}
	if !tabs && len(tokens) > 1 && spaces[0] > 0 && !slices.ContainsFunc(spaces, func(n int) bool { return n != spaces[0] }) {
		s.Fault = syntax.Because(syntax.KindNoTokens, "no tokens: every line has %d columns with spaces between; put tabs between, or --from tokens is meant", spaces[0]+1)
		return
	}
	s.words(tokens)
}

// plainSpace makes white space that ends lines elsewhere a space.
func plainSpace(r rune) rune {
	if r == '\v' || r == '\f' || r >= 0x1c && r <= 0x1f {
		return ' '
	}
	return r
}

// looksCoNLL reports whether a line may be the first of a sentence of CoNLL-U, CoNLL-X
// or a related format: word 1 and at least seven columns after it.
func looksCoNLL(line string) bool {
	return strings.HasPrefix(line, "1\t") && strings.Count(line, "\t") >= 7
}

// isCoNLL reports whether a line has the ten columns of word 1, with a head.
func isCoNLL(line string) bool {
	f := strings.Split(line, "\t")
	return looksCoNLL(line) && len(f) == 10 && (f[6] == "_" || f[6] != "" && strings.Trim(f[6], "0123456789") == "")
}

// tooLong refuses a sentence of n words if these are too many.
func (s *Sentence) tooLong(n int) bool {
	s.Fault = tooMany(n)
	return n > syntax.MaxWords
}

func tooMany(n int) (why syntax.Fault) {
	if n > syntax.MaxWords {
		why = syntax.Because(syntax.KindLongSentence, "sentence too long: %d words, the limit is %d", n, syntax.MaxWords)
	}
	return why
}

// words makes the sentence of the tokens.
func (s *Sentence) words(tokens []string) {
	t := Join(tokens)
	t.StartByte, t.EndByte, t.Line = s.Start, s.End, s.Line
	if s.Repaired > 0 {
		t.Status = syntax.Repaired
	}
	s.Sentence = t
}

func isLong(token string) bool { return len(token) > syntax.MaxColumn }

func tooLong(token string) syntax.Fault {
	return syntax.Because(syntax.KindLongColumn, "token too long: %d bytes, the limit is %d", len(token), syntax.MaxColumn)
}

// Of makes a sentence of a list of tokens. It removes white space around a token and
// replaces characters that would end a line by spaces. The fault is zero unless the
// tokens cannot be a sentence. Of changes the list.
func Of(tokens []string) (s syntax.Sentence, why syntax.Fault) {
	if why = tooMany(len(tokens)); why != (syntax.Fault{}) {
		return s, why
	}
	for i, token := range tokens {
		token = strings.Map(func(r rune) rune {
			if isSeparator(r) {
				return ' '
			}
			return r
		}, strings.Trim(token, separators))
		if token == "" {
			return s, syntax.Because(syntax.KindNoTokens, "no token: token %d is blank", i+1)
		}
		if isLong(token) {
			return s, tooLong(token)
		}
		tokens[i] = token
	}
	if len(tokens) == 0 {
		return s, syntax.Because(syntax.KindNoTokens, "no tokens: the sentence is empty")
	}
	return Join(tokens), why
}

// Join makes a sentence of words, without tags or heads. Its text is the words,
// separated by spaces.
func Join(words []string) syntax.Sentence {
	s := syntax.Sentence{Text: strings.Join(words, " "), Words: make([]syntax.Word, len(words))}
	at := int32(0)
	for i, form := range words {
		end := at + int32(utf8.RuneCountInString(form))
		s.Words[i] = syntax.Word{Form: form, Head: syntax.NoHead, StartChar: at, EndChar: end}
		at = end + 1
	}
	return s
}
