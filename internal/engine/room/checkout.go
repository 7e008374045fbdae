package room

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/sys/git"
	"warp/internal/sys/gitobject"
)

// settings of a room's git: no settings of the user, the system or the tree apply.
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

// format returns the repository format for the hash length of a tree.
func format(tree string) string {
	if len(tree) == sha256Length {
		return "[extensions]\n\tobjectformat = sha256\n[core]\n\trepositoryformatversion = 1\n"
	}
	return "[core]\n\trepositoryformatversion = 0\n"
}

const sha256Length = 64

// attributes disable what a tree's own attributes could do to its files. Filters stay: a room knows
// only the user's own for large files.
const attributes = "* !text !eol !ident !working-tree-encoding !export-subst !export-ignore\n"

// makeGitFolder creates the room's git folder. It is outside the checkout: what runs there could
// set up filters that the engine would then run.
func (m *Room) makeGitFolder(ctx context.Context, tree string) error {
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
	return writeFiles(m.gitDir, map[string]string{"info/attributes": attributes}) // last, because it marks the room as complete
}

// giveGitFolder gives the checkout a private git folder, for programs that call git. It is writable
// and recreated each time; the engine never reads it.
func (m *Room) giveGitFolder(commit string) error {
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

// Objects returns the git folders that the checkout refers to.
func (m *Room) Objects() []string {
	return []string{filepath.Join(m.rooms.Common, "objects"), filepath.Join(m.gitDir, "objects")}
}

// findLFS returns the user's own filter for large files, and no other: a repository names filters,
// the user decides what they run.
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

// checkOut updates the files to a tree, by the differences. The tree becomes a commit, so that
// programs that call git get answers.
func (m *Room) checkOut(ctx context.Context, tree, base string) error {
	err := m.tryCheckOut(ctx, tree, base)
	if err == nil || ctx.Err() != nil {
		return err
	}
	// A damaged room is recreated, once.
	if bad := errors.Join(os.RemoveAll(m.top), os.RemoveAll(m.gitDir), os.RemoveAll(m.doneFile())); bad != nil {
		return errors.Join(err, bad)
	}
	if err = m.makeGitFolder(ctx, tree); err == nil {
		err = m.tryCheckOut(ctx, tree, base)
	}
	if err != nil {
		return fmt.Errorf("checking out %s in a clean room: %w", tree, err)
	}
	return nil
}

func (m *Room) tryCheckOut(ctx context.Context, tree, base string) error {
	commit, err := m.commit(ctx, tree, base)
	if err != nil {
		return err
	}
	// Remove what a run left, and revert what it changed. Setup checks what was set up.
	if err := m.sweep(ctx, commit); err != nil {
		return err
	}
	if _, err := m.git(ctx, "reset", "-q", "--hard", commit); err != nil {
		return err
	}
	return m.giveGitFolder(commit)
}

// commit makes a commit of a tree on top of a base. Its date is fixed, so that the same tree gives
// the same commit.
func (m *Room) commit(ctx context.Context, tree, base string) (string, error) {
	tree, err := m.rooms.Repo.Trees().Of(ctx, tree)
	if err != nil {
		return "", err
	}
	var parents []string
	if len(base) == len(tree) && m.isCommit(ctx, base) {
		parents = []string{base}
	}
	text := git.CommitText(tree, parents, "946684800", "what is judged")
	if commit, err := (gitobject.Files{}).Write(filepath.Join(m.gitDir, "objects"), "commit", text, len(tree)); err == nil {
		return commit, nil
	}
	out, err := git.Repo{Dir: m.top}.Must(ctx, git.Call{Args: []string{"hash-object", "-t", "commit", "-w", "--stdin"}, Stdin: text, Env: m.env()})
	return strings.TrimSpace(string(out)), err
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

// sweep removes everything, also in submodules, that is neither in the last checked-out tree nor
// set up. If names are spelled differently on disk it removes too much, which is then checked out
// again.
func (m *Room) sweep(ctx context.Context, commit string) error {
	index := git.Root{Top: m.top, GitDir: m.gitDir, Zero: strings.Repeat("0", len(commit))}
	list, err := index.IndexEntries(ctx, m.env()...)
	if err != nil {
		return err
	}
	files, folders, kept := map[string]bool{}, map[string]bool{".": true}, m.done().Kept
	for _, name := range kept {
		addFolders(folders, name)
	}
	for _, e := range list {
		if !e.Submodule {
			files[e.Path] = true
			addFolders(folders, e.Path)
		}
	}
	return filepath.WalkDir(m.top, func(at string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // leftover processes remove their own files
		}
		name, bad := filepath.Rel(m.top, at)
		if err = errors.Join(err, bad); err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch is := slices.Contains(kept, name); {
		case d.IsDir() && is:
			return fs.SkipDir
		case is, d.IsDir() && folders[name], !d.IsDir() && files[name]:
			return nil
		case !d.IsDir():
			return os.Remove(at)
		}
		if err := os.RemoveAll(at); err != nil {
			return err
		}
		return fs.SkipDir
	})
}

// addFolders adds the parent folders of a path.
func addFolders(folders map[string]bool, name string) {
	for dir := path.Dir(name); !folders[dir]; dir = path.Dir(dir) {
		folders[dir] = true
	}
}

// git runs git in the room, with only the room's settings.
func (m *Room) git(ctx context.Context, args ...string) (string, error) {
	out, err := git.Repo{Dir: m.top}.Must(ctx, git.Call{Args: args, Env: m.env(), Limit: checkoutTime})
	return strings.TrimSpace(string(out)), err
}

func (m *Room) env() []string {
	return []string{"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_NO_REPLACE_OBJECTS=1", "GIT_DIR=" + m.gitDir, "GIT_WORK_TREE=" + m.top, "HOME=" + m.Home}
}
