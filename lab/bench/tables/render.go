package tables

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// renderers are the tables by name. Each reads what it needs from a folder.
var renderers = map[string]func(results string) (string, error){
	"english":   english,
	"accuracy":  accuracy,
	"published": published,
	"speed":     speed,
	"languages": languages,
	"everyday":  asIs("everyday"),
	"shift":     asIs("shift"),
	"training":  asIs("training"),
}

// asIs is for tables whose cells stand in the page as they are.
func asIs(name string) func(results string) (string, error) {
	return func(results string) (string, error) {
		t, err := Read(filepath.Join(results, name+".tsv"))
		if err != nil {
			return "", err
		}
		note := "Measured " + t.about("date")
		if command := t.about("command"); command != "" {
			note += " by `" + command + "`"
		}
		for _, key := range []string{"models", "machine"} {
			if about := t.about(key); about != "" {
				note += "; " + key + ": " + about
			}
		}
		return markdown(append([][]string{t.Columns}, t.Rows...)) + "\n" + wrap(note+"."), nil
	}
}

// measured are the tables that those of English models are made of.
type measured struct{ english, speed, published *Table }

func read(results string) (m measured, err error) {
	for name, to := range map[string]**Table{"english": &m.english, "speed": &m.speed, "published": &m.published} {
		if *to, err = Read(filepath.Join(results, name+".tsv")); err != nil {
			return m, err
		}
	}
	return m, nil
}

// settings are the rows of the built-in English models: name, model, --effort, and
// the point in the table of speed.
var settings = [][4]string{
	{"treebeam", "embedded-accurate", "", "default"},
	{"treebeam `--effort 0.85`", "embedded-accurate", "0.85", "--effort 0.85"},
	{"treebeam `--fast`", "embedded", "", "--fast"},
}

// english compares the built-in models with other parsers, and names the gaps.
func english(results string) (string, error) {
	m, err := read(results)
	if err != nil {
		return "", err
	}
	rows := [][]string{{"English EWT, test", "LAS", "UAS", "UPOS", "LAS, gold tokens", "words/s", "memory"}}
	for _, s := range settings {
		raw := m.english.Find("model", s[1], "effort", s[2], "input", "raw", "set", "test")
		if raw == nil {
			return "", fmt.Errorf("english.tsv: no row for %s on raw text", s[0])
		}
		cells := []string{s[0], m.english.Cell(raw, "las"), m.english.Cell(raw, "uas"), m.english.Cell(raw, "upos"), ""}
		if tokens := m.english.Find("model", s[1], "effort", s[2], "input", "tokens", "set", "test"); tokens != nil {
			cells[4] = m.english.Cell(tokens, "las")
		}
		rows = append(rows, append(cells, m.pace("treebeam", s[3])...))
	}
	if peer := m.speed.Find("series", "UDPipe"); peer != nil {
		cells := []string{m.speed.Cell(peer, "point") + ", same treebank", m.speed.Cell(peer, "las"), "", "", ""}
		rows = append(rows, append(cells, m.pace("UDPipe", m.speed.Cell(peer, "point"))...))
	}
	var gaps []string
	for _, p := range m.published.Rows {
		cell := func(column string) string { return m.published.Cell(p, column) }
		if cell("treebank") != "en_ewt" {
			continue
		}
		name := cell("system") + " " + cell("version")
		rows = append(rows, []string{name + " (UD " + cell("release") + "), published", cell("raw_las"), "", "", cell("tokens_las"), "", ""})
		if cell("gap") == "yes" {
			gaps = append(gaps, fmt.Sprintf("The published LAS of %s is %s the default and %s `--fast`.",
				name, difference(cell("raw_las"), rows[1][1]), difference(cell("raw_las"), rows[3][1])))
		}
	}
	digest := func(model string) string {
		return fmt.Sprintf("`%.16s`", m.english.Cell(m.english.Find("model", model), "digest"))
	}
	note := fmt.Sprintf("Raw text unless the column says gold tokens. The default is the accurate model, %s; `--fast` is %s. "+
		"Speed and memory are of one core, from raw text to Parquet.", digest("embedded-accurate"), digest("embedded"))
	return markdown(rows) + "\n" + wrap(note+" "+strings.Join(gaps, " ")), nil
}

// pace returns the cells of a point of the table of speed: words a second and memory.
func (m measured) pace(series, point string) []string {
	p := m.speed.Find("series", series, "point", point)
	if p == nil {
		return []string{"", ""}
	}
	return []string{thousands(m.speed.Cell(p, "words_per_second")), m.speed.Cell(p, "peak_mb") + " MB"}
}

// accuracy has all scores of the built-in models.
func accuracy(results string) (string, error) {
	m, err := read(results)
	if err != nil {
		return "", err
	}
	columns := []string{"sentences", "words", "upos", "xpos", "ufeats", "lemmas", "uas", "las", "clas", "mlas", "blex"}
	heads := []string{"sentences", "words", "UPOS", "XPOS", "UFeats", "lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX"}
	inputs := map[string]string{"raw": "raw text", "tokens": "gold tokens", "tags": "gold tags"}
	rows := [][]string{append([]string{"model", "set", "input"}, heads...)}
	for _, r := range m.english.Rows {
		cell := func(column string) string { return m.english.Cell(r, column) }
		name := map[string]string{"embedded": "fast", "embedded-accurate": "accurate"}[cell("model")]
		if cell("effort") != "" {
			name += ", `--effort " + cell("effort") + "`"
		}
		row := []string{name, cell("set"), inputs[cell("input")]}
		for _, c := range columns {
			row = append(row, cell(c))
		}
		rows = append(rows, row)
	}
	var digests []string
	for _, model := range []string{"embedded", "embedded-accurate"} {
		row := m.english.Find("model", model)
		if row == nil {
			return "", fmt.Errorf("english.tsv: no row for %s", model)
		}
		digests = append(digests, fmt.Sprintf("`%s` is %.16s", model, m.english.Cell(row, "digest")))
	}
	return markdown(rows) + "\n" + wrap(fmt.Sprintf("Models: %s. Measured %s by `%s`.",
		strings.Join(digests, ", "), m.english.about("date"), m.english.about("command"))), nil
}

// published has the figures of others.
func published(results string) (string, error) {
	m, err := read(results)
	if err != nil {
		return "", err
	}
	rows := [][]string{{"parser", "treebank", "UD", "LAS, raw text", "LAS, gold tokens", "source"}}
	for _, p := range m.published.Rows {
		cell := func(column string) string { return m.published.Cell(p, column) }
		rows = append(rows, []string{cell("system") + " " + cell("version"), cell("treebank"), cell("release"), cell("raw_las"), cell("tokens_las"), "<" + cell("source") + ">"})
	}
	return markdown(rows), nil
}

// speed has what was measured of speed and memory.
func speed(results string) (string, error) {
	m, err := read(results)
	if err != nil {
		return "", err
	}
	peer, err := strconv.ParseFloat(m.speed.Cell(m.speed.Find("series", "UDPipe"), "words_per_second"), 64)
	if err != nil {
		return "", fmt.Errorf("speed.tsv: words a second of UDPipe: %w", err)
	}
	rows := [][]string{{"command", "seconds", "words/s", "times UDPipe", "peak memory", "LAS, raw text"}}
	for _, p := range m.speed.Rows {
		cell := func(column string) string { return m.speed.Cell(p, column) }
		rate, err := strconv.ParseFloat(cell("words_per_second"), 64)
		if err != nil {
			return "", fmt.Errorf("speed.tsv: words a second of %s: %w", cell("point"), err)
		}
		rows = append(rows, []string{"`" + cell("command") + "`", cell("seconds"), thousands(cell("words_per_second")),
			fmt.Sprintf("%.1f", rate/peer), cell("peak_mb") + " MB", cell("las")})
	}
	return markdown(rows) + "\n" + wrap(fmt.Sprintf("Text: %s. Machine: %s. Measured %s.",
		m.speed.about("text"), m.speed.about("machine"), m.speed.about("date"))), nil
}

// languages has the scores of the model of many languages.
func languages(results string) (string, error) {
	t, err := Read(filepath.Join(results, "languages.tsv"))
	if err != nil {
		return "", err
	}
	columns := []string{"words", "sentences", "upos", "lemmas", "las", "udpipe_las"}
	rows := [][]string{{"language", "words of train", "words", "sentences", "UPOS", "lemmas", "LAS", "LAS, UDPipe 1.2"}}
	var las, both, theirs, ece mean
	level, worst := 0, 0.0
	for _, r := range t.Rows {
		row := []string{t.Cell(r, "name") + " " + t.Cell(r, "code"), thousands(t.Cell(r, "train_words"))}
		for _, c := range columns {
			cell := t.Cell(r, c)
			if x, err := strconv.ParseFloat(cell, 64); err == nil {
				cell = strconv.FormatFloat(x, 'f', 1, 64)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
		ours, err := strconv.ParseFloat(t.Cell(r, "las"), 64)
		if err != nil {
			return "", fmt.Errorf("languages.tsv: LAS of %s: %w", row[0], err)
		}
		las.add(ours)
		off, err := strconv.ParseFloat(t.Cell(r, "ece_heads"), 64)
		if err != nil {
			return "", fmt.Errorf("languages.tsv: ECE of %s: %w", row[0], err)
		}
		ece.add(off)
		worst = max(worst, off)
		if cell := t.Cell(r, "udpipe_las"); cell != "" {
			peer, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return "", fmt.Errorf("languages.tsv: UDPipe's LAS of %s: %w", row[0], err)
			}
			both.add(ours)
			theirs.add(peer)
			if ours >= peer {
				level++
			}
		}
	}
	note := fmt.Sprintf("The mean LAS of the %d languages is %.1f. Of the %d for which UDPipe 1.2 has published figures, it is %.1f, "+
		"and UDPipe's is %.1f; treebeam is level or better in %d. The ECE of `head_conf` is %.1f on average and at most %.1f. "+
		"Model %.16s, measured %s by `%s`.",
		las.n, las.value(), both.n, both.value(), theirs.value(), level, ece.value(), worst, t.about("digest"), t.about("date"), t.about("command"))
	return markdown(rows) + "\n" + wrap(note), nil
}
