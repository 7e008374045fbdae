package docs

import (
	"path"
	"slices"
	"strings"

	"warp/internal/core/docs/page"
	"warp/internal/core/docs/shell"
)

// shellLangs are the languages of fences that hold commands; sessionLangs those
// that hold commands behind prompts, with their output.
var (
	shellLangs   = []string{"sh", "bash", "shell", "zsh"}
	sessionLangs = []string{"console", "shell-session", "shellsession", "terminal", "text", ""}
)

// commands checks the commands that a page shows.
func (a *auditor) commands(p *page.Page) {
	for _, f := range p.Fences {
		text := f.Text
		prompts, found := shell.Prompts(text)
		switch {
		case found && (slices.Contains(shellLangs, f.Lang) || slices.Contains(sessionLangs, f.Lang)):
			text = prompts
		case !slices.Contains(shellLangs, f.Lang):
			continue
		}
		calls, _ := shell.Read(text)
		w := walker{auditor: a, page: p, at: f.At}
		w.walk(calls)
	}
	for _, s := range p.Spans {
		calls, err := shell.Read(s.Text)
		if err != nil || denied(s) || len(calls) == 0 || len(calls[0].Words) < 2 && !strings.Contains(calls[0].Words[0].Text, "/") {
			continue
		}
		offset := s.Offset
		w := walker{auditor: a, page: p, span: true, at: func(i int) int { return offset + i }}
		if !s.Plain {
			w.at = func(int) int { return offset }
		}
		w.walk(calls)
	}
	a.flagNames(p)
}

// walker goes through the commands of one block, in the folder where each of
// them would run.
type walker struct {
	*auditor
	page *page.Page
	at   func(int) int
	span bool
	dir  string // in the repository
	lost bool   // it cannot be told in which folder they run
	made []string
}

func (w *walker) walk(calls []shell.Call) {
	w.lost = w.elsewhere(w.page.Path)
	for _, c := range calls {
		w.call(c.Words)
		w.made = append(w.made, c.Writes...)
	}
}

// call checks one command, and what it runs in turn.
func (w *walker) call(words []shell.Word) {
	for len(words) > 0 && wrapper(words[0].Text) {
		words = words[1:]
		for len(words) > 0 && (strings.HasPrefix(words[0].Text, "-") || strings.Contains(words[0].Text, "=")) {
			words = words[1:]
		}
	}
	if len(words) == 0 || !words[0].Known {
		return
	}
	name, rest := words[0].Text, words[1:]
	switch name {
	case "cd", "pushd":
		w.cd(rest)
	case "git":
		w.git(rest)
	case "touch", "mkdir", "cp", "mv", "ln", "curl", "wget", "tar", "unzip":
		w.makes(rest)
	case "make", "gmake":
		w.make(rest)
	case "npm", "pnpm", "yarn", "bun":
		w.npm(name, rest)
	case "go":
		w.golang(rest)
	case "poetry", "uv", "pipenv", "hatch", "bundle":
		if len(rest) > 1 && (rest[0].Text == "run" || rest[0].Text == "exec") {
			w.call(rest[1:])
		}
	case "npx", "bunx":
		if p := w.first(rest); p >= 0 && w.programs.Named(rest[p].Text) != nil {
			w.call(rest[p:])
		}
	case "python", "python3", "py":
		w.python(rest)
	case "node", "bash", "sh", "zsh", "source", ".", "ts-node", "tsx", "deno", "ruby", "perl":
		if p := w.first(rest); p >= 0 && (p == 0 || name != "node" && name != "bash" && name != "sh") {
			w.file(rest[p], true)
			w.script(rest[p].Text, rest[p], rest[p+1:])
		}
	default:
		w.other(name, words[0], rest)
	}
}

// wrapper tells whether a program only runs another.
func wrapper(name string) bool {
	switch name {
	case "sudo", "env", "time", "exec", "command", "nohup", "then", "!":
		return true
	}
	return false
}

// first is the index of the first word that is no flag, -1 if there is none.
func (w *walker) first(words []shell.Word) int {
	return slices.IndexFunc(words, func(x shell.Word) bool { return x.Known && !strings.HasPrefix(x.Text, "-") })
}

// cd follows into a folder.
func (w *walker) cd(rest []shell.Word) {
	if len(rest) == 0 || !rest[0].Known {
		w.lost = true
		return
	}
	to := strings.TrimSuffix(rest[0].Text, "/")
	if next := path.Join(w.dir, to); !strings.HasPrefix(to, "/") && !strings.HasPrefix(next, "..") && w.tree.IsDir(next) {
		if w.dir = next; next == "." {
			w.dir = ""
		}
		return
	}
	if slices.Contains(w.made, to) { // just cloned
		return
	}
	w.lost = true
}

// git remembers the folder that a clone makes: the repository itself, most
// often.
func (w *walker) git(rest []shell.Word) {
	if len(rest) < 2 || rest[0].Text != "clone" {
		return
	}
	last := strings.TrimSuffix(path.Base(rest[len(rest)-1].Text), ".git")
	if own := w.programs.Own(); len(own) > 0 && !slices.Contains(own, last) && len(rest) == 2 {
		return // another repository
	}
	w.made = append(w.made, last)
}

// makes remembers files that commands make, which need not be in the
// repository.
func (w *walker) makes(rest []shell.Word) {
	for _, x := range rest {
		w.made = append(w.made, strings.TrimSuffix(x.Text, "/"), path.Base(x.Text))
	}
}

// file checks that a path is there which a command reads or runs.
func (w *walker) file(x shell.Word, runs bool) {
	name := strings.TrimPrefix(x.Text, "./")
	if w.lost || !x.Known || !pathlike(name) || slices.Contains(w.made, x.Text) || slices.Contains(w.made, path.Base(name)) {
		return
	}
	full := path.Join(w.dir, name)
	if strings.HasPrefix(full, "..") || w.tree.Has(full) || w.tree.Made(full) || w.near(func(dir string) bool { return w.tree.Has(path.Join(dir, name)) }) {
		return
	}
	dotted := strings.HasPrefix(x.Text, "./")
	script := slices.Contains([]string{".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl"}, path.Ext(name))
	if !w.tree.Was(full) && !(strings.Contains(name, "/") && w.tree.IsDir(path.Dir(full))) && !(runs && script && !w.span && (dotted || !strings.Contains(name, "/"))) {
		return // it may be the reader's own
	}
	if dotted && path.Ext(name) == "" && !strings.Contains(name, "/") {
		return // built, most likely
	}
	severity := Medium
	if runs {
		severity = High
	}
	message := full + " is not there"
	if to, ok := w.tree.Successor(full); ok && path.Ext(to) == path.Ext(full) {
		now := to
		if w.dir != "" {
			now = relative(w.dir+"/x", to, false, false)
		}
		w.mend(w.page, w.at(x.Offset)+len(x.Text)-len(name), name, now, "path", severity, message+"; it is "+to+" now")
		return
	}
	w.report(w.page, w.at(x.Offset), "path", severity, message)
}

// near tells whether something holds of a folder that the page may start from:
// its own, or one above it.
func (w *walker) near(holds func(dir string) bool) bool {
	if w.dir != "" {
		return false
	}
	for dir := path.Dir(w.page.Path); dir != "."; dir = path.Dir(dir) {
		if holds(dir) {
			return true
		}
	}
	return false
}

// golang checks the packages that go is told to build, run or test.
func (w *walker) golang(rest []shell.Word) {
	if len(rest) == 0 || !slices.Contains([]string{"run", "build", "test", "install", "vet", "generate"}, rest[0].Text) {
		return
	}
	for i, x := range rest[1:] {
		name := strings.TrimSuffix(strings.TrimSuffix(x.Text, "..."), "/")
		switch {
		case strings.HasPrefix(x.Text, "-"):
			continue
		case strings.HasPrefix(x.Text, "./") && name != ".":
			before := len(w.found)
			if x.Text = name; x.Known || strings.HasSuffix(rest[1+i].Text, "/...") {
				w.pkg(x)
			}
			if len(w.found) > before {
				return
			}
		}
		if rest[0].Text == "run" && x.Known {
			w.script(name, x, rest[i+2:])
			return
		}
	}
}

// pkg checks that the folder of a package is there.
func (w *walker) pkg(x shell.Word) {
	full := path.Join(w.dir, x.Text)
	if w.lost || strings.HasPrefix(full, "..") || w.tree.Has(full) || w.tree.Made(full) || slices.Contains(w.made, path.Base(full)) || w.near(func(dir string) bool { return w.tree.Has(path.Join(dir, x.Text)) }) {
		return
	}
	if !w.tree.IsDir(path.Dir(full)) && !w.tree.Was(full) {
		return
	}
	w.report(w.page, w.at(x.Offset), "path", High, "there is no package "+full)
}

// python checks scripts, and modules run with -m.
func (w *walker) python(rest []shell.Word) {
	if len(rest) > 1 && rest[0].Text == "-m" && rest[1].Known {
		w.module(rest[1], rest[2:])
		return
	}
	if len(rest) > 0 && !strings.HasPrefix(rest[0].Text, "-") {
		w.file(rest[0], true)
		w.script(rest[0].Text, rest[0], rest[1:])
	}
}

// module checks python -m package.module, where the package is ours.
func (w *walker) module(x shell.Word, rest []shell.Word) {
	top, inner, _ := strings.Cut(x.Text, ".")
	for _, base := range []string{top, "src/" + top} {
		at := path.Join(w.dir, base)
		if w.lost || !w.tree.IsDir(at) || !w.tree.IsFile(at+"/__init__.py") && !w.tree.IsFile(at+"/__main__.py") {
			continue
		}
		full := path.Join(at, strings.ReplaceAll(inner, ".", "/"))
		if inner != "" && !w.tree.IsDir(full) && !w.tree.IsFile(full+".py") {
			w.report(w.page, w.at(x.Offset), "path", High, "there is no module "+x.Text)
		}
		if p := w.programs.Named(top); p != nil && (inner == "" || inner == "__main__") {
			w.check(p, rest)
		}
		return
	}
}
