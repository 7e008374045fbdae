package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// stack describes the project's languages as far as the agent cares.
type stack struct {
	goPackage string // package of the root folder; "" without a Go module
	js        bool
	esm       bool   // JavaScript uses ES modules
	sh        bool   // shell functions, tested by runner
	task      []file // files that a workflow's task names; empty if each criterion has its own
}

// runner marks a project of shell scripts: it runs tests/*_test.sh.
const runner = "test.sh"

type file struct{ name, text string }

// stack detects what the agent works on.
func (a *Run) stack() stack {
	dir := a.World.Dir
	s := stack{task: taskFiles(dir, findTaskFiles(dir, a.Prompt), a.Criteria)}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		s.goPackage = PackageOf(dir)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "package.json")); err == nil {
		s.js, s.esm = true, strings.Contains(strings.Join(strings.Fields(string(text)), ""), `"type":"module"`)
	}
	if _, err := os.Stat(filepath.Join(dir, runner)); err == nil {
		s.sh = s.goPackage == "" && !s.js
	}
	return s
}

// PackageOf returns the package of the Go files in a folder.
func PackageOf(dir string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go")) // sorted; empty if the folder's name is a bad pattern
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil || strings.Contains(string(text), "//go:build ignore") {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "package "); ok {
				if words := strings.Fields(rest); len(words) > 0 {
					return strings.TrimSuffix(words[0], "_test")
				}
			}
		}
	}
	return "demo"
}

// files returns what the agent writes for a criterion; the first is the work.
func (s stack) files(id string) []file {
	if len(s.task) > 0 {
		return s.task
	}
	stem := "demo_" + strings.Map(Letter, strings.ToLower(id))
	word := strings.ReplaceAll(strings.Map(Letter, strings.ToUpper(id)), "_", "")
	if s.goPackage != "" {
		return []file{
			{stem + ".go", fmt.Sprintf(goText, s.goPackage, word, id, word, id)},
			{stem + "_test.go", fmt.Sprintf(goTest, s.goPackage, id, word, word, id, word, id)},
		}
	}
	if s.sh {
		return []file{{stem + ".sh", fmt.Sprintf(shText, stem, id, stem, id)}, {"tests/" + stem + "_test.sh", fmt.Sprintf(shTest, id, stem, stem, id, stem, id)}}
	}
	list := []file{{stem + ".txt", id + doneByDemo}}
	if s.js {
		export, header := "exports.", jsHeader
		if s.esm {
			export, header = "export const ", esmHeader
		}
		list = append(list, file{stem + ".js", fmt.Sprintf("%sdemo%s = () => %q;\n", export, word, id)},
			file{stem + ".test.js", fmt.Sprintf(header+jsTest, word, stem, id, word, id)})
	}
	return list
}

// Letter maps characters that identifiers cannot have to an underscore.
func Letter(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return '_'
}

const goText = `package %s

// Demo%s does what criterion %s asks for.
func Demo%s() string { return %q }
`

const goTest = `package %s

import "testing"

// Criterion %s.
func TestDemo%s(t *testing.T) {
	if got := Demo%s(); got != %q {
		t.Errorf("Demo%s() = %%q, want %s", got)
	}
}
`

const shText = `# %s does what criterion %s asks for.
%s() { echo %q; }
`

const shTest = `# Criterion %s.
. ./%s.sh
got=$(%s)
[ "$got" = %q ] || { echo "%s prints $got, want %s"; exit 1; }
`

const esmHeader = `import test from "node:test";
import assert from "node:assert";
import { demo%s } from "./%s.js";
`

const jsHeader = `const test = require("node:test");
const assert = require("node:assert");
const { demo%s } = require("./%s.js");
`

const jsTest = `
test(%q, () => assert.equal(demo%s(), %q));
`

// checkCriterion reports whether the work for a criterion is there, and why.
func (s stack) checkCriterion(dir, id string) (reason string, met bool) {
	for _, f := range s.files(id) {
		text, err := os.ReadFile(filepath.Join(dir, f.name))
		if err != nil {
			return "there is no " + f.name, false
		}
		if len(s.task) > 0 && strings.Contains(string(text), doneByDemo) {
			continue // criteria of the whole workflow have no line of their own
		}
		if !strings.Contains(string(text), id) {
			return f.name + " does not name " + id, false
		}
	}
	return s.files(id)[0].name + " does what it asks for", true
}

// Markers in the prompt of a workflow's task.
const (
	taskMark  = "\nWORKFLOW TASK "
	filesMark = "Files: "
	anyFile   = "any that the task needs"
)

// findTaskFiles returns the text files that a workflow's task may change, as the line below the task
// names them. It ignores folders, patterns, and other files, where a line of the demo agent would be
// wrong.
func findTaskFiles(dir, prompt string) (names []string) {
	_, task, _ := strings.Cut("\n"+prompt, taskMark)
	_, rest, _ := strings.Cut(task, "\n")
	line, _, _ := strings.Cut(rest, "\n")
	list, found := strings.CutPrefix(strings.TrimSpace(line), filesMark)
	root, err := os.OpenRoot(dir)
	if err != nil || !found || list == anyFile {
		return nil
	}
	defer root.Close()
	for name := range strings.SplitSeq(list, ", ") {
		isText := strings.HasSuffix(name, ".txt") || strings.HasSuffix(name, ".md")
		if !isText || !filepath.IsLocal(name) || strings.ContainsAny(name, "*?[{") || slices.ContainsFunc(strings.Split(name, "/"), isOwn) {
			continue
		}
		if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() || errors.Is(err, fs.ErrNotExist) { // no links, which could lead out
			names = append(names, name)
		}
	}
	return names
}

// isOwn reports whether a path element is git's or warp's folder.
func isOwn(part string) bool {
	return strings.EqualFold(part, ".git") || strings.EqualFold(part, ".claude")
}

// taskFiles returns a task's files with a line added for each criterion.
func taskFiles(dir string, names, ids []string) (list []file) {
	for _, name := range names {
		was, _ := os.ReadFile(filepath.Join(dir, name)) // a missing file is empty
		text := string(was)
		for _, id := range ids {
			text = AddLine(text, id+doneByDemo)
		}
		list = append(list, file{name, text})
	}
	return list
}
