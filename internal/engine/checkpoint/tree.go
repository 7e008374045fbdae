package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/workflow"
	"warp/internal/sys/git"
)

// own is the project's folder that is no part of a checkpoint's tree.
const own = ".claude"

// present is what the repository is like now.
type present struct {
	head     string // the commit that is checked out
	headTree string
	headAt   string // when it was committed, in seconds
	tree     string // of the work tree, with HEAD's own .claude
}

// present looks at the work tree. Its own .claude is taken from HEAD: so «git
// reset --hard» to a checkpoint's commit does not remove what is tracked there.
func (k Keeper) present(ctx context.Context) (p present, err error) {
	repo := k.Work.Repo()
	if p.head, err = repo.Head(); err != nil {
		return p, err
	}
	if p.head == "" {
		return p, fmt.Errorf("the repository %s has no commit yet, so there is nothing that a checkpoint could stand on: make a first one", k.Work.Top())
	}
	c, err := k.commit(ctx, p.head)
	if err != nil {
		return p, err
	}
	p.headTree, p.headAt = c.tree, c.at
	root, err := repo.Root()
	if err != nil {
		return p, err
	}
	stage, err := root.Stage(ctx, own)
	if err != nil {
		return p, err
	}
	defer stage.Remove()
	if len(stage.Unreadable) > 0 {
		return p, &git.Unreadable{Paths: stage.Unreadable}
	}
	a, err := k.run(ctx, git.Call{Args: []string{"rev-parse", "--verify", "-q", p.head + ":" + root.Prefix + own}})
	if err != nil {
		return p, err
	}
	if tracked := strings.TrimSpace(string(a.Stdout)); a.Exit == 0 {
		if what, err := k.line(ctx, nil, "cat-file", "-t", tracked); err != nil || what != "tree" {
			return p, errors.Join(err, fmt.Errorf("%s is not a folder in the commit %s", root.Prefix+own, text.Hash(p.head)))
		}
		if _, err := k.line(ctx, stage.Env, "read-tree", "--prefix="+root.Prefix+own+"/", tracked); err != nil {
			return p, err
		}
	}
	p.tree, err = k.line(ctx, stage.Env, "write-tree", "--missing-ok")
	return p, err
}

// mark is the line that tells a commit which was made for a checkpoint, and for
// which, from one of the user's.
const mark = "Warp-Checkpoint: "

// record is HEAD when the work tree is as HEAD has it, else a commit on top of
// it. The same work tree makes the same commit.
func (k Keeper) record(ctx context.Context, p present, subject, name string) (string, error) {
	if p.tree == p.headTree {
		return p.head, nil
	}
	var env []string
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env, "GIT_"+who+"_NAME=warp", "GIT_"+who+"_EMAIL=warp@localhost", "GIT_"+who+"_DATE=@"+p.headAt+" +0000")
	}
	return k.line(ctx, env, "commit-tree", "-p", p.head, "-m", subject, "-m", mark+name, p.tree)
}

// A commit is what is to be known of one.
type commit struct {
	sha, tree string
	parents   []string
	at        string // when it was committed, in seconds
	message   []string
}

// commit reads a commit by the hash that a row has.
func (k Keeper) commit(ctx context.Context, sha string) (c commit, err error) {
	if !hashed(sha) {
		return c, fmt.Errorf("%q is not the hash of a commit", sha)
	}
	if c.sha, err = k.line(ctx, nil, "rev-parse", "--verify", "-q", sha+"^{commit}"); err != nil {
		return c, err
	}
	text, err := k.line(ctx, nil, "cat-file", "commit", c.sha)
	head, message, _ := strings.Cut(text, "\n\n")
	c.message = strings.Split(message, "\n")
	for line := range strings.SplitSeq(head, "\n") {
		f := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "tree "):
			c.tree = f[1]
		case strings.HasPrefix(line, "parent "):
			c.parents = append(c.parents, f[1])
		case strings.HasPrefix(line, "committer ") && len(f) > 2:
			c.at = f[len(f)-2]
		}
	}
	return c, err
}

// under is the commit that was checked out when a checkpoint was made: its own,
// or the one below where that was made for the checkpoint.
func (c commit) under(name string) string {
	if len(c.parents) == 1 && slices.Contains(c.message, mark+name) {
		return c.parents[0]
	}
	return c.sha
}

// hashed tells a hash, which others may have written short.
func hashed(sha string) bool {
	return len(sha) >= 7 && strings.Trim(sha, "0123456789abcdef") == ""
}

// commits tells which commits of rows there are.
func (k Keeper) commits(ctx context.Context, rows []workflow.Checkpoint) (map[string]bool, error) {
	var asked []string
	for _, c := range rows {
		if hashed(c.GitSHA) {
			asked = append(asked, c.GitSHA)
		}
	}
	there := map[string]bool{}
	if len(asked) == 0 {
		return there, nil
	}
	a, err := k.must(ctx, git.Call{Args: []string{"cat-file", "--batch-check=%(objecttype)"}, Stdin: []byte(strings.Join(asked, "\n") + "\n")})
	for i, line := range strings.Split(string(a.Stdout), "\n") {
		if i < len(asked) {
			there[asked[i]] = line == "commit"
		}
	}
	return there, err
}

// A step is how one path differs between two trees.
type step struct {
	from, to string // modes; none: there is nothing
	hash     string // of what there is in the end
	path     string
}

const (
	none    = "000000"
	gitlink = "160000"
)

// steps lists what leads from one tree to another, the project's own .claude
// left out.
func (k Keeper) steps(ctx context.Context, from, to string) (list []step, err error) {
	root, err := k.Work.Repo().Root()
	if err != nil {
		return nil, err
	}
	a, err := k.must(ctx, git.Call{Args: []string{"diff-tree", "-r", "-z", "--no-renames", "--end-of-options", from, to}})
	if err != nil {
		return nil, err
	}
	f := git.Split(a.Stdout)
	for ; len(f) >= 2; f = f[2:] {
		m := strings.Fields(strings.TrimPrefix(f[0], ":"))
		if len(m) != 5 {
			break
		}
		if mine := path.Join(root.Prefix, own); f[1] != mine && !strings.HasPrefix(f[1], mine+"/") {
			list = append(list, step{m[0], m[1], m[3], f[1]})
		}
	}
	if len(f) > 0 {
		return nil, fmt.Errorf("comparing %s with %s: git's answer cannot be read", text.Hash(from), text.Hash(to))
	}
	return list, nil
}

func (k Keeper) run(ctx context.Context, c git.Call) (git.Answer, error) {
	return git.Repo{Dir: k.Work.Top()}.Run(ctx, c)
}

func (k Keeper) must(ctx context.Context, c git.Call) (git.Answer, error) {
	a, err := k.run(ctx, c)
	if err == nil && a.Exit != 0 {
		err = &git.Failure{Args: c.Args, Dir: k.Work.Top(), Exit: a.Exit, Stderr: a.Stderr}
	}
	return a, err
}

// line runs a git command, and returns what it prints.
func (k Keeper) line(ctx context.Context, env []string, args ...string) (string, error) {
	a, err := k.must(ctx, git.Call{Args: args, Env: env})
	return strings.TrimSpace(string(a.Stdout)), err
}

// Tree is the tree of a checkpoint, or with 0 that of the work tree as it is, for
// comparing them.
func (k Keeper) Tree(ctx context.Context, n int) (string, error) {
	if n == 0 {
		p, err := k.present(ctx)
		return p.tree, err
	}
	t, err := k.find(ctx, n)
	return t.tree, err
}
