package room

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/sys/git"
)

// slow bounds what works on a whole checkout.
const slow = 10 * time.Minute

// Setup is what a checkout needs besides the tree.
type Setup struct {
	Command string   // worktree_setup; "": by the lock file
	Copy    []string // worktree_copy: patterns of files in the project's own folder
	// Run runs a command in a room. As the user, with the network open, when it runs
	// on the base, which the user has accepted; confined, as everything else there is,
	// when it installs what the work itself names.
	Run func(ctx context.Context, m *Room, line string, confined bool) error
}

// WorkError says that what the work itself wants to have installed cannot be.
type WorkError struct {
	Line string
	Err  error
}

func (e *WorkError) Error() string {
	return fmt.Sprintf("installing what the work's own lock file names, with %q: %v; sandbox_hosts says from where it may be fetched", e.Line, e.Err)
}

func (e *WorkError) Unwrap() error { return e.Err }

// installers say what installs what a lock file names, and where to.
var installers = []struct{ lock, line, into string }{
	{"package-lock.json", "npm ci --no-audit --no-fund --loglevel=error", "node_modules"},
	{"pnpm-lock.yaml", "pnpm install --frozen-lockfile", "node_modules"},
	{"yarn.lock", "yarn install --frozen-lockfile", "node_modules"},
	{"uv.lock", "uv sync --frozen", ".venv"},
	{"Gemfile.lock", "bundle config set --local path vendor/bundle && bundle install", "vendor/bundle"},
}

// done is what was set up in a room, and how its files looked then.
type done struct {
	Key   string            `json:"key"`   // of the lock file, the command and what was copied
	Kept  []string          `json:"kept"`  // the paths that it made, from the top
	Files map[string]string `json:"files"` // prints of all files below them
}

func (m *Room) doneFile() string { return filepath.Join(filepath.Dir(m.top), "setup.json") }

func (m *Room) done() (d done) {
	text, err := os.ReadFile(m.doneFile())
	if err != nil || json.Unmarshal(text, &d) != nil {
		return done{}
	}
	return d
}

// kept are the paths that clean leaves where they are.
func (s Setup) kept(m *Room) []string { return m.done().Kept }

// apply makes sure that what was set up is there as it was: what a run has added to
// it is removed, and what a run has changed is set up anew. It is installed on the base
// itself: an installer runs scripts of the folder that it is in. Only where the work
// has a lock file of its own that one is installed, and confined.
func (s Setup) apply(ctx context.Context, m *Room, tree, base string) error {
	if base == "" {
		base = tree
	}
	_, _, key := s.plan(m.rooms, base)
	line, into, own := s.plan(m.rooms, tree)
	confined := key != own
	was := m.done()
	if was.Key == own && m.asBefore(was) {
		return nil
	}
	for _, path := range was.Kept {
		if err := os.RemoveAll(filepath.Join(m.top, filepath.FromSlash(path))); err != nil {
			return err
		}
	}
	now := done{Key: own}
	if line != "" {
		if err := m.write(done{}); err != nil {
			return err
		}
		from := base
		if confined {
			from = tree
		}
		var err error
		if err = m.checkOut(ctx, from, base); err == nil {
			err = s.copyFiles(m)
		}
		if err != nil {
			return err
		}
		switch err := s.Run(ctx, m, line, confined); {
		case err != nil && confined && ctx.Err() == nil:
			return &WorkError{line, err}
		case err != nil:
			return fmt.Errorf("making a room ready for the tests with %q: %w; worktree_setup names another command", line, err)
		}
		if now.Kept, err = m.made(ctx, into); err != nil {
			return err
		}
		now.Kept = slices.DeleteFunc(now.Kept, s.copies(m))
		if now.Files, err = m.prints(now.Kept); err != nil {
			return err
		}
	}
	return m.write(now)
}

// write notes what was set up.
func (m *Room) write(d done) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return os.WriteFile(m.doneFile(), text, 0o600)
}

// copies tells which paths, from the top, worktree_copy brings: they are copied anew
// each time.
func (s Setup) copies(m *Room) func(string) bool {
	return func(name string) bool {
		rel, ok := strings.CutPrefix(name, m.rooms.Prefix)
		return ok && slices.ContainsFunc(s.Copy, func(pattern string) bool {
			same, _ := path.Match(pattern, strings.TrimPrefix(rel, "/"))
			return same
		})
	}
}

// plan says what installs a tree's dependencies, and what the answer depends on.
func (s Setup) plan(r *Rooms, tree string) (line, into, key string) {
	line = s.Command
	locks := r.locks(tree)
	h := sha256.New()
	for _, in := range installers {
		hash, ok := locks[in.lock]
		if !ok {
			continue // it has none
		}
		fmt.Fprintf(h, "%s %s\n", in.lock, hash)
		if line == "" {
			line, into = in.line, in.into
		}
	}
	fmt.Fprintf(h, "%s\n", line)
	return line, into, hex.EncodeToString(h.Sum(nil))
}

// locks are the lock files that a tree has, with the names of their contents. They are
// asked for once: a tree stays what it is.
func (r *Rooms) locks(tree string) map[string]string {
	if was, ok := r.known.Load(tree); ok {
		return was.(map[string]string)
	}
	args := []string{"--literal-pathspecs", "ls-tree", "-z", "--full-tree", tree, "--"}
	for _, in := range installers {
		args = append(args, path.Join(r.Prefix, in.lock))
	}
	found := map[string]string{}
	a, err := r.Repo.Run(context.Background(), git.Call{Args: args})
	if err != nil || a.Exit != 0 {
		return found
	}
	for _, line := range git.Split(a.Stdout) { // MODE TYPE HASH, a tab, PATH
		meta, name, _ := strings.Cut(line, "\t")
		if w := strings.Fields(meta); len(w) == 3 && w[1] == "blob" {
			found[path.Base(name)] = w[2]
		}
	}
	r.known.Store(tree, found)
	return found
}

// made lists what a command has made, besides what the tree has.
func (m *Room) made(ctx context.Context, into string) ([]string, error) {
	out, err := m.git(ctx, "ls-files", "-z", "--others", "--directory", "--no-empty-directory")
	if err != nil {
		return nil, err
	}
	var list []string
	for _, name := range strings.Split(out, "\x00") {
		if name = strings.TrimSuffix(name, "/"); name != "" {
			list = append(list, name)
		}
	}
	if into = path.Join(m.rooms.Prefix, into); into != "." && !slices.Contains(list, into) {
		if _, err := os.Lstat(filepath.Join(m.top, filepath.FromSlash(into))); err == nil {
			list = append(list, into)
		}
	}
	return list, nil
}

// prints are of all files below paths. The time at which the kernel last changed a
// file's entry cannot be set by what runs in the room.
func (m *Room) prints(paths []string) (map[string]string, error) {
	all := map[string]string{}
	for _, p := range paths {
		err := filepath.WalkDir(filepath.Join(m.top, filepath.FromSlash(p)), func(file string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() {
				return nil
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			name, err := filepath.Rel(m.top, file)
			all[name] = printOf(info)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// asBefore removes what was added to what was set up, and tells whether the rest is
// as it was.
func (m *Room) asBefore(was done) bool {
	now, err := m.prints(was.Kept)
	if err != nil {
		return false
	}
	for name, print := range now {
		old, known := was.Files[name]
		switch {
		case !known && os.Remove(filepath.Join(m.top, name)) != nil, known && old != print:
			return false
		}
	}
	for name := range was.Files {
		if _, there := now[name]; !there {
			return false
		}
	}
	return true
}

// copyFiles brings the files that worktree_copy names.
func (s Setup) copyFiles(m *Room) error {
	for _, pattern := range s.Copy {
		names, err := fs.Glob(os.DirFS(m.rooms.Root), pattern)
		if err != nil {
			return fmt.Errorf("worktree_copy: %q is no pattern: %w", pattern, err)
		}
		for _, name := range names {
			if err := copyFile(filepath.Join(m.rooms.Root, filepath.FromSlash(name)), filepath.Join(m.Dir, filepath.FromSlash(name))); err != nil {
				return fmt.Errorf("worktree_copy: %w", err)
			}
		}
	}
	return nil
}

func copyFile(from, to string) error {
	st, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if st.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	if !st.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", from)
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.WriteFile(to, text, st.Mode().Perm())
}
