package library

import (
	"slices"
	"strings"

	"warp/internal/core/yamltree"
)

// WriteOut returns the file of a built-in pipeline with its loops expanded in its stages, for
// people who want to change it: prompts and limits are in one file. It moves lines, which keeps
// comments and layout.
func WriteOut(name string) ([]byte, bool) {
	file, ok := Pipeline(name)
	if !ok {
		return nil, false
	}
	lines, pipeline := splitFile(file)
	end := len(lines)
	for _, stage := range slices.Backward(pipeline.Get("stages").Items) {
		if loop := stage.Get("loop"); loop != nil {
			lines = slices.Insert(lines, end, loopLines(loop.Text, stage)...)
			lines = slices.Delete(lines, loop.Line-1, loop.Line)
		}
		end = stage.Line - 1
	}
	const about = "# The built-in pipeline %, with its loops written out. Change what you like:\n# this file is run instead of the built-in one.\n"
	return []byte(strings.Replace(about, "%", name, 1) + strings.Join(lines, "\n") + "\n"), true
}

// loopLines returns the keys of a loop as those of a stage, without those that the stage has.
func loopLines(name string, stage *yamltree.Node) (all []string) {
	file, _ := Loop(name)
	lines, loop := splitFile(file)
	end := len(lines)
	for _, e := range slices.Backward(loop.Entries) {
		if !slices.Contains([]string{"name", "description"}, e.Key) && stage.Get(e.Key) == nil {
			all = append(slices.Clone(lines[e.At.Line-1:end]), all...)
		}
		end = e.At.Line - 1
	}
	for i, line := range all {
		if line != "" {
			all[i] = "    " + line
		}
	}
	return all
}

// splitFile parses one of our own files.
func splitFile(file []byte) (lines []string, whole *yamltree.Node) {
	return strings.Split(strings.TrimRight(string(file), "\n"), "\n"), (&yamltree.Problems{}).Parse("", file)
}
