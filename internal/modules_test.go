package internal

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// A dependency is paid for by everybody who builds or audits warp: each has a reason
// that can be read.
func TestEveryDependencyHasAReason(t *testing.T) {
	modules, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/explanation/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	direct := map[string]bool{"honnef.co/go/tools": true} // a tool
	for line := range strings.Lines(string(modules)) {
		words := strings.Fields(strings.TrimPrefix(line, "require "))
		if len(words) == 2 && strings.HasPrefix(words[1], "v") {
			direct[words[0]] = true
		}
	}
	if len(direct) < 5 {
		t.Fatalf("only %v were found in go.mod", direct)
	}
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\| .{10,} \\|$").FindAllStringSubmatch(section(string(page), "## What it depends on"), -1) {
		for _, name := range strings.Split(row[1], ", ") {
			listed[strings.Trim(name, "`")] = true
		}
	}
	for name := range direct {
		if !listed[name] {
			t.Errorf("%s is in go.mod, and docs/explanation/architecture.md does not say what for", name)
		}
	}
	for name := range listed {
		if !direct[name] {
			t.Errorf("%s is in docs/explanation/architecture.md, but is no direct dependency", name)
		}
	}
}

// section is the part of a page from a heading to the next of its level.
func section(page, heading string) string {
	_, rest, _ := strings.Cut(page, heading+"\n")
	part, _, _ := strings.Cut(rest, "\n## ")
	return part
}
