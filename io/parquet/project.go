package parquet

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	pq "github.com/parquet-go/parquet-go"
)

// TreesWith is Parts of trees that decodes only some of their columns, by name;
// source_uri is always one of them. What the others hold is left empty in the
// rows. It knows the columns of words but for deps, those of the text and of the
// place of a sentence, head_conf, deprel_conf and upos_conf, and those of kept values
// (MetaColumn), which a file may lack; any other is an error. Every byte of a part is compared with its digest all the same.
func TreesWith(parts []PartFile, columns ...string) iter.Seq2[*Tree, error] {
	return func(yield func(*Tree, error) bool) {
		columns := append(slices.Clone(columns), "source_uri")
		for i := range parts {
			r, err := OpenPart[Tree](&parts[i])
			if err != nil {
				yield(nil, err)
				return
			}
			for row, err := range withColumns(r, columns) {
				if !yield(row, err) || err != nil {
					r.Close()
					return
				}
			}
			r.Close()
		}
	}
}

// withColumns yields the rows of a file with some of their columns.
func withColumns(r *Reader[Tree], columns []string) iter.Seq2[*Tree, error] {
	return func(yield func(*Tree, error) bool) {
		p := &projection{r: r, groups: r.file.RowGroups(), columns: columns}
		defer p.close()
		for {
			t, err := p.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// A projection reads the same row of several columns.
type projection struct {
	r       *Reader[Tree]
	groups  []pq.RowGroup // those that were not begun
	columns []string
	left    int64 // rows of the group
	cursors []*cursor
}

// next returns the next row, io.EOF after the last.
func (p *projection) next() (t *Tree, err error) {
	defer recoverDamage(p.r.name, &err)
	for p.left == 0 {
		p.close()
		if len(p.groups) == 0 {
			return nil, io.EOF
		}
		if err := p.begin(p.groups[0]); err != nil {
			return nil, err
		}
		p.left, p.groups = p.groups[0].NumRows(), p.groups[1:]
	}
	p.left--
	t = new(Tree)
	for _, c := range p.cursors {
		if err := c.row(t); err != nil {
			return nil, damaged(p.r.name, "damaged: %w", err)
		}
	}
	return t, nil
}

// begin opens the columns of a row group.
func (p *projection) begin(group pq.RowGroup) error {
	chunks := group.ColumnChunks()
	for i, path := range p.r.file.Schema().Columns() {
		if !slices.Contains(p.columns, path[0]) {
			continue
		}
		into := fieldOf(path[0])
		if into == nil {
			return fmt.Errorf("the column %s is not read by itself", path[0])
		}
		p.cursors = append(p.cursors, &cursor{pages: chunks[i].Pages(), into: into, known: map[string]string{}})
	}
	return nil
}

func (p *projection) close() {
	for _, c := range p.cursors {
		pq.Release(c.page)
		c.pages.Close()
	}
	p.cursors = nil
}

// A cursor goes through the values of a column.
type cursor struct {
	pages  pq.Pages
	page   pq.Page
	values pq.ValueReader
	buf    [256]pq.Value
	list   []pq.Value // of buf, not yet taken
	end    bool
	into   func(*Tree, *cursor, pq.Value)
	known  map[string]string // values that were met, so that equal ones are one string
}

// maxKnown bounds the values that a cursor keeps, and how long one may be.
const maxKnown, maxKnownBytes = 1 << 14, 64

// text returns the string of a value, "" if it is null.
func (c *cursor) text(v pq.Value) string {
	bytes := v.ByteArray()
	if s, ok := c.known[string(bytes)]; ok {
		return s
	}
	s := string(bytes)
	if len(s) <= maxKnownBytes && len(c.known) < maxKnown {
		c.known[s] = s
	}
	return s
}

// row puts the values of the next row into t.
func (c *cursor) row(t *Tree) error {
	for first := true; ; first = false {
		if len(c.list) == 0 && !c.end {
			if err := c.fill(); err != nil {
				return err
			}
		}
		switch {
		case c.end && first:
			return errors.New("a column ends before the others")
		case c.end || !first && c.list[0].RepetitionLevel() == 0:
			return nil
		}
		c.into(t, c, c.list[0])
		c.list = c.list[1:]
	}
}

// fill reads more values.
func (c *cursor) fill() error {
	for {
		if c.page == nil {
			page, err := c.pages.ReadPage()
			if errors.Is(err, io.EOF) {
				c.end = true
				return nil
			}
			if err != nil {
				return err
			}
			c.page, c.values = page, page.Values()
		}
		n, err := c.values.ReadValues(c.buf[:])
		c.list = c.buf[:n]
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if n > 0 {
			return nil
		}
		pq.Release(c.page)
		c.page = nil
	}
}

// fieldOf returns what puts a value of a column into a row, nil of a column that
// is not known.
func fieldOf(column string) func(*Tree, *cursor, pq.Value) {
	switch column {
	case "sent_id":
		return textField(func(t *Tree) *string { return &t.SentID })
	case "text":
		return textField(func(t *Tree) *string { return &t.Text })
	case "doc_id":
		return textField(func(t *Tree) *string { return &t.DocID })
	case "source_uri":
		return textField(func(t *Tree) *string { return &t.SourceURI })
	case "start_byte":
		return func(t *Tree, _ *cursor, v pq.Value) { t.StartByte = v.Int64() }
	case "tokens":
		return textList(func(t *Tree) *[]string { return &t.Tokens })
	case "lemmas":
		return textList(func(t *Tree) *[]string { return &t.Lemmas })
	case "upos":
		return textList(func(t *Tree) *[]string { return &t.UPOS })
	case "xpos":
		return textList(func(t *Tree) *[]string { return &t.XPOS })
	case "feats":
		return textList(func(t *Tree) *[]string { return &t.Feats })
	case "deprel":
		return textList(func(t *Tree) *[]string { return &t.Deprel })
	case "misc":
		return textList(func(t *Tree) *[]string { return &t.Misc })
	case "head":
		return list(0, pq.Value.Int32, func(t *Tree) *[]int32 { return &t.Head })
	case "start_char":
		return list(1, pq.Value.Int32, func(t *Tree) *[]int32 { return &t.StartChar })
	case "end_char":
		return list(1, pq.Value.Int32, func(t *Tree) *[]int32 { return &t.EndChar })
	case "head_conf":
		return list(1, pq.Value.Float, func(t *Tree) *[]float32 { return &t.HeadConf })
	case "deprel_conf":
		return list(1, pq.Value.Float, func(t *Tree) *[]float32 { return &t.DeprelConf })
	case "upos_conf":
		return list(1, pq.Value.Float, func(t *Tree) *[]float32 { return &t.UPOSConf })
	}
	if key, ok := strings.CutPrefix(column, metaPrefix); ok {
		return func(t *Tree, c *cursor, v pq.Value) { t.Meta = append(t.Meta, KeyValue{key, c.text(v)}) }
	}
	return nil
}

func textField(field func(*Tree) *string) func(*Tree, *cursor, pq.Value) {
	return func(t *Tree, c *cursor, v pq.Value) { *field(t) = c.text(v) }
}

// textList is of a list of strings, in which "" stands for null.
func textList(field func(*Tree) *[]string) func(*Tree, *cursor, pq.Value) {
	return func(t *Tree, c *cursor, v pq.Value) {
		if v.DefinitionLevel() > 0 {
			*field(t) = append(*field(t), c.text(v))
		}
	}
}

// list is of a list of which empty is the definition level without elements.
func list[T any](empty int, of func(pq.Value) T, field func(*Tree) *[]T) func(*Tree, *cursor, pq.Value) {
	return func(t *Tree, _ *cursor, v pq.Value) {
		if v.DefinitionLevel() > empty {
			*field(t) = append(*field(t), of(v))
		}
	}
}
