package command

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

var (
	// steers are variables that make git read other settings, programs or hooks.
	steers = text.WordSet{List: `GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_EXEC_PATH
 GIT_TEMPLATE_DIR`}
	// moves are variables that only matter to what changes a repository.
	moves = text.WordSet{List: `GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_INDEX_FILE
 GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_NAMESPACE GIT_REPLACE_REF_BASE HOME XDG_CONFIG_HOME LD_PRELOAD
 HUSKY HUSKY_SKIP_HOOKS LEFTHOOK OVERCOMMIT_DISABLE`}
	// harmless are git's commands for which no alias need be looked up.
	harmless = text.WordSet{List: `add archive blame cat-file check-ignore count-objects describe diff diff-tree for-each-ref format-patch fsck grep
 help init log ls-files ls-remote ls-tree merge-base name-rev notes range-diff rev-list rev-parse shortlog show show-ref status update-index version`}
)

func steersGit(name string) bool {
	return steers.Has(name) || moves.Has(name) ||
		strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
}

// steering is what stands between git and its command.
type steering struct {
	always  string // a reason to call it tampering in any case
	changes string // and one when it changes something
	global  bool   // the repository at hand may not be the one that it is about
}

// git looks at a call of git.
func (r *reader) git(c *call) {
	dir := r.dir
	defer func() { r.dir = dir }()
	var g steering
	for _, o := range c.opts {
		switch o.name {
		case "-C":
			if o.val != "" {
				r.chdir(o.val)
			}
		case "-c":
			g.set(o.val)
		case "--config-env":
			g.always = "a setting from the environment"
		case "--exec-path":
			if o.val != "" {
				g.always = "git's programs from another folder"
			}
		case "--git-dir", "--work-tree", "--namespace":
			g.changes, g.global = "another repository or folder than the one at hand", true
		case "--help", "-h", "--version", "-v", "--html-path", "--man-path", "--info-path", "--list-cmds":
			return
		default:
			if hasMark(o.name) {
				r.noteUnknown("an option of git is made at run time")
				return
			}
		}
	}
	if len(c.rest) > 0 {
		r.steered(g, c.rest[0], c.rest[1:])
	}
}

// steered looks at git's command, and puts before its acts what tampers with it.
func (r *reader) steered(g steering, sub string, rest []string) {
	for name, v := range r.vars {
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
	n := len(r.acts)
	r.subcommand(sub, rest)
	why := g.always
	if why == "" && slices.ContainsFunc(r.acts[n:], func(a Act) bool { return a.Kind != Touch && a.Kind != Tamper }) {
		why = g.changes
	}
	if why != "" {
		r.acts = slices.Insert(r.acts, n, Act{Kind: Tamper, Words: r.words, Why: why, Dir: r.dir, Global: g.global})
	}
}

// subcommand looks at one command of git. One that git does not have is a program
// like any other, whose own calls git's hooks see.
func (r *reader) subcommand(sub string, rest []string) {
	defer r.enter()()
	switch {
	case hasMark(sub) || hasPattern(sub):
		r.noteUnknown("git's command is made at run time")
	case len(rest) == 1 && (rest[0] == "--help" || rest[0] == "-h"), harmless.Has(sub):
		if sub == "rev-parse" {
			r.printGitFolder(rest)
		}
	case !r.applyRules(sub, rest) && r.env.Alias != nil:
		if text, ok := r.env.Alias("git", sub); ok {
			r.runAlias("git", sub, text, rest) // at the top of the repository, which is the same one
		}
	}
}

// printGitFolder prints a path into git's folder: where it is is unknown, that it is
// guarded is not.
func (r *reader) printGitFolder(args []string) {
	l := parseOptions(args, " git-path")
	if file, ok := l.get("--git-path"); ok {
		r.print(mark + "/.git/" + file)
	} else if l.hasExactly("--git-dir", "--git-common-dir", "--absolute-git-dir") {
		r.print(mark + "/.git")
	}
}
