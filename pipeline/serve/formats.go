package serve

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/io/tokens"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// headBytes is how much of a text decides what its line breaks mean, as in a run.
const headBytes = 64 << 10

// sentences yields the sentences of a request, in order. After an error there are no
// more.
type sentences = iter.Seq2[*syntax.Sentence, error]

// A tokenizer cuts raw text, with UDPipe's options.
type tokenizer struct {
	models   *model.Languages
	document model.Guess // the language of the data
	words    int         // of a sentence, at most

	presegmented bool // every line is a sentence
	ranges       bool // MISC says where tokens are: TokenRange
	normalized   bool // MISC says of white space only whether there is any
}

// options sets UDPipe's options, which semicolons separate. Like UDPipe it ignores
// unknown options.
func (t *tokenizer) options(list string) {
	for option := range strings.SplitSeq(list, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(option), "=")
		on := value != "0" && value != "false"
		switch name {
		case "presegmented":
			t.presegmented = on
		case "ranges":
			t.ranges = on
		case "normalized_spaces":
			t.normalized = on
		}
	}
}

// read finds the language of data, and cuts data into sentences of words without tags.
func (t *tokenizer) read(data string) sentences {
	var options text.Options
	if t.presegmented {
		options.Lines = text.Sentence
	}
	t.document = t.models.Document(func() string { return text.Sample(data[:min(len(data), headBytes)], options) })
	return func(yield func(*syntax.Sentence, error) bool) {
		lines, blocks, err := text.Whole(data, headBytes, options)
		if err != nil {
			yield(nil, err)
			return
		}
		places := places{data: data}
		n := 0
		for b, err := range blocks {
			var found []syntax.Sentence
			if err == nil {
				found, err = t.models.Segment(t.document, b.Text, lines == text.Sentence, t.words, 1)
			}
			if err == nil {
				err = b.Place(found, lines)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range found {
				s := &found[i]
				s.Segmented = true
				places.describe(s, t)
				n++
				s.Comments = comments(n, n == 1 || i == 0 && b.Opens, s.Text)
				noteLanguage(t.models, s, true)
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}

// noteLanguage adds a comment with the language of a sentence, if it is not the first one,
// where a run does: before the sent_id of a sentence that the server has named, and after
// the comments that came with it.
func noteLanguage(models *model.Languages, s *syntax.Sentence, named bool) {
	note := models.Note(s.Language)
	if note == "" || slices.Contains(s.Comments, note) {
		return
	}
	at := len(s.Comments)
	if named {
		at = slices.IndexFunc(s.Comments, func(c string) bool { return strings.HasPrefix(c, sentID) })
	}
	s.Comments = slices.Insert(s.Comments, at, note)
}

// document returns the language of sentences that the caller has cut.
func document(models *model.Languages, from sentences) model.Guess {
	return models.Document(func() string {
		var b strings.Builder
		for s, err := range from {
			if err != nil || b.Len() >= headBytes {
				break
			}
			for i := range s.Words {
				b.WriteString(s.Words[i].Form + " ")
			}
		}
		return b.String()
	})
}

// inLanguage yields sentences that the caller has cut with the language of all of them.
func inLanguage(models *model.Languages, document model.Guess, named bool, from sentences) sentences {
	return func(yield func(*syntax.Sentence, error) bool) {
		for s, err := range from {
			if err == nil {
				s.Language, s.LanguageConf = document.Code, document.Conf
				noteLanguage(models, s, named)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// sentID begins the comment with the number of a sentence.
const sentID = "# sent_id = "

// comments returns the comments of sentence n, from 1, of a text or of a list of
// tokens.
func comments(n int, opens bool, text string) []string {
	var list []string
	if n == 1 {
		list = append(list, "# newdoc")
	}
	if opens {
		list = append(list, "# newpar")
	}
	list = append(list, sentID+strconv.Itoa(n))
	if text != "" {
		list = append(list, "# text = "+text)
	}
	return list
}

// genericTokenizer is the input format of raw text.
const genericTokenizer = "generic_tokenizer"

// reader returns the sentences of data in one of UDPipe's input formats, which may have
// options after "=", and the language of data; ok is false if there is no such format. The
// segmenter of the job's model serves as generic_tokenizer.
func (s *Server) reader(format, data string, j job) (read sentences, in model.Guess, ok bool) {
	name, options, _ := strings.Cut(format, "=")
	switch name {
	case "conllu":
		read = s.readCoNLLU(data, !j.parse)
	case "horizontal":
		read = s.readTokens(data, horizontal)
	case "vertical":
		read = s.readTokens(data, vertical)
	case genericTokenizer:
		t := &tokenizer{models: j.models, words: s.limits.Words}
		t.options(options)
		read = t.read(data)
		return read, t.document, true
	default:
		return nil, in, false
	}
	in = document(j.models, read)
	return inLanguage(j.models, in, name != "conllu", read), in, true
}

// tooLong refuses a sentence of n words.
func (s *Server) tooLong(n int) error {
	return badRequest("Sentence longer than %d words was found on input (%d words), aborting.\n"+
		"Please make sure the input sentences have at most %[1]d words.", s.limits.Words, n)
}

// readCoNLLU reads the sentences of CoNLL-U. Heads must make trees if they are kept.
func (s *Server) readCoNLLU(data string, kept bool) sentences {
	return func(yield func(*syntax.Sentence, error) bool) {
		for b, err := range conllu.Read(strings.NewReader(data), conllu.Options{}) {
			if err == nil && b.Err != nil {
				err = b.Err
			}
			if n := len(b.Sentence.Words); err == nil && n > s.limits.Words {
				yield(nil, s.tooLong(n))
				return
			}
			if err == nil && kept {
				if fault := b.CheckHeads(); fault != nil {
					err = fault
				}
			}
			if err != nil {
				yield(nil, badRequest("Cannot parse the input in 'conllu' format: %v; to parse text, add tokenizer=", err))
				return
			}
			if !yield(&b.Sentence, nil) {
				return
			}
		}
	}
}

// A cut is a sentence that the caller has cut into words. Words over the limit are
// only counted.
type cut struct {
	words []string
	n     int
	opens bool // a blank line comes before it, or two with a token a line
}

func (c *cut) add(token string, limit int) {
	if c.n++; c.n <= limit {
		c.words = append(c.words, form(token))
	}
}

// A nextSentence takes a sentence off the front of data, of at most limit words. It has
// no words at the end.
type nextSentence func(data string, limit int) (s cut, rest string)

// readTokens reads sentences whose tokens the caller has cut.
func (s *Server) readTokens(data string, next nextSentence) sentences {
	return func(yield func(*syntax.Sentence, error) bool) {
		data := strings.TrimPrefix(data, "\ufeff")
		for n := 1; ; n++ {
			found, rest := next(data, s.limits.Words)
			data = rest
			switch {
			case found.n == 0:
				return
			case found.n > s.limits.Words:
				yield(nil, s.tooLong(found.n))
				return
			case slices.ContainsFunc(found.words, func(w string) bool { return len(w) > syntax.MaxColumn }):
				yield(nil, badRequest("Token longer than %d bytes was found on input, aborting.", syntax.MaxColumn))
				return
			}
			t := tokens.Join(found.words)
			t.Comments = comments(n, n == 1 || found.opens, "")
			if !yield(&t, nil) {
				return
			}
		}
	}
}

// horizontal reads a line of tokens separated by spaces. A no-break space means a space
// inside a token.
func horizontal(data string, limit int) (s cut, rest string) {
	for data != "" && s.n == 0 {
		var line string
		line, data, _ = strings.Cut(data, "\n")
		for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' }) {
			s.add(strings.ReplaceAll(word, "\u00a0", " "), limit)
		}
		s.opens = s.opens || s.n == 0
	}
	return s, data
}

// vertical reads lines up to a blank one: a token each, which ends at a tab.
func vertical(data string, limit int) (s cut, rest string) {
	for data != "" {
		var line string
		line, data, _ = strings.Cut(data, "\n")
		line = strings.Trim(line, "\r")
		switch word, _, _ := strings.Cut(strings.TrimLeft(line, "\t"), "\t"); {
		case strings.TrimSpace(word) != "":
			s.add(word, limit)
		case s.n > 0:
			return s, data
		default:
			s.opens = true
		}
	}
	return s, data
}

// form makes a column of CoNLL-U of a token: no control characters, no spaces at
// its ends.
func form(token string) string {
	mapped := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError || r == '\u0085' || r == '\u2028' || r == '\u2029' {
			return utf8.RuneError
		}
		return r
	}, token)
	if trimmed := strings.TrimSpace(mapped); trimmed != "" {
		return trimmed
	}
	return mapped
}

// A writer appends a sentence in one of UDPipe's output formats.
type writer func(dst []byte, s *syntax.Sentence) []byte

// newWriter returns a writer of an answer in a format, which may have an option after
// "=", or nil if there is no such format.
func newWriter(format string) writer {
	switch format {
	case "conllu", "conllu=v2", "conllu=v1":
		return conllu.Append
	case "horizontal":
		return appendHorizontal
	case "horizontal=paragraphs":
		return paragraphs(appendHorizontal)
	case "vertical":
		return appendVertical
	case "vertical=paragraphs":
		return paragraphs(appendVertical)
	case wordsFormat:
		return wordsWriter()
	case "plaintext":
		return appendText
	case "plaintext=normalized_spaces":
		return paragraphs(appendLine)
	}
	return nil
}

// paragraphs separates paragraphs by a blank line.
func paragraphs(w writer) writer {
	begun := false
	return func(dst []byte, s *syntax.Sentence) []byte {
		if begun && conllu.BeginsParagraph(s.Comments) {
			dst = append(dst, '\n')
		}
		begun = true
		return w(dst, s)
	}
}

// appendHorizontal writes words in a line, with a no-break space for a space inside a
// word.
func appendHorizontal(dst []byte, s *syntax.Sentence) []byte {
	for i := range s.Words {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, strings.ReplaceAll(s.Words[i].Form, " ", "\u00a0")...)
	}
	return append(dst, '\n')
}

// appendVertical writes a word a line, and a blank line.
func appendVertical(dst []byte, s *syntax.Sentence) []byte {
	for i := range s.Words {
		dst = append(append(dst, s.Words[i].Form...), '\n')
	}
	return append(dst, '\n')
}

// appendText writes the text with its own white space, as far as MISC has it.
func appendText(dst []byte, s *syntax.Sentence) []byte {
	for t := range s.Tokens() {
		before, _ := syntax.Value(t.Misc, "SpacesBefore")
		dst = append(dst, unescape(before)...)
		if inside, ok := syntax.Value(t.Misc, "SpacesInToken"); ok {
			t.Form = unescape(inside)
		}
		dst = append(dst, t.Form...)
		after, some := syntax.Value(t.Misc, "SpacesAfter")
		if !some && !syntax.NoSpaceAfter(t.Misc) {
			after = " "
		}
		dst = append(dst, unescape(after)...)
	}
	return dst
}

// appendLine writes the text in a line, with single spaces.
func appendLine(dst []byte, s *syntax.Sentence) []byte {
	space := false
	for t := range s.Tokens() {
		if space {
			dst = append(dst, ' ')
		}
		dst = append(dst, t.Form...)
		space = !syntax.NoSpaceAfter(t.Misc)
	}
	return append(dst, '\n')
}
