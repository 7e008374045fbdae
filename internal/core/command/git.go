package command

import (
	"slices"
	"strings"

	"warp/internal/core/lexicon"
)

// notGit begins the reason where a word is no command of git at all.
const notGit = "git has no command"

var (
	// steers are variables that make git read other settings, programs or hooks.
	steers = lexicon.Set{List: `GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_EXEC_PATH
 GIT_TEMPLATE_DIR`}
	// redirects are variables that only matter to what changes a repository.
	redirects = lexicon.Set{List: `GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_INDEX_FILE
 GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_NAMESPACE GIT_REPLACE_REF_BASE HOME XDG_CONFIG_HOME LD_PRELOAD
 HUSKY HUSKY_SKIP_HOOKS LEFTHOOK OVERCOMMIT_DISABLE`}
	// runsValue are variables whose value is run by git or by the shell.
	runsValue = lexicon.Set{List: `GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_ASKPASS
 GIT_PROXY_COMMAND EDITOR VISUAL PAGER PROMPT_COMMAND SSH_ASKPASS`}
)

func steersGit(name string) bool {
	return steers.Has(name) || redirects.Has(name) ||
		strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
}

// gitCall is what stands between git and its command.
type gitCall struct {
	always  string            // a reason to call it tampering in any case
	changes string            // and one when it changes something
	global  bool              // the repository at hand may not be the one that it is about
	aliases map[string]string // of this call alone
	prune   bool              // settings of gc are given
}

// git looks at a call of git.
func (r *reader) git(args []arg) {
	dir := r.dir
	defer func() { r.dir = dir }()
	var g gitCall
	for i := 0; i < len(args); i++ {
		s := args[i].s
		name, val, cut := strings.Cut(s, "=")
		if len(s) < 2 || s[0] != '-' {
			r.judge(&g, args[i], args[i+1:])
			return
		}
		if gitValued.Has(name) && !cut {
			if i++; i >= len(args) {
				return
			}
			val = args[i].s
		}
		switch name {
		case "-C":
			if val != "" {
				r.chdir(val)
			}
		case "-c":
			r.setting(&g, val)
		case "--config-env":
			g.always = "a setting from the environment"
		case "--exec-path":
			if cut {
				g.always = "git's programs from another folder"
			}
		case "--git-dir", "--work-tree", "--namespace":
			g.global = true
			g.changes = "another repository or folder than the one at hand"
		case "--help", "-h", "--version", "-v", "--html-path", "--man-path", "--info-path", "--list-cmds":
			return
		default:
			if untold(name) {
				r.unknown("an option of git is made at run time")
				return
			}
		}
	}
}

var gitValued = lexicon.Set{List: "-C -c --config-env --git-dir --work-tree --namespace --super-prefix --attr-source"}

// judge looks at git's command, and sets before it what tampers with it.
func (r *reader) judge(g *gitCall, sub arg, rest []arg) {
	for name := range r.tamper {
		if !steersGit(name) {
			continue
		}
		g.global = true
		if redirects.Has(name) {
			g.changes = max(g.changes, name+" is set")
		} else {
			g.always = max(g.always, name+" is set")
		}
	}
	n := len(r.acts)
	if g.prune && (sub.s == "gc" || sub.s == "maintenance") {
		r.emit(Act{Kind: Discard, Why: "prunes what nothing refers to"})
	}
	before := r.gitAliases
	if g.aliases != nil {
		r.gitAliases = g.aliases
	}
	r.subcommand(sub, rest)
	r.gitAliases = before
	why := g.always
	if why == "" && slices.ContainsFunc(r.acts[n:], func(a Act) bool { return a.Kind != Touch && a.Kind != Tamper }) {
		why = g.changes
	}
	if why != "" && r.quiet == 0 {
		r.acts = slices.Insert(r.acts, n, Act{Kind: Tamper, Words: r.words, Why: why, Dir: r.dir, Global: g.global})
	}
}

// setting looks at -c key=value.
func (r *reader) setting(g *gitCall, s string) {
	key, val, _ := strings.Cut(s, "=")
	key = strings.ToLower(key)
	switch {
	case untold(key):
		g.always = "a setting that is made at run time"
	case strings.HasPrefix(key, "alias."):
		g.always = "an alias for this call"
		if g.aliases == nil {
			g.aliases = map[string]string{}
		}
		g.aliases[key[len("alias."):]] = val
	case tampers(key):
		if !(key == "core.fsmonitor" && (val == "false" || val == "")) {
			g.always = "the setting " + key
			g.global = g.global || key == "core.worktree" || strings.HasPrefix(key, "include")
		}
	case movesRemote(key):
		g.changes = "the setting " + key
	case strings.HasPrefix(key, "gc."):
		g.prune = true
	case runsSetting(key) && mentionsGit(val):
		r.code(strings.TrimPrefix(val, "!"), nil)
	}
}

// tampers tells the settings that decide which hooks and settings hold.
func tampers(key string) bool {
	switch key {
	case "core.hookspath", "include.path", "core.fsmonitor", "core.worktree", "core.bare", "extensions.worktreeconfig":
		return true
	}
	return strings.HasPrefix(key, "includeif.") || strings.HasPrefix(key, "alias.") || strings.HasPrefix(key, "hook.")
}

// movesRemote tells the settings that decide where a push goes.
func movesRemote(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	switch name := key[strings.LastIndexByte(key, '.')+1:]; section {
	case "remote":
		return name == "url" || name == "pushurl" || name == "pushdefault" || name == "mirror"
	case "url":
		return name == "insteadof" || name == "pushinsteadof"
	case "branch":
		return name == "pushremote"
	}
	return false
}

// runsSetting tells the settings whose value is run.
func runsSetting(key string) bool {
	switch key {
	case "core.editor", "core.pager", "core.sshcommand", "core.askpass", "sequence.editor", "gpg.program", "credential.helper",
		"diff.external", "core.gitproxy", "core.alternaterefscommand", "uploadpack.packobjectshook", "interactive.difffilter":
		return true
	}
	section, _, _ := strings.Cut(key, ".")
	switch section {
	case "pager", "filter", "diff", "merge", "difftool", "mergetool", "trailer", "gpg", "credential", "remote", "browser", "man":
		return true
	}
	return false
}
