//go:build linux

package trial

import (
	"crypto/sha1"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// verdict is what is wrong with a cell, in words, by what was promised.
type verdict struct {
	lost      []string // nothing of the person's is lost, committed or pushed
	falseDone []string // no false done
	bound     []string // ended within its bound
	exit      []string // the exit code is true
	running   []string // nothing is left running
	unsaid    []string // what happened was said
}

// short is the verdict for a table.
func (v verdict) short() string {
	var bad []string
	for _, c := range []struct {
		name string
		list []string
	}{{"lost", v.lost}, {"false done", v.falseDone}, {"bound", v.bound}, {"exit", v.exit}, {"running", v.running}, {"unsaid", v.unsaid}} {
		if len(c.list) > 0 {
			bad = append(bad, c.name)
		}
	}
	if bad == nil {
		return "ok"
	}
	return strings.Join(bad, ", ")
}

func (v verdict) all() []string {
	return slices.Concat(v.lost, v.falseDone, v.bound, v.exit, v.running, v.unsaid)
}

// mostRuns is above all that the bounds in iterations allow.
const mostRuns = 30

// cell is one misdeed in one way, when it is over.
type cell struct {
	*project
	way
	deed    deed
	allowed allowance
	before  possessions
	exit    int
	said    string // by the command, and by what tells about it afterwards
	late    bool
}

// result holds a cell against what was promised.
func (c *cell) result() (v verdict) {
	now := c.record()
	c.property(&v, now)
	done, where := c.isDone()
	claimed := regexp.MustCompile(c.claims).MatchString(c.said)
	if (c.exit == 0 || claimed) && !done {
		v.falseDone = append(v.falseDone, fmt.Sprintf("false done: exit %d, and %s", c.exit, where))
	}
	if c.exit == 0 && now.proofs != c.before.proofs && !c.lands {
		v.falseDone = append(v.falseDone, "false done: the person's tests are not what they were")
	}
	c.branches(&v)
	if c.late {
		v.bound = append(v.bound, fmt.Sprintf("bound: it had not ended after %v", c.patience()))
	}
	if n := strings.Count(c.read("../runs"), "\n"); n > mostRuns {
		v.bound = append(v.bound, fmt.Sprintf("bound: the agent was run %d times to do the work", n))
	}
	switch {
	case c.late:
	case c.exit == 0 && !done:
		v.exit = append(v.exit, "exit: 0, though it is not done")
	case c.exit == 0 && !claimed:
		v.exit = append(v.exit, "exit: 0, though nothing is said like "+c.claims)
	case c.exit == 0 && c.allowed.fails != "":
		v.exit = append(v.exit, "exit: 0, though "+c.allowed.fails)
	case !slices.Contains([]int{0, 1, 3, 12, 13}, c.exit):
		v.exit = append(v.exit, fmt.Sprintf("exit: %d", c.exit))
	case c.deed.exit != nil && !slices.Contains(c.deed.exit, c.exit):
		v.exit = append(v.exit, fmt.Sprintf("exit: %d, want %d", c.exit, c.deed.exit))
	}
	if !c.late { // what was ended here cannot have been left
		v.running = c.running()
	}
	if strings.TrimSpace(c.said) == "" {
		v.unsaid = append(v.unsaid, "unsaid: nothing at all was said")
	}
	if c.deed.words != "" && c.happened() && !regexp.MustCompile(`(?i)`+c.deed.words).MatchString(c.said) {
		v.unsaid = append(v.unsaid, "unsaid: nothing is said like "+c.deed.words)
	}
	return v
}

// happened tells whether the misdeed was done: a way without a role has none of
// the misdeeds of that role. The switches of the demo agent leave no trace.
func (c *cell) happened() bool {
	_, err := os.Stat(filepath.Join(c.root, "..", "did"))
	return err == nil || c.deed.demo != ""
}

// property compares what the person has with what they had, and looks for what is
// private among what is committed, and pushed.
func (c *cell) property(v *verdict, now possessions) {
	for _, name := range c.before.missing(now) {
		if slices.Contains(c.allowed.lost, name) || c.deed.edits[name] != "" && c.deed.edits[name] == c.read(name) {
			continue
		}
		if c.allowed.kept && c.isKept(name) {
			continue
		}
		v.lost = append(v.lost, fmt.Sprintf("lost: %s was %q and is %q", name, c.before.things[name], now.things[name]))
	}
	for _, in := range []struct{ where, list string }{
		{"committed", `git rev-list --objects --branches --remotes --tags HEAD`},
		{"pushed", `git -C ../origin.git rev-list --objects --all`},
	} {
		objects := strings.Fields(c.tell(in.list))
		for blob, name := range c.before.blobs {
			if slices.Contains(objects, blob) {
				v.lost = append(v.lost, in.where+": "+name)
			}
		}
		for name, text := range c.deed.edits {
			if slices.Contains(c.allowed.taken, name) {
				continue
			}
			if slices.Contains(objects, blobOf(text)) {
				v.lost = append(v.lost, in.where+": "+name+", which the person wrote meanwhile")
			}
		}
	}
	if head := c.tell("git symbolic-ref HEAD"); head != "refs/heads/main" && !c.allowed.repositoryGone() && (c.exit == 0 || !ownBranch.MatchString(head)) {
		v.lost = append(v.lost, "lost: main is not checked out, but "+head)
	}
	for name, text := range c.deed.edits {
		have := c.read(name)
		if have != text && slices.Contains(c.allowed.taken, name) { // taken for the session's: it is on its branch
			have = c.tell("git for-each-ref --format='%(refname)' refs/heads/session | while read -r ref; do git show \"$ref:"+name+"\"; done") + "\n"
		}
		if have != text {
			v.lost = append(v.lost, fmt.Sprintf("lost: the person wrote %q into %s, which is %q", text, name, have))
		}
	}
	for _, name := range c.deed.absent {
		if _, err := os.Stat(filepath.Join(c.root, name)); err == nil {
			v.lost = append(v.lost, "smuggled: "+name+" is in the work tree")
		}
	}
}

// ownBranch is one that warp makes, on which work that waits may stay.
var ownBranch = regexp.MustCompile(`^refs/heads/(feature|workflow|session|loop|warp)/`)

// blobOf is what git calls a text.
func blobOf(text string) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text)))
}

// isKept tells whether what a file was is kept, where git or warp keeps things.
func (c *cell) isKept(name string) bool {
	for blob, of := range c.before.blobs {
		if of == name {
			return c.try(`git rev-list --objects --all | grep -q ` + blob + ` || find .git/warp -type f -exec git hash-object {} + | grep -q ` + blob)
		}
	}
	return false
}

// isDone tells whether the work is where it is to be: on main, here and at the
// remote; or in the work tree, and what was to be committed on a branch.
func (c *cell) isDone() (bool, string) {
	switch {
	case c.lands && !c.holds(".git", "main", c.done):
		return false, "main does not have the work"
	case c.lands && !c.holds("../origin.git", "main", c.done):
		return false, "the remote's main does not have the work"
	case c.lands:
		return true, ""
	}
	there, committed := c.try(c.done+" && sh test.sh"), c.commits == ""
	for ref := range strings.FieldsSeq(c.tell("git for-each-ref --format='%(refname)' refs/heads")) {
		there = there || c.holds(".git", ref, c.done)
		committed = committed || c.holds(".git", ref, c.commits)
	}
	switch {
	case !there:
		return false, "neither the work tree nor a branch has the work"
	case !committed:
		return false, "no branch has what was to be committed"
	}
	return true, ""
}

// holds tests the tree of a ref, with the person's own tests.
func (c *cell) holds(dir, ref, test string) bool {
	return c.try(fmt.Sprintf(`at=$(mktemp -d "$HOME/tree-XXXX") && git --git-dir=%s archive %s | tar -x -C "$at" && cd "$at" && %s && sh test.sh`, dir, ref, test))
}

// allowedPaths are what the work may change: xum.test.js is what the demo agent
// makes of a claim that sum.test.js is in.
var allowedPaths = regexp.MustCompile(`^(demo[_.].*|xum\.test\.js)$`)

// branches looks at what was added to main, here and at the remote, and at what
// else the remote has: only warp's commits, with nothing but the work.
func (c *cell) branches(v *verdict) {
	if !c.allowed.repositoryGone() {
		c.added(v, ".git", "refs/heads/main")
	}
	if !c.allowed.pushed {
		c.added(v, "../origin.git", "refs/heads")
	}
}

func (c *cell) added(v *verdict, dir, refs string) {
	for ref := range strings.FieldsSeq(c.tell("git --git-dir=" + dir + " for-each-ref --format='%(refname)' " + refs)) {
		var bad []string
		for line := range strings.Lines(c.tell("git --no-replace-objects --git-dir=" + dir + " log --format='commit %s' --name-only " + c.base + ".." + ref)) {
			line = strings.TrimSpace(line)
			subject, is := strings.CutPrefix(line, "commit ")
			own := is && !strings.HasPrefix(subject, "misdeed") && !strings.HasPrefix(subject, "demo: ")
			if line != "" && !own && !allowedPaths.MatchString(line) && !slices.Contains(c.allowed.paths, line) && !slices.Contains(bad, line) {
				bad = append(bad, line)
			}
		}
		if bad != nil {
			v.falseDone = append(v.falseDone, fmt.Sprintf("forbidden: %s of %s has %q", ref, dir, bad))
		}
	}
}

// running are the processes that are left of all that the cell has started.
func (p *project) running() (left []string) {
	for pid, line := range p.processes() {
		left = append(left, fmt.Sprintf("left running: %d %q", pid, line))
	}
	return left
}
