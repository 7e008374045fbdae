package docs

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/docs/page"
)

// counts holds the numbers of things that a page states against what the page
// lists and the repository has.
func (a *auditor) counts(p *page.Page) {
	for _, t := range p.Prose {
		if t.Cell {
			a.countRow(p, t)
		}
		list := statements(t.Text)
		for _, s := range list {
			if a.countBelow(p, t, s, list) {
				continue
			}
			if dir, ok := a.folderNamed(t.Text[s.from:s.to], s.noun); ok {
				a.compare(p, t.At(s.at), s, a.inFolder(dir), dir+"/")
				continue
			}
			if a.inventoryLike(t, s, list) {
				a.compareAll(p, t.At(s.at), s, t.Text[s.from:s.to])
			}
		}
	}
	for _, f := range p.Fences {
		if f.Lang == "" || f.Lang == "text" || f.Lang == "txt" || f.Lang == "plaintext" || f.Lang == "tree" {
			a.countTree(p, f)
		}
	}
	a.badges(p)
}

// units are nouns that measure and count nothing.
var units = map[string]bool{"minutes": true, "seconds": true, "hours": true, "days": true, "weeks": true, "months": true, "years": true, "times": true, "bytes": true, "characters": true, "lines": true, "percent": true, "cores": true, "tokens": true, "dollars": true, "users": true, "people": true, "pixels": true, "requests": true, "iterations": true, "spaces": true, "columns": true, "versions": true, "digits": true, "retries": true, "gigabytes": true, "megabytes": true}

// countBelow compares a number with the list or table right below: «five hooks:».
func (a *auditor) countBelow(p *page.Page, t page.Prose, s stated, all []stated) bool {
	if t.Items == 0 || s.n == 1 || units[s.noun] || t.Heading || !announced(s) {
		return false
	}
	rest := strings.TrimSpace(t.Text[s.end:])
	colon := strings.HasSuffix(strings.TrimSpace(t.Text), ":")
	if s.to < len(strings.TrimSpace(t.Text)) || !colon || len(all) > 0 && slices.ContainsFunc(all, func(o stated) bool { return o.from == s.from && o.at != s.at }) {
		return false
	}
	if strings.Count(rest, ",") > 1 || strings.Contains(rest, " of which") || strings.Contains(rest, "including") || strings.Contains(rest, "such as") || strings.Contains(rest, "e.g.") {
		return false
	}
	if t.Items == s.n {
		return true
	}
	now := spell(t.Items, s.word)
	a.mend(p, t.At(s.at), s.word, now, "count", Low, fmt.Sprintf("%s %s are announced, and %d follow", s.word, s.noun, t.Items))
	return true
}

// announced tells whether the words before a number announce a list.
func announced(s stated) bool {
	if len(s.before) == 0 {
		return true
	}
	switch s.before[len(s.before)-1] {
	case "the", "these", "following", "has", "have", "are", "all", "our", "its", "in", "provides", "provide", "includes", "include", "supports", "support", "offers", "offer", "into", "of", "contains", "comes", "with", "defines", "exposes", "ships", "currently", "through", "recognizes", "accepts", "there", "exactly", "installs", "registers", "knows", "via":
		return !slices.Contains(s.before, "log") && !slices.Contains(s.before, "without")
	}
	return false
}

// tally is how many there are of something, by each way to count.
type tally struct {
	sure  bool // there is only one way to count
	n     int
	other []int
	where string
}

func (t tally) has(n int) bool { return t.n == n || slices.Contains(t.other, n) }

// inFolder counts what a folder holds.
func (a *auditor) inFolder(dir string) tally {
	t := tally{where: dir + "/"}
	files, dirs, plain := 0, 0, 0
	kinds := map[string]int{}
	for _, e := range a.tree.Entries(dir) {
		name := strings.ToLower(e.Name)
		switch {
		case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_"):
		case e.Dir:
			dirs++
		case strings.HasPrefix(name, "readme") || strings.HasPrefix(name, "index."):
			files++
		default:
			files++
			plain++
			kinds[path.Ext(name)]++
		}
	}
	deep := 0
	for _, f := range a.tree.Files() {
		if strings.HasPrefix(f, dir+"/") {
			deep++
		}
	}
	t.other = []int{files, dirs, plain, files + dirs, plain + dirs, deep}
	for _, n := range kinds {
		t.other = append(t.other, n)
	}
	switch {
	case plain > 0 && dirs == 0 && len(kinds) == 1:
		t.n, t.sure = plain, true
	case plain == 0 && dirs > 0:
		t.n, t.sure = dirs, true
	default:
		t.n = plain + dirs
	}
	return t
}

// folderNamed is the folder that a sentence names in a code span, where the
// noun can be what it holds.
func (a *auditor) folderNamed(sentence, noun string) (string, bool) {
	parts := strings.Split(sentence, "`")
	for i := 1; i < len(parts); i += 2 {
		dir := strings.TrimSuffix(strings.TrimPrefix(parts[i], "./"), "/")
		if dir == "" || !a.tree.IsDir(dir) || strings.ContainsAny(parts[i], " *") {
			continue
		}
		base := path.Base(dir)
		if base == noun || base+"s" == noun || slices.Contains([]string{"files", "entries", "documents", "pages", "modules", "folders", "directories", "items"}, noun) || strings.HasSuffix(parts[i], "/") && synonyms[noun] == base {
			return dir, true
		}
	}
	return "", false
}

// synonyms are other words for what a folder holds.
var synonyms = map[string]string{"guides": "docs", "pages": "docs", "documents": "docs", "docs": "docs", "subcommands": "commands", "subagents": "agents", "tests": "tests", "playbooks": "playbooks", "actions": "workflows", "pipelines": "workflows"}

// inventoryLike tells whether a statement is about all that there is: «there are
// 12 commands», «ships with five hooks», «- 12 commands», «12 commands, 5 hooks».
func (a *auditor) inventoryLike(t page.Prose, s stated, all []stated) bool {
	if units[s.noun] || t.Heading && !s.digits || len(t.Row) > 0 {
		return false
	}
	rest := strings.ToLower(strings.TrimLeft(t.Text[s.end:s.to], " *"))
	for _, fewer := range []string{"that", "which", "of ", "to ", "at once", "at a time", "later", "each", "per ", "for ", "ago", "in a row", "where", "are needed", "are enough", "from ", "before", "after", "away"} {
		if strings.HasPrefix(rest, fewer) {
			return false
		}
	}
	const near = 4
	for _, w := range s.before[max(0, len(s.before)-near):] {
		switch w {
		case "all", "includes", "include", "contains", "contain", "ships", "ship", "provides", "provide", "offers", "offer", "comes", "defines", "define", "registers", "bundles", "total", "there", "currently", "consists", "has", "have", "containing", "including", "providing", "exposes", "installs", "use":
			return true
		}
	}
	several := slices.ContainsFunc(all, func(o stated) bool { return o.from == s.from && o.at != s.at })
	return s.digits && (len(s.before) == 0 || several)
}

// compareAll holds a number against everything in the repository that the noun
// may mean.
func (a *auditor) compareAll(p *page.Page, at int, s stated, sentence string) {
	all := a.tallies(s, sentence)
	if len(all) == 0 || slices.ContainsFunc(all, func(t tally) bool { return t.has(s.n) }) {
		return
	}
	if len(all) > 1 {
		var told []string
		for _, t := range all {
			told = append(told, fmt.Sprintf("%d in %s", t.n, t.where))
		}
		a.report(p, at, "count", Low, fmt.Sprintf("%s %s are stated; there are %s", s.word, s.noun, strings.Join(told, ", ")))
		return
	}
	a.compare(p, at, s, all[0], all[0].where)
}

func (a *auditor) compare(p *page.Page, at int, s stated, t tally, where string) {
	if t.has(s.n) {
		return
	}
	message := fmt.Sprintf("%s %s are stated, there are %d in %s", s.word, s.noun, t.n, where)
	if !t.sure {
		a.report(p, at, "count", Low, message)
		return
	}
	a.mend(p, at, s.word, spell(t.n, s.word), "count", Low, message)
}

// tallies are what of the repository a noun can mean.
func (a *auditor) tallies(s stated, sentence string) []tally {
	var all []tally
	base := s.noun
	if other, ok := synonyms[base]; ok {
		base = other
	}
	is := func(kind string) bool { return slices.Contains(s.kind, kind) }
	if m := a.programs.Make(""); m != nil && s.noun == "targets" {
		return []tally{{n: len(m.Targets), sure: len(m.Told) == 0 || len(m.Told) == len(m.Targets), other: []int{len(m.Told)}, where: "the Makefile"}}
	}
	if m, ok := a.programs.Package(""); ok && s.noun == "scripts" && len(m.Scripts) > 0 {
		all = append(all, tally{n: len(m.Scripts), sure: true, where: "package.json"})
		if is("npm") || is("yarn") {
			return all
		}
	}
	if s.noun == "labels" && len(a.labels.declared) > 0 {
		return []tally{{n: len(a.labels.declared), sure: true, where: a.labels.file}}
	}
	if s.noun == "packages" {
		if n := a.goPackages(); len(n) > 0 {
			all = append(all, tally{n: n[0], other: n, where: "the Go module"})
		}
	}
	if (s.noun == "commands" || s.noun == "subcommands") && !is("slash") {
		if t, ok := a.commandTally(sentence); ok {
			return []tally{t}
		}
	}
	dirs := a.folders(base)
	if len(dirs) > 2 {
		return nil
	}
	for _, d := range dirs {
		all = append(all, a.inFolder(d))
	}
	return all
}

// folders are the folders of a name that hold what the project consists of.
func (a *auditor) folders(name string) []string {
	return slices.DeleteFunc(a.tree.Dirs(name), func(d string) bool {
		if strings.Count(d, "/") > 2 {
			return true
		}
		for part := range strings.SplitSeq(d, "/") {
			switch part {
			case "vendor", "node_modules", "testdata", "examples", "fixtures", "test", "templates":
				return part != name
			}
		}
		return false
	})
}

// commandTally counts the commands of the one program that a sentence names.
func (a *auditor) commandTally(sentence string) (tally, bool) {
	for _, name := range a.programs.Names() {
		p := a.programs.Named(name)
		if !strings.Contains(sentence, "`"+name+"`") || !p.Known() || p.OpenCommands {
			continue
		}
		n := len(p.Root.Subs) + len(p.Loose)
		return tally{n: n, other: []int{len(p.Commands()), n + 1, n + 2, n - 1}, where: name}, n > 0
	}
	return tally{}, false
}

// goPackages counts folders with Go files: all, and without those of programs.
func (a *auditor) goPackages() []int {
	if !a.tree.IsFile("go.mod") {
		return nil
	}
	dirs := map[string]bool{}
	inner := map[string]bool{}
	for _, f := range a.tree.Files() {
		if strings.HasSuffix(f, ".go") && !strings.Contains(f, "testdata/") && !strings.HasPrefix(f, "vendor/") {
			dirs[path.Dir(f)] = true
			if strings.Contains("/"+f, "/internal/") || strings.Contains("/"+f, "/pkg/") {
				inner[path.Dir(f)] = true
			}
		}
	}
	return []int{len(dirs), len(inner), len(dirs) - len(inner)}
}
