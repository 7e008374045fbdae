package pipeline

import (
	"embed"
	"slices"
	"strings"
)

//go:embed builtin
var builtin embed.FS

// BuiltInLoops are the names of the loops that need no file.
func BuiltInLoops() []string { return builtIn("loops") }

// BuiltInPipelines are the names of the pipelines that need no file.
func BuiltInPipelines() []string { return builtIn("pipelines") }

// BuiltInLoop is the file of a built-in loop.
func BuiltInLoop(name string) ([]byte, bool) { return builtInFile("loops", name) }

// BuiltInPipeline is the file of a built-in pipeline.
func BuiltInPipeline(name string) ([]byte, bool) { return builtInFile("pipelines", name) }

// Describe is the description in the file of a pipeline or a loop, whatever else is
// wrong with it; "" when there is none.
func Describe(text []byte) string {
	if n := (&problems{}).parseYAML("", text); n != nil {
		if d := n.get("description"); d != nil && d.kind == textKind {
			return strings.TrimSpace(d.text)
		}
	}
	return ""
}

func builtIn(kind string) []string {
	files, _ := builtin.ReadDir("builtin/" + kind)
	var all []string
	for _, f := range files {
		all = append(all, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	slices.Sort(all) // by name: a file's ending sorts behind a dash
	return all
}

func builtInFile(kind, name string) ([]byte, bool) {
	text, err := builtin.ReadFile("builtin/" + kind + "/" + name + ".yaml")
	return text, err == nil
}

// builtInFileName is what messages and plans call the file of a built-in loop.
func builtInFileName(name string) string { return "built-in/" + name + ".yaml" }
