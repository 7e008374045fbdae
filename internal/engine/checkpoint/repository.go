package checkpoint

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

// own is the project's folder that is no part of a checkpoint's tree.
const own = ".claude"

// repository is the work tree and its commits.
type repository struct{ work gitwrite.Tree }

func (r repository) must(ctx context.Context, c git.Call) ([]byte, error) {
	return git.Repo{Dir: r.work.Top()}.Must(ctx, c)
}

// line runs a git command, and returns what it prints.
func (r repository) line(ctx context.Context, env []string, args ...string) (string, error) {
	out, err := r.must(ctx, git.Call{Args: args, Env: env})
	return strings.TrimSpace(string(out)), err
}

// file is where a path of git's is.
func (r repository) file(p string) string { return filepath.Join(r.work.Top(), filepath.FromSlash(p)) }

// present is what the repository is like now.
type present struct {
	head commit // what is checked out
	tree string // of the work tree, with HEAD's own .claude
}

// look looks at the work tree. Its own .claude is taken from HEAD: so «git reset
// --hard» to a checkpoint's commit does not remove what is tracked there.
func (r repository) look(ctx context.Context) (p present, err error) {
	repo := r.work.Repo()
	head, err := repo.Head()
	if err != nil {
		return p, err
	}
	if head == "" {
		return p, fmt.Errorf("the repository %s has no commit yet, and a checkpoint needs one: make a first commit", r.work.Top())
	}
	if p.head, err = r.commit(ctx, head); err != nil {
		return p, err
	}
	root, err := repo.Root()
	if err != nil {
		return p, err
	}
	if p.tree, err = root.Snapshot(own); err == nil {
		p.tree, err = repo.Trees().Graft(ctx, p.tree, head, []string{root.Prefix + own})
	}
	return p, err
}

// mark is the line that tells a commit which was made for a checkpoint, and for
// which, from one of the user's.
const mark = "Warp-Checkpoint: "

// record is HEAD when the work tree is as HEAD has it, else a commit on top of
// it. The same work tree makes the same commit.
func (r repository) record(ctx context.Context, p present, subject, name string) (string, error) {
	if p.tree == p.head.tree {
		return p.head.sha, nil
	}
	return r.work.Root().Put(ctx, "commit", git.CommitText(p.tree, []string{p.head.sha}, cmp.Or(p.head.at, "0"), subject+"\n\n"+mark+name))
}

// A commit is what is to be known of one.
type commit struct {
	sha, tree string
	at        string // when it was committed, in seconds
	parents   []string
	message   []string
}

// commit reads a commit by the hash that a row has.
func (r repository) commit(ctx context.Context, sha string) (c commit, err error) {
	if !isHash(sha) {
		return c, fmt.Errorf("%q is not the hash of a commit", sha)
	}
	out, err := r.work.Root().Describe(ctx, sha)
	if err != nil {
		return c, err
	}
	f := append(strings.Split(out, "\n"), "") // the first commit without a message ends with its date
	return commit{f[0], f[1], f[2], strings.Fields(f[3]), f[4:]}, nil
}

// under is the commit that was checked out when a checkpoint was made: its own,
// or the one below where that was made for the checkpoint.
func (c commit) under(name string) string {
	if len(c.parents) == 1 && slices.Contains(c.message, mark+name) {
		return c.parents[0]
	}
	return c.sha
}

// isHash tells a hash, which others may have written short.
func isHash(sha string) bool {
	return len(sha) >= 7 && strings.Trim(sha, "0123456789abcdef") == ""
}

// kinds tells for each row what its hash stands for, such as "commit".
func (r repository) kinds(ctx context.Context, rows []workflowstate.Checkpoint) ([]string, error) {
	var asked strings.Builder
	for _, c := range rows {
		if isHash(c.GitSHA) {
			asked.WriteString(c.GitSHA)
		}
		asked.WriteString("\n")
	}
	out, err := r.must(ctx, git.Call{Args: []string{"cat-file", "--batch-check=%(objecttype)"}, Stdin: []byte(asked.String())})
	return strings.Split(string(out), "\n"), err
}

// A change is how one path differs between two trees.
type change struct {
	from, to string // modes; none: there is nothing
	hash     string // of what there is in the end
	path     string
}

const (
	none    = "000000"
	gitlink = "160000"
)

// changes lists what leads from one tree to another, the project's own .claude
// left out.
func (r repository) changes(ctx context.Context, from, to string) (list []change, err error) {
	root, err := r.work.Repo().Root()
	if err != nil {
		return nil, err
	}
	out, err := r.must(ctx, git.Call{Args: []string{"diff-tree", "-r", "-z", "--no-renames", "--end-of-options", from, to}})
	if err != nil {
		return nil, err
	}
	mine := path.Join(root.Prefix, own)
	for pair := range slices.Chunk(git.Split(out), 2) {
		m := strings.Fields(strings.TrimPrefix(pair[0], ":"))
		if len(m) != 5 || len(pair) != 2 {
			return nil, fmt.Errorf("comparing %s with %s: git's answer cannot be read", text.Hash(from), text.Hash(to))
		}
		if p := pair[1]; p != mine && !strings.HasPrefix(p, mine+"/") {
			list = append(list, change{m[0], m[1], m[3], p})
		}
	}
	return list, nil
}

// put makes the work tree what a tree has: first what has to go, with the folders
// that are empty then, since a file may come where a folder was.
func (r repository) put(ctx context.Context, list []change, tree string) error {
	var gone, come []string
	for _, c := range list {
		if c.to == none {
			gone = append(gone, c.path)
		} else {
			come = append(come, c.path)
		}
	}
	empty, err := r.work.Repo().Trees().Empty()
	if err != nil {
		return err
	}
	if err := r.work.Restore(ctx, empty, gone, true); err != nil {
		return err
	}
	if err := r.removeEmpty(gone); err != nil {
		return err
	}
	return r.work.Restore(ctx, tree, come, false)
}

// removeEmpty removes the folders of paths that are gone, as far up as they are
// empty.
func (r repository) removeEmpty(gone []string) error {
	root, err := os.OpenRoot(r.work.Top())
	if err != nil {
		return err
	}
	defer root.Close()
	for _, p := range gone {
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			if info, err := root.Lstat(d); err != nil || !info.IsDir() || root.Remove(d) != nil {
				break // it is gone already, or holds something
			}
		}
	}
	return nil
}

// settle makes sure that the work tree is what it should be, once the index has
// followed the branch. What was ignored until now, and is not any more, is left
// where it is and reported.
func (r repository) settle(ctx context.Context, tree string) (revealed []string, err error) {
	now, err := r.look(ctx)
	if err != nil {
		return nil, err
	}
	list, err := r.changes(ctx, tree, now.tree)
	if err != nil {
		return nil, err
	}
	var forced, wrong []string
	for _, c := range list {
		_, err := os.Lstat(r.file(c.path))
		switch {
		case c.from == none:
			revealed = append(revealed, c.path)
		case c.to == none && err == nil:
			forced = append(forced, c.path) // ignored, and added all the same
		default:
			wrong = append(wrong, c.path)
		}
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("these files differ from the checkpoint, so another process may be working here: %s; run it again", text.Quote(wrong, 10))
	}
	if len(forced) == 0 {
		return revealed, nil
	}
	add := git.Call{Args: []string{"update-index", "--add", "-z", "--stdin"}, Stdin: []byte(strings.Join(forced, "\x00") + "\x00")}
	if _, err := r.must(ctx, add); err != nil {
		return nil, err
	}
	return r.settle(ctx, tree)
}
