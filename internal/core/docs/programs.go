package docs

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"warp/internal/core/docs/page"
	"warp/internal/core/docs/program"
	"warp/internal/core/docs/shell"
)

// make checks the targets that make is told to make.
func (w *walker) make(rest []shell.Word) {
	dir, lost := w.dir, w.lost
	var wanted []shell.Word
	for i := 0; i < len(rest); i++ {
		switch x := rest[i]; {
		case x.Text == "-C" || x.Text == "--directory":
			if i++; i < len(rest) {
				dir = path.Join(dir, rest[i].Text)
				lost = lost || !rest[i].Known
			}
		case x.Text == "-f" || strings.HasPrefix(x.Text, "--file"), x.Text == "-j" && i+1 < len(rest) && number(rest[i+1].Text) > 0:
			lost = lost || x.Text != "-j"
			i++
		case !x.Known || strings.HasPrefix(x.Text, "-") || strings.Contains(x.Text, "="):
		default:
			wanted = append(wanted, x)
		}
	}
	m := w.programs.Make(strings.TrimPrefix(dir, "."))
	if m == nil || m.Open || lost {
		return
	}
	for _, x := range wanted {
		if w.near(func(dir string) bool { n := w.programs.Make(dir); return n != nil && (n.Open || n.Targets[x.Text]) }) {
			continue
		}
		if m.Targets[x.Text] || w.tree.IsFile(path.Join(dir, x.Text)) || !targetName(x.Text) {
			if !targetName(x.Text) {
				return // prose, such as «make sure»
			}
			continue
		}
		near := program.Near(x.Text, keys(m.Targets))
		if w.span && near == "" && prose(x.Text) {
			return
		}
		w.report(w.page, w.at(x.Offset), "make-target", High, fmt.Sprintf("the Makefile has no target %s%s", x.Text, hint(near)))
	}
}

// prose tells whether what follows «make» is English.
func prose(word string) bool {
	return slices.Contains([]string{"sure", "it", "the", "a", "an", "that", "this", "your", "changes", "them", "sense", "use", "one", "no"}, word)
}

func targetName(s string) bool {
	for _, r := range s {
		if r != '-' && r != '_' && r != '.' && r != '/' && r != ':' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

func keys(m map[string]bool) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	sort.Strings(all)
	return all
}

func hint(near string) string {
	if near == "" {
		return ""
	}
	return "; " + near + " is probably meant"
}

// npm checks the scripts of package.json.
func (w *walker) npm(tool string, rest []shell.Word) {
	dir, run := w.dir, false
	for i := 0; i < len(rest); i++ {
		switch x := rest[i]; {
		case x.Text == "--prefix" || x.Text == "-C" || x.Text == "--cwd":
			if i++; i < len(rest) {
				dir = path.Join(dir, rest[i].Text)
			}
		case x.Text == "-w" || strings.HasPrefix(x.Text, "--workspace") || x.Text == "workspace" || strings.HasPrefix(x.Text, "--filter") || x.Text == "-F" || !x.Known:
			return
		case strings.HasPrefix(x.Text, "-"):
		case x.Text == "run" || x.Text == "run-script":
			run = true
		case !run && !scriptCommand(tool, x.Text):
			w.direct(tool, dir, x, rest[i+1:])
			return
		default:
			w.npmScript(dir, x)
			return
		}
	}
}

// scriptCommand tells whether a command of a package manager is short for a
// script of the same name.
func scriptCommand(tool, name string) bool {
	return tool != "bun" && slices.Contains([]string{"test", "start", "stop"}, name)
}

func (w *walker) npmScript(dir string, x shell.Word) {
	m, ok := w.programs.Package(dir)
	if !ok || w.lost || m.Scripts[x.Text] != "" || x.Text == "start" && w.tree.IsFile(path.Join(dir, "server.js")) || w.near(func(dir string) bool { n, _ := w.programs.Package(dir); return n.Scripts[x.Text] != "" }) {
		return
	}
	w.report(w.page, w.at(x.Offset), "npm-script", High, fmt.Sprintf("%s has no script %s%s", path.Join(dir, "package.json"), x.Text, hint(program.Near(x.Text, scripts(m)))))
}

func scripts(m program.Manifest) []string {
	var all []string
	for name := range m.Scripts {
		all = append(all, name)
	}
	sort.Strings(all)
	return all
}

// direct checks yarn X and pnpm X, where X may be a script, a command of the
// package manager or a program of a dependency: only what is nearly the name of
// a script, or can be nothing else, is wrong.
func (w *walker) direct(tool, dir string, x shell.Word, rest []shell.Word) {
	m, ok := w.programs.Package(dir)
	if tool == "npm" || tool == "bun" || !ok || w.lost || m.Scripts[x.Text] != "" {
		return
	}
	if p := w.programs.Named(x.Text); p != nil {
		w.check(p, rest)
		return
	}
	builtin := slices.Contains([]string{"add", "install", "remove", "exec", "dlx", "create", "init", "link", "unlink", "up", "upgrade", "why", "workspaces", "info", "config", "cache", "audit", "list", "publish", "pack", "version", "global", "set", "import", "store", "update", "outdated", "i"}, x.Text)
	near := program.Near(x.Text, scripts(m))
	if !builtin && m.Dependencies[x.Text] == "" && m.DevDependencies[x.Text] == "" && (near != "" || strings.Contains(x.Text, ":")) {
		w.report(w.page, w.at(x.Offset), "npm-script", High, fmt.Sprintf("package.json has no script %s%s", x.Text, hint(near)))
	}
}

// script checks the arguments of a script or Go command at a path.
func (w *walker) script(name string, at shell.Word, rest []shell.Word) {
	if !at.Known || strings.Contains(name, "@") || w.lost {
		return
	}
	if p := w.programs.At(path.Join(w.dir, name)); p.Known() {
		w.check(p, rest)
	}
}

// other checks a program of the repository, by its name or its path.
func (w *walker) other(name string, at shell.Word, rest []shell.Word) {
	base := path.Base(name)
	if p := w.programs.Named(base); p.Known() && (base == name || slices.Contains([]string{"./" + base, "bin/" + base, "./bin/" + base, "build/" + base, "./build/" + base, "dist/" + base, "./dist/" + base}, name)) {
		w.check(p, rest)
		return
	}
	if strings.Contains(name, "/") {
		if before := len(w.found); !w.span {
			if w.file(at, true); len(w.found) > before {
				return
			}
		}
		w.script(name, at, rest)
	}
}

// check holds words against a program's command line.
func (w *walker) check(p *program.Program, rest []shell.Word) {
	words := make([]string, len(rest))
	for i, x := range rest {
		if x.Known {
			words[i] = x.Text
		}
	}
	bad, found := p.Check(words)
	if !found {
		return
	}
	x := rest[bad.Index]
	if w.span && !bad.Flag && len(rest) > 3 && bad.Similar == "" && bad.Index == 0 {
		return // a sentence that begins with the program's name
	}
	if bad.Flag {
		name, _, _ := strings.Cut(x.Text, "=")
		w.report(w.page, w.at(x.Offset), "flag", High, fmt.Sprintf("%s has no flag %s%s", bad.Of, name, hint(bad.Similar)))
		return
	}
	w.report(w.page, w.at(x.Offset), "command", High, fmt.Sprintf("%s has no command %s%s", bad.Of, x.Text, hint(bad.Similar)))
}

// flagNames checks flags that stand alone: in tables of flags, and where they
// are nearly the name of one that there is.
func (a *auditor) flagNames(p *page.Page) {
	all := map[string]bool{}
	own := []string{}
	for _, name := range a.programs.Names() {
		q := a.programs.Named(name)
		if !q.Known() {
			continue
		}
		if q.OpenFlags {
			return
		}
		for f := range q.Flags() {
			all[f] = true
		}
	}
	if len(all) < 4 || !a.mentionsProgram(p) {
		return
	}
	for f := range all {
		if len(f) > 3 {
			own = append(own, f)
		}
	}
	sort.Strings(own)
	for _, s := range p.Spans {
		for word := range strings.FieldsFuncSeq(s.Text, func(r rune) bool { return r == ' ' || r == ',' || r == '/' || r == '|' }) {
			flag, _, _ := strings.Cut(word, "=")
			name, ok := strings.CutPrefix(flag, "--")
			if !ok || !strings.HasPrefix(s.Text, "-") || name == "" || !targetName(name) || all[name] || all[strings.TrimPrefix(name, "no-")] {
				continue
			}
			near := program.Near(name, own)
			if column := strings.ToLower(s.Column); s.First && (strings.HasPrefix(column, "flag") || strings.HasPrefix(column, "option") || strings.HasPrefix(column, "switch")) || near != "" && len(name) > 5 {
				a.report(p, s.Offset+strings.Index(s.Text, word), "flag", High, fmt.Sprintf("no program of this repository has a flag %s%s", flag, hint(dashed(near))))
			}
		}
	}
}

func dashed(name string) string {
	if name == "" {
		return ""
	}
	return "--" + name
}

// mentionsProgram tells whether a page is about a program of the repository.
func (a *auditor) mentionsProgram(p *page.Page) bool {
	return slices.ContainsFunc(a.programs.Names(), func(name string) bool {
		return a.programs.Named(name).Known() && strings.Contains(p.Source, name)
	})
}
