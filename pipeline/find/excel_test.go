package find

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// A sheetCell is a cell as ECMA-376 has it.
type sheetCell struct {
	Style int    `xml:"s,attr"`
	Type  string `xml:"t,attr"`
	Value string `xml:"v"`
	Text  string `xml:"is>t"`
}

// written returns the bytes of a workbook and the cells of its sheet, and checks that every
// part is well-formed and that every part that another names is there.
func written(t *testing.T, header []string, rows ...[]string) ([]byte, [][]sheetCell) {
	t.Helper()
	var file bytes.Buffer
	w := bufio.NewWriter(&file)
	table := newTable(w, XLSX, "")
	if header != nil {
		table.header(header)
	}
	for _, r := range rows {
		table.row(r)
	}
	if err := table.end(); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	z, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var sheet struct {
		Rows []struct {
			Cells []sheetCell `xml:"c"`
		} `xml:"sheetData>row"`
	}
	targets := map[string]string{"/xl/styles.xml": "", "/xl/sheet.xml": "", "xl/workbook.xml": "", "styles.xml": "xl/", "sheet.xml": "xl/"}
	for target, folder := range targets {
		if _, err := z.Open(folder + strings.TrimPrefix(target, "/")); err != nil {
			t.Error(err)
		}
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r)
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(f.Name, err)
			}
			if e, ok := token.(xml.StartElement); ok {
				for _, a := range e.Attr {
					if _, known := targets[a.Value]; !known && (a.Name.Local == "PartName" || a.Name.Local == "Target") {
						t.Error(a.Value, "is not in the file")
					}
				}
			}
		}
		if f.Name == "xl/sheet.xml" {
			if err := xml.Unmarshal(text, &sheet); err != nil {
				t.Fatal(err)
			}
		}
	}
	var cells [][]sheetCell
	for _, r := range sheet.Rows {
		cells = append(cells, r.Cells)
	}
	return file.Bytes(), cells
}

func TestSheet(t *testing.T) {
	header := []string{"left", "hit", "position", "doc_id"}
	rows := [][]string{{" <she> & \"he\" ", "said\uffff", "12", "007"}, {"", "=1+1", "0.5", "1e5"}, {"NaN", "+1", "-3", "0x1p4"}, {"_x000D_", "a_x00e9_x0041_", "_x41_", "_x005F_"}, {"0.50", "12.00", "0.9000", "-3.10"}, {"-0", "1.0", "1.500", "12345678901234.50"}}
	first, cells := written(t, header, rows...)
	if again, _ := written(t, header, rows...); !bytes.Equal(first, again) {
		t.Error("the same rows gave other bytes")
	}
	numbers := map[string]bool{"12": true, "0.5": true, "-3": true, "0.50": true, "12.00": true, "0.9000": true, "-3.10": true}
	decimals := map[string]int{"0.50": 2, "12.00": 2, "-3.10": 2, "0.9000": 4} // else as many as there are
	for i, row := range append([][]string{header}, rows...) {
		for j, want := range row {
			c := cells[i][j]
			got, style := unescaped(c.Text), []int{rightStyle, boldStyle, plainStyle, plainStyle}[j]
			if i == 0 {
				style = boldStyle
			}
			if numbers[want] {
				got = c.Value
			}
			if want = strings.ReplaceAll(want, "\uffff", "\ufffd"); got != want || (c.Type == "inlineStr") == numbers[want] || c.Style%styles != style || max(formats[c.Style/styles].decimals, 0) != decimals[want] {
				t.Errorf("row %d: %+v, want %q", i, c, want)
			}
		}
	}
	if _, cells := written(t, nil); len(cells) != 0 {
		t.Error(cells)
	}
}

// unescaped reads a text as ECMA-376 has it, part 1, section 22.9.2.19: _xHHHH_ is a
// character.
func unescaped(text string) string {
	for at := 0; at+7 <= len(text); at++ {
		if s := text[at : at+7]; s[:2] == "_x" && s[6] == '_' {
			if code, err := strconv.ParseUint(s[2:6], 16, 16); err == nil {
				text = text[:at] + string(rune(code)) + text[at+7:]
			}
		}
	}
	return text
}

// A sheet is cut where Excel would refuse it, and never silently shorter.
func TestSheetBounds(t *testing.T) {
	for _, c := range []string{strings.Repeat("a", maxSheetCell), strings.Repeat("ä", maxSheetCell), strings.Repeat("ä", maxSheetCell-2) + "😀", strings.Repeat("a", maxSheetCell+1), strings.Repeat("😀", maxSheetCell), strings.Repeat("\xff", maxSheetCell+5)} {
		_, cells := written(t, nil, []string{c})
		got := cells[0][0].Text
		if units := len(utf16.Encode([]rune(got))); units > maxSheetCell || len(utf16.Encode([]rune(c))) <= maxSheetCell && got != c || len(c) > 2*maxSheetCell && units < maxSheetCell-2 {
			t.Errorf("%d of %d units of %q", units, maxSheetCell, c[:9])
		}
	}
	table := newTable(bufio.NewWriter(io.Discard), XLSX, "").(*sheetTable)
	table.rows = maxSheetRows - 1
	table.row([]string{"the last"})
	if table.row([]string{"one more"}); table.end() == nil {
		t.Error("a sheet took more rows than Excel does")
	}
	table = newTable(bufio.NewWriter(io.Discard), XLSX, "").(*sheetTable)
	if table.rows = maxSheetRows - 1; true {
		table.row([]string{"the last"})
	}
	if err := table.end(); err != nil {
		t.Error(err)
	}
	for n, wide := range map[int]bool{maxSheetColumns: false, maxSheetColumns + 1: true} {
		table = newTable(bufio.NewWriter(io.Discard), XLSX, "").(*sheetTable)
		table.row(make([]string, n))
		if err := table.end(); (err != nil) != wide {
			t.Errorf("%d columns: %v", n, err)
		}
	}
}
