package command

import "strings"

// gitMoves looks at what moves, deletes or writes refs.
func (r *reader) gitMoves(sub string, rest []arg) bool {
	l := parseLine(rest, "", "")
	moves := false
	switch sub {
	case "update-ref", "filter-branch", "filter-repo", "replay", "history":
		moves = len(rest) > 0 || sub != "history"
	case "symbolic-ref":
		l = parseLine(rest, "m", "")
		moves = l.has("-d", "--delete") || len(l.rest) > 1
	case "branch":
		l = parseLine(rest, "u", "set-upstream-to sort format points-at contains no-contains merged no-merged")
		moves = l.has("-f", "--force", "-d", "-D", "--delete", "-m", "-M", "--move", "-C")
		if l.dyn && !moves && optionUntold(&l) {
			r.unknown("an option of git branch is made at run time")
			return true
		}
	case "tag":
		l = parseLine(rest, "mFuns", "message file local-user sort format points-at contains cleanup")
		moves = l.has("-d", "--delete", "-f", "--force")
	case "replace":
		moves = len(l.rest) > 0 && !l.has("-l", "--list")
	case "refs":
		moves = l.first().s == "migrate" || untold(l.first().s)
	case "reflog":
		switch mode := l.first().s; {
		case mode == "delete" || mode == "expire" || mode == "drop":
			moves = !l.exact("-n", "--dry-run")
		case untold(mode):
			r.unknown("the mode of git reflog is made at run time")
		}
	case "fetch":
		r.fetch(rest)
		return true
	default:
		return false
	}
	if moves {
		r.emit(Act{Kind: Ref})
	}
	return true
}

// optionUntold tells an option that is not told, rather than an argument.
func optionUntold(l *line) bool {
	for _, o := range l.opts {
		if untold(o.name) {
			return true
		}
	}
	return false
}

// fetch writes a branch of ours when a refspec names one.
func (r *reader) fetch(rest []arg) {
	l := parseLine(rest, "ojS", "upload-pack depth deepen shallow-since shallow-exclude refmap server-option negotiation-tip jobs filter")
	if cmd, ok := l.get("--upload-pack"); ok {
		r.code(cmd.s, nil)
	}
	if l.exact("--dry-run") || len(l.rest) < 2 {
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
	l := parseLine(rest, "o", "push-option repo receive-pack exec")
	if cmd, ok := l.get("--receive-pack", "--exec"); ok {
		r.code(cmd.s, nil)
	}
	a := Act{Kind: Push}
	a.Force = l.has("-f", "--force", "--force-with-lease", "--mirror") || optionUntold(&l)
	a.Delete = l.has("-d", "--delete", "--prune", "--mirror")
	a.All = l.has("--all", "--mirror", "--branches")
	a.DryRun = l.exact("-n", "--dry-run")
	for dir := r.dir; dir != "" && a.URLs == nil; dir = strings.TrimSuffix(dir[:strings.LastIndexByte(dir, '/')+1], "/") {
		a.URLs = r.remotes[dir]
	}
	if repo, ok := l.get("--repo"); ok {
		a.Remote = texts([]arg{repo})[0]
	}
	if len(l.rest) > 0 {
		a.Remote = texts(l.rest[:1])[0]
		for _, spec := range l.rest[1:] {
			if spec.s == "tag" {
				continue
			}
			a.refspec(spec)
		}
	}
	if l.has("--no-verify") {
		r.emit(Act{Kind: Tamper, Why: "goes past the hooks"})
	}
	r.emit(a)
}

func (a *Act) refspec(spec arg) {
	s, plus := strings.CutPrefix(spec.s, "+")
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
	if to = strings.TrimPrefix(to, "heads/"); untold(to) {
		to = Dynamic
	}
	a.Refs = append(a.Refs, to)
}
