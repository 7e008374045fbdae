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

// ownFolder is the project's folder that is not part of a checkpoint's tree.
const ownFolder = ".claude"

type repository struct{ work gitwrite.Tree }

func (r repository) must(ctx context.Context, c git.Call) ([]byte, error) {
	return git.Repo{Dir: r.work.Top()}.Must(ctx, c)
}

// line runs a git command, and returns its output.
func (r repository) line(ctx context.Context, args ...string) (string, error) {
	out, err := r.must(ctx, git.Call{Args: args})
	return strings.TrimSpace(string(out)), err
}

// file returns the path of a file in the work tree.
func (r repository) file(p string) string { return filepath.Join(r.work.Top(), filepath.FromSlash(p)) }

// present is the repository's present state.
type present struct {
	head commit // what is checked out
	tree string // of the work tree, with HEAD's own .claude
}

// look reads the work tree. Its own .claude is taken from HEAD, so that «git reset --hard» to a
// checkpoint's commit does not remove what is tracked there.
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
	if p.tree, err = root.Snapshot(ownFolder); err == nil {
		p.tree, err = repo.Trees().Graft(ctx, p.tree, head, []string{root.Prefix + ownFolder})
	}
	return p, err
}

// mark is the line that identifies a commit made for a checkpoint, and for which one.
const mark = "Warp-Checkpoint: "

// record returns HEAD if the work tree equals it, else a commit on top of it. The same work tree
// gives the same commit.
func (r repository) record(ctx context.Context, p present, subject, name string) (string, error) {
	if p.tree == p.head.tree {
		return p.head.sha, nil
	}
	return r.work.Root().Put(ctx, "commit", git.CommitText(p.tree, []string{p.head.sha}, cmp.Or(p.head.at, "0"), subject+"\n\n"+mark+name))
}

// commit is what is needed of a commit.
type commit struct {
	sha, tree string
	at        string // commit time in seconds
	parents   []string
	message   []string
}

// commit reads a commit by the hash in a row.
func (r repository) commit(ctx context.Context, sha string) (c commit, err error) {
	if !isHash(sha) {
		return c, fmt.Errorf("%q is not the hash of a commit", sha)
	}
	out, err := r.work.Root().Describe(ctx, sha)
	if err != nil {
		return c, err
	}
	f := append(strings.Split(out, "\n"), "") // a root commit without a message ends with its date
	return commit{f[0], f[1], f[2], strings.Fields(f[3]), f[4:]}, nil
}

// under returns the commit that was checked out when a checkpoint was made: its own, or the parent
// if it was made for the checkpoint.
func (c commit) under(name string) string {
	if len(c.parents) == 1 && slices.Contains(c.message, mark+name) {
		return c.parents[0]
	}
	return c.sha
}

// isHash reports whether a text is a hash, perhaps abbreviated by others.
func isHash(sha string) bool {
	return len(sha) >= 7 && strings.Trim(sha, "0123456789abcdef") == ""
}

// kinds returns the type of object for each row's hash, such as "commit".
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

// change is how one path differs between two trees.
type change struct {
	from, to string // modes; none: missing
	hash     string // of the final content
	path     string
}

const (
	none    = "000000"
	gitlink = "160000"
)

// changes lists the differences between two trees, without the project's own .claude.
func (r repository) changes(ctx context.Context, from, to string) (list []change, err error) {
	root, err := r.work.Repo().Root()
	if err != nil {
		return nil, err
	}
	out, err := r.must(ctx, git.Call{Args: []string{"diff-tree", "-r", "-z", "--no-renames", "--end-of-options", from, to}})
	if err != nil {
		return nil, err
	}
	mine := path.Join(root.Prefix, ownFolder)
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

// put makes the work tree equal a tree. It removes files first, with folders that become empty,
// since a file may replace a folder.
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

// removeEmpty removes the folders of deleted paths, as far up as they are empty.
func (r repository) removeEmpty(gone []string) error {
	root, err := os.OpenRoot(r.work.Top())
	if err != nil {
		return err
	}
	defer root.Close()
	for _, p := range gone {
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			if info, err := root.Lstat(d); err != nil || !info.IsDir() || root.Remove(d) != nil {
				break // already gone, or not empty
			}
		}
	}
	return nil
}

// settle makes sure that the work tree is as it should be once the index has followed the branch.
// Formerly ignored files that are not any more stay, and are reported.
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
			forced = append(forced, c.path) // ignored, but added by force
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
