package command

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

// noSuchCommand begins the reason where a word is no command of git at all.
const noSuchCommand = "git has no command"

var (
	// steers are variables that make git read other settings, programs or hooks.
	steers = text.WordSet{List: `GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_EXEC_PATH
 GIT_TEMPLATE_DIR`}
	// moves are variables that only matter to what changes a repository.
	moves = text.WordSet{List: `GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_INDEX_FILE
 GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_NAMESPACE GIT_REPLACE_REF_BASE HOME XDG_CONFIG_HOME LD_PRELOAD
 HUSKY HUSKY_SKIP_HOOKS LEFTHOOK OVERCOMMIT_DISABLE`}
	// runsValue are variables whose value is run by git or by the shell.
	runsValue = text.WordSet{List: `GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_ASKPASS
 GIT_PROXY_COMMAND EDITOR VISUAL PAGER PROMPT_COMMAND SSH_ASKPASS`}
	// harmless are git's commands that neither make commits nor move branches nor
	// lose work, and have no rule.
	harmless = text.WordSet{List: `add annotate apply archimport archive backfill blame bugreport bundle cat-file check-attr check-ignore
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
 write-tree lfs gitk gitweb difftool--helper env--helper checkout--worker add--interactive bisect--helper`}
)

func steersGit(name string) bool {
	return steers.Has(name) || moves.Has(name) ||
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
	l := parseOptions(args, "+Cc config-env git-dir work-tree namespace super-prefix attr-source")
	var g gitCall
	for _, o := range l.opts {
		switch o.name {
		case "-C":
			if o.val.s != "" {
				r.chdir(o.val.s)
			}
		case "-c":
			r.setting(&g, o.val.s)
		case "--config-env":
			g.always = "a setting from the environment"
		case "--exec-path":
			if o.val.s != "" {
				g.always = "git's programs from another folder"
			}
		case "--git-dir", "--work-tree", "--namespace":
			g.global = true
			g.changes = "another repository or folder than the one at hand"
		case "--help", "-h", "--version", "-v", "--html-path", "--man-path", "--info-path", "--list-cmds":
			return
		default:
			if hasMark(o.name) {
				r.noteUnknown("an option of git is made at run time")
				return
			}
		}
	}
	if len(l.rest) > 0 {
		r.runGit(&g, l.rest[0], l.rest[1:])
	}
}

// runGit looks at git's command, and puts before its acts what tampers with it.
func (r *reader) runGit(g *gitCall, sub arg, rest []arg) {
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
	if why != "" {
		r.acts = slices.Insert(r.acts, n, Act{Kind: Tamper, Words: r.words, Why: why, Dir: r.dir, Global: g.global})
	}
}

// subcommand looks at one command of git.
func (r *reader) subcommand(sub arg, rest []arg) {
	r.spend()
	r.enter()
	defer r.leave()
	switch {
	case hasMark(sub.s) || sub.glob:
		r.noteUnknown("git's command is made at run time")
		return
	case len(rest) == 1 && (rest[0].s == "--help" || rest[0].s == "-h"):
		return
	}
	switch sub.s {
	case "checkout", "restore", "stash", "rm", "mv", "clean", "apply":
		for _, a := range rest {
			if isGuarded(a.s) {
				r.touch(a) // git writes it because the command names it
			}
		}
	}
	if !r.runSpecial(sub.s, rest) && !r.applyRules(sub.s, rest) && !harmless.Has(sub.s) {
		r.runGitAlias(sub.s, rest)
	}
}

// runGitAlias follows an alias; what is none either is not known.
func (r *reader) runGitAlias(name string, rest []arg) {
	text, ok := r.gitAliases[strings.ToLower(name)]
	if !ok && r.env.Alias != nil {
		text, ok = r.env.Alias("git", name)
	}
	if !ok {
		r.noteUnknown(noSuchCommand + " " + name)
		return
	}
	// Git runs !text at the top of the repository, which is the same repository.
	shell, isShell := strings.CutPrefix(strings.TrimSpace(text), "!")
	if !isShell {
		shell = "git " + text
	}
	r.apart(func() { r.runAlias("git "+name, shell, rest) })
}

// runSpecial looks at the commands of git for which the rules are not enough.
func (r *reader) runSpecial(sub string, rest []arg) bool {
	switch sub {
	case "reset":
		r.reset(rest)
	case "checkout":
		r.checkout(rest)
	case "restore":
		r.restore(rest)
	case "rm":
		r.removeTracked(rest)
	case "mv":
		r.touchAll(parseOptions(rest, "").rest)
	case "push", "send-pack", "http-push":
		r.push(rest)
	case "fetch":
		r.fetch(rest)
	case "config":
		r.config(rest)
	case "clone":
		r.clone(rest)
	case "difftool":
		r.runOption(parseOptions(rest, "xtC extcmd tool"), "-x", "--extcmd")
	case "for-each-repo":
		r.git(parseOptions(rest, "+ config").rest)
	case "shell":
		r.runOption(parseOptions(rest, "c"), "-c")
	case "bisect":
		if len(rest) > 1 && rest[0].s == "run" {
			r.runCommand(rest[1:])
		}
	default:
		return false
	}
	return true
}
