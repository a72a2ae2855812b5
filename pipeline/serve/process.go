package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A request is what /process and /tree are asked for.
type request struct {
	model *served
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
	format := p["output"]
	if format == "" {
		format = "conllu"
	}
	out := newWriter(format)
	if out == nil {
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
	body := &pieces{w: w}
	if err := body.begin(q.model); err != nil {
		return err
	}
	if strings.HasPrefix(format, "conllu") {
		body.text = append(body.text, "# generator = treebeam "+s.version+"\n# model = "+q.model.name+"\n"...)
	}
	err = s.each(r.Context(), t, q.job, q.from, func(list []*syntax.Sentence) error {
		for _, sentence := range list {
			drop(sentence)
			body.text = out.sentence(body.text, sentence)
			if err := body.flush(false); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.end() // what is left fits into memory: a slow reader holds nobody up
	return body.end()
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
	q := &request{model: m, job: job{m.model, p.on("tagger"), p.on("parser")}}
	if p.on("tokenizer") {
		t := &tokenizer{model: m.model, words: s.limits.Words}
		t.options(p["tokenizer"])
		q.from = t.read(data)
		return q, nil
	}
	format := p["input"]
	if format == "" {
		format = "conllu"
	}
	var ok bool
	if q.from, ok = s.reader(format, data, q.job); !ok {
		return nil, badRequest("Unknown input format '%.200s'.", format)
	}
	q.given = !strings.HasPrefix(format, "generic_tokenizer")
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

// drop takes away comments that say who made the trees: the answer begins with
// its own.
func drop(s *syntax.Sentence) {
	s.Comments = slices.DeleteFunc(s.Comments, func(c string) bool {
		switch key, _ := conllu.Comment(c); key {
		case "generator", "model", "udpipe_model", "udpipe_model_licence":
			return true
		}
		return false
	})
}

// pieces is the answer of /process: an object of JSON whose last value, "result",
// is written piece by piece.
type pieces struct {
	w     *answer
	text  []byte // to be written into the result
	ready []byte // to be sent
	tail  string // closes the object
}

// pieceBytes is how much is collected before it is sent.
const pieceBytes = 64 << 10

// begin prepares the object up to the result.
func (b *pieces) begin(m *served) error {
	head, err := json.MarshalIndent(struct {
		Model            string   `json:"model"`
		Acknowledgements []string `json:"acknowledgements"`
		Result           string   `json:"result"`
	}{m.name, m.acknowledgements(), ""}, "", " ")
	if err != nil {
		return err
	}
	b.tail = "\"\n}\n"
	b.ready = append(b.ready, head[:len(head)-len(b.tail)+1]...)
	h := b.w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Content-Type", "application/json")
	return nil
}

// flush moves text to what is ready, and sends that if it is long or all.
func (b *pieces) flush(all bool) error {
	if len(b.text) >= pieceBytes || all {
		quoted := appendJSON(nil, string(b.text))
		b.ready = append(b.ready, quoted[1:len(quoted)-1]...)
		b.text = b.text[:0]
	}
	if len(b.ready) < pieceBytes {
		return nil
	}
	return b.send()
}

// end closes the object and sends what is left.
func (b *pieces) end() error {
	if err := b.flush(true); err != nil {
		return err
	}
	b.ready = append(b.ready, b.tail...)
	return b.send()
}

// send writes what is ready.
func (b *pieces) send() error {
	_, err := b.w.Write(b.ready)
	b.ready = b.ready[:0]
	return err
}

// appendJSON appends a string of JSON, in which <, > and & stay as they are.
func appendJSON(dst []byte, s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // a string has no errors
		io.WriteString(&b, `""`)
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
