package room

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/sys/git"
)

// settings of a room's git: nothing of the user's, the system's or the tree's own
// decides what is in it.
const settings = `	bare = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
	autocrlf = false
	fsmonitor = false
[gc]
	auto = 0
[user]
	name = warp
	email = warp@localhost
`

// format is that of a repository whose objects have names as long as a tree's.
func format(tree string) string {
	if len(tree) == sha256Length {
		return "[extensions]\n\tobjectformat = sha256\n[core]\n\trepositoryformatversion = 1\n"
	}
	return "[core]\n\trepositoryformatversion = 0\n"
}

const sha256Length = 64

// attributes take away what a tree's own could do to its files. Filters stay: the
// only ones that a room knows are the user's own for large files.
const attributes = "* !text !eol !ident !working-tree-encoding !export-subst !export-ignore\n"

// make makes the room's git folder. It is not in the checkout: what runs there could
// set up filters that the engine would then run.
func (m *Room) make(ctx context.Context, tree string) error {
	attributesFile := filepath.Join(m.gitDir, "info", "attributes")
	if _, err := os.Lstat(attributesFile); err == nil {
		return nil
	}
	for _, dir := range []string{m.Home, filepath.Join(m.Home, "tmp"), m.top, m.gitDir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	lfs, err := m.findLFS(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(m.gitDir, "refs", "heads"), 0o700); err != nil {
		return err
	}
	if err := writeFiles(m.gitDir, map[string]string{
		"HEAD": "ref: refs/heads/main\n", "config": format(tree) + settings + lfs, "objects/info/alternates": filepath.Join(m.rooms.Common, "objects") + "\n",
	}); err != nil {
		return err
	}
	return writeFiles(m.gitDir, map[string]string{"info/attributes": attributes}) // the last: it says that the room is made
}

// give gives the checkout a private git folder, for programs that ask git. It can be
// written to, and is made again each time; nothing of ours reads it.
func (m *Room) give(commit string) error {
	own := filepath.Join(m.top, ".git")
	if err := os.RemoveAll(own); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(own, "refs", "heads"), 0o700); err != nil {
		return err
	}
	index, err := os.ReadFile(filepath.Join(m.gitDir, "index"))
	if err != nil {
		return err
	}
	return writeFiles(own, map[string]string{
		"HEAD": commit + "\n", "index": string(index), "info/attributes": attributes,
		"config":                  format(commit) + "\tbare = false\n[user]\n\tname = warp\n\temail = warp@localhost\n",
		"objects/info/alternates": filepath.Join(m.rooms.Common, "objects") + "\n" + filepath.Join(m.gitDir, "objects") + "\n",
	})
}

func writeFiles(dir string, files map[string]string) error {
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Objects are the folders of git's that the checkout refers to.
func (m *Room) Objects() []string {
	return []string{filepath.Join(m.rooms.Common, "objects"), filepath.Join(m.gitDir, "objects")}
}

// findLFS is the filter for large files that the user has set up, and no other: a
// repository names filters, the user says what they run.
func (m *Room) findLFS(ctx context.Context) (config string, err error) {
	a, err := m.rooms.Repo.Run(ctx, git.Call{Args: []string{"config", "--global", "-z", "--get-regexp", `^filter\.lfs\.`}})
	for _, line := range git.Split(a.Stdout) {
		name, value, _ := strings.Cut(line, "\n")
		config += fmt.Sprintf("\t%s = %q\n", strings.TrimPrefix(name, "filter.lfs."), value)
	}
	if config != "" {
		config = "[filter \"lfs\"]\n" + config
	}
	return config, err
}

// checkOut brings the files to a tree by what differs. It is a separate commit,
// so that programs that ask git are answered.
func (m *Room) checkOut(ctx context.Context, tree, base string) error {
	err := m.tryCheckOut(ctx, tree, base)
	if err == nil || ctx.Err() != nil {
		return err
	}
	// What is damaged is made again, once.
	if bad := errors.Join(os.RemoveAll(m.top), os.RemoveAll(m.gitDir), os.RemoveAll(m.doneFile())); bad != nil {
		return errors.Join(err, bad)
	}
	if err = m.make(ctx, tree); err == nil {
		err = m.tryCheckOut(ctx, tree, base)
	}
	if err != nil {
		return fmt.Errorf("checking out %s in a clean room: %w", tree, err)
	}
	return nil
}

func (m *Room) tryCheckOut(ctx context.Context, tree, base string) error {
	args := []string{"commit-tree", tree + "^{tree}", "-m", "what is judged"}
	if m.isCommit(ctx, base) {
		args = append(args, "-p", base)
	}
	commit, err := m.git(ctx, args...)
	if err != nil {
		return err
	}
	if err := m.clean(ctx, commit); err != nil {
		return err
	}
	return m.give(commit)
}

func (m *Room) isCommit(ctx context.Context, base string) bool {
	key := "commit " + base
	if was, ok := m.rooms.known.Load(key); ok {
		return was.(bool)
	}
	kind, err := m.git(ctx, "cat-file", "-t", base)
	is := err == nil && kind == "commit"
	if err == nil {
		m.rooms.known.Store(key, is)
	}
	return is
}

// clean reverts what a run has changed, and removes what it has left. What was
// set up is looked at by Setup.
func (m *Room) clean(ctx context.Context, commit string) error {
	if _, err := m.git(ctx, "reset", "-q", "--hard", commit); err != nil {
		return err
	}
	args := []string{"clean", "-ffdxq"}
	for _, path := range m.rooms.Setup.kept(m) {
		args = append(args, "-e", "/"+path)
	}
	if _, err := m.git(ctx, args...); err != nil {
		return err
	}
	return m.emptyLinks(ctx)
}

// emptyLinks removes what a run has put where the tree has a submodule: git leaves that
// alone.
func (m *Room) emptyLinks(ctx context.Context) error {
	index, err := os.ReadFile(filepath.Join(m.gitDir, "index"))
	if err != nil || !bytes.Contains(index, []byte{0, 0, 0xe0, 0}) { // the mode of a submodule
		return err
	}
	out, err := m.git(ctx, "ls-files", "-z", "--stage")
	for _, line := range strings.Split(out, "\x00") {
		meta, name, _ := strings.Cut(line, "\t")
		if strings.HasPrefix(meta, "160000 ") {
			err = errors.Join(err, os.RemoveAll(filepath.Join(m.top, filepath.FromSlash(name))))
		}
	}
	return err
}

// git runs git in the room, with no settings but its own.
func (m *Room) git(ctx context.Context, args ...string) (string, error) {
	c := git.Call{Args: args, Env: m.env(), Limit: slow}
	a, err := git.Repo{Dir: m.top}.Run(ctx, c)
	if err != nil {
		return "", err
	}
	if a.Exit != 0 {
		return "", &git.Failure{Args: args, Dir: m.top, Exit: a.Exit, Stderr: a.Stderr}
	}
	return strings.TrimSpace(string(a.Stdout)), nil
}

func (m *Room) env() []string {
	return []string{"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_NO_REPLACE_OBJECTS=1", "GIT_DIR=" + m.gitDir, "GIT_WORK_TREE=" + m.top, "HOME=" + m.Home,
		"GIT_AUTHOR_DATE=2000-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2000-01-01T00:00:00Z"} // the same tree is the same commit
}
