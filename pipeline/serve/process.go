package serve

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A request is what /process and /tree are asked for.
type request struct {
	model *served
	info  *model.Info // of the model of most of the text
	from  sentences
	job   job
	given bool // the caller has cut sentences and words
}

// process answers /process: it parses as the parameters say.
func (s *Server) process(w *answer, r *http.Request) error {
	p, in, err := s.admit(w, r)
	if err != nil {
		return err
	}
	defer in.leave()
	q, err := s.request(p)
	if err != nil {
		return err
	}
	format := cmp.Or(p["output"], "conllu")
	write := newWriter(format)
	if write == nil {
		return badRequest("Unknown output format '%.200s'.", format)
	}
	t := s.gate.turn()
	defer t.end()
	if q.given {
		if err := t.take(r.Context()); err != nil {
			return err
		}
		if err := t.inTime(r.Context(), func(ctx context.Context) error { return check(ctx, q.from) }); err != nil {
			return err
		}
	}
	out := &pieces{to: bufio.NewWriterSize(w, pieceBytes), objects: format == wordsFormat}
	if err := out.begin(q); err != nil {
		return err
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Content-Type", "application/json")
	if strings.HasPrefix(format, "conllu") {
		out.text = append(out.text, "# generator = treebeam "+s.version+"\n# model = "+q.model.name+"\n"...)
	}
	err = s.each(r.Context(), t, q.job, q.from, func(list []*syntax.Sentence) error {
		for _, sentence := range list {
			drop(sentence)
			out.text = write(out.text, sentence)
			if err := out.flush(pieceBytes); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.end() // what is left fits into memory: a slow reader holds nobody up
	return out.end()
}

// request reads what the parameters ask for. The order of its complaints is
// UDPipe's.
func (s *Server) request(p params) (*request, error) {
	data, there := p["data"]
	if !there {
		return nil, badRequest("The parameter 'data' is required.")
	}
	m, err := s.models.named(p["model"])
	if err != nil {
		return nil, err
	}
	language := p["language"]
	if language == "" && p["model"] == "" {
		language = model.AutoLanguage
	}
	models, err := m.of(language)
	if err != nil {
		return nil, err
	}
	q := &request{model: m, job: job{models, p.on("tagger"), p.on("parser")}}
	format := cmp.Or(p["input"], "conllu")
	if p.on("tokenizer") {
		format = genericTokenizer + "=" + p["tokenizer"]
	}
	if p["output"] == wordsFormat && strings.HasPrefix(format, genericTokenizer) {
		if !strings.Contains(format, "=") {
			format += "="
		}
		format += ";ranges"
	}
	from, in, ok := s.reader(format, data, q.job)
	if !ok {
		return nil, badRequest("Unknown input format '%.200s'.", format)
	}
	of, err := models.Of(in.Code)
	if err != nil {
		return nil, err
	}
	q.model = s.models.meant(m, in.Code)
	q.from, q.info, q.given = from, &of.Info, !strings.HasPrefix(format, genericTokenizer)
	return q, nil
}

// check reads all sentences, so that an error is known before the answer begins.
func check(ctx context.Context, from sentences) error {
	for _, err := range from {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// drop removes comments that say what made the trees: the answer begins with its own.
func drop(s *syntax.Sentence) {
	s.Comments = slices.DeleteFunc(s.Comments, func(c string) bool {
		switch key, _ := conllu.Comment(c); key {
		case "generator", "model", "udpipe_model", "udpipe_model_licence":
			return true
		}
		return false
	})
}

// pieces are the answer of /process: an object of JSON whose last value is written piece
// by piece: the string "result", or "sentences", a list of objects.
type pieces struct {
	to      *bufio.Writer
	objects bool
	text    []byte // to be written into the last value
}

// pieceBytes is how much is collected before it is written or sent.
const pieceBytes = 64 << 10

// tail closes the last value and the object.
func (b *pieces) tail() string {
	if b.objects {
		return "]\n}\n"
	}
	return "\"\n}\n"
}

// begin writes the object up to the content of its last value.
func (b *pieces) begin(q *request) error {
	type head struct {
		Model            string   `json:"model"`
		Acknowledgements []string `json:"acknowledgements"`
	}
	var answer any = struct {
		head
		Result string `json:"result"`
	}{head: head{q.model.name, acknowledgements(q.info)}}
	if b.objects {
		answer = struct {
			head
			Sentences []wordsSentence `json:"sentences"`
		}{head{q.model.name, acknowledgements(q.info)}, []wordsSentence{}}
	}
	object, err := json.MarshalIndent(answer, "", " ")
	if err != nil {
		return err
	}
	_, err = b.to.Write(bytes.TrimSuffix(append(object, '\n'), []byte(b.tail())))
	return err
}

// flush writes the text if it has at least this many bytes: <, > and & stay as they
// are.
func (b *pieces) flush(least int) error {
	if len(b.text) < least {
		return nil
	}
	if b.objects {
		_, err := b.to.Write(b.text)
		b.text = b.text[:0]
		return err
	}
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	if err := e.Encode(string(b.text)); err != nil {
		return err
	}
	b.text = b.text[:0]
	_, err := b.to.Write(quoted.Bytes()[1 : quoted.Len()-len("\"\n")])
	return err
}

// end closes the object and sends what is left.
func (b *pieces) end() error {
	if err := b.flush(0); err != nil {
		return err
	}
	b.to.WriteString(b.tail())
	return b.to.Flush()
}
