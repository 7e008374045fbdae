package command

import (
	"strings"

	"warp/internal/core/lexicon"
)

// harmless are git's own commands that neither make commits nor move branches nor
// lose work; those with a case in subcommand come before them.
var harmless = lexicon.Set{List: `add annotate apply archimport archive backfill blame bugreport bundle cat-file check-attr check-ignore
 check-mailmap check-ref-format cherry column commit-graph count-objects credential credential-cache
 credential-cache--daemon credential-store credential-osxkeychain credential-manager daemon describe diagnose diff
 diff-files diff-index diff-pairs diff-tree fast-export fetch-pack fmt-merge-msg for-each-ref format-patch fsck
 fsck-objects fsmonitor--daemon get-tar-commit-id grep gui hash-object help hook http-backend http-fetch imap-send
 index-pack init init-db instaweb interpret-trailers last-modified log ls-files ls-remote ls-tree mailinfo mailsplit
 maintenance merge-base merge-file merge-index merge-octopus merge-one-file merge-ours merge-recursive
 merge-recursive-ours merge-recursive-theirs merge-resolve merge-subtree merge-tree mergetool mktag mktree
 multi-pack-index name-rev notes pack-objects pack-redundant pack-refs patch-id pickaxe prune-packed range-diff
 receive-pack remote-ext remote-fd remote-ftp remote-ftps remote-http remote-https repack repo request-pull
 rerere rev-list rev-parse scalar send-email sh-i18n--envsubst shortlog show show-branch show-index show-ref
 sparse-checkout stage status stripspace unpack-file unpack-objects update-index update-server-info upload-archive
 upload-archive--writer upload-pack var verify-commit verify-pack verify-tag version web--browse whatchanged
 write-tree lfs gitk gitweb`}

// subcommand looks at one command of git.
func (r *reader) subcommand(sub arg, rest []arg) {
	r.spend()
	r.enter()
	defer func() { r.depth-- }()
	if untold(sub.s) || sub.glob {
		r.unknown("git's command is made at run time")
		return
	}
	if len(rest) == 1 && (rest[0].s == "--help" || rest[0].s == "-h") {
		return
	}
	r.pathspecs(sub.s, rest)
	switch {
	case r.gitCommits(sub.s, rest), r.gitMoves(sub.s, rest), r.gitDiscards(sub.s, rest), r.gitRuns(sub.s, rest):
	case harmless.Has(sub.s):
	default:
		r.gitAlias(sub.s, rest)
	}
}

// pathspecs notes the files that git writes into the work tree because a command
// names them. Of all, only what is guarded is of interest.
func (r *reader) pathspecs(sub string, rest []arg) {
	switch sub {
	case "checkout", "restore", "stash", "rm", "mv", "clean", "apply":
		for _, a := range rest {
			if guarded(a.s) {
				r.touch(a)
			}
		}
	}
}

// gitAlias follows an alias; what is none either is not known.
func (r *reader) gitAlias(name string, rest []arg) {
	text, ok := r.gitAliases[strings.ToLower(name)]
	if !ok && r.env.Alias != nil {
		text, ok = r.env.Alias("git", name)
	}
	if !ok {
		r.unknown(notGit + " " + name)
		return
	}
	if r.running["git "+name] {
		return // git stops at a loop
	}
	r.guard("git "+name, func() {
		if shell, is := strings.CutPrefix(strings.TrimSpace(text), "!"); is {
			// Git runs it at the top of the repository, which is the same repository.
			r.apart(func() { r.expanded(spell(shell), rest) })
			return
		}
		r.expanded("git "+spell(text), rest)
	})
}

const (
	commitShort = "mFCct|uS"
	commitLong  = "message file reuse-message reedit-message template author date fixup squash cleanup trailer pathspec-from-file"
)

// gitCommits looks at what makes commits, and at merges.
func (r *reader) gitCommits(sub string, rest []arg) bool {
	switch sub {
	case "commit":
		l := parseLine(rest, commitShort, commitLong)
		if !l.exact("--dry-run", "--short", "--porcelain", "--long") {
			r.noVerify(&l, "-n", "--no-verify")
			r.emit(Act{Kind: Commit})
		}
	case "commit-tree", "fast-import", "citool", "quiltimport":
		r.emit(Act{Kind: Commit})
	case "cherry-pick", "revert":
		l := parseLine(rest, "mX|S", "mainline strategy strategy-option")
		if !l.exact("--abort", "--quit", "-n", "--no-commit") {
			r.emit(Act{Kind: Commit})
		}
	case "am":
		l := parseLine(rest, "|CpS", "")
		if !l.exact("--abort", "--quit", "--show-current-patch") {
			r.noVerify(&l, "-n", "--no-verify")
			r.emit(Act{Kind: Commit})
		}
	case "merge", "pull":
		l := parseLine(rest, "mFsX|S", "message file strategy strategy-option into-name upload-pack")
		if !l.exact("--abort", "--quit") && !(sub == "pull" && l.exact("--dry-run")) {
			r.noVerify(&l, "--no-verify")
			r.emit(Act{Kind: Merge, FastForward: l.exact("--ff-only")})
		}
	case "rebase":
		r.rebase(rest)
	case "subtree":
		r.subtree(rest)
	case "svn", "p4", "cvsimport", "cvsexportcommit", "cvsserver":
		r.unknown("git " + sub + " makes commits of its own")
	default:
		return false
	}
	return true
}

func (r *reader) noVerify(l *line, names ...string) {
	if l.has(names...) {
		r.emit(Act{Kind: Tamper, Why: "goes past the hooks"})
	}
}

func (r *reader) rebase(rest []arg) {
	l := parseLine(rest, "xsX|CS", "exec onto strategy strategy-option empty whitespace")
	if l.exact("--abort", "--quit", "--show-current-patch", "--edit-todo") {
		return
	}
	r.noVerify(&l, "--no-verify")
	r.emit(Act{Kind: Merge})
	for _, o := range l.opts {
		if o.name == "-x" || len(o.name) > 3 && strings.HasPrefix("--exec", o.name) {
			r.code(o.val.s, nil)
		}
	}
}

func (r *reader) subtree(rest []arg) {
	l := parseLine(rest, "Pmb", "prefix message branch onto annotate")
	switch l.first().s {
	case "push":
		r.push(l.rest[1:])
	case "split":
		if l.has("-b", "--branch") {
			r.emit(Act{Kind: Ref})
		}
	default:
		r.emit(Act{Kind: Merge})
	}
}

// gitRuns looks at commands of git that run others.
func (r *reader) gitRuns(sub string, rest []arg) bool {
	switch sub {
	case "push", "send-pack", "http-push":
		r.push(rest)
	case "config":
		r.config(rest)
	case "remote":
		r.remote(rest)
	case "clone":
		r.clone(rest)
	case "mv":
		l := parseLine(rest, "", "")
		r.touchAll(l.rest)
	case "bisect":
		if len(rest) > 1 && rest[0].s == "run" {
			r.run(rest[1:])
		}
	case "submodule", "submodule--helper":
		r.submodule(rest)
	case "for-each-repo":
		l := parseLine(rest, "", "config")
		r.git(l.rest)
	case "difftool", "difftool--helper":
		l := parseLine(rest, "x", "extcmd")
		if cmd, ok := l.get("-x", "--extcmd"); ok {
			r.code(cmd.s, nil)
		}
	case "shell":
		r.shell(rest)
	case "env--helper", "checkout--worker", "add--interactive", "bisect--helper":
	default:
		return false
	}
	return true
}

func (r *reader) submodule(rest []arg) {
	l := parseLine(rest, "", "")
	switch l.first().s {
	case "foreach":
		for len(rest) > 0 && (rest[0].s == "foreach" || strings.HasPrefix(rest[0].s, "-")) {
			rest = rest[1:]
		}
		if len(rest) == 1 {
			dir := r.dir
			r.dir = "" // each submodule is a folder of its own
			r.code(rest[0].s, nil)
			r.dir = dir
		} else if len(rest) > 1 {
			r.run(rest)
		}
	case "deinit":
		if l.has("-f", "--force") {
			r.emit(Act{Kind: Discard, Why: "removes a submodule with its changes"})
		}
	}
}
