// Package languages trains the identifier of languages from the treebanks of
// ../shared/treebanks/world and en_ewt, and measures it on their tests:
//
//	languages [-shared ../shared] [-out FILE] [-model FILE] [-without ca,hu,...] [-dev] [-short]
//
// It cuts the raw text of each test into pieces of 20, 50, 100, 200 and 1,000 characters,
// one behind the other, and prints for each length how many are named rightly, of all and
// in the mean over languages, how many have a confidence of 0.9 or more and how many of
// these are right, and the commonest mistakes. Then it asks for sentences in languages that
// the model does not know: of those -without, nothing was learned. The first 2,500 words
// of each dev fit the factors of confidence, the rest is learned from.
package languages

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/sections"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/language"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

const devWords = 2500

// Main runs the measurement with the arguments of the command line.
func Main() error {
	shared := flag.String("shared", "../shared", "folder with treebanks/")
	out := flag.String("out", "", "file to write")
	file := flag.String("model", "", "file to measure instead of training one")
	without := flag.String("without", "", "codes of our own sentences to leave out")
	onDev := flag.Bool("dev", false, "measure on the kept part of dev, for choices")
	epochs := flag.Int("epochs", 0, "0: as in the product")
	windows := flag.Int("windows", 0, "of a language and epoch, 0: as in the product")
	rows := flag.Int("rows", 0, "0: as in the product")
	seed := flag.Uint64("seed", 1, "of the training")
	ofSentences := flag.Bool("short", false, "ask for the language of single short sentences of dev, by the rules of the program and its model")
	flag.Parse()
	if *ofSentences {
		return short(*shared)
	}
	d, err := read(*shared)
	if err != nil {
		return err
	}
	var m *language.Model
	if *file == "" {
		begun := processor()
		o := language.Options{Epochs: *epochs, Windows: *windows, Rows: *rows, Seed: *seed, Dev: d.dev}
		if *without != "" {
			o.Without = strings.Split(*without, ",")
		}
		if m, err = language.Train(d.train, o); err != nil {
			return err
		}
		data, err := encode(m)
		if err != nil {
			return err
		}
		fmt.Printf("trained in %.0f s of processor time, %d bytes\n", (processor() - begun).Seconds(), len(data))
		if *out != "" {
			if err := os.WriteFile(*out, data, 0o666); err != nil {
				return err
			}
		}
	} else if m, err = open(*file); err != nil {
		return err
	}
	if *onDev {
		d.test = d.dev
	}
	measure(m, d.test)
	mixed(m, d.test)
	if err := elsewhere(m, *shared); err != nil {
		return err
	}
	foreign(m, *without)
	speed(m, d.test)
	return nil
}

// data is the raw text of all treebanks, a sample a language.
type data struct{ train, dev, test []language.Sample }

// banks returns the parts of all treebanks that are to be learned from.
func banks(shared string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(shared, "treebanks", "world", "*", "*-train.conllu"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, fmt.Errorf("%s has no treebanks/world: name the shared folder with -shared", shared))
	}
	return append(files, filepath.Join(shared, "treebanks", "en_ewt", "en_ewt-ud-train.conllu")), nil
}

// codeOf returns the language of a file of a treebank.
func codeOf(file string) string {
	code, _, _ := strings.Cut(filepath.Base(file), "-")
	return strings.TrimSuffix(code, "_ewt")
}

// short asks which languages sentences of dev in Latin letters are in, each alone, as the
// program does for a document of its own, and how many of the others than English it would
// name rightly without its rule for short texts.
func short(shared string) error {
	l, err := model.OpenLanguages("", model.AutoLanguage)
	if err != nil {
		return err
	}
	files, err := banks(shared)
	if err != nil {
		return err
	}
	fmt.Println("| words | English | right | other languages | right | right by confidence alone |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, words := range [][2]int{{1, 2}, {3, 12}} {
		var all, right, sure [2]int
		for _, f := range files {
			code := codeOf(f)
			sents, err := conllu.ReadAllWith(strings.TrimSuffix(f, "train.conllu")+"dev.conllu", conllu.Options{MultipleRoots: true})
			if err != nil {
				return err
			}
			for _, s := range sents {
				if n := len(s.Words); n < words[0] || n > words[1] || !inLatin(s.Text) {
					continue
				}
				k := 1
				if code == l.First() {
					k = 0
				}
				all[k]++
				if l.Document(func() string { return s.Text }).Code == code {
					right[k]++
				}
				if l.Document(func() string { return "" }, func() string { return s.Text }).Code == code { // as a file, not as a document
					sure[k]++
				}
			}
		}
		fmt.Printf("| %d to %d | %d | %.2f | %d | %.2f | %.2f |\n", words[0], words[1], all[0], percent(right[0], all[0]), all[1], percent(right[1], all[1]), percent(sure[1], all[1]))
	}
	return nil
}

// inLatin reports whether at least half of the letters of a text are Latin.
func inLatin(text string) bool {
	letters, latin := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
	}
	return 2*latin >= letters
}

func read(shared string) (d data, err error) {
	files, err := banks(shared)
	if err != nil {
		return d, err
	}
	for _, f := range files {
		code := codeOf(f)
		var parts [3][]syntax.Sentence
		for i, part := range []string{"train", "dev", "test"} {
			path := strings.TrimSuffix(f, "train.conllu") + part + ".conllu"
			if parts[i], err = conllu.ReadAllWith(path, conllu.Options{MultipleRoots: true}); err != nil {
				return d, err
			}
		}
		kept, words := 0, 0
		for ; kept < len(parts[1]) && words < devWords; kept++ {
			words += len(parts[1][kept].Words)
		}
		add := func(list *[]language.Sample, sents []syntax.Sentence) {
			if len(sents) == 0 {
				return
			}
			*list = append(*list, language.Sample{Code: code, Text: rawText(sents)})
		}
		add(&d.train, parts[0])
		add(&d.train, parts[1][kept:])
		add(&d.dev, parts[1][:kept])
		add(&d.test, parts[2])
	}
	return d, nil
}

// rawText returns sentences with a space between them.
func rawText(sents []syntax.Sentence) string {
	var b strings.Builder
	for i := range sents {
		b.WriteString(sents[i].Text)
		b.WriteByte(' ')
	}
	return b.String()
}

func encode(m *language.Model) (data []byte, err error) {
	var b pack.Builder
	m.Pack(b.Sub("language"))
	parts, err := sections.Encode([]byte("{}"), b.Sections)
	return slices.Concat(parts...), err
}

func open(path string) (*language.Model, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, list, err := sections.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return language.Open(pack.NewView(list), "language")
}

func measure(m *language.Model, tests []language.Sample) {
	fmt.Println("| characters | pieces | right | mean over languages | confidence of 0.9 or more | right of these | " +
		"mean confidence | commonest mistakes |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, size := range []int{20, 50, 100, 200, 1000} {
		var all, right, sure, sureRight int
		var macro, conf float64
		mistakes := map[string]int{}
		for _, t := range tests {
			text := []rune(t.Text)
			n, good := 0, 0
			for ; (n+1)*size <= len(text); n++ {
				g := m.Identify(string(text[n*size:][:size]))
				ok := g.Code == t.Code
				conf += float64(g.Conf)
				if ok {
					good++
				} else {
					mistakes[t.Code+" as "+g.Code]++
				}
				if g.Conf >= 0.9 {
					sure++
					if ok {
						sureRight++
					}
				}
			}
			all, right = all+n, right+good
			macro += float64(good) / float64(max(1, n)) / float64(len(tests))
		}
		worst := slices.SortedFunc(maps.Keys(mistakes), func(a, b string) int {
			return cmp.Or(mistakes[b]-mistakes[a], strings.Compare(a, b))
		})
		for i, w := range worst {
			worst[i] = fmt.Sprintf("%s %d", w, mistakes[w])
		}
		fmt.Printf("| %d | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %s |\n", size, all, percent(right, all), 100*macro,
			percent(sure, all), percent(sureRight, sure), 100*conf/float64(all), strings.Join(worst[:min(8, len(worst))], ", "))
	}
}

// elsewhere asks for text of other kinds than was learned from, 300 characters at a time.
// Much of the corpora named help is code, or was left in English.
func elsewhere(m *language.Model, shared string) error {
	var samples []language.Sample // Code is the name, with the code up to a slash
	files, err := filepath.Glob(filepath.Join(shared, "corpora", "??", "*.txt"))
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		name := filepath.Base(filepath.Dir(f)) + "/" + strings.TrimSuffix(filepath.Base(f), ".txt")
		samples = append(samples, language.Sample{Code: name, Text: string(text[:min(len(text), 300000)])})
	}
	for _, name := range []string{"el_gdt", "fr_sequoia", "tr_imst"} {
		sents, err := conllu.ReadAllWith(filepath.Join(shared, "treebanks", name, name+"-ud-dev.conllu"),
			conllu.Options{MultipleRoots: true})
		if err != nil {
			return err
		}
		samples = append(samples, language.Sample{Code: name[:2] + "/" + name, Text: rawText(sents)})
	}
	for _, s := range samples {
		const size = 300
		code, _, _ := strings.Cut(s.Code, "/")
		all, right, none := 0, 0, 0
		for text := []rune(s.Text); len(text) >= size; text = text[size:] {
			all++
			switch m.Identify(string(text[:size])).Code {
			case code:
				right++
			case language.None:
				none++
			}
		}
		fmt.Printf("%s: %.2f %% of %d right, %.2f %% called none\n",
			s.Code, percent(right, all), all, percent(none, all))
	}
	return nil
}

func percent(a, b int) float64 { return 100 * float64(a) / float64(max(1, b)) }

// mixed asks for the paragraphs of documents from the tests: of one language, and with two
// paragraphs of another language, the next by code, before, amid or behind four. Paragraphs
// have 300 characters. A title of 15 characters stands before each pair.
func mixed(m *language.Model, tests []language.Sample) {
	const long, short, pairs = 300, 15, 3
	choose := model.Chooser{Identify: m.Identify}
	var one, oneRight, two, twoRight, titles, titlesRight int
	for i, t := range tests {
		next := tests[(i+1)%len(tests)]
		a, b := []rune(t.Text), []rune(next.Text)
		take := func(text *[]rune, n int) string {
			piece := string((*text)[:n])
			*text = (*text)[n:]
			return piece
		}
		for doc := 0; doc < 40 && min(len(a), len(b)) > pairs*(2*long+short); doc++ {
			foreign := doc%(pairs+1) - 1 // the pair in the other language, or -1
			var list, codes []string
			for pair := range pairs {
				text, code := &a, t.Code
				if pair == foreign {
					text, code = &b, next.Code
				}
				list = append(list, take(text, short), take(text, long), take(text, long))
				codes = append(codes, code, code, code)
			}
			document := choose.Document(func() string { return strings.Join(list, "\n\n") })
			for k, text := range list {
				right := 0
				if choose.Paragraph(document, text).Code == codes[k] {
					right = 1
				}
				switch {
				case k%3 == 0:
					titles, titlesRight = titles+1, titlesRight+right
				case foreign < 0:
					one, oneRight = one+1, oneRight+right
				default:
					two, twoRight = two+1, twoRight+right
				}
			}
		}
	}
	fmt.Printf("paragraphs: %.2f %% of %d right in documents of one language, %.2f %% of %d in mixed ones; "+
		"titles %.1f %% of %d\n",
		percent(oneRight, one), one, percent(twoRight, two), two, percent(titlesRight, titles), titles)
}

// foreign asks for languages that no treebank is of.
func foreign(m *language.Model, without string) {
	var named, held []string
	for _, s := range language.Foreign() {
		if slices.Contains(m.Codes(), s.Code) {
			continue
		}
		g := m.Identify(s.Text)
		if slices.Contains(strings.Split(without, ","), s.Code) {
			held = append(held, fmt.Sprintf("%s %s %.2f", s.Code, g.Code, g.Conf))
		} else if g.Code != language.None {
			named = append(named, fmt.Sprintf("%s %s %.2f", s.Code, g.Code, g.Conf))
		}
	}
	fmt.Printf("sentences that were learned as none, but have a name: %s\n", strings.Join(named, ", "))
	fmt.Printf("languages of which nothing was learned: %s\n", strings.Join(held, ", "))
	for _, text := range []string{`{"end_of": "0"}`, `{"name": "value", "items": [1, 2, 3]}`, "12:30 100 % 7", "OK", "Paris", "😀😀",
		"for i := range list { if x[i] > 0 { return err } }", "<div><p>Hello</p></div>", "https://example.org/de/seite", "lol ok :)",
		"GUTEN MORGEN, WIE GEHT ES IHNEN HEUTE?", "Что вы делаете сегодня вечером?"} {
		g := m.Identify(text)
		fmt.Printf("%-55q %s %.2f\n", text, g.Code, g.Conf)
	}
}

// speed prints the bytes that Identify is given a second of processor time, in documents of 1,000 and of
// 40,000 bytes.
func speed(m *language.Model, tests []language.Sample) {
	for _, size := range []int{1000, 40000} {
		begun, bytes := processor(), 0
		for _, t := range tests {
			for text := t.Text; len(text) >= size && bytes < 1<<26; text = text[size:] {
				m.Identify(text[:size])
				bytes += size
			}
		}
		fmt.Printf("%d bytes a document: %.1f MB/s\n", size, float64(bytes)/1e6/(processor()-begun).Seconds())
	}
}

// processor returns the processor time that this process has taken.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
