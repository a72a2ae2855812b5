package find

import (
	"archive/zip"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// What a sheet of Excel holds: rows, columns, and UTF-16 code units of a cell.
const (
	maxSheetRows    = 1 << 20
	maxSheetColumns = 1 << 14
	maxSheetCell    = 32_767
)

// A sheetTable writes a workbook of one sheet (ECMA-376, part 1, section 18), row by row. A
// number is a number. Longer cells are cut, and more rows or columns than a sheet holds are an
// error of end. The same rows give the same bytes.
type sheetTable struct {
	to    *zip.Writer
	sheet io.Writer // nil: not begun
	names []string
	rows  int
	err   error
}

// Styles of cells in styles.xml, for each of formats.
const (
	plainStyle = iota
	boldStyle
	rightStyle // aligned to the right
	styles
)

// formats show numbers with so many decimals, -1 for as many as a number needs. id is that
// of the format in styles.xml.
var formats = [...]struct{ decimals, id int }{{-1, 0}, {2, 2}, {4, 164}}

// parts are the files of a workbook before its sheet.
var parts = [][2]string{
	{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>` +
		`<Override PartName="/xl/sheet.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`},
	{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="b" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
		`<sheets><sheet name="treebeam" sheetId="1" r:id="s"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="sheet.xml"/>` +
		`<Relationship Id="t" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`},
	{"xl/styles.xml", `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
		`<numFmts count="1"><numFmt numFmtId="164" formatCode="0.0000"/></numFmts>` +
		`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		cellStyles() + `<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`},
}

// cellStyles are the styles of all formats.
func cellStyles() string {
	list := fmt.Sprintf(`<cellXfs count="%d">`, styles*len(formats))
	for _, f := range formats {
		list += fmt.Sprintf(`<xf numFmtId="%d" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`+
			`<xf numFmtId="%[1]d" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`+
			`<xf numFmtId="%[1]d" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1"><alignment horizontal="right"/></xf>`, f.id)
	}
	return list + "</cellXfs>"
}

// begin writes everything before the first row. A header stays in sight.
func (t *sheetTable) begin() {
	if t.sheet != nil {
		return
	}
	for _, p := range parts {
		t.create(p[0])
		t.print(p[1])
	}
	t.create("xl/sheet.xml")
	t.print(`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0">`)
	if t.names != nil {
		t.print(`<pane ySplit="1" topLeftCell="A2" state="frozen"/>`)
	}
	t.print("</sheetView></sheetViews>")
	if len(t.names) > 0 {
		t.print("<cols>")
		for i, name := range t.names {
			t.print(fmt.Sprintf(`<col min="%d" max="%[1]d" width="%d" customWidth="1"/>`, i+1, cmp.Or(widths[name], 16)))
		}
		t.print("</cols>")
	}
	t.print("<sheetData>")
}

// widths are those of columns of text, in characters.
var widths = map[string]int{"before": 40, "left": 60, "hit": 24, "right": 60, "after": 40, "text": 80}

func (t *sheetTable) create(name string) {
	w, err := t.to.Create(name)
	if err != nil {
		w = io.Discard
	}
	t.sheet, t.err = w, cmp.Or(t.err, err)
	t.print(xml.Header)
}

func (t *sheetTable) print(text string) {
	_, err := io.WriteString(t.sheet, text)
	t.err = cmp.Or(t.err, err)
}

func (t *sheetTable) header(cells []string) {
	t.names = cells
	t.write(cells, func(int) int { return boldStyle })
}

func (t *sheetTable) row(cells []string) {
	t.write(cells, func(i int) int {
		switch {
		case i < len(t.names) && t.names[i] == "hit":
			return boldStyle
		case i < len(t.names) && t.names[i] == "left":
			return rightStyle
		}
		return plainStyle
	})
}

func (t *sheetTable) write(cells []string, style func(i int) int) {
	t.begin()
	if t.rows++; t.rows > maxSheetRows {
		return
	}
	if len(cells) > maxSheetColumns {
		t.err = fmt.Errorf("a sheet has at most %d columns: write .csv or .tsv instead", maxSheetColumns)
		return
	}
	t.print("<row>")
	for i, c := range cells {
		if f := formatOf(c); f >= 0 {
			t.print(fmt.Sprintf(`<c s="%d"><v>%s</v></c>`, style(i)+styles*f, c))
			continue
		}
		t.print(fmt.Sprintf(`<c s="%d" t="inlineStr"><is><t xml:space="preserve">`, style(i)))
		t.err = cmp.Or(t.err, xml.EscapeText(t.sheet, []byte(coded.ReplaceAllString(cutCell(c), "_x005F$0"))))
		t.print("</t></is></c>")
	}
	t.print("</row>\n")
}

// coded is what begins the code of a character in a sheet, such as _x000D_. The code of an
// underscore is _x005F_.
var coded = regexp.MustCompile("_x[0-9A-Fa-f]{4}")

// formatOf returns the format in which Excel shows a number as it is written in a cell, but
// for the sign of -0.00; -1 if there is none.
func formatOf(c string) int {
	x, err := strconv.ParseFloat(c, 64)
	if err != nil || len(c) > 15 || c == "-0" || strings.Trim(c, "-.0123456789") != "" {
		return -1
	}
	for i, f := range formats {
		if strconv.FormatFloat(x, 'f', f.decimals, 64) == c {
			return i
		}
	}
	return -1
}

// cutCell cuts what a cell does not hold.
func cutCell(c string) string {
	units, end := 0, 0 // end leaves room for the ellipsis
	for at, r := range c {
		if units < maxSheetCell {
			end = at
		}
		if units += max(utf16.RuneLen(r), 1); units > maxSheetCell {
			return c[:end] + "…"
		}
	}
	return c
}

func (t *sheetTable) end() error {
	t.begin()
	t.print("</sheetData></worksheet>")
	if t.rows > maxSheetRows {
		return fmt.Errorf("a sheet has at most %d rows: write .csv or .tsv instead, or fewer rows with --limit or --random", maxSheetRows)
	}
	return cmp.Or(t.err, t.to.Close())
}
