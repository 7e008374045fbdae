package command

import (
	"path"
	"slices"
	"strings"
)

// touchGuarded notes guarded files that git writes because the command names them.
func touchGuarded(c *call) {
	for _, a := range c.args {
		if isGuarded(a) {
			c.touch(a)
		}
	}
}

func removeTracked(c *call) {
	if c.has("-f", "--force") && namesEverything(c.rest) {
		c.emit(Act{Kind: Discard, Why: "removes every file"})
		return
	}
	c.touch(c.rest...)
}

// compareWork records that git printed how the work tree differs, which a diff of two commits does
// not.
func compareWork(c *call) {
	words := c.rest
	if c.dash >= 0 {
		words = words[:c.dash] // the rest are paths
	}
	isRange := len(words) > 0 && strings.Contains(words[0], "..") && words[0][0] != '.' && !containsAny(words[0], "/..", "../")
	twoCommits := c.name == "diff" && !c.has("--no-index") && (isRange || len(words) > 1 && c.isRevision(words[0]) && c.isRevision(words[1]))
	c.sawDiff = c.sawDiff || !twoCommits
}

// isRevision reports whether a word cannot be a file: a hash, HEAD or a branch, perhaps with ~ or
// ^.
func (c *call) isRevision(a string) bool {
	if i := strings.IndexAny(a, "~^"); i > 0 && !strings.Contains(a, ":") {
		a = a[:i]
	}
	return a == "HEAD" || a == "@" || len(a) > 6 && strings.Trim(a, "0123456789abcdef") == "" || c.env.Branch != nil && c.env.Branch(c.dir, a)
}

// takeBack notes a reversed patch that undoes changes of the work tree, if the same text has git
// print them.
func takeBack(c *call) {
	if c.sawDiff {
		c.emit(Act{Kind: Discard, Why: "takes changes back"})
	}
}

func applyPatch(c *call) {
	if c.has("-R", "--reverse") && !c.hasExactly("--dry-run") {
		takeBack(c)
	}
	runOther(c)
}

// reset separates a reset of the index from one that moves the branch, and both from one that
// overwrites files.
func reset(c *call) {
	mode := c.has("--soft", "--mixed", "--keep", "--hard", "--merge")
	target := c.first()
	isHead := target == "HEAD" || target == "@" || target == ""
	moves := len(c.rest) == 1 && c.dash != 0 && !isHead && (mode || !looksLikePath(target))
	if c.has("--hard", "--merge") {
		c.emit(Act{Kind: Discard, Why: "throws changes away"})
	}
	switch {
	case c.unknownOption() || moves && hasMark(target) && !mode:
		c.noteUnknown("how git reset is called is made at run time")
	case moves:
		c.emit(Act{Kind: Ref})
	}
}

// looksLikePath guesses whether a word is a file or a revision, where git would look at the disk: a
// file has an extension of letters, or a dot or slash that no branch has there.
func looksLikePath(a string) bool {
	ext := path.Ext(a)
	named := len(ext) > 1 && len(ext) <= 6 && strings.Trim(strings.ToLower(ext[1:]), "abcdefghijklmnopqrstuvwxyz") == ""
	return strings.HasPrefix(a, ".") || strings.HasPrefix(a, ":") || strings.HasSuffix(a, "/") ||
		(named || hasPattern(a)) && !strings.ContainsAny(a, "~^@")
}

func checkout(c *call) {
	paths := c.rest
	switch {
	case c.unknownOption():
		c.noteUnknown("an option of git checkout is made at run time")
		return
	case c.dash >= 0:
		paths = c.rest[c.dash:]
	case len(c.rest) == 1 && c.env.Branch != nil && c.env.Branch(c.dir, c.first()):
		paths = nil
	case maySplit(c.first()):
		paths = c.rest[1:] // the first may be a branch
	}
	if c.has("-f", "--force") || c.namesMany(paths) {
		c.emit(Act{Kind: Discard, Why: "overwrites changes"})
	}
	if c.has("-B") {
		c.emit(Act{Kind: Ref})
	}
}

func restore(c *call) {
	indexOnly := c.has("-S", "--staged") && !c.has("-W", "--worktree")
	if !indexOnly && c.namesMany(c.rest) {
		c.emit(Act{Kind: Discard, Why: "overwrites changes"})
	}
}

// namesMany reports whether paths name more than single files: folders, patterns or lists.
func (c *call) namesMany(paths []string) bool {
	return c.has("--pathspec-from-file") || namesEverything(paths) || slices.ContainsFunc(paths, func(a string) bool {
		name := strings.TrimPrefix(a, ":/")
		if strings.HasPrefix(name, ":") {
			return false
		}
		return hasPattern(name) || mayBeMany(name) || c.isFolder(name)
	})
}

func (c *call) isFolder(name string) bool {
	p := c.abs(name)
	return strings.HasSuffix(name, "/") || p != "" && c.env.Folder != nil && c.env.Folder(p)
}

// namesEverything reports whether one of the paths means all files.
func namesEverything(paths []string) bool {
	return slices.ContainsFunc(paths, func(a string) bool {
		s := a
		if magic, ok := strings.CutPrefix(s, ":("); ok {
			_, s, _ = strings.Cut(magic, ")")
		}
		s = strings.TrimPrefix(strings.TrimPrefix(s, ":/"), ":")
		return a != "" && !strings.HasPrefix(a, ":!") && !strings.HasPrefix(a, ":^") && strings.Trim(s, "./*") == ""
	})
}

// runOptions runs the texts that git's options hand to a shell.
func runOptions(c *call) {
	for _, text := range c.values("-x", "-c", "--exec", "--extcmd", "--upload-pack", "--receive-pack") {
		c.runInSubshell(text, nil)
	}
}

// runBehindVerb runs the command after git bisect run and git submodule foreach.
func runBehindVerb(c *call) {
	command := parseOptions(c.rest[1:], "+").rest
	c.inSubshell(func() {
		if len(command) != 1 {
			c.runCommand(command)
			return
		}
		if c.name != "bisect" {
			c.dir = "" // each submodule is a different folder
		}
		c.runInSubshell(command[0], nil)
	})
}

func runInEachRepository(c *call) { c.exec(append([]string{"git"}, c.rest...)) }

// fetch writes a local branch if a refspec names one.
func fetch(c *call) {
	runOptions(c)
	if !c.hasExactly("--dry-run") && slices.ContainsFunc(c.rest[min(1, len(c.rest)):], func(a string) bool {
		_, to, _ := strings.Cut(a, ":")
		return to != "" && !strings.HasPrefix(to, "refs/remotes/") && !strings.HasPrefix(to, "refs/tags/")
	}) {
		c.emit(Act{Kind: Ref})
	}
}

// push notes what a push sends and where to.
func push(c *call) {
	runOptions(c)
	a := Act{Kind: Push, URLs: slices.Clone(c.remotes)}
	a.Force = c.has("-f", "--force", "--force-with-lease", "--mirror") || c.unknownOption()
	a.Delete = c.has("-d", "--delete", "--prune", "--mirror")
	a.All = c.has("--all", "--mirror", "--branches")
	a.DryRun = c.hasExactly("-n", "--dry-run")
	a.Remote, _ = c.get("--repo")
	if len(c.rest) > 0 {
		a.Remote = c.first()
		for _, spec := range c.rest[1:] {
			a.addRefspec(spec)
		}
	}
	a.Remote, a.Refs = hideMarks([]string{a.Remote})[0], hideMarks(a.Refs)
	c.emit(a)
}

func (a *Act) addRefspec(spec string) {
	s, plus := strings.CutPrefix(spec, "+")
	a.Force = a.Force || plus
	from, to, pair := strings.Cut(s, ":")
	switch {
	case s == "tag": // the tag's name follows
		return
	case !pair:
		to = from
	case from == "":
		a.Delete = true
	}
	a.All = a.All || s == ":" || strings.Contains(to, "*")
	if to == "@" {
		to = "HEAD"
	}
	a.Refs = append(a.Refs, strings.TrimPrefix(strings.TrimPrefix(to, "refs/heads/"), "heads/"))
}
