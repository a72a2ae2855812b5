package find

import (
	"archive/zip"
	"bufio"
	"encoding/csv"
	"html"
	"io"
	"strings"
	"unicode"

	"github.com/treebeam/treebeam/parser/pattern"
)

// What Options.As may be.
const (
	TSV  = "tsv"  // cells with tabs between them; "_" is one without a value
	CSV  = "csv"  // RFC 4180 with "\n" as the end of a line
	HTML = "html" // a page without scripts that fetches nothing
	XLSX = "xlsx" // a workbook of one sheet, for Excel and LibreOffice
)

// cells are the attributes of a hit. A control character, such as a tab, is a space.
func (s *search) cells(f *found, h pattern.Hit) []string {
	list := make([]string, len(s.attributes))
	for i := range s.attributes {
		list[i] = cell(s.attributes[i].of(f, h))
	}
	return list
}

func cell(value string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, value)
}

// A table writes rows of cells. Errors of the writer stay with it until it is flushed.
type table interface {
	header(cells []string) // at most once, before the rows
	row(cells []string)
	end() error
}

func newTable(w *bufio.Writer, as, title string) table {
	switch as {
	case CSV:
		return csvTable{csv.NewWriter(w), w}
	case HTML:
		return &htmlTable{w: w, title: title}
	case XLSX:
		return &sheetTable{to: zip.NewWriter(w)}
	}
	return tsvTable{w}
}

type tsvTable struct{ *bufio.Writer }

func (t tsvTable) header(cells []string) { t.row(cells) }
func (t tsvTable) end() error            { return nil }

func (t tsvTable) row(cells []string) {
	for i, c := range cells {
		if i > 0 {
			t.WriteByte('\t')
		}
		if c == "" {
			c = "_"
		}
		t.WriteString(c)
	}
	t.WriteByte('\n')
}

type csvTable struct {
	*csv.Writer
	to *bufio.Writer
}

func (t csvTable) header(cells []string) { t.Write(cells) }

func (t csvTable) row(cells []string) {
	if len(cells) == 1 && cells[0] == "" { // Write would make an empty line, which readers skip
		t.Flush()
		t.to.WriteString("\"\"\n")
		return
	}
	t.Write(cells)
}

func (t csvTable) end() error {
	t.Flush()
	return t.Error()
}

type htmlTable struct {
	w     *bufio.Writer
	title string
	names []string
	begun bool
}

// begin writes the head of the page. html.EscapeString has its place in text and in
// attributes with quotation marks, which is all that there is.
func (t *htmlTable) begin() {
	if t.begun {
		return
	}
	t.begun = true
	title := html.EscapeString(t.title)
	io.WriteString(t.w, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>`+title+`: treebeam</title>
<style>
body { font: .875rem/1.4 system-ui, sans-serif; margin: 1rem; }
h1 { font-size: 1.1rem; }
table { border-collapse: collapse; }
th, td { padding: .15rem .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid #8884; }
.left { text-align: right; }
.left, .right, .before, .after { min-width: 14rem; }
.hit { font-weight: bold; min-width: 8rem; }
</style>
</head>
<body>
<h1><code>`+title+`</code></h1>
<table>
`)
}

func (t *htmlTable) header(cells []string) {
	t.names = cells
	t.begin()
	t.write("th", cells)
}

func (t *htmlTable) row(cells []string) {
	t.begin()
	t.write("td", cells)
}

func (t *htmlTable) write(kind string, cells []string) {
	io.WriteString(t.w, "<tr>")
	for i, c := range cells {
		class := ""
		if i < len(t.names) && ofHit[t.names[i]].of != nil {
			class = ` class="` + t.names[i] + `"`
		}
		io.WriteString(t.w, "<"+kind+class+` dir="auto">`+html.EscapeString(c)+"</"+kind+">")
	}
	io.WriteString(t.w, "</tr>\n")
}

func (t *htmlTable) end() error {
	t.begin()
	_, err := io.WriteString(t.w, "</table>\n</body>\n</html>\n")
	return err
}
