// Package library holds the built-in pipelines, loops and prompts.
package library

import (
	"embed"
	"slices"
	"strings"

	"warp/internal/core/yamltree"
)

//go:embed files
var files embed.FS

// Loops returns the names of the built-in loops.
func Loops() []string { return listNames("loops") }

// Pipelines returns the names of the built-in pipelines.
func Pipelines() []string { return listNames("pipelines") }

// Loop returns the file of a built-in loop.
func Loop(name string) ([]byte, bool) { return readFile("loops/" + name + ".yaml") }

// Pipeline returns the file of a built-in pipeline.
func Pipeline(name string) ([]byte, bool) { return readFile("pipelines/" + name + ".yaml") }

// Prompt returns a prompt, or a part of one.
func Prompt(name string) string {
	text, _ := readFile("prompts/" + name + ".md")
	return string(text)
}

// Describe returns the description in the file of a pipeline or a loop, whatever else is wrong with
// it; "" if there is none.
func Describe(text []byte) string {
	if n := (&yamltree.Problems{}).Parse("", text); n != nil {
		if d := n.Get("description"); d != nil && d.Kind == yamltree.Text {
			return strings.TrimSpace(d.Text)
		}
	}
	return ""
}

func listNames(kind string) []string {
	found, _ := files.ReadDir("files/" + kind)
	var all []string
	for _, f := range found {
		all = append(all, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	slices.Sort(all) // by name: with the extension, a dot would sort after a dash
	return all
}

func readFile(name string) ([]byte, bool) {
	text, err := files.ReadFile("files/" + name)
	return text, err == nil
}
