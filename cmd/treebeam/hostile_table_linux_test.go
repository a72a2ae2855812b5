package main

import (
	"strings"
	"testing"
)

// Tables that are broken, or could take much memory.
func TestHostileTables(t *testing.T) {
	runHostile(t, map[string]hostile{
		"a line of 40 MB":          {in: map[string]string{"a.tsv": "text\n" + strings.Repeat("x", 40<<20) + "\nOne .\n"}, trees: 1, rows: []row{{"a.tsv#1", "read", "record too long"}}, once: true},
		"a quote never closed":     {in: map[string]string{"a.csv": "text\n\"x\n" + strings.Repeat("\n", 4<<20) + "One .\n"}, trees: 1, rows: []row{{"a.csv#1", "read", "a quote is not closed"}}, once: true},
		"a header that never ends": {in: map[string]string{"a.csv": strings.Repeat("x,", 1<<20)}, rows: []row{{"", "read", "no header"}}},
		"no Parquet at all":        {in: map[string]string{"a.parquet": "PAR1" + strings.Repeat("\xff", 100) + "PAR1"}, rows: []row{{"", "read", "a footer of"}}},
	})
}
