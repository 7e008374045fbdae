package command

import (
	"slices"
	"strings"
)

// gitRule describes when a git command does something.
type gitRule struct {
	names    string // the commands
	valued   string // options that take a value; see parseOptions
	verbs    string // allowed first arguments; "": any
	unless   string // options, in full, that make it do nothing
	when     string // requires one of these options; "": none needed
	least    int    // minimum number of arguments
	noVerify string // options that bypass the hooks
	do       func(*call)
	kind     Kind // what it does, in addition to do
	why      string
}

const (
	commitOptions = "mFCct|uS message file reuse-message reedit-message template author date fixup squash cleanup trailer pathspec-from-file"
	mergeOptions  = "mFsX|S message file strategy strategy-option into-name upload-pack"
	switchOptions = "cC create force-create orphan conflict"
	pathOptions   = " orphan conflict pathspec-from-file unified inter-hunk-context"
)

// listGitRules is the only table of git's commands. The first matching rule with a kind ends the
// search.
func listGitRules() []gitRule {
	return []gitRule{
		{names: "checkout restore stash rm mv clean apply", do: touchGuarded},
		{names: "bisect", valued: "+", verbs: "run", do: runBehindVerb},
		{names: "submodule submodule--helper", valued: "+", verbs: "foreach", do: runBehindVerb},
		{names: "difftool", valued: "xtC extcmd tool", do: runOptions},
		{names: "rev-parse", valued: " git-path", do: func(c *call) {
			if c.has("--git-path", "--git-dir", "--git-common-dir", "--absolute-git-dir") {
				c.print(mark + "/.git") // its place is unknown, but it is guarded
			}
		}},

		{names: "commit", valued: commitOptions, unless: "--dry-run --short --porcelain --long", noVerify: "-n --no-verify", kind: Commit},
		{names: "commit-tree fast-import citool quiltimport", kind: Commit},
		{names: "cherry-pick revert", valued: "mX|S mainline strategy strategy-option", unless: "--abort --quit -n --no-commit", kind: Commit},
		{names: "am", valued: "|CpS", unless: "--abort --quit --show-current-patch", noVerify: "-n --no-verify", kind: Commit},
		{names: "merge", valued: mergeOptions, unless: "--abort --quit", noVerify: "--no-verify", kind: Merge},
		{names: "pull", valued: mergeOptions, unless: "--abort --quit --dry-run", noVerify: "--no-verify", kind: Merge},
		{names: "rebase", valued: "xsX|CS exec onto strategy strategy-option empty whitespace", unless: "--abort --quit --show-current-patch --edit-todo", noVerify: "--no-verify", kind: Merge, do: runOptions},
		{names: "subtree", valued: "Pmb prefix message branch onto annotate", verbs: "add merge pull", kind: Merge},

		{names: "update-ref filter-branch filter-repo replay", kind: Ref},
		{names: "symbolic-ref", valued: "m", when: "-d --delete", kind: Ref},
		{names: "symbolic-ref", valued: "m", least: 2, kind: Ref},
		{names: "branch", valued: "u sort format set-upstream-to", when: "-f --force -d -D --delete -m -M --move -C", kind: Ref},
		{names: "tag", valued: "mFu sort format message file", when: "-d --delete -f --force", kind: Ref},
		{names: "replace history", unless: "-l --list", least: 1, kind: Ref},
		{names: "reflog", verbs: "delete expire drop", unless: "-n --dry-run", kind: Ref},
		{names: "worktree", valued: "bB reason", verbs: "add", when: "-B", kind: Ref},
		{names: "fetch", valued: "ojS upload-pack depth deepen shallow-since shallow-exclude refmap server-option negotiation-tip jobs filter", do: fetch},
		{names: "push send-pack http-push", valued: "o push-option repo receive-pack exec", noVerify: "--no-verify", do: push},

		{names: "reset", valued: "U pathspec-from-file unified inter-hunk-context", do: reset},
		{names: "checkout", valued: "bBU" + pathOptions, do: checkout},
		{names: "restore", valued: "sU source" + pathOptions, do: restore},
		{names: "switch", valued: switchOptions, when: "-f --force --discard-changes", kind: Discard, why: "discards changes"},
		{names: "switch", valued: switchOptions, when: "-C --force-create", kind: Ref},
		{names: "rm", valued: " pathspec-from-file", unless: "--cached -n --dry-run", do: removeTracked},
		{names: "mv", do: touchArguments},
		{names: "apply", do: takeBack},
		{names: "clean", valued: "e exclude", unless: "-n --dry-run", when: "-f --force -i --interactive", kind: Discard, why: "removes files that git does not track"},
		{names: "stash", verbs: "drop clear", kind: Discard, why: "drops what was stashed"},
		{names: "gc", when: "--prune", kind: Discard, why: "prunes what nothing refers to"},
		{names: "prune", unless: "-n --dry-run", kind: Discard, why: "prunes what nothing refers to"},
		{names: "worktree", valued: "bB reason", verbs: "remove", when: "-f --force", kind: Discard, why: "removes a worktree with its changes"},
		{names: "submodule submodule--helper", verbs: "deinit", when: "-f --force", kind: Discard, why: "removes a submodule with its changes"},
		{names: "checkout-index", when: "-f --force", kind: Discard, why: "overwrites files"},
		{names: "read-tree", when: "--reset", kind: Discard, why: "discards changes"},

		{names: "config", valued: "ftT file blob type default comment value", do: changeSettings},
		{names: "clone", do: cloneRemote},
		{names: "remote", valued: "tm", verbs: "add set-url", do: cloneRemote},
		{names: "remote", valued: "tm", verbs: "set-url rename remove rm", kind: Tamper, why: "changes where a remote is"},
	}
}

// applyRules notes what a git command does. It returns false if no rule covers the command.
func (c *call) applyRules(sub string, rest []string) (found bool) {
	for i := range c.gitRules {
		g := &c.gitRules[i]
		if !hasWord(g.names, sub) {
			continue
		}
		found = true
		if g.apply(&call{reader: c.reader, name: sub, args: rest, options: parseOptions(rest, g.valued)}) {
			break
		}
	}
	return found
}

// apply notes what a command does, and reports whether the rule settles it.
func (g *gitRule) apply(c *call) bool {
	if c.hasExactly(strings.Fields(g.unless)...) || len(c.rest) < g.least {
		return false
	}
	if g.verbs != "" && !hasWord(g.verbs, c.first()) {
		if hasMark(c.first()) {
			c.noteUnknown("the operation of git is known only at run time")
		}
		return hasMark(c.first())
	}
	if g.when != "" && !c.has(strings.Fields(g.when)...) {
		arguments := c.rest[:min(uint(c.dash), uint(len(c.rest)))]
		unknown := c.unknownOption() || g.kind == Discard && slices.ContainsFunc(arguments, maySplit)
		if unknown {
			c.noteUnknown("an option of git is known only at run time")
		}
		return unknown
	}
	if c.has(strings.Fields(g.noVerify)...) {
		c.emit(Act{Kind: Tamper, Why: "bypasses the hooks"})
	}
	if g.kind != 0 {
		c.emit(Act{Kind: g.kind, Why: g.why, FastForward: g.kind == Merge && c.hasExactly("--ff-only")})
	}
	if g.do != nil {
		g.do(c)
	}
	return g.kind != 0
}
