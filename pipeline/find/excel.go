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

// Styles of cells in styles.xml.
const (
	plainStyle = iota
	boldStyle
	rightStyle // aligned to the right
)

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
		`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		`<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>` +
		`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" applyAlignment="1"><alignment horizontal="right"/></xf></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`},
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
		if isNumber(c) {
			t.print(fmt.Sprintf(`<c s="%d"><v>%s</v></c>`, style(i), c))
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

// isNumber reports whether a cell is a number that Excel shows as it is written.
func isNumber(c string) bool {
	x, err := strconv.ParseFloat(c, 64)
	return err == nil && len(c) <= 15 && strconv.FormatFloat(x, 'f', -1, 64) == c && strings.Trim(c, "-.0123456789") == ""
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
