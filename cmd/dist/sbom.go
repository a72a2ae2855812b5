package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"
)

// A bom is a bill of materials in CycloneDX 1.6, as far as it is used here.
type bom struct {
	Format      string      `json:"bomFormat"`
	Spec        string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
	Composition []struct {
		Aggregate string `json:"aggregate"`
	} `json:"compositions"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// materials returns what is in a program: modules, Go, and models, which are files.
func materials(program []byte, modules []*debug.Module, goVersion string, models []file, from *commit) ([]byte, error) {
	golang := func(path, version string) component {
		url := "pkg:golang/" + path + "@" + version
		return component{Type: "library", Ref: url, Name: path, Version: version, PURL: url}
	}
	all := bom{Format: "CycloneDX", Spec: "1.6", Version: 1}
	all.Metadata.Timestamp = from.when.Format(time.RFC3339)
	all.Metadata.Component = golang("github.com/treebeam/treebeam", from.version)
	all.Metadata.Component.Type, all.Metadata.Component.Hashes = "application", sha(program)
	all.Components = append(all.Components, golang("std", goVersion))
	for _, m := range modules {
		c := golang(m.Path, m.Version)
		if m.Sum != "" {
			c.Properties = []property{{"go.sum", m.Sum}}
		}
		all.Components = append(all.Components, c)
	}
	for _, m := range models {
		all.Components = append(all.Components, component{Type: "machine-learning-model", Ref: m.name, Name: m.name, Hashes: sha(m.data)})
	}
	all.Composition = append(all.Composition, struct {
		Aggregate string `json:"aggregate"`
	}{"complete"})
	text, err := json.MarshalIndent(all, "", "  ")
	return append(text, '\n'), err
}

func sha(data []byte) []hash { return []hash{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(data))}} }
