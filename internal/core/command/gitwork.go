package command

import (
	"slices"
	"strings"
)

// touchGuarded notes guarded files that git writes because the command names them.
func (r *reader) touchGuarded(c *call) {
	r.touch(slices.DeleteFunc(slices.Clone(c.args), func(a string) bool { return !isGuarded(a) })...)
}

func (r *reader) removeTracked(c *call) {
	if c.has("-f", "--force") && namesEverything(c.rest) {
		r.emit(Act{Kind: Discard, Why: "removes every file"})
		return
	}
	r.touch(c.rest...)
}

// reset tells a reset that moves the branch from one of the index.
func (r *reader) reset(c *call) {
	mode := c.has("--soft", "--mixed", "--keep", "--hard", "--merge")
	switch target := c.first(); {
	case len(c.rest) != 1 || c.dash == 0 || target == "" || target == "HEAD" || target == "@":
	case mode:
		r.emit(Act{Kind: Ref})
	case hasMark(target):
		r.noteUnknown("how git reset is called is made at run time")
	case !looksLikePath(target):
		r.emit(Act{Kind: Ref})
	}
}

// looksLikePath tells a file from a revision where git would look at the disk.
func looksLikePath(a string) bool {
	return hasPattern(a) || strings.HasPrefix(a, ":") || strings.HasSuffix(a, "/") || strings.Contains(a, ".") && !strings.ContainsAny(a, "~^@")
}

func (r *reader) checkout(c *call) {
	paths := c.rest
	switch {
	case c.has("-b", "-B", "--orphan"):
		paths = nil
	case c.dash >= 0:
		paths = c.rest[c.dash:]
	case len(c.rest) == 1 && r.env.Branch != nil && r.env.Branch(r.dir, c.first()):
		paths = nil
	}
	if namesEverything(c.rest) {
		paths = c.rest
	}
	r.overwrite(c, paths)
}

func (r *reader) restore(c *call) {
	if !c.has("-S", "--staged") || c.has("-W", "--worktree") {
		r.overwrite(c, c.rest)
	}
}

// overwrite notes paths that name more than a file each: folders and patterns.
func (r *reader) overwrite(c *call, paths []string) {
	many := slices.ContainsFunc(paths, func(a string) bool {
		name := strings.TrimPrefix(a, ":/")
		if strings.HasPrefix(name, ":") {
			return false
		}
		p := r.abs(name)
		return hasPattern(name) || strings.HasSuffix(name, "/") || p != "" && r.env.Folder != nil && r.env.Folder(p)
	})
	if many || namesEverything(paths) || c.has("--pathspec-from-file") {
		r.emit(Act{Kind: Discard, Why: "overwrites changes"})
	}
}

// namesEverything tells paths that name no file but all of them.
func namesEverything(paths []string) bool {
	return slices.ContainsFunc(paths, func(a string) bool {
		s := a
		if magic, ok := strings.CutPrefix(s, ":("); ok {
			_, s, _ = strings.Cut(magic, ")")
		}
		s = strings.TrimPrefix(strings.TrimPrefix(s, ":/"), ":")
		return a != "" && strings.Trim(s, "./*") == ""
	})
}

// runsOthers looks at commands of git that run what they are given.
func (r *reader) runsOthers(c *call) {
	if r.passesGit(c.args) || passesText(c.args) {
		r.noteUnknown("git is given a git command to run")
	}
}

// fetch writes a branch of ours when a refspec names one.
func (r *reader) fetch(c *call) {
	if slices.ContainsFunc(c.rest[min(1, len(c.rest)):], func(a string) bool {
		_, to, _ := strings.Cut(a, ":")
		return to != "" && !strings.HasPrefix(to, "refs/remotes/") && !strings.HasPrefix(to, "refs/tags/")
	}) {
		r.emit(Act{Kind: Ref})
	}
}

// push tells what a push sends and where it lands.
func (r *reader) push(c *call) {
	a := Act{Kind: Push, URLs: slices.Clone(r.remotes)}
	a.Force = c.has("-f", "--force", "--force-with-lease", "--mirror") || c.unknownOption()
	a.Delete = c.has("-d", "--delete", "--prune", "--mirror")
	a.All = c.has("--all", "--mirror", "--branches")
	a.DryRun = c.hasExactly("-n", "--dry-run")
	rest := c.rest
	if c.name == "subtree" {
		rest = rest[1:] // behind its verb
	}
	if repo, ok := c.get("--repo"); ok && len(rest) == 0 {
		rest = []string{repo}
	}
	for i, word := range rest {
		if i > 0 {
			a.addRefspec(word)
		} else if a.Remote = word; hasMark(word) {
			a.Remote = dynamic
		}
	}
	if c.has("--no-verify") {
		r.emit(Act{Kind: Tamper, Why: "goes past the hooks"})
	}
	r.emit(a)
}

func (a *Act) addRefspec(spec string) {
	s, plus := strings.CutPrefix(spec, "+")
	a.Force = a.Force || plus
	from, to, pair := strings.Cut(s, ":")
	switch {
	case s == "tag": // of a tag, whose name follows
		return
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
