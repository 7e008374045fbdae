package docscheck

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// shellLangs are the languages of code blocks that hold commands; sessionLangs may
// hold commands behind prompts, with their output.
var (
	shellLangs   = []string{"sh", "bash", "shell", "zsh"}
	sessionLangs = []string{"console", "shell-session", "shellsession", "terminal", "text", ""}
)

// checkCommands checks the Make targets, package scripts and paths of the commands
// that a page shows.
func (a *auditor) checkCommands(p *page) {
	for _, f := range p.fences {
		code, hasPrompt := promptedCommands(f.text)
		isShell := slices.Contains(shellLangs, f.lang)
		if !isShell && !(hasPrompt && slices.Contains(sessionLangs, f.lang)) {
			continue
		}
		if !hasPrompt {
			code = f.text
		}
		a.checkShell(p, code, f.at, false)
	}
	for _, s := range p.spans {
		if !p.deniesExistence(s) {
			a.checkShell(p, s.text, func(i int) int { return s.offset + i }, true)
		}
	}
}

func (a *auditor) checkShell(p *page, code string, at func(int) int, inSpan bool) {
	commands, err := parseShell(code)
	if a.isTemplate(p.path) || inSpan && err != nil {
		return
	}
	c := commandCheck{auditor: a, page: p, code: code, at: at, inSpan: inSpan}
	for _, words := range commands {
		if c.check(words); c.isLost {
			return
		}
	}
}

// commandCheck follows the commands of one block through the folders in which they
// run.
type commandCheck struct {
	*auditor
	page   *page
	code   string
	at     func(int) int // the place in the page of an offset in the code
	inSpan bool
	dir    string // in the repository
	isLost bool   // the folder is unknown
}

var (
	wrapperPattern     = lazily(`^(sudo|env|time|exec|command|nohup|npx|bunx|poetry|uv|pipenv|hatch|bundle|run)$`)
	interpreterPattern = lazily(`^(python3?|py|node|bash|sh|zsh|source|\.|ts-node|tsx|ruby|perl)$`)
	goPattern          = lazily(`^go (run|build|test|install|vet|generate)$`)
)

// check checks one command, or the command that it wraps.
func (c *commandCheck) check(words []word) {
	for len(words) > 1 && wrapperPattern().MatchString(words[0].text) {
		words = words[1:]
		for len(words) > 1 && (strings.HasPrefix(words[0].text, "-") || strings.Contains(words[0].text, "=")) {
			words = words[1:]
		}
	}
	name, args := words[0].text, words[1:]
	switch {
	case !words[0].isKnown:
	case name == "cd" || name == "pushd":
		c.changeDir(args)
	case name == "make" || name == "gmake":
		c.checkTargets(args)
	case slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, name):
		c.checkScript(name, args)
	case len(args) > 0 && goPattern().MatchString(name+" "+args[0].text):
		for _, w := range args[1:] {
			if w.text = strings.TrimSuffix(w.text, "/..."); strings.HasPrefix(w.text, "./") {
				c.checkFile(w)
			}
		}
	case len(args) > 0 && interpreterPattern().MatchString(name):
		c.checkFile(args[0])
	case strings.Contains(name, "/") && !c.inSpan: // checkPaths reads spans
		c.checkFile(words[0])
	}
}

// ownName matches the names that a clone of the repository may have.
var ownName = lazily(`(?m)^module\s+(?:\S*/)?(\S+)|"name":\s*"(?:[^"]*/)?([^"]+)"`)

// changeDir follows cd into a folder. The name of the repository is its root, where
// a reader cloned it before.
func (c *commandCheck) changeDir(args []word) {
	if len(args) == 0 || !args[0].isKnown {
		c.isLost = true
		return
	}
	to := path.Clean(args[0].text)
	if next := path.Join(c.dir, to); !path.IsAbs(to) && c.tree.isDir(next) {
		c.dir = cleanPath(next)
		return
	}
	module, _ := c.tree.readFile("go.mod")
	manifest, _ := c.tree.readFile("package.json")
	c.isLost = !slices.ContainsFunc(ownName().FindAllStringSubmatch(module+manifest, -1), func(m []string) bool { return m[1]+m[2] == to })
}

// startDirs are the folders in which a command may run: the one that cd names, or
// else the root, the page's folder and those between.
func (c *commandCheck) startDirs() []string {
	if c.dir != "" {
		return []string{c.dir}
	}
	dirs := []string{""}
	for dir := path.Dir(c.page.path); dir != "."; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
	}
	return dirs
}

// checkFile checks that a file or package exists which a command runs, unless an
// earlier command names it, which may create it.
func (c *commandCheck) checkFile(w word) {
	name := strings.TrimPrefix(w.text, "./")
	if !w.isKnown || !isPath(name) || strings.Contains(c.code[:w.offset], w.text) {
		return
	}
	if full, isMissing := c.findPath(c.page, path.Join(c.dir, name)); isMissing {
		at := c.at(w.offset) + len(w.text) - len(name)
		c.reportMissing(c.page, at, "path", High, name, full, func(to string) string { return relativePath(c.dir, to) })
	}
}

var (
	dirOption = lazily(`^(-C|--directory|--prefix|--cwd)$`)
	// otherPlace matches what makes it unknown which Makefile or package is used.
	otherPlace = lazily(`^(-f|--file.*|-w|-F|workspace|--workspace.*|--filter.*)$`)
)

// operands returns the words of a call that are no options, and the folders in
// which it may run; none if that is unknown.
func (c *commandCheck) operands(args []word) (words []word, dirs []string) {
	dirs = c.startDirs()
	for i := 0; i < len(args); i++ {
		switch w := args[i]; {
		case !w.isKnown || otherPlace().MatchString(w.text):
			return nil, nil
		case dirOption().MatchString(w.text) && i+1 < len(args):
			i++
			dirs = []string{cleanPath(path.Join(c.dir, args[i].text))}
		case !strings.HasPrefix(w.text, "-") && !strings.Contains(w.text, "=") && parseInt(w.text) == 0: // -j 4
			words = append(words, w)
		}
	}
	return words, dirs
}

var (
	targetPattern = lazily(`^[\w./:-]+$`)
	// prosePattern matches what follows «make» in English.
	prosePattern = lazily(`^(sure|it|the|an?|that|this|your|changes|them|sense|use|one|no)$`)
)

// checkTargets checks the targets of a call of make.
func (c *commandCheck) checkTargets(args []word) {
	words, dirs := c.operands(args)
	var known []string
	for _, dir := range dirs {
		if m := c.readMakefile(dir); m != nil && m.isOpen {
			return
		} else if m != nil {
			known = append(known, m.targets...)
		}
	}
	for _, w := range words {
		hint := text.DidYouMean(w.text, known)
		isProse := c.inSpan && hint == "" && prosePattern().MatchString(w.text)
		if len(known) == 0 || isProse || !targetPattern().MatchString(w.text) {
			return
		}
		if !slices.Contains(known, w.text) && !c.tree.isFile(path.Join(dirs[0], w.text)) {
			c.report(c.page, c.at(w.offset), "make-target", High, fmt.Sprintf("the Makefile has no target %s%s", w.text, hint))
		}
	}
}

// scriptCall matches calls that run a script of package.json. A call without run
// can also mean a command of the package manager or of a dependency, unless its name
// has a colon.
var scriptCall = lazily(`^(\w+ (run|run-script) |(npm|pnpm|yarn) (test|start|stop)( |$)|(pnpm|yarn) \S*:)`)

// checkScript checks the script that a call of a package manager runs.
func (c *commandCheck) checkScript(tool string, args []word) {
	words, dirs := c.operands(args)
	call := tool
	for _, w := range words[:min(2, len(words))] {
		call += " " + w.text
	}
	if !scriptCall().MatchString(call) || c.readManifest(dirs[0]) == nil {
		return
	}
	w := words[0]
	if len(words) > 1 && strings.HasPrefix(w.text, "run") {
		w = words[1]
	}
	var known []string
	for _, dir := range dirs {
		if m := c.readManifest(dir); m != nil {
			known = slices.AppendSeq(known, maps.Keys(m.Scripts))
		}
	}
	if !slices.Contains(known, w.text) && !(w.text == "start" && c.tree.isFile(path.Join(dirs[0], "server.js"))) {
		slices.Sort(known)
		c.report(c.page, c.at(w.offset), "npm-script", High, fmt.Sprintf("%s has no script %s%s", path.Join(dirs[0], "package.json"), w.text, text.DidYouMean(w.text, known)))
	}
}
