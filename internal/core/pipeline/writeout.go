package pipeline

import (
	"slices"
	"strings"
)

// WriteOut is the file of a built-in pipeline with its loops written out in its
// stages, for people who want to change it: prompts and bounds are in one file. It
// moves lines, and so keeps the comments and the layout of our own files.
func WriteOut(name string) ([]byte, bool) {
	file, ok := BuiltInPipeline(name)
	if !ok {
		return nil, false
	}
	lines, pipeline := splitFile(file)
	end := len(lines)
	for _, stage := range slices.Backward(pipeline.get("stages").items) {
		if loop := stage.get("loop"); loop != nil {
			lines = slices.Insert(lines, end, loopLines(loop.text, stage)...)
			lines = slices.Delete(lines, loop.line-1, loop.line)
		}
		end = stage.line - 1
	}
	const about = "# The built-in pipeline %, with its loops written out. Change what you like:\n# this file is run instead of the built-in one.\n"
	return []byte(strings.Replace(about, "%", name, 1) + strings.Join(lines, "\n") + "\n"), true
}

// loopLines are the keys of a loop as those of a stage, but for what a stage has itself.
func loopLines(name string, stage *node) (all []string) {
	file, _ := BuiltInLoop(name)
	lines, loop := splitFile(file)
	end := len(lines)
	for _, e := range slices.Backward(loop.entries) {
		if !slices.Contains([]string{"name", "description"}, e.key) && stage.get(e.key) == nil {
			all = append(slices.Clone(lines[e.at.line-1:end]), all...)
		}
		end = e.at.line - 1
	}
	for i, line := range all {
		if line != "" {
			all[i] = "    " + line
		}
	}
	return all
}

// splitFile takes one of our own files apart.
func splitFile(file []byte) (lines []string, whole *node) {
	return strings.Split(strings.TrimRight(string(file), "\n"), "\n"), (&problems{}).parseYAML("", file)
}
