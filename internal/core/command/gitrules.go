package command

import (
	"slices"
	"strings"
)

// gitRule says when a command of git does something.
type gitRule struct {
	names    string // of the commands
	valued   string // options that take a value, see parseOptions
	verbs    string // what the first argument must be; "": anything
	unless   string // options, in full, with which it does nothing
	when     string // options of which one is needed; "": none is
	least    int    // how many arguments it needs
	noVerify string // options that go past the hooks
	kind     Kind
	why      string
}

const (
	commitOptions = "message file reuse-message reedit-message template author date fixup squash cleanup trailer pathspec-from-file"
	mergeOptions  = "message file strategy strategy-option into-name upload-pack"
	branchOptions = "set-upstream-to sort format points-at contains no-contains merged no-merged"
	tagOptions    = "message file local-user sort format points-at contains cleanup"
)

// gitRules are looked through in order; the first that fits holds.
var gitRules = [...]gitRule{
	{names: "commit", valued: "mFCct|uS " + commitOptions, unless: "--dry-run --short --porcelain --long", noVerify: "-n --no-verify", kind: Commit},
	{names: "commit-tree fast-import citool quiltimport", kind: Commit},
	{names: "cherry-pick revert", valued: "mX|S mainline strategy strategy-option", unless: "--abort --quit -n --no-commit", kind: Commit},
	{names: "am", valued: "|CpS", unless: "--abort --quit --show-current-patch", noVerify: "-n --no-verify", kind: Commit},
	{names: "merge", valued: "mFsX|S " + mergeOptions, unless: "--abort --quit", noVerify: "--no-verify", kind: Merge},
	{names: "pull", valued: "mFsX|S " + mergeOptions, unless: "--abort --quit --dry-run", noVerify: "--no-verify", kind: Merge},
	{names: "rebase", valued: "xsX|CS exec onto strategy strategy-option empty whitespace", unless: "--abort --quit --show-current-patch --edit-todo", noVerify: "--no-verify", kind: Merge},
	{names: "subtree", valued: "Pmb prefix message branch onto annotate", verbs: "split", when: "-b --branch", kind: Ref},
	{names: "subtree", valued: "Pmb prefix message branch onto annotate", verbs: "add merge pull", kind: Merge},
	{names: "svn p4 cvsimport cvsexportcommit cvsserver", kind: Unknown, why: "it makes commits that cannot be seen here"},

	{names: "update-ref filter-branch filter-repo replay", kind: Ref},
	{names: "history", least: 1, kind: Ref},
	{names: "symbolic-ref", valued: "m", when: "-d --delete", kind: Ref},
	{names: "symbolic-ref", valued: "m", least: 2, kind: Ref},
	{names: "branch", valued: "u " + branchOptions, when: "-f --force -d -D --delete -m -M --move -C", kind: Ref},
	{names: "tag", valued: "mFuns " + tagOptions, when: "-d --delete -f --force", kind: Ref},
	{names: "replace", unless: "-l --list", least: 1, kind: Ref},
	{names: "refs", verbs: "migrate", kind: Ref},
	{names: "reflog", verbs: "delete expire drop", unless: "-n --dry-run", kind: Ref},
	{names: "worktree", valued: "bB reason", verbs: "add", when: "-B", kind: Ref},

	{names: "switch", valued: "cC create force-create orphan conflict", when: "-f --force --discard-changes", kind: Discard, why: "throws changes away"},
	{names: "switch", valued: "cC create force-create orphan conflict", when: "-C --force-create", kind: Ref},
	{names: "clean", valued: "e exclude", unless: "-n --dry-run", when: "-f --force -i --interactive", kind: Discard, why: "removes files that git does not track"},
	{names: "stash", verbs: "drop clear", kind: Discard, why: "drops what was stashed"},
	{names: "gc", unless: "--no-prune", when: "--prune=", kind: Discard, why: "prunes what nothing refers to"},
	{names: "prune", unless: "-n --dry-run", kind: Discard, why: "prunes what nothing refers to"},
	{names: "worktree", valued: "bB reason", verbs: "remove", when: "-f --force", kind: Discard, why: "removes a worktree with its changes"},
	{names: "submodule submodule--helper", verbs: "deinit", when: "-f --force", kind: Discard, why: "removes a submodule with its changes"},
	{names: "checkout-index", when: "-f --force", kind: Discard, why: "overwrites files"},
	{names: "read-tree", when: "--reset", kind: Discard, why: "throws changes away"},

	{names: "remote", valued: "tm", verbs: "set-url rename remove rm", kind: Tamper, why: "changes where a remote is"},
}

// applyRules notes what a command of git does; false when no rule is about it.
func (r *reader) applyRules(sub string, rest []arg) (found bool) {
	var l options
	for i := range gitRules {
		g := &gitRules[i]
		if !slices.Contains(strings.Fields(g.names), sub) {
			continue
		}
		found = true
		l = parseOptions(rest, g.valued)
		if r.applyRule(g, &l) {
			break
		}
	}
	if found {
		r.followCommand(sub, rest, &l)
	}
	return found
}

// applyRule tells whether a rule fits, and notes what it says then.
func (r *reader) applyRule(g *gitRule, l *options) bool {
	if l.hasExactly(strings.Fields(g.unless)...) || len(l.rest) < g.least {
		return false
	}
	if g.verbs != "" && !slices.Contains(strings.Fields(g.verbs), l.first()) {
		if hasMark(l.first()) {
			r.noteUnknown("what git is to do is made at run time")
		}
		return hasMark(l.first())
	}
	given := g.when == ""
	for _, name := range strings.Fields(g.when) {
		val, ok := l.get(strings.TrimSuffix(name, "="))
		given = given || ok && (val.s != "" || !strings.HasSuffix(name, "="))
	}
	if !given {
		if l.unknownOption() || g.kind == Discard && l.dyn {
			r.noteUnknown("an option of git is made at run time")
			return true
		}
		return false
	}
	if l.has(strings.Fields(g.noVerify)...) {
		r.emit(Act{Kind: Tamper, Why: "goes past the hooks"})
	}
	r.emit(Act{Kind: g.kind, Why: g.why, FastForward: g.kind == Merge && l.hasExactly("--ff-only")})
	return true
}

// followCommand looks at the commands that git runs, and at the addresses that it
// is given, besides what the rules say.
func (r *reader) followCommand(sub string, rest []arg, l *options) {
	switch {
	case sub == "rebase":
		for _, o := range l.opts {
			if o.name == "-x" || len(o.name) > 3 && strings.HasPrefix("--exec", o.name) {
				r.runApart(o.val.s, nil)
			}
		}
	case sub == "subtree" && l.first() == "push":
		r.push(l.rest[1:])
	case sub == "remote" && len(l.rest) > 2 && (l.first() == "add" || l.first() == "set-url"):
		r.addRemote(r.dir, l.rest[2].s)
	case strings.HasPrefix(sub, "submodule") && l.first() == "foreach":
		for len(rest) > 0 && (rest[0].s == "foreach" || strings.HasPrefix(rest[0].s, "-")) {
			rest = rest[1:]
		}
		if len(rest) > 1 {
			r.runCommand(rest)
		} else if len(rest) == 1 {
			r.apart(func() {
				r.dir = "" // each submodule is another folder
				r.runApart(rest[0].s, nil)
			})
		}
	}
}
