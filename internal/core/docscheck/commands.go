package docscheck

import (
	"maps"
	"path"
	"slices"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/text"
)

// shellLangs are the languages of code blocks with commands; sessionLangs may have commands after
// prompts, with their output.
var (
	shellLangs   = []string{"sh", "bash", "shell", "zsh"}
	sessionLangs = []string{"console", "shell-session", "shellsession", "terminal", "text", ""}
)

// checkCommands checks the Make targets, package scripts and paths in the commands on a page.
func (c *pageCheck) checkCommands() {
	for _, f := range c.fences {
		commands, hasPrompt := promptedCommands(f.text)
		if slices.Contains(shellLangs, f.lang) || hasPrompt && slices.Contains(sessionLangs, f.lang) {
			c.checkShell(code{commands, f.lines}, false)
		}
	}
	for _, s := range c.spans {
		if !c.deniesExistence(s) {
			c.checkShell(s.code, true)
		}
	}
}

func (c *pageCheck) checkShell(shown code, inSpan bool) {
	commands, err := parseShell(shown.text)
	if c.isTemplate || err != nil {
		return
	}
	check := commandCheck{pageCheck: c, code: shown, inSpan: inSpan}
	for _, words := range commands {
		if check.run(words); check.isLost {
			return
		}
	}
}

// commandCheck follows the commands of one block through the folders they run in.
type commandCheck struct {
	*pageCheck
	code
	inSpan bool
	dir    string // relative to the repository
	isLost bool   // the folder is unknown
}

var (
	wrapperPattern     = lazy.Pattern{Text: `^(sudo|env|time|exec|command|nohup|npx|bunx|poetry|uv|pipenv|hatch|bundle|run)$`}
	interpreterPattern = lazy.Pattern{Text: `^(python3?|py|node|bash|sh|zsh|source|\.|ts-node|tsx|ruby|perl)$`}
	goPattern          = lazy.Pattern{Text: `^go (run|build|test|install|vet|generate)$`}
)

// run checks one command, or the command that it wraps.
func (c *commandCheck) run(words []word) {
	for len(words) > 1 && wrapperPattern.Get().MatchString(words[0].text) {
		words = words[1:]
		for len(words) > 1 && (strings.HasPrefix(words[0].text, "-") || strings.Contains(words[0].text, "=")) {
			words = words[1:]
		}
	}
	name, args := words[0].text, words[1:]
	switch {
	case name == "cd" || name == "pushd":
		c.changeDir(args)
	case name == "make" || name == "gmake":
		c.checkTargets(args)
	case slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, name):
		c.checkScript(name, args)
	case len(args) > 0 && goPattern.Get().MatchString(name+" "+args[0].text):
		for _, w := range args[1:] {
			if w.text = strings.TrimSuffix(w.text, "/..."); strings.HasPrefix(w.text, "./") {
				c.checkFile(w)
			}
		}
	case len(args) > 0 && interpreterPattern.Get().MatchString(name):
		c.checkFile(args[0])
	case strings.Contains(name, "/") && !c.inSpan: // checkPaths handles spans
		c.checkFile(words[0])
	}
}

// ownName matches the names that a clone of the repository may have.
var ownName = lazy.Pattern{Text: `(?m)^module\s+(?:\S*/)?(\S+)|"name":\s*"(?:[^"]*/)?([^"]+)"`}

// changeDir follows cd into a folder. The repository's name means its root, since readers clone it
// first.
func (c *commandCheck) changeDir(args []word) {
	if len(args) == 0 || args[0].text == "" {
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
	c.isLost = !slices.ContainsFunc(ownName.Get().FindAllStringSubmatch(module+manifest, -1), func(m []string) bool { return m[1]+m[2] == to })
}

// checkFile checks that a file or package that a command runs exists, unless an earlier command
// names it and may create it.
func (c *commandCheck) checkFile(w word) {
	name := strings.TrimPrefix(w.text, "./")
	if !isPath(name) || strings.Contains(c.text[:w.offset], w.text) {
		return
	}
	if full, isMissing := c.findPath(path.Join(c.dir, name)); isMissing {
		at := c.at(w.offset) + len(w.text) - len(name)
		c.reportMissing(at, "path", High, name, full, c.dir)
	}
}

var (
	dirOption = lazy.Pattern{Text: `^(-C|--directory|--prefix|--cwd)$`}
	// otherPlace matches options that make the Makefile or package unknown.
	otherPlace = lazy.Pattern{Text: `^(-f|--file.*|-w|-F|workspace|--workspace.*|--filter.*)$`}
)

// operands returns the arguments of a call that are not options, and the folders in which it may
// run: the one from cd or an option, or else the page's folder and its parents; none if unknown.
func (c *commandCheck) operands(args []word) (words []word, dirs []string) {
	dirs = c.folders()
	if c.dir != "" {
		dirs = []string{c.dir}
	}
	for i := 0; i < len(args); i++ {
		switch w := args[i]; {
		case w.text == "" || otherPlace.Get().MatchString(w.text):
			return nil, nil
		case dirOption.Get().MatchString(w.text) && i+1 < len(args):
			i++
			dirs = []string{cleanPath(path.Join(c.dir, args[i].text))}
		case !strings.HasPrefix(w.text, "-") && !strings.Contains(w.text, "=") && parseInt(w.text) == 0: // -j 4
			words = append(words, w)
		}
	}
	return words, dirs
}

var (
	targetPattern = lazy.Pattern{Text: `^[\w./:-]+$`}
	// prosePattern matches what follows «make» in English.
	prosePattern = lazy.Pattern{Text: `^(sure|it|the|an?|that|this|your|changes|them|sense|use|one|no)$`}
)

func (c *commandCheck) checkTargets(args []word) {
	words, dirs := c.operands(args)
	var known []string
	for _, dir := range dirs {
		m, _ := c.tree.readMakefile(dir)
		if m.isOpen {
			return
		}
		known = append(known, m.targets...)
	}
	for _, w := range words {
		hint := text.DidYouMean(w.text, known)
		isProse := c.inSpan && hint == "" && prosePattern.Get().MatchString(w.text)
		if len(known) == 0 || isProse || !targetPattern.Get().MatchString(w.text) {
			return
		}
		isFile := func(dir string) bool { return c.tree.isFile(path.Join(dir, w.text)) }
		if !slices.Contains(known, w.text) && !slices.ContainsFunc(dirs, isFile) {
			c.report(c.at(w.offset), "make-target", High, "the Makefile has no target %s%s", w.text, hint)
		}
	}
}

// scriptCall matches calls that run a script of package.json without the word run. Other calls can
// also mean a command of the package manager or a dependency.
var scriptCall = lazy.Pattern{Text: `^((npm|pnpm|yarn) (test|start|stop)$|(pnpm|yarn) .*:)`}

// checkScript checks the script that a package manager runs.
func (c *commandCheck) checkScript(tool string, args []word) {
	words, dirs := c.operands(args)
	if len(words) > 1 && (words[0].text == "run" || words[0].text == "run-script") {
		words = words[1:]
	} else if len(words) == 0 || !scriptCall.Get().MatchString(tool+" "+words[0].text) {
		return
	}
	name := words[0].text
	var known []string
	hasManifest := false
	for _, dir := range dirs {
		scripts, ok := c.tree.readScripts(dir)
		hasManifest = hasManifest || ok
		known = slices.AppendSeq(known, maps.Keys(scripts))
		if c.tree.isFile(path.Join(dir, "server.js")) {
			known = append(known, "start") // npm starts it
		}
	}
	if slices.Sort(known); hasManifest && !slices.Contains(known, name) {
		c.report(c.at(words[0].offset), "npm-script", High, "package.json has no script %s%s", name, text.DidYouMean(name, known))
	}
}
