package command

import (
	"path"
	"slices"
	"strings"
)

func (r *reader) removeTracked(rest []arg) {
	l := parseOptions(rest, " pathspec-from-file")
	switch {
	case l.hasExactly("--cached", "-n", "--dry-run"):
	case l.has("-f", "--force") && namesEverything(l.rest):
		r.emit(Act{Kind: Discard, Why: "removes every file"})
	default:
		r.touchAll(l.rest)
	}
}

// reset tells a reset of the index from one that moves the branch, and both from
// one that overwrites files.
func (r *reader) reset(rest []arg) {
	l := parseOptions(rest, "U pathspec-from-file unified inter-hunk-context")
	if l.has("-p", "--patch") {
		return
	}
	mode := l.has("--soft", "--mixed", "--keep", "--hard", "--merge")
	target := l.first()
	isHead := target == "HEAD" || target == "@" || target == ""
	moves := len(l.rest) == 1 && l.dash != 0 && !isHead && (mode || !looksLikePath(l.rest[0]))
	if l.has("--hard", "--merge") {
		r.emit(Act{Kind: Discard, Why: "throws changes away"})
	}
	switch {
	case l.unknownOption() || moves && hasMark(target) && !mode:
		r.noteUnknown("how git reset is called is made at run time")
	case moves:
		r.emit(Act{Kind: Ref})
	}
}

// looksLikePath tells a file from a revision where git would look at the disk: by an
// ending of letters, a dot or a slash where no branch has one.
func looksLikePath(a arg) bool {
	ext := path.Ext(a.s)
	named := len(ext) > 1 && len(ext) <= 6 && strings.Trim(strings.ToLower(ext[1:]), "abcdefghijklmnopqrstuvwxyz") == ""
	return a.glob || strings.HasPrefix(a.s, ".") || strings.HasPrefix(a.s, ":") || strings.HasSuffix(a.s, "/") ||
		named && !strings.ContainsAny(a.s, "~^@")
}

func (r *reader) checkout(rest []arg) {
	l := parseOptions(rest, "bBU orphan conflict pathspec-from-file unified inter-hunk-context")
	paths := l.rest
	switch {
	case l.has("-b", "-B", "--orphan"):
		paths = nil
	case l.dash >= 0:
		paths = l.rest[l.dash:]
	case len(l.rest) == 1 && r.env.Branch != nil && r.env.Branch(r.dir, l.first()):
		paths = nil
	}
	switch {
	case l.has("-p", "--patch"):
		return
	case l.unknownOption():
		r.noteUnknown("an option of git checkout is made at run time")
		return
	case l.has("-f", "--force", "--pathspec-from-file"), namesEverything(l.rest), r.namesFolder(paths):
		r.emit(Act{Kind: Discard, Why: "overwrites changes"})
	}
	if l.has("-B") {
		r.emit(Act{Kind: Ref})
	}
}

func (r *reader) restore(rest []arg) {
	l := parseOptions(rest, "sU source conflict pathspec-from-file unified inter-hunk-context")
	if l.has("-p", "--patch") || l.has("-S", "--staged") && !l.has("-W", "--worktree") {
		return
	}
	if namesEverything(l.rest) || l.has("--pathspec-from-file") || r.namesFolder(l.rest) {
		r.emit(Act{Kind: Discard, Why: "overwrites changes"})
	}
}

// namesFolder tells paths that name more than a file each: folders and patterns.
func (r *reader) namesFolder(paths []arg) bool {
	return slices.ContainsFunc(paths, func(a arg) bool {
		name := strings.TrimPrefix(a.s, ":/")
		if strings.HasPrefix(name, ":") {
			return false
		}
		p := r.abs(name)
		return a.glob || strings.ContainsAny(name, "*?") || strings.HasSuffix(name, "/") || p != "" && r.env.Folder != nil && r.env.Folder(p)
	})
}

// namesEverything tells paths that name no file but all of them.
func namesEverything(paths []arg) bool {
	for _, a := range paths {
		s := a.s
		if rest, ok := strings.CutPrefix(s, ":("); ok {
			_, s, _ = strings.Cut(rest, ")")
		}
		s = strings.TrimPrefix(strings.TrimPrefix(s, ":/"), ":")
		if a.s == "" || strings.HasPrefix(a.s, ":!") || strings.HasPrefix(a.s, ":^") {
			continue
		}
		if strings.Trim(s, "./*") == "" {
			return true
		}
	}
	return false
}

// runOption runs the command that an option of git gives to a shell.
func (r *reader) runOption(l options, names ...string) {
	if command, ok := l.get(names...); ok {
		r.runApart(command.s, nil)
	}
}

// fetch writes a branch of ours when a refspec names one.
func (r *reader) fetch(rest []arg) {
	l := parseOptions(rest, "ojS upload-pack depth deepen shallow-since shallow-exclude refmap server-option negotiation-tip jobs filter")
	r.runOption(l, "--upload-pack")
	if l.hasExactly("--dry-run") || len(l.rest) < 2 {
		return
	}
	for _, a := range l.rest[1:] {
		_, to, ok := strings.Cut(a.s, ":")
		if ok && to != "" && !strings.HasPrefix(to, "refs/remotes/") && !strings.HasPrefix(to, "refs/tags/") {
			r.emit(Act{Kind: Ref})
			return
		}
	}
}

// push tells what a push sends and where it lands.
func (r *reader) push(rest []arg) {
	l := parseOptions(rest, "o push-option repo receive-pack exec")
	r.runOption(l, "--receive-pack", "--exec")
	a := Act{Kind: Push}
	a.Force = l.has("-f", "--force", "--force-with-lease", "--mirror") || l.unknownOption()
	a.Delete = l.has("-d", "--delete", "--prune", "--mirror")
	a.All = l.has("--all", "--mirror", "--branches")
	a.DryRun = l.hasExactly("-n", "--dry-run")
	for dir := r.dir; dir != "" && a.URLs == nil; dir = strings.TrimSuffix(dir[:strings.LastIndexByte(dir, '/')+1], "/") {
		a.URLs = r.remotes[dir]
	}
	if repo, ok := l.get("--repo"); ok {
		a.Remote = texts([]arg{repo})[0]
	}
	if len(l.rest) > 0 {
		a.Remote = texts(l.rest)[0]
		for _, spec := range l.rest[1:] {
			if spec.s != "tag" {
				a.addRefspec(spec.s)
			}
		}
	}
	if l.has("--no-verify") {
		r.emit(Act{Kind: Tamper, Why: "goes past the hooks"})
	}
	r.emit(a)
}

func (a *Act) addRefspec(spec string) {
	s, plus := strings.CutPrefix(spec, "+")
	a.Force = a.Force || plus
	from, to, pair := strings.Cut(s, ":")
	switch {
	case s == ":":
		a.All = true
		return
	case !pair:
		to = from
	case from == "":
		a.Delete = true
	}
	a.All = a.All || strings.Contains(to, "*")
	if to = strings.TrimPrefix(to, "refs/heads/"); to == "@" {
		to = "HEAD"
	}
	if to = strings.TrimPrefix(to, "heads/"); hasMark(to) {
		to = dynamic
	}
	a.Refs = append(a.Refs, to)
}
