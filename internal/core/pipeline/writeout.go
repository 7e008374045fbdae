package pipeline

import (
	"slices"
	"strings"
)

// WriteOut is the file of a built-in pipeline with its loops written out in its
// stages, for people who want to change it: prompts and bounds are in one file.
// It reads the lines of our own files, which a test holds to what it expects, and
// so keeps their comments and their layout.
func WriteOut(name string) ([]byte, bool) {
	text, ok := BuiltInPipeline(name)
	if !ok {
		return nil, false
	}
	out := []string{"# The built-in pipeline " + name + ", with its loops written out. Change what you like:", "# this file is run instead of the built-in one."}
	for _, part := range blocks(string(text), "  - ") {
		out = append(out, writeOutStage(part)...)
	}
	return []byte(strings.Join(out, "\n") + "\n"), true
}

// stageIndent is how far the keys of a stage stand in.
const stageIndent = "    "

// writeOutStage puts the keys of its loop, but for those that it has itself, at the
// end of a stage. What stands before the first stage stays as it is.
func writeOutStage(stage []string) []string {
	own := []string{"name", "description"}
	loop := -1
	for i, l := range stage {
		key, _, isKey := strings.Cut(strings.TrimPrefix(l, stageIndent), ":")
		if isKey && strings.HasPrefix(l, stageIndent) && !strings.HasPrefix(key, " ") {
			own = append(own, key)
		}
		if strings.HasPrefix(l, stageIndent+"loop: ") {
			loop = i
		}
	}
	if loop < 0 {
		return stage
	}
	text, _ := BuiltInLoop(strings.TrimPrefix(stage[loop], stageIndent+"loop: "))
	out := slices.Delete(slices.Clone(stage), loop, loop+1)
	for _, part := range blocks(string(text), "") {
		if key, _, _ := strings.Cut(part[0], ":"); slices.Contains(own, key) {
			continue
		}
		for _, l := range part {
			if l != "" {
				l = stageIndent + l
			}
			out = append(out, l)
		}
	}
	return out
}

// blocks takes a text apart before each line that begins with start and no further
// blank: the stages of a pipeline, the keys of a loop.
func blocks(text, start string) (all [][]string) {
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		rest, begins := strings.CutPrefix(l, start)
		if len(all) == 0 || begins && rest != "" && !strings.HasPrefix(rest, " ") {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], l)
	}
	return all
}
