package command

import (
	"path"
	"slices"
	"strings"

	"warp/internal/core/lexicon"
)

// gitDiscards looks at what can lose work.
func (r *reader) gitDiscards(sub string, rest []arg) bool {
	why := ""
	l := parseLine(rest, "", "")
	switch sub {
	case "reset":
		r.reset(rest)
	case "checkout":
		r.checkout(rest)
	case "switch":
		r.switchTo(rest)
	case "restore":
		r.restore(rest)
	case "clean":
		l = parseLine(rest, "e", "exclude")
		if !l.exact("-n", "--dry-run") && (l.has("-f", "--force", "-i", "--interactive") || l.dyn) {
			why = "removes files that git does not track"
		}
	case "stash":
		switch mode := l.first().s; {
		case mode == "drop" || mode == "clear":
			why = "drops what was stashed"
		case untold(mode):
			r.unknown("the mode of git stash is made at run time")
		}
	case "gc":
		if v, ok := l.get("--prune"); ok && v.s != "" && !l.has("--no-prune") {
			why = "prunes what nothing refers to"
		}
	case "prune":
		if !l.exact("-n", "--dry-run") {
			why = "prunes what nothing refers to"
		}
	case "worktree":
		why = r.worktree(rest)
	case "rm":
		why = r.gitRemove(rest)
	case "checkout-index":
		if l.has("-f", "--force") && l.has("-a", "--all") {
			why = "overwrites every file"
		}
	case "read-tree":
		if l.has("--reset") {
			why = "throws changes away"
		}
	default:
		return false
	}
	if why != "" {
		r.emit(Act{Kind: Discard, Why: why})
	}
	return true
}

func (r *reader) worktree(rest []arg) string {
	l := parseLine(rest, "bB", "reason")
	switch mode := l.first().s; {
	case mode == "remove" && l.has("-f", "--force"):
		return "removes a worktree with its changes"
	case mode == "add" && l.has("-B"):
		r.emit(Act{Kind: Ref})
	case untold(mode):
		r.unknown("the mode of git worktree is made at run time")
	}
	return ""
}

func (r *reader) gitRemove(rest []arg) string {
	l := parseLine(rest, "", "pathspec-from-file")
	if l.exact("--cached", "-n", "--dry-run") {
		return ""
	}
	if l.has("-f", "--force") && everything(l.rest) {
		return "removes every file"
	}
	r.touchAll(l.rest)
	return ""
}

// reset tells a reset of the index from one that moves the branch, and both from
// one that overwrites files.
func (r *reader) reset(rest []arg) {
	l := parseLine(rest, "U", "pathspec-from-file unified inter-hunk-context")
	if l.has("-p", "--patch") {
		return
	}
	mode := l.has("--soft", "--mixed", "--keep", "--hard", "--merge")
	target := l.first()
	moves := len(l.rest) == 1 && l.dash != 0 && !isHead(target.s) && (mode || !looksLikePath(target))
	if l.has("--hard", "--merge") {
		r.emit(Act{Kind: Discard, Why: "throws changes away"})
	}
	switch {
	case optionUntold(&l) || moves && untold(target.s) && !mode:
		r.unknown("how git reset is called is made at run time")
	case moves:
		r.emit(Act{Kind: Ref})
	}
}

func isHead(s string) bool { return s == "HEAD" || s == "@" || s == "" }

// looksLikePath tells a file from a revision where git would look at the disk.
func looksLikePath(a arg) bool {
	s := a.s
	if a.glob || s == "." || s == ".." || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, ":") {
		return true
	}
	if strings.ContainsAny(s, "~^@") || strings.HasSuffix(s, ".") {
		return false
	}
	ext := path.Ext(s)
	if strings.HasSuffix(s, "/") {
		return true
	}
	for i := 1; i < len(ext); i++ {
		if !lexicon.IsLetter(ext[i]) {
			return false
		}
	}
	return len(ext) > 1 && len(ext) <= 6
}

func (r *reader) checkout(rest []arg) {
	l := parseLine(rest, "bBU", "orphan conflict pathspec-from-file unified inter-hunk-context")
	switch {
	case l.has("-p", "--patch"):
		return
	case optionUntold(&l):
		r.unknown("an option of git checkout is made at run time")
		return
	case l.has("-f", "--force"), everything(l.rest), l.has("--pathspec-from-file"), r.manyFiles(r.checkedOut(&l)):
		r.emit(Act{Kind: Discard, Why: "overwrites changes"})
	}
	if l.has("-B") {
		r.emit(Act{Kind: Ref})
	}
}

func (r *reader) switchTo(rest []arg) {
	l := parseLine(rest, "cC", "create force-create orphan conflict")
	if l.has("-f", "--force", "--discard-changes") && !l.exact("--force-create") {
		r.emit(Act{Kind: Discard, Why: "throws changes away"})
	}
	if l.has("-C", "--force-create") && !l.exact("--force") {
		r.emit(Act{Kind: Ref})
	}
	if optionUntold(&l) {
		r.unknown("an option of git switch is made at run time")
	}
}

func (r *reader) restore(rest []arg) {
	l := parseLine(rest, "sU", "source conflict pathspec-from-file unified inter-hunk-context")
	if l.has("-p", "--patch") || l.has("-S", "--staged") && !l.has("-W", "--worktree") {
		return
	}
	if everything(l.rest) || l.has("--pathspec-from-file") || r.manyFiles(l.rest) {
		r.emit(Act{Kind: Discard, Why: "overwrites changes"})
	}
}

// checkedOut are the arguments of git checkout that are paths: all behind "--", else all
// but a branch or revision before them.
func (r *reader) checkedOut(l *line) []arg {
	switch {
	case l.has("-b", "-B", "--orphan"):
		return nil
	case l.dash >= 0:
		return l.rest[l.dash:]
	case len(l.rest) == 1 && r.env.Branch != nil && r.env.Branch(r.dir, l.rest[0].s):
		return nil
	}
	return l.rest
}

// manyFiles tells paths that name more than a file each: folders and patterns.
func (r *reader) manyFiles(paths []arg) bool {
	return slices.ContainsFunc(paths, func(a arg) bool {
		name := strings.TrimPrefix(a.s, ":/")
		if strings.HasPrefix(name, ":") {
			return false
		}
		p := r.abs(name)
		return a.glob || strings.ContainsAny(name, "*?") || strings.HasSuffix(name, "/") || p != "" && r.env.Folder != nil && r.env.Folder(p)
	})
}

// everything tells paths that name no file but all of them.
func everything(paths []arg) bool {
	for _, a := range paths {
		s := a.s
		if rest, ok := strings.CutPrefix(s, ":("); ok {
			_, s, _ = strings.Cut(rest, ")")
		}
		s = strings.TrimPrefix(strings.TrimPrefix(s, ":/"), ":")
		if a.s == "" || strings.HasPrefix(a.s, ":!") || strings.HasPrefix(a.s, ":^") {
			continue
		}
		if s == "" || strings.Trim(s, "./*") == "" {
			return true
		}
	}
	return false
}
