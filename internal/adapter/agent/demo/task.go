package demo

import (
	"os"
	"path/filepath"
	"strings"
)

// What a prompt about a task of a workflow has in it.
const (
	taskMark  = "\nWORKFLOW TASK "
	filesMark = "Files: "
	anyFile   = "any that the task needs"
)

// findTaskFiles finds the files that a task of a workflow may change, as far as they are named:
// a folder or a pattern names none.
func findTaskFiles(dir, prompt string) (names []string) {
	_, task, _ := strings.Cut("\n"+prompt, taskMark)
	for line := range strings.Lines(task) {
		list, found := strings.CutPrefix(strings.TrimSpace(line), filesMark)
		if !found || list == anyFile {
			continue
		}
		for name := range strings.SplitSeq(list, ", ") {
			info, err := os.Stat(filepath.Join(dir, name))
			if folder := err == nil && info.IsDir() || strings.HasSuffix(name, "/"); !folder && filepath.IsLocal(name) && !strings.ContainsAny(name, "*?[{") {
				names = append(names, name)
			}
		}
		break
	}
	return names
}

// taskFiles are the files of a task with a line for each criterion; what is there stays.
func taskFiles(dir string, names, ids []string) (list []file) {
	for _, name := range names {
		was, _ := os.ReadFile(filepath.Join(dir, name)) // an absent one is empty
		text := string(was)
		for _, id := range ids {
			if line := id + ": done by the demo agent\n"; !strings.Contains(text, line) {
				text += line
			}
		}
		list = append(list, file{name, text})
	}
	return list
}
