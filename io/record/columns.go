package record

import (
	"fmt"
	"slices"
	"strings"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/treebeam/treebeam/parser/syntax"
)

// columnOf finds a column by name; -1 is none. Names that occur twice do not count.
func columnOf(columns []string, name string) (i int, err error) {
	i = slices.Index(columns, name)
	if i >= 0 && slices.Contains(columns[i+1:], name) {
		return i, givenTwice(name)
	}
	return i, nil
}

// firstColumn finds the first candidate of an option; -1 is none.
func firstColumn(columns []string, option string) (i int, err error) {
	for _, name := range candidates(option) {
		if i, err = columnOf(columns, name); i >= 0 {
			break
		}
	}
	return i, err
}

func givenTwice(name string) syntax.Fault {
	return syntax.Because(syntax.KindKeyTwice, "column given twice: %q; give each column a name of its own", name)
}

// noColumn is the fault of a table that lacks the column of the text.
func noColumn(option string, columns []string) syntax.Fault {
	return syntax.Because(syntax.KindNoTextKey, "no text: the table has %s, but %s; name the right one with --text", noneOf("column", option), listed(columns))
}

// notKept is the warning of a table that lacks a column to keep.
func notKept(name string, columns []string) syntax.Fault {
	return syntax.Because(syntax.KindKept, "value not kept: the table has no column %q, but %s", name, listed(columns))
}

// lacksID is the warning of a table that lacks the column of the id that was asked for.
func lacksID(option string, columns []string) syntax.Fault {
	return syntax.Because(syntax.KindRecordID, "no id: the table has %s, but %s; ids are made of places", noneOf("column", option), listed(columns))
}

// listed names columns in a message.
func listed(columns []string) string {
	const most = 8
	more := ""
	if n := len(columns) - most; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return namesOf(columns, most) + more
}

// findColumns finds the columns of the options in the file.
func (p *Parquet) findColumns() error {
	o, names := p.opt, p.names()
	text, leaf, why := p.firstColumn(o.Text)
	switch {
	case why.Kind == syntax.KindKeyTwice:
		return why
	case why.Kind != 0:
		return syntax.Because(syntax.KindTextType, "%s; name the column of the text with --text", why.Reason)
	case leaf == nil:
		return noColumn(o.Text, names)
	case leaf.MaxRepetitionLevel > 0:
		return syntax.Because(syntax.KindTextType, "the column %q is a list, not a string; name the column of the text with --text", text)
	}
	if t := leaf.Node.Type(); !isNull(t) && (t.Kind() != pq.ByteArray || isDecimal(t)) {
		return syntax.Because(syntax.KindTextType, "the column %q is %s, not a string; name the column of the text with --text", text, t)
	}
	p.text = *leaf
	var id string
	id, p.id, why = p.firstColumn(o.ID)
	if p.id != nil && p.id.MaxRepetitionLevel > 0 {
		why = group(id, nil)
	}
	switch why.Kind {
	case 0:
	case syntax.KindKeyTwice:
		return why
	default:
		return syntax.Because(syntax.KindTextType, "%s; name another column with --id", why.Reason)
	}
	if p.id == nil && o.ID != DefaultID {
		p.lacks = append(p.lacks, lacksID(o.ID, names))
	}
	for _, name := range o.Keep {
		leaf, why := p.column(name)
		switch {
		case why.Kind == syntax.KindKeyTwice:
			return why
		case why.Kind != 0:
			p.lacks = append(p.lacks, syntax.Because(syntax.KindKept, "value not kept: %s; name columns of single values, or of lists of them", why.Reason))
		case leaf == nil:
			p.lacks = append(p.lacks, notKept(name, names))
		}
		p.keep = append(p.keep, leaf)
	}
	return nil
}

// firstColumn finds the first candidate of an option, also one that cannot be read.
func (p *Parquet) firstColumn(option string) (name string, leaf *pq.LeafColumn, why syntax.Fault) {
	for _, name = range candidates(option) {
		if leaf, why = p.column(name); leaf != nil || why.Kind != 0 {
			break
		}
	}
	return name, leaf, why
}

// column finds a column by its name, or by the names on the way to it with dots
// between them; nil if there is none. A list or a group counts if it has one
// column of values. The fault says why a column that is there cannot be read.
func (p *Parquet) column(name string) (*pq.LeafColumn, syntax.Fault) {
	schema := p.file.Schema()
	below := 0
	for _, f := range schema.Fields() {
		if f.Name() == name {
			below++
		}
	}
	var found []pq.LeafColumn
	var paths []string
	for _, path := range schema.Columns() {
		full := strings.Join(path, ".")
		if path[0] != name && (below > 0 || full != name && !strings.HasPrefix(full, name+".")) {
			continue
		}
		if leaf, ok := schema.Lookup(path...); ok {
			found, paths = append(found, leaf), append(paths, full)
		}
	}
	switch {
	case below > 1 || below == 0 && len(paths) > 1 && paths[0] == paths[1]:
		return nil, givenTwice(name)
	case len(found) == 0:
		return nil, syntax.Fault{}
	case len(found) > 1 && found[0].MaxRepetitionLevel > 0 || len(found) == 1 && found[0].MaxRepetitionLevel > 1:
		return nil, group(name, nil)
	case len(found) > 1:
		return nil, group(name, paths)
	}
	return &found[0], syntax.Fault{}
}

// group is why a column that holds others cannot be read; those within, if
// they can be read.
func group(name string, within []string) syntax.Fault {
	if len(within) == 0 {
		return syntax.Because(syntax.KindTextType, "the column %q is a list of groups or of lists", name)
	}
	return syntax.Because(syntax.KindTextType, "the column %q is a group of %s", name, listed(within))
}

// names are the columns as they may be named: those in groups with dots.
func (p *Parquet) names() []string {
	var names []string
	schema := p.file.Schema()
	for _, path := range schema.Columns() {
		name := strings.Join(path, ".")
		if leaf, ok := schema.Lookup(path...); ok && leaf.MaxRepetitionLevel > 0 {
			name = path[0]
		}
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names
}

// isDecimal reports whether values of the type are written other than they are.
func isDecimal(t pq.Type) bool {
	if l := t.LogicalType(); l != nil {
		_, is := l.Value.(*format.DecimalType)
		return is
	}
	return false
}

// isNull reports whether the type is that of a column with nothing but nulls.
func isNull(t pq.Type) bool {
	if l := t.LogicalType(); l != nil {
		_, is := l.Value.(*format.NullType)
		return is
	}
	return false
}
