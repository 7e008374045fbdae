// Package docscheck compares a repository's documentation with the repository: links, anchors,
// images, paths, Make targets, package scripts, counts, labels, code blocks and generated sections.
// It prefers a miss to a false alarm: it does not report what it cannot decide. It does no I/O: the
// caller passes the repository as a Tree and writes the fixes.
package docscheck

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

// Severity is how badly a finding misleads a reader.
type Severity string

// High leads a reader to a command that fails.
const (
	Low    Severity = "low"
	Medium Severity = "medium"
	High   Severity = "high"
)

// How a finding can be fixed.
const (
	Mechanical = "mechanical" // by replacing the bytes that Fix names
	Manual     = "manual"     // by a person or an agent
)

// Finding is one place where the documentation disagrees with the repository.
type Finding struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column"` // in characters, from 1
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	FixKind  string   `json:"fix_kind"`
	Fix      *Fix     `json:"fix,omitempty"`
}

// Fix replaces the bytes Old at an offset of the file by New.
type Fix struct {
	Offset int    `json:"offset"`
	Old    string `json:"old"`
	New    string `json:"new"`
}

var (
	documentPattern = lazy.Pattern{Text: `(?i)\.(md|markdown|mdx)$`}
	// foreignPattern matches files that belong to others, are test data, or are written by warp
	// while it works.
	foreignPattern = lazy.Pattern{Text: `(^|/)(vendor|node_modules|testdata|third_party|fixtures|__fixtures__|dist)/|^\.claude/(issues|pulls|state|pipeline-runs|worktrees)/`}
	historyPattern = lazy.Pattern{Text: `(?i)(^|/)(changelog|changes|history|releases|release-notes|news|migration|migrating|upgrad(e|ing))[^/]*$|(^|/)(adrs?|decisions|rfcs?|archive|changelogs?|release-notes|\.changeset)/`}
)

// Audit returns the findings in the documents that include selects, sorted by file and position.
func Audit(t *Tree, include func(path string) bool) (found []Finding) {
	for _, file := range t.files {
		if !documentPattern.Get().MatchString(file) || foreignPattern.Get().MatchString(file) || !include(file) {
			continue
		}
		if p := t.readPage(file); p != nil {
			c := pageCheck{tree: t, page: p, isTemplate: t.isTemplate(p)}
			found = append(found, c.run()...)
		}
	}
	return found
}

// pageCheck compares one page with the repository.
type pageCheck struct {
	*page
	tree       *Tree
	isTemplate bool
	found      []Finding
}

func (c *pageCheck) run() []Finding {
	c.checkLinks()
	c.checkReferences()
	c.checkCodeBlocks()
	if !historyPattern.Get().MatchString(c.path) { // old names are right there
		c.checkPaths()
		c.checkCommands()
		c.checkCounts()
		c.checkLabels()
		c.checkGenerated()
	}
	byPlace := func(x, y Finding) int {
		return cmp.Or(x.Line-y.Line, x.Column-y.Column, cmp.Compare(x.Rule, y.Rule))
	}
	slices.SortStableFunc(c.found, byPlace)
	found := slices.CompactFunc(c.found, func(x, y Finding) bool { return byPlace(x, y) == 0 })
	return slices.DeleteFunc(found, func(f Finding) bool { return c.isIgnored(f.Line) })
}

func (c *pageCheck) report(at int, rule string, s Severity, format string, args ...any) {
	line, column := c.position(min(max(at, 0), len(c.source)))
	c.found = append(c.found, Finding{File: c.path, Line: line, Column: column, Rule: rule, Severity: s, Message: fmt.Sprintf(format, args...), FixKind: Manual})
}

// addFix adds a fix to the last finding that replaces old by new, if the source has old there.
func (c *pageCheck) addFix(at int, old, new string) {
	if at <= len(c.source) && strings.HasPrefix(c.source[at:], old) && old != new {
		f := &c.found[len(c.found)-1]
		f.FixKind, f.Fix = Mechanical, &Fix{at, old, new}
	}
}

// reportMissing reports a missing path, with a fix if it moved: name is how the page writes it
// relative to dir.
func (c *pageCheck) reportMissing(at int, rule string, s Severity, name, full, dir string) {
	to, ok := c.tree.successor(full)
	switch {
	case !ok:
		c.report(at, rule, s, "%s does not exist", full)
	case path.Ext(to) != path.Ext(full) || strings.Contains(to, " "):
		c.report(at, rule, s, "%s does not exist; did you mean %s?", full, to)
	default:
		c.report(at, rule, s, "%s does not exist; it is %s now", full, to)
		c.addFix(at, name, relativePath(dir, to))
	}
}

// isIgnored reports whether a comment on the page excludes a line: <!-- warp docs: ignore --> its
// own and the next line, off … on everything between.
func (p *page) isIgnored(line int) bool {
	isOff := false
	for _, c := range p.comments {
		switch strings.TrimSpace(c.text) {
		case "warp docs: ignore":
			if c.first <= line && line <= c.last+1 {
				return true
			}
		case "warp docs: off":
			isOff = isOff || c.first <= line
		case "warp docs: on":
			isOff = isOff && line <= c.last
		}
	}
	return isOff
}

// ApplyFixes applies the mechanical fixes to a document and changes nothing else.
func ApplyFixes(source string, found []Finding) string {
	var fixes []Fix
	for _, f := range found {
		if f.Fix != nil && f.Fix.Offset <= len(source) && strings.HasPrefix(source[f.Fix.Offset:], f.Fix.Old) {
			fixes = append(fixes, *f.Fix)
		}
	}
	slices.SortStableFunc(fixes, func(x, y Fix) int { return x.Offset - y.Offset })
	var b strings.Builder
	at := 0
	for _, f := range fixes {
		if f.Offset >= at { // it does not overlap the previous fix
			b.WriteString(source[at:f.Offset] + f.New)
			at = f.Offset + len(f.Old)
		}
	}
	b.WriteString(source[at:])
	return b.String()
}
