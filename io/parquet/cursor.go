package parquet

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	pq "github.com/parquet-go/parquet-go"
)

// A rowReader reads the rows of a file column by column, one row at a time.
type rowReader struct {
	name    string
	in      *reading
	file    *pq.File
	table   *table
	columns []string      // that are read; nil: all
	groups  []pq.RowGroup // not begun
	left    int64         // rows of the group
	cursors []*cursor
}

// newRowReader returns a reader of the named columns of a file, of all of them if there
// are no names. Columns that the file lacks are left empty. A name that is not a column
// is an error.
func (r *Reader[T]) newRowReader(columns []string) (*rowReader, error) {
	t := tables[reflect.TypeFor[T]()]
	for _, name := range columns {
		if t.column(name) == nil && !(t.meta != nil && strings.HasPrefix(name, metaPrefix)) {
			return nil, fmt.Errorf("there is no column %s", name)
		}
	}
	return &rowReader{name: r.name, in: r.in, file: r.file, table: t, columns: columns, groups: r.file.RowGroups()}, nil
}

// next reads the next row into row, a zero struct. It is io.EOF after the last.
func (r *rowReader) next(row reflect.Value) (err error) {
	defer func() { err = r.in.cause(err) }()
	defer recoverDamage(r.name, &err)
	for r.left == 0 {
		r.close()
		if len(r.groups) == 0 {
			return io.EOF
		}
		if err := r.begin(r.groups[0]); err != nil {
			return err
		}
		r.left, r.groups = r.groups[0].NumRows(), r.groups[1:]
	}
	r.left--
	for _, c := range r.cursors {
		if err := c.row(row); err != nil {
			return damaged(r.name, "damaged: %w", err)
		}
	}
	return nil
}

// begin opens the columns of a row group.
func (r *rowReader) begin(group pq.RowGroup) error {
	chunks := group.ColumnChunks()
	for i, path := range r.file.Schema().Columns() {
		if r.columns != nil && !slices.Contains(r.columns, path[0]) {
			continue
		}
		leaf, _ := r.file.Schema().Lookup(path...)
		c := &cursor{element: leaf.MaxDefinitionLevel}
		if leaf.Node.Optional() {
			c.element--
		}
		if known := r.table.column(path[0]); known != nil {
			c.field = known.field
			if known.fields != nil {
				j := slices.IndexFunc(known.fields, func(f column) bool { return f.name == path[len(path)-1] })
				if j < 0 {
					continue // of a later version
				}
				c.of = known.fields[j].field
			}
		} else if key, ok := strings.CutPrefix(path[0], metaPrefix); ok && r.table.meta != nil {
			if len(path) > 1 || leaf.MaxRepetitionLevel > 0 || leaf.Node.Type().Kind() != pq.ByteArray {
				return fmt.Errorf("%s: %w: its column %s is not text", r.name, ErrForeign, path[0])
			}
			c.field, c.key = r.table.meta, key
		} else {
			continue
		}
		c.pages, c.known = chunks[i].Pages(), map[string]string{}
		r.cursors = append(r.cursors, c)
	}
	return nil
}

func (r *rowReader) close() {
	for _, c := range r.cursors {
		pq.Release(c.page)
		c.pages.Close()
	}
	r.cursors = nil
}

// A cursor goes through the values of a leaf column.
type cursor struct {
	field   []int  // of the row, which it fills
	of      []int  // of the elements of field, a list of structs; else nil
	key     string // of kept values
	element int    // least definition level of elements of a list
	pages   pq.Pages
	page    pq.Page
	reader  pq.ValueReader
	buf     [256]pq.Value
	list    []pq.Value // of buf, not yet taken
	end     bool
	err     error
	known   map[string]string // values that were met, so that equal ones are one string
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

// row puts the values of the next row into it.
func (c *cursor) row(row reflect.Value) error {
	field := row.FieldByIndex(c.field)
	switch p := field.Addr().Interface().(type) {
	case *string:
		for v := range c.values {
			*p = c.text(v)
		}
	case *int32:
		for v := range c.values {
			*p = v.Int32()
		}
	case *int64:
		for v := range c.values {
			*p = v.Int64()
		}
	case *float32:
		for v := range c.values {
			*p = v.Float()
		}
	case *float64:
		for v := range c.values {
			*p = v.Double()
		}
	case **int32:
		optional(c, p, pq.Value.Int32)
	case **int64:
		optional(c, p, pq.Value.Int64)
	case **float32:
		optional(c, p, pq.Value.Float)
	case *[]string:
		elements(c, p, c.text)
	case *[]int32:
		elements(c, p, pq.Value.Int32)
	case *[]float32:
		elements(c, p, pq.Value.Float)
	case *[]KeyValue:
		for v := range c.values {
			*p = append(*p, KeyValue{c.key, c.text(v)})
		}
	default:
		c.structs(field)
	}
	return c.err
}

// optional leaves a value nil that is null.
func optional[T any](c *cursor, p **T, of func(pq.Value) T) {
	for v := range c.values {
		if !v.IsNull() {
			x := of(v)
			*p = &x
		}
	}
}

// elements leaves a list nil that is null.
func elements[T any](c *cursor, p *[]T, of func(pq.Value) T) {
	for v := range c.values {
		if *p == nil && v.DefinitionLevel() >= c.element-1 {
			*p = make([]T, 0, c.ahead())
		}
		if v.DefinitionLevel() >= c.element {
			*p = append(*p, of(v))
		}
	}
}

// structs fills a field of the elements of a list. The first field makes them.
func (c *cursor) structs(list reflect.Value) {
	i := 0
	for v := range c.values {
		if list.IsNil() {
			list.Set(reflect.MakeSlice(list.Type(), 0, 0))
		}
		if v.DefinitionLevel() < c.element {
			continue
		}
		if i == list.Len() {
			list.Set(reflect.Append(list, reflect.Zero(list.Type().Elem())))
		}
		list.Index(i).FieldByIndex(c.of).SetString(c.text(v))
		i++
	}
	if c.err == nil && i != list.Len() {
		c.err = errors.New("the columns of a list have different lengths")
	}
}

// values yields the values of the next row.
func (c *cursor) values(yield func(pq.Value) bool) {
	for first := true; ; first = false {
		if len(c.list) == 0 && !c.end {
			if c.err = c.fill(); c.err != nil {
				return
			}
		}
		if c.end && first {
			c.err = errors.New("a column ends before the others")
		}
		if c.end || !first && c.list[0].RepetitionLevel() == 0 || !yield(c.list[0]) {
			return
		}
		c.list = c.list[1:]
	}
}

// ahead is how many values of the row are in the buffer.
func (c *cursor) ahead() int {
	n := slices.IndexFunc(c.list[1:], func(v pq.Value) bool { return v.RepetitionLevel() == 0 })
	if n < 0 {
		return len(c.list)
	}
	return n + 1
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
			c.page, c.reader = page, page.Values()
		}
		n, err := c.reader.ReadValues(c.buf[:])
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
