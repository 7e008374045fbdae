package command

import (
	"path"
	"slices"
	"strings"
)

// touchGuarded notes guarded files that git writes because the command names them.
func touchGuarded(c *call) {
	c.touch(slices.DeleteFunc(slices.Clone(c.args), func(a string) bool { return !isGuarded(a) })...)
}

func removeTracked(c *call) {
	if c.has("-f", "--force") && namesEverything(c.rest) {
		c.emit(Act{Kind: Discard, Why: "removes every file"})
	}
	c.touch(c.rest...)
}

// takeBack notes a reversed patch that comes from another program or that the same command wrote: it
// may undo changes of the work tree.
func takeBack(c *call) {
	made := hasMark(c.stdin) || slices.ContainsFunc(c.rest, c.isFresh)
	if made && c.has("-R", "--reverse") && !c.hasExactly("--check", "--dry-run") {
		c.emit(Act{Kind: Discard, Why: "reverts changes"})
	}
}

// reset separates a reset of the index from one that moves the branch, and both from one that
// overwrites files.
func reset(c *call) {
	target := c.first()
	moves := len(c.rest) == 1 && c.dash != 0 && target != "" && !hasWord("HEAD @", target) && (c.has("--soft", "--mixed", "--keep", "--hard", "--merge") || !looksLikePath(target))
	if c.has("--hard", "--merge") {
		c.emit(Act{Kind: Discard, Why: "discards changes"})
	}
	if c.unknownOption() || moves && hasMark(target) {
		c.noteUnknown("the arguments of git reset are known only at run time")
	} else if moves {
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
		c.noteUnknown("an option of git checkout is known only at run time")
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
		return hasPattern(a) || strings.Contains(a, markList) && maySplit(a) || c.isFolder(a)
	})
}

func (c *call) isFolder(name string) bool {
	p := c.abs(name)
	return strings.HasSuffix(name, "/") || p != "" && c.env.Folder != nil && c.env.Folder(p)
}

// namesEverything reports whether one of the paths may mean all files: what a colon begins may, unless
// it leaves files out.
func namesEverything(paths []string) bool {
	return slices.ContainsFunc(paths, func(a string) bool {
		return a != "" && strings.Trim(a, "./*") == "" || strings.HasPrefix(a, ":") && !containsAny(a, ":!", ":^", "exclude")
	})
}

// runOptions runs the texts that git's options hand to a shell.
func runOptions(c *call) {
	for _, text := range c.values("-x", "-c", "--exec", "--extcmd", "--upload-pack", "--receive-pack") {
		c.runInSubshell(text, nil)
	}
}

// runBehindVerb runs the command after git bisect run and git submodule foreach, which is in another
// folder.
func runBehindVerb(c *call) {
	command := parseOptions(c.rest[1:], "+").rest
	c.inSubshell(func() {
		if c.dir = ""; len(command) == 1 {
			c.runInSubshell(command[0], nil)
		} else {
			c.runCommand(command)
		}
	})
}

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
