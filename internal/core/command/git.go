package command

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

var (
	// steers are variables that make git use other settings, programs or hooks.
	steers = text.WordSet{List: `GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_EXEC_PATH
 GIT_TEMPLATE_DIR`}
	// moves are variables that matter only to commands that change a repository.
	moves = text.WordSet{List: `GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_INDEX_FILE
 GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_NAMESPACE GIT_REPLACE_REF_BASE HOME XDG_CONFIG_HOME LD_PRELOAD
 HUSKY HUSKY_SKIP_HOOKS LEFTHOOK OVERCOMMIT_DISABLE`}
	// tamperKeys decide which hooks and settings apply.
	tamperKeys = text.WordSet{List: "core.hookspath include.path core.worktree core.bare extensions.worktreeconfig"}
)

func steersGit(name string) bool {
	return steers.Has(name) || moves.Has(name) ||
		strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
}

// steering collects what the options and variables before git's command change.
type steering struct {
	always  string // a reason to call it tampering in any case
	changes string // a reason if the command changes something
	global  bool   // it may be about another repository
}

func runGit(c *call) {
	dir := c.dir
	defer func() { c.dir = dir }()
	var g steering
	for _, o := range c.opts {
		switch o.name {
		case "-C":
			if o.val != "" {
				c.chdir(o.val)
			}
		case "-c":
			c.readSetting(&g, o.val)
		case "--config-env", "--exec-path":
			if o.val != "" {
				g.always = "settings or programs from elsewhere"
			}
		case "--git-dir", "--work-tree", "--namespace":
			g.changes, g.global = "another repository or folder than the current one", true
		case "--help", "-h", "--version", "-v", "--html-path", "--man-path", "--info-path", "--list-cmds":
			return
		default:
			if hasMark(o.name) {
				c.noteUnknown("an option of git is known only at run time")
				return
			}
		}
	}
	for name, v := range c.vars {
		switch {
		case !v.exported || !steersGit(name):
			continue
		case moves.Has(name):
			g.changes = max(g.changes, name+" is set")
		default:
			g.always = max(g.always, name+" is set")
		}
		g.global = true
	}
	if len(c.rest) == 0 {
		return
	}
	n := len(c.acts)
	c.subcommand(c.first(), c.rest[1:])
	if g.always == "" && slices.ContainsFunc(c.acts[n:], func(a Act) bool { return a.Kind != Touch && a.Kind != Tamper }) {
		g.always = g.changes
	}
	if g.always != "" { // before what it does
		c.acts = slices.Insert(c.acts, n, Act{Kind: Tamper, Words: c.words, Why: g.always, Dir: c.dir, Global: g.global})
	}
}

// subcommand checks a command of git. One that no rule covers does nothing that git's own hooks
// do not see.
func (c *call) subcommand(sub string, rest []string) {
	defer c.enter()()
	switch {
	case hasMark(sub) || hasPattern(sub):
		c.noteUnknown("git's command is known only at run time")
	case len(rest) == 1 && (rest[0] == "--help" || rest[0] == "-h"), c.applyRules(sub, rest):
	default:
		// Git runs !text at the top of the repository, which is still the same repository.
		if text, ok := c.env.Alias("git", sub); ok {
			c.runAlias("git", sub, text, rest)
		}
	}
}

func tampersWithGit(key string) bool {
	return tamperKeys.Has(key) || strings.HasPrefix(key, "includeif.") || strings.HasPrefix(key, "alias.") || strings.HasPrefix(key, "hook.")
}

// movesRemote reports whether a setting may decide where a push goes.
func movesRemote(key string) bool {
	return strings.HasPrefix(key, "remote.") || strings.HasPrefix(key, "url.") || strings.HasSuffix(key, ".pushremote")
}

// readSetting checks -c key=value.
func (c *call) readSetting(g *steering, s string) {
	key, val, _ := strings.Cut(s, "=")
	key = strings.ToLower(key)
	section, _, _ := strings.Cut(key, ".")
	switch {
	case hasMark(key):
		g.always = "a setting that is known only at run time"
	case tampersWithGit(key):
		g.always = "the setting " + key
		g.global = g.global || hasWord("alias include includeif", section) || key == "core.worktree"
	case movesRemote(key):
		g.changes = "the setting " + key
	case !hasWord("user http commit gc", section) && (!hasMark(val) || mentionsGit(val)):
		c.capture(func() { c.runInSubshell(strings.TrimPrefix(val, "!"), nil) }) // the value may name a program
	}
}

// changeSettings checks what git config writes: a setting with its value, or what an option says.
func changeSettings(c *call) {
	words, verb := append(c.rest, ""), c.first()
	file, toFile := c.get("-f", "--file")
	edits := verb == "edit" || c.has("-e", "--edit")
	if len(c.rest) < 2 && !edits && !c.has("--add", "--replace-all", "--unset", "--unset-all", "--rename-section", "--remove-section") {
		return
	}
	if hasWord("set unset rename-section remove-section", verb) {
		words = words[1:]
	}
	key := strings.ToLower(words[0])
	if movesRemote(key) {
		c.addRemotes(words[1:]...)
	}
	if edits || hasMark(key) || hasWord("core include alias hook core.sshcommand", key) || tampersWithGit(key) || movesRemote(key) {
		c.emit(Act{Kind: Tamper, Why: "changes git's settings", Global: toFile || c.has("--global", "--system")})
	}
	if toFile {
		c.touch(file)
	}
}

// addRemotes records words that may be addresses of remotes, as in git clone URL and git remote add
// NAME URL.
func (c *call) addRemotes(words ...string) {
	for _, url := range words {
		if p := c.abs(url); p != "" && !strings.Contains(url, ":") {
			url = p
		}
		c.remotes = append(c.remotes, url)
	}
}

func cloneRemote(c *call) { c.addRemotes(c.rest...) }
