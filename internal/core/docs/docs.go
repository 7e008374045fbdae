// Package docs holds the documentation of a repository against the repository:
// links and anchors, paths, commands and flags, counts, labels, code that is
// shown, and sections that were generated. It would rather miss something than
// raise a false alarm: what cannot be told is left alone. It is pure; the caller
// gives it the repository as a tree, and writes what it mends.
package docs

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"warp/internal/core/docs/page"
	"warp/internal/core/docs/program"
	"warp/internal/core/docs/tree"
)

// Severity tells how much a finding misleads.
type Severity string

// The severities. High leads a reader into a command that fails.
const (
	Low    Severity = "low"
	Medium Severity = "medium"
	High   Severity = "high"
)

// How a finding can be mended.
const (
	Mechanical = "mechanical" // by replacing the bytes that Fix names
	Manual     = "manual"     // by a person or an agent
)

// Finding is one place where documentation and code have drifted apart.
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

// auditor is one audit on its way.
type auditor struct {
	tree     *tree.Tree
	programs *program.Inventory
	pages    map[string]*page.Page
	labels   labels
	sites    []string // folders whose documents are also pages of a website
	found    []Finding
}

// Audit returns what is wrong with the documents of a repository that are
// wanted, in the order of files and places.
func Audit(t *tree.Tree, wanted func(path string) bool) []Finding {
	a := &auditor{tree: t, pages: map[string]*page.Page{}}
	var list []*page.Page
	for _, f := range t.Files() {
		if !Document(f) || !wanted(f) {
			continue
		}
		if p := a.page(f); p != nil {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil
	}
	a.programs = program.Take(t)
	a.labels = a.knownLabels()
	for _, name := range siteFiles {
		for _, f := range t.Named(name) {
			a.sites = append(a.sites, path.Dir(f))
		}
	}
	for _, p := range list {
		before := len(a.found)
		a.audit(p)
		a.found = append(a.found[:before], allowed(p, a.found[before:])...)
	}
	slices.SortStableFunc(a.found, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(x.File, y.File), x.Line-y.Line, x.Column-y.Column, cmp.Compare(x.Rule, y.Rule))
	})
	return slices.CompactFunc(a.found, func(x, y Finding) bool {
		return x.File == y.File && x.Line == y.Line && x.Column == y.Column && x.Rule == y.Rule
	})
}

// siteFiles are the settings of programs that make websites of documents.
var siteFiles = []string{"mkdocs.yml", "docusaurus.config.js", "docusaurus.config.ts", "_config.yml", "hugo.toml", "hugo.yaml", "astro.config.mjs", "book.toml", "netlify.toml", "conf.py", "antora.yml"}

// site tells whether a page is one of a website, too: its links may be
// addresses there.
func (a *auditor) site(file string) bool {
	return slices.ContainsFunc(a.sites, func(dir string) bool { return dir == "." || strings.HasPrefix(file, dir+"/") }) ||
		strings.Contains(file, "/content/") || strings.Contains(file, ".vitepress/")
}

func (a *auditor) audit(p *page.Page) {
	a.links(p)
	a.references(p)
	a.fences(p)
	if history(p.Path) {
		return // it tells of what was
	}
	a.paths(p)
	a.commands(p)
	a.counts(p)
	a.labelNames(p)
	a.generated(p)
}

// Document tells whether a file is documentation of the project itself.
func Document(file string) bool {
	ext := strings.ToLower(path.Ext(file))
	if ext != ".md" && ext != ".markdown" && ext != ".mdx" {
		return false
	}
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		switch part {
		case "vendor", "node_modules", "testdata", "third_party", "fixtures", "__fixtures__", "dist":
			return false
		}
	}
	for _, data := range []string{".claude/issues/", ".claude/pulls/", ".claude/state/", ".claude/pipeline-runs/", ".claude/worktrees/"} {
		if strings.HasPrefix(file, data) {
			return false
		}
	}
	return true
}

// history tells whether a page is about the past, where old names are right.
func history(file string) bool {
	base := strings.ToLower(path.Base(file))
	for _, name := range []string{"changelog", "changes", "history", "releases", "release-notes", "news", "migration", "migrating", "upgrading", "upgrade"} {
		if strings.HasPrefix(base, name) {
			return true
		}
	}
	for part := range strings.SplitSeq(strings.ToLower(path.Dir(file)), "/") {
		switch part {
		case "adr", "adrs", "decisions", "rfcs", "rfc", "archive", "changelog", "changelogs", "release-notes", ".changeset":
			return true
		}
	}
	return false
}

// elsewhere tells whether a page is made to be used in other projects, whose
// files it names.
func (a *auditor) elsewhere(file string) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		switch path.Base(dir) {
		case "templates", "template", "examples", "example", "prompts":
			return true
		}
		if a.tree.IsDir(dir+"/.claude-plugin") || a.tree.IsFile(dir+"/hooks/hooks.json") && a.tree.IsDir(dir+"/commands") {
			return true
		}
	}
	return a.tree.IsDir(".claude-plugin") && (strings.HasPrefix(file, "commands/") || strings.HasPrefix(file, "skills/") || strings.HasPrefix(file, "agents/"))
}

// page is a parsed document, nil if there is none.
func (a *auditor) page(file string) *page.Page {
	if p, done := a.pages[file]; done {
		return p
	}
	var p *page.Page
	if text, ok := a.tree.Read(file); ok && len(text) <= maxPage {
		p = page.Parse(file, text)
	}
	a.pages[file] = p
	return p
}

// maxPage bounds what is read of one document.
const maxPage = 4 << 20

// report keeps a finding that a person has to mend.
func (a *auditor) report(p *page.Page, at int, rule string, s Severity, message string) {
	at = min(max(at, 0), len(p.Source))
	line, column := p.Position(at)
	a.found = append(a.found, Finding{File: p.Path, Line: line, Column: column, Rule: rule, Severity: s, Message: message, FixKind: Manual})
}

// mend keeps a finding whose bytes can be replaced.
func (a *auditor) mend(p *page.Page, at int, old, new, rule string, s Severity, message string) {
	a.report(p, at, rule, s, message)
	if strings.HasPrefix(p.Source[min(at, len(p.Source)):], old) && old != new {
		f := &a.found[len(a.found)-1]
		f.FixKind, f.Fix = Mechanical, &Fix{at, old, new}
	}
}

// allowed leaves out what a comment in the page allows:
// <!-- warp docs: ignore --> the next line, off … on what is between.
func allowed(p *page.Page, found []Finding) []Finding {
	off := map[int]bool{}
	from := 0
	for _, c := range p.Comments {
		word, ok := strings.CutPrefix(strings.TrimSpace(c.Text), "warp docs:")
		if !ok {
			continue
		}
		begin, _ := p.Position(c.Start)
		end, _ := p.Position(c.End)
		switch strings.TrimSpace(word) {
		case "ignore":
			off[begin], off[end+1] = true, true
		case "off":
			from = begin
		case "on":
			for line := from; from > 0 && line <= end; line++ {
				off[line] = true
			}
			from = 0
		}
	}
	return slices.DeleteFunc(found, func(f Finding) bool { return off[f.Line] || from > 0 && f.Line >= from })
}

// Mend applies the mechanical fixes to a document and changes no other byte.
func Mend(source string, found []Finding) string {
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
			continue // within what was just replaced
		}
		b.WriteString(source[at:f.Offset])
		b.WriteString(f.New)
		at = f.Offset + len(f.Old)
	}
	b.WriteString(source[at:])
	return b.String()
}
