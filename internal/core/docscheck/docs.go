// Package docscheck compares the documentation of a repository with the repository:
// links, anchors, images, paths, Make targets, package scripts, counts, labels,
// code blocks and generated sections. It prefers a miss to a false alarm: what it
// cannot decide, it does not report. It is pure: the caller passes the repository
// as a Tree, and writes the fixes.
package docscheck

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Severity tells how much a finding misleads a reader.
type Severity string

// The severities. High leads a reader to a command that fails.
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

// auditor holds what the checks of one audit share.
type auditor struct {
	tree      *Tree
	pages     map[string]*page
	makefiles map[string]*makefile // by folder
	labels    labelSet
	isSite    bool // documents are also pages of a website
	found     []Finding
}

// Audit returns what is wrong with the documents that include selects, sorted by
// file and place.
func Audit(t *Tree, include func(path string) bool) []Finding {
	a := &auditor{tree: t, pages: map[string]*page{}, makefiles: map[string]*makefile{}}
	a.labels = a.readLabels()
	a.isSite = slices.ContainsFunc(siteFiles, func(name string) bool { return len(t.named[name]) > 0 })
	for _, file := range t.files {
		if !documentPattern().MatchString(file) || foreignPattern().MatchString(file) || !include(file) {
			continue
		}
		if p := a.readPage(file); p != nil {
			before := len(a.found)
			a.checkPage(p)
			a.found = append(a.found[:before], dropIgnored(p, a.found[before:])...)
		}
	}
	slices.SortStableFunc(a.found, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(x.File, y.File), x.Line-y.Line, x.Column-y.Column, cmp.Compare(x.Rule, y.Rule))
	})
	return slices.CompactFunc(a.found, func(x, y Finding) bool {
		return x.File == y.File && x.Line == y.Line && x.Column == y.Column && x.Rule == y.Rule
	})
}

func (a *auditor) checkPage(p *page) {
	a.checkLinks(p)
	a.checkReferences(p)
	a.checkCodeBlocks(p)
	if historyPattern().MatchString(p.path) {
		return // old names are right there
	}
	a.checkPaths(p)
	a.checkCommands(p)
	a.checkCounts(p)
	a.checkLabels(p)
	a.checkGenerated(p)
}

// maxPage bounds the size of a document that is read.
const maxPage = 4 << 20

// readPage returns a parsed document, nil if it cannot be read.
func (a *auditor) readPage(file string) *page {
	p, done := a.pages[file]
	if !done {
		if text, ok := a.tree.readFile(file); ok && len(text) <= maxPage {
			p = parsePage(file, text)
		}
		a.pages[file] = p
	}
	return p
}

// report adds a finding.
func (a *auditor) report(p *page, at int, rule string, s Severity, message string) {
	line, column := p.position(min(max(at, 0), len(p.source)))
	a.found = append(a.found, Finding{File: p.path, Line: line, Column: column, Rule: rule, Severity: s, Message: message, FixKind: Manual})
}

// reportFix adds a finding with the fix that replaces old by new, if old is what
// the source has there.
func (a *auditor) reportFix(p *page, at int, old, new, rule string, s Severity, message string) {
	a.report(p, at, rule, s, message)
	if at <= len(p.source) && strings.HasPrefix(p.source[at:], old) && old != new {
		f := &a.found[len(a.found)-1]
		f.FixKind, f.Fix = Mechanical, &Fix{at, old, new}
	}
}

// reportMissing reports a path that does not exist, with the fix if it is elsewhere
// now: name is how the page writes it, and rename how it would write another.
func (a *auditor) reportMissing(p *page, at int, rule string, s Severity, name, full string, rename func(string) string) {
	message := full + " does not exist"
	to, ok := a.tree.successor(full)
	switch {
	case !ok:
		a.report(p, at, rule, s, message)
	case path.Ext(to) != path.Ext(full):
		a.report(p, at, rule, s, message+"; did you mean "+to+"?")
	default:
		a.reportFix(p, at, name, rename(to), rule, s, message+"; it is "+to+" now")
	}
}

// dropIgnored leaves out what a comment of the page excludes: <!-- warp docs: ignore -->
// its own and the next line, off … on what is between.
func dropIgnored(p *page, found []Finding) []Finding {
	ignored := map[int]bool{}
	offSince := 0
	for _, c := range p.comments {
		word, ok := strings.CutPrefix(strings.TrimSpace(c.text), "warp docs:")
		if !ok {
			continue
		}
		first, _ := p.position(c.start)
		last, _ := p.position(c.end)
		switch strings.TrimSpace(word) {
		case "ignore":
			ignored[first], ignored[last+1] = true, true
		case "off":
			offSince = first
		case "on":
			for line := offSince; offSince > 0 && line <= last; line++ {
				ignored[line] = true
			}
			offSince = 0
		}
	}
	return slices.DeleteFunc(found, func(f Finding) bool { return ignored[f.Line] || offSince > 0 && f.Line >= offSince })
}

// ApplyFixes applies the mechanical fixes to a document and changes no other byte.
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
		if f.Offset < at {
			continue // it overlaps the fix before it
		}
		b.WriteString(source[at:f.Offset])
		b.WriteString(f.New)
		at = f.Offset + len(f.Old)
	}
	b.WriteString(source[at:])
	return b.String()
}

var (
	documentPattern = lazily(`(?i)\.(md|markdown|mdx)$`)
	// foreignPattern matches what belongs to others, is test data, or is written by
	// warp as it works.
	foreignPattern = lazily(`(^|/)(vendor|node_modules|testdata|third_party|fixtures|__fixtures__|dist)/|^\.claude/(issues|pulls|state|pipeline-runs|worktrees)/`)
	historyPattern = lazily(`(?i)(^|/)(changelog|changes|history|releases|release-notes|news|migration|migrating|upgrad(e|ing))[^/]*$|(^|/)(adrs?|decisions|rfcs?|archive|changelogs?|release-notes|\.changeset)/`)
	// templatePattern matches pages that are used in other projects, whose files
	// they name.
	templatePattern = lazily(`(^|/)(templates?|examples?|prompts)/`)
)

// isTemplate tells whether a page is made for other projects: a template, an
// example, or a part of a Claude Code plugin.
func (a *auditor) isTemplate(file string) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if a.tree.isDir(dir+"/.claude-plugin") || a.tree.isFile(dir+"/hooks/hooks.json") && a.tree.isDir(dir+"/commands") {
			return true
		}
	}
	first, _, _ := strings.Cut(file, "/")
	return templatePattern().MatchString(file) || a.tree.isDir(".claude-plugin") && slices.Contains([]string{"commands", "skills", "agents"}, first)
}

// siteFiles are the settings of programs that make websites of documents.
var siteFiles = []string{"mkdocs.yml", "docusaurus.config.js", "docusaurus.config.ts", "_config.yml", "hugo.toml", "hugo.yaml", "astro.config.mjs", "book.toml", "netlify.toml", "conf.py", "antora.yml"}
