package docs

import (
	"fmt"
	"path"
	"regexp"
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
		commands, _ := parseShell(code)
		a.checkShell(p, commands, f.at, false)
	}
	for _, s := range p.spans {
		commands, err := parseShell(s.text)
		if err == nil && !p.deniesExistence(s) {
			a.checkShell(p, commands, func(i int) int { return s.offset + i }, true)
		}
	}
}

func (a *auditor) checkShell(p *page, commands []shellCommand, at func(int) int, inSpan bool) {
	if a.isTemplate(p.path) {
		return
	}
	c := commandCheck{auditor: a, page: p, at: at, inSpan: inSpan}
	for _, command := range commands {
		if c.check(command.words); c.isLost {
			return
		}
		c.mentioned = append(c.mentioned, command.writes...)
		for _, w := range command.words {
			c.mentioned = append(c.mentioned, w.text)
		}
	}
}

// commandCheck follows the commands of one block through the folders in which they
// run.
type commandCheck struct {
	*auditor
	page      *page
	at        func(int) int // the place in the page of an offset in the commands
	inSpan    bool
	dir       string   // in the repository
	isLost    bool     // the folder is unknown
	mentioned []string // words of earlier commands, which may have created the file
}

var (
	wrapperPattern     = regexp.MustCompile(`^(sudo|env|time|exec|command|nohup|npx|bunx)$`)
	runnerPattern      = regexp.MustCompile(`^(poetry|uv|pipenv|hatch|bundle) (run|exec)$`)
	interpreterPattern = regexp.MustCompile(`^(python3?|py|node|bash|sh|zsh|source|\.|ts-node|tsx|deno|ruby|perl)$`)
	goVerbPattern      = regexp.MustCompile(`^(run|build|test|install|vet|generate)$`)
)

// check checks one command, or what it runs.
func (c *commandCheck) check(words []word) {
	for len(words) > 0 && wrapperPattern.MatchString(words[0].text) {
		words = words[1:]
		for len(words) > 0 && (strings.HasPrefix(words[0].text, "-") || strings.Contains(words[0].text, "=")) {
			words = words[1:]
		}
	}
	if len(words) > 2 && runnerPattern.MatchString(words[0].text+" "+words[1].text) {
		words = words[2:]
	}
	if len(words) == 0 || !words[0].isKnown {
		return
	}
	name, args := words[0].text, words[1:]
	switch {
	case name == "cd" || name == "pushd":
		c.changeDir(args)
	case name == "make" || name == "gmake":
		c.checkMake(args)
	case slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, name):
		c.checkPackageManager(name, args)
	case name == "go" && len(args) > 0 && goVerbPattern.MatchString(args[0].text):
		for _, w := range args[1:] {
			if w.text = strings.TrimSuffix(w.text, "/..."); strings.HasPrefix(w.text, "./") {
				c.checkFile(w)
			}
		}
	case interpreterPattern.MatchString(name) && len(args) > 0:
		if args[0].text == "-m" && len(args) > 1 {
			c.checkModule(args[1])
		} else {
			c.checkFile(args[0])
		}
	case strings.Contains(name, "/") && !c.inSpan: // checkPaths reads spans
		c.checkFile(words[0])
	}
}

func (c *commandCheck) changeDir(args []word) {
	if len(args) == 0 || !args[0].isKnown {
		c.isLost = true
		return
	}
	to := path.Clean(args[0].text)
	if next := path.Join(c.dir, to); !path.IsAbs(to) && c.tree.isDir(next) {
		c.dir = cleanPath(next)
	} else if !slices.Contains(c.ownNames(), to) { // a clone of this repository
		c.isLost = true
	}
}

var modulePattern = regexp.MustCompile(`(?m)^module\s+(\S+)`)

// ownNames are the names that a clone of the repository has.
func (a *auditor) ownNames() []string {
	var names []string
	module, _ := a.tree.readFile("go.mod")
	if m := modulePattern.FindStringSubmatch(module); m != nil {
		names = append(names, path.Base(m[1]))
	}
	if m := a.readManifest(""); m != nil {
		names = append(names, path.Base(m.Name))
	}
	return names
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

// checkFile checks that a file or package exists which a command runs. A path of
// which nothing is known here may be the reader's.
func (c *commandCheck) checkFile(w word) {
	name := strings.TrimPrefix(w.text, "./")
	full := path.Join(c.dir, name)
	exists := func(dir string) bool { return c.tree.Has(path.Join(dir, name)) }
	switch {
	case !w.isKnown || !isPath(name) || strings.HasPrefix(full, "..") || slices.Contains(c.mentioned, w.text):
		return
	case c.tree.mayBeBuilt(full) || slices.ContainsFunc(c.startDirs(), exists):
		return
	case !c.tree.existed(full) && !(strings.Contains(name, "/") && c.tree.isDir(path.Dir(full))):
		return
	}
	message := full + " does not exist"
	if to, ok := c.tree.successor(full); ok && path.Ext(to) == path.Ext(full) {
		at := c.at(w.offset) + len(w.text) - len(name)
		c.reportFix(c.page, at, name, relativePath(c.dir, to), "path", High, message+"; it is "+to+" now")
		return
	}
	c.report(c.page, c.at(w.offset), "path", High, message)
}

// checkModule checks python -m package.module, if the package is in the repository.
func (c *commandCheck) checkModule(w word) {
	top, _, _ := strings.Cut(w.text, ".")
	module := strings.ReplaceAll(w.text, ".", "/")
	for _, dir := range []string{c.dir, path.Join(c.dir, "src")} {
		full := path.Join(dir, module)
		if w.isKnown && c.tree.isFile(path.Join(dir, top, "__init__.py")) && !c.tree.isDir(full) && !c.tree.isFile(full+".py") {
			c.report(c.page, c.at(w.offset), "path", High, fmt.Sprintf("the module %s does not exist", w.text))
		}
	}
}

var (
	targetPattern = regexp.MustCompile(`^[\w./:-]+$`)
	// prosePattern matches what follows «make» in English.
	prosePattern = regexp.MustCompile(`^(sure|it|the|an?|that|this|your|changes|them|sense|use|one|no)$`)
)

// checkMake checks the targets of a call of make.
func (c *commandCheck) checkMake(args []word) {
	dirs := c.startDirs()
	var targets []word
	for i := 0; i < len(args); i++ {
		switch w := args[i]; {
		case !w.isKnown || strings.HasPrefix(w.text, "-f") || strings.HasPrefix(w.text, "--file"):
			return
		case (w.text == "-C" || w.text == "--directory") && i+1 < len(args):
			i++
			dirs = []string{cleanPath(path.Join(c.dir, args[i].text))}
		case w.text == "-j" && i+1 < len(args) && parseInt(args[i+1].text) > 0:
			i++
		case strings.HasPrefix(w.text, "-") || strings.Contains(w.text, "="):
		case !targetPattern.MatchString(w.text):
			return // a sentence
		default:
			targets = append(targets, w)
		}
	}
	var known []string
	for _, dir := range dirs {
		m := c.readMakefile(dir)
		switch {
		case m == nil:
			continue
		case m.isOpen:
			return
		}
		known = append(known, m.targets...)
	}
	for _, w := range targets {
		if len(known) == 0 || slices.Contains(known, w.text) || c.tree.isFile(path.Join(dirs[0], w.text)) {
			continue
		}
		hint := text.DidYouMean(w.text, known)
		if c.inSpan && hint == "" && prosePattern.MatchString(w.text) {
			return
		}
		c.report(c.page, c.at(w.offset), "make-target", High, fmt.Sprintf("the Makefile has no target %s%s", w.text, hint))
	}
}

var (
	elsewherePattern = regexp.MustCompile(`^(-w|-F|workspace|--workspace.*|--filter.*)$`)
	runPattern       = regexp.MustCompile(`^(run|run-script)$`)
	shortPattern     = regexp.MustCompile(`^(test|start|stop)$`)
)

// checkPackageManager checks the package script that a call of npm, pnpm, yarn or
// bun runs.
func (c *commandCheck) checkPackageManager(tool string, args []word) {
	dirs, isRun := c.startDirs(), false
	for i := 0; i < len(args); i++ {
		switch w := args[i]; {
		case !w.isKnown || elsewherePattern.MatchString(w.text):
			return
		case slices.Contains([]string{"--prefix", "-C", "--cwd"}, w.text) && i+1 < len(args):
			i++
			dirs = []string{cleanPath(path.Join(c.dir, args[i].text))}
		case strings.HasPrefix(w.text, "-"):
		case runPattern.MatchString(w.text):
			isRun = true
		// yarn lint:fix is short for yarn run lint:fix; without the colon it can also
		// be a command of the package manager or of a dependency.
		case isRun || tool != "bun" && shortPattern.MatchString(w.text) || (tool == "yarn" || tool == "pnpm") && strings.Contains(w.text, ":"):
			c.checkScript(dirs, w)
			return
		default:
			return
		}
	}
}

func (c *commandCheck) checkScript(dirs []string, w word) {
	var known []string
	for _, dir := range dirs {
		if m := c.readManifest(dir); m != nil {
			known = append(known, m.scriptNames()...)
		}
	}
	if c.readManifest(dirs[0]) == nil || slices.Contains(known, w.text) || w.text == "start" && c.tree.isFile(path.Join(dirs[0], "server.js")) {
		return
	}
	c.report(c.page, c.at(w.offset), "npm-script", High, fmt.Sprintf("%s has no script %s%s", path.Join(dirs[0], "package.json"), w.text, text.DidYouMean(w.text, known)))
}
