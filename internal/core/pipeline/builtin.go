package pipeline

import (
	"embed"
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

func builtIn(kind string) []string {
	files, _ := builtin.ReadDir("builtin/" + kind)
	var all []string
	for _, f := range files {
		all = append(all, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return all
}

func builtInFile(kind, name string) ([]byte, bool) {
	text, err := builtin.ReadFile("builtin/" + kind + "/" + name + ".yaml")
	return text, err == nil
}
