package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/transforms"
)

// differencesShown is how many differences a refusal lists.
const differencesShown = 8

// Differences says in lines, sorted, what sets a run with the provenance now
// apart from one with p: options by the names of their flags.
func (p Provenance) Differences(now Provenance) []string {
	before, after := p.flat(), now.flat()
	all := maps.Clone(before)
	maps.Copy(all, after)
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if before[key] != after[key] {
			lines = append(lines, fmt.Sprintf("%s: was %s, is %s", key, cmp.Or(before[key], "the default"), cmp.Or(after[key], "the default")))
		}
	}
	return lines
}

// flat is everything in p by name. The options are taken from their JSON, as
// the fingerprint sees them, so that none can be forgotten.
func (p Provenance) flat() map[string]string {
	values := map[string]string{"the version of the format": p.FormatVersion, "the model": p.ModelID()}
	text, err := json.Marshal(p.Options)
	if err != nil {
		panic(err) // plain data
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // a seed has more digits than a float64
	var options map[string]any
	if err := d.Decode(&options); err != nil {
		panic(err) // was written just now
	}
	flatten(values, options)
	return values
}

// flatten writes options under the names of their flags.
func flatten(values map[string]string, options map[string]any) {
	for key, value := range options {
		if inner, ok := value.(map[string]any); ok {
			flatten(values, inner)
			continue
		}
		text := fmt.Sprint(value)
		if isFingerprint(text) { // of a file
			text = "digest " + modelID(text)
		}
		values["--"+strings.ReplaceAll(key, "_", "-")] = text
	}
}

// differences says in lines what sets the run apart from the one before it.
func differences(ctx context.Context, output string, run *record, plan *source.Plan, old *record) []string {
	list := old.provenance().Differences(run.provenance())
	before, err := source.ReadPlan(ctx, store.Join(output, transforms.OwnDir, source.PlanName(old.FP)))
	if err != nil {
		list = append(list, "its plan cannot be read")
	} else {
		list = append(list, fileDifferences(before, plan)...)
		if len(list) == 0 {
			list = append(list, fmt.Sprintf("--range-bytes: was %d, is %d: the input is cut otherwise", before.RangeBytes, plan.RangeBytes))
		}
	}
	if more := len(list) - differencesShown; more > 0 {
		list = append(list[:differencesShown], fmt.Sprintf("and %d more", more))
	}
	return list
}

func fileDifferences(before, now *source.Plan) (list []string) {
	old := map[string]*source.Piece{}
	for _, r := range before.Ranges {
		for i := range r.Pieces {
			old[r.Pieces[i].URI] = &r.Pieces[i]
		}
	}
	total := len(old)
	for _, r := range now.Ranges {
		for i := range r.Pieces {
			p := &r.Pieces[i]
			if p.Start != 0 {
				continue
			}
			was := old[p.URI]
			switch {
			case was == nil:
				list = append(list, "new input: "+p.URI)
			case was.Version != p.Version || was.Size != p.Size:
				list = append(list, "changed input: "+p.URI)
			case was.DocID != p.DocID:
				list = append(list, fmt.Sprintf("another document id: that of %s was %s, is %s", p.URI, was.DocID, p.DocID))
			}
			delete(old, p.URI)
		}
	}
	if len(old) > 0 {
		list = append(list, fmt.Sprintf("%d of its %d input files are not among the input now", len(old), total))
	}
	return list
}
