package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/pipeline"
)

const languagesAbout = `
Lists the languages that the program parses: their codes for --language, the treebanks and
licenses of their models, the words that these have learned from, and their LAS on raw
text of dev. With files, it prints the language of each, as treebeam parse finds it: for
tables and JSON Lines, how many documents are in which language.`

// newLanguages is treebeam languages.
func newLanguages() *cobra.Command {
	cmd := newCommand("languages [FILE...] [--json]", "list the languages, or find those of files", languagesAbout)
	cmd.Example = `
  treebeam languages
  treebeam languages 'corpus/**/*.txt'`
	fs := cmd.Flags()
	asJSON := fs.Bool("json", false, "print JSON")
	o := pipeline.Options{Rows: pipeline.DefaultRows(), Stdin: os.Stdin}
	formatFlags(fs, &o.Rows)
	cmd.RunE = func(cmd *cobra.Command, files []string) error {
		forFiles := namesGiven(fs, []string{"json"}, false)
		switch idle := namesGiven(fs, []string{"id", "keep"}, true); {
		case len(files) == 0 && forFiles != "":
			return refuse("%s: name the files whose languages are to be found, or leave it out", forFiles)
		case idle != "":
			return refuse("%s: only the text of records is read here; leave it out", idle)
		}
		if len(files) > 0 {
			if *asJSON {
				return refuse("--json is for the list of languages: leave it out, or leave out %s", files[0])
			}
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			o.Inputs = files
			return pipeline.Languages(ctx, o, printFound)
		}
		list, err := languages()
		if err != nil {
			return &refusal{err}
		}
		if *asJSON {
			return encodeJSON(stdout, list, "  ")
		}
		w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "code\tlanguage\ttreebanks\tlicense\twords\tLAS, dev")
		for _, l := range list {
			var banks, licences []string
			for _, t := range l.Treebanks {
				banks, licences = append(banks, t.Name), append(licences, t.Licence)
			}
			las := ""
			if s := rawScore(&l); s.Setting != "" {
				las = fmt.Sprintf("%.1f", s.LAS)
			}
			slices.Sort(licences)
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", l.Code, l.Name, strings.Join(banks, ", "), strings.Join(slices.Compact(licences), ", "),
				view.Number(l.TrainWords), las)
		}
		return w.Flush()
	}
	return cmd
}

// rawScore is the score of a language on raw text, zero if it is not known.
func rawScore(l *model.Language) model.Score {
	for _, s := range l.Scores {
		if s.Setting == "raw" {
			return s
		}
	}
	return model.Score{}
}

// languages are English and those of the world in the program, sorted by code.
func languages() ([]model.Language, error) {
	m, err := model.Open("")
	if err != nil {
		return nil, err
	}
	i := &m.Info
	list := []model.Language{{Code: i.Language, Name: "English", Treebanks: []model.Source{{Name: strings.TrimSpace(i.Treebank + " " + i.Release), Licence: i.Licence}},
		TrainWords: i.Train.Words, Scores: i.Scores, Example: "Time flies like an arrow."}}
	if w, err := model.OpenWorld(model.EmbeddedWorld); err == nil {
		list = append(list, w.Languages()...)
	}
	slices.SortStableFunc(list, func(a, b model.Language) int { return cmp.Compare(a.Code, b.Code) })
	return list, nil
}

// languageName is the name of a language in the program, or its code.
func languageName(code string) string {
	if code == model.Undetermined {
		return "other languages"
	}
	known := model.Choices(nil)
	if w, err := model.OpenWorld(model.EmbeddedWorld); err == nil {
		known = model.Choices(w.Languages())
	}
	if i := slices.IndexFunc(known, func(l model.Language) bool { return l.Code == code }); i >= 0 {
		return known[i].Name
	}
	return code
}

// printFound prints the languages of a file, or why it has none.
func printFound(f *output.File, why string) error {
	if len(f.Languages) == 0 && why != "" {
		say(os.Stderr, "%s: %s\n", f.URI, why)
	}
	for _, l := range f.Languages {
		how := view.Many(l.Documents, "document")
		if f.Language != "" && f.LanguageConf == 0 {
			how = "not sure"
		} else if f.Language != "" {
			how = fmt.Sprintf("%.3f", f.LanguageConf)
		}
		if _, err := fmt.Fprintf(stdout, "%s\t%s\t%s\n", cell(f.URI), l.Code, how); err != nil {
			return err
		}
	}
	return nil
}
