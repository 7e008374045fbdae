package room

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// checkoutTime limits operations on a whole checkout.
const checkoutTime = 10 * time.Minute

// Setup is what a checkout needs besides the tree.
type Setup struct {
	Command string   // worktree_setup; "": by the lock file
	Copy    []string // worktree_copy: patterns of files in the project's own folder
	// Run runs a command in a room: as the user with an open network on the base, which the user
	// has accepted; confined, like everything else there, if it installs what the work itself
	// names.
	Run func(ctx context.Context, m *Room, line string, confined bool) error
}

// WorkError reports that the work's own dependencies cannot be installed.
type WorkError struct {
	Line string
	Err  error
}

func (e *WorkError) Error() string {
	return fmt.Sprintf("installing the dependencies of the work's lock file with %q: %v; sandbox_hosts lists the allowed hosts", e.Line, e.Err)
}

func (e *WorkError) Unwrap() error { return e.Err }

// installers map lock files to the command that installs them, and its folder.
var installers = []struct{ lock, line, into string }{
	{"package-lock.json", "npm ci --no-audit --no-fund --loglevel=error", "node_modules"},
	{"pnpm-lock.yaml", "pnpm install --frozen-lockfile", "node_modules"},
	{"yarn.lock", "yarn install --frozen-lockfile", "node_modules"},
	{"uv.lock", "uv sync --frozen", ".venv"},
	{"Gemfile.lock", "bundle config set --local path vendor/bundle && bundle install", "vendor/bundle"},
}

// otherLockFiles are files that a user's own command may install from.
var otherLockFiles = []string{"requirements.txt", "requirements-dev.txt", "poetry.lock", "Pipfile.lock", "Cargo.lock", "composer.lock", "go.sum", "pom.xml", "build.gradle",
	"build.gradle.kts", "gradle.lockfile", "mix.lock", "bun.lock", "deno.lock"}

// done is what was set up in a room, with its files' fingerprints.
type done struct {
	Key   string            `json:"key"`   // of the lock file, the command and what was copied
	Kept  []string          `json:"kept"`  // the paths that it created, relative to the top
	Files map[string]string `json:"files"` // fingerprints of all files below them
}

func (m *Room) doneFile() string { return filepath.Join(filepath.Dir(m.top), "setup.json") }

func (m *Room) done() (d done) {
	text, err := os.ReadFile(m.doneFile())
	if err != nil || json.Unmarshal(text, &d) != nil {
		return done{}
	}
	return d
}

// apply makes sure that what was set up is unchanged: it removes what a run added, and sets up
// again what a run changed. Dependencies are installed on the base itself, which the user has: an
// installer runs scripts of its folder. If the work changes the lock file, or no base is known,
// they are installed confined, and for that tree alone.
func (s Setup) apply(ctx context.Context, m *Room, tree, base string) error {
	in := s.plan(m.rooms, tree, base)
	was := m.done()
	if was.Key == in.key && m.isAsSetUp(was) {
		return nil
	}
	for _, path := range was.Kept {
		if err := os.RemoveAll(filepath.Join(m.top, filepath.FromSlash(path))); err != nil {
			return err
		}
	}
	now := done{Key: in.key}
	if in.line != "" {
		var err error
		if now.Kept, err = s.install(ctx, m, in, tree, base); err != nil {
			return err
		}
		if now.Files, err = m.prints(now.Kept); err != nil {
			return err
		}
	}
	return m.write(now)
}

// install runs the installer, and lists what it created.
func (s Setup) install(ctx context.Context, m *Room, in installation, tree, base string) ([]string, error) {
	if err := m.write(done{}); err != nil {
		return nil, err
	}
	from := base
	if in.confined {
		from = tree
	}
	if err := m.checkOut(ctx, from, base); err != nil {
		return nil, err
	}
	if err := s.copyFiles(m); err != nil {
		return nil, err
	}
	before, err := m.listUntracked(ctx, "")
	if err != nil {
		return nil, err
	}
	switch err := s.Run(ctx, m, in.line, in.confined); {
	case err != nil && in.confined && ctx.Err() == nil:
		return nil, &WorkError{in.line, err}
	case err != nil:
		return nil, fmt.Errorf("setting up a clean room with %q: %w; worktree_setup sets another command", in.line, err)
	}
	made, err := m.listUntracked(ctx, in.into)
	return slices.DeleteFunc(made, func(name string) bool { return slices.Contains(before, name) }), err
}

// write records what was set up.
func (m *Room) write(d done) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return os.WriteFile(m.doneFile(), text, 0o600)
}

// installation is what has to be installed for a tree.
type installation struct {
	line, into string
	key        string // of what it depends on
	confined   bool
}

// plan returns how to install a tree's dependencies.
func (s Setup) plan(r *Rooms, tree, base string) installation {
	in := s.findInstaller(r, tree)
	if in.line != "" && (base == "" || s.findInstaller(r, base).key != in.key) {
		in.confined, in.key = true, in.key+" "+tree
	}
	return in
}

func (s Setup) findInstaller(r *Rooms, tree string) installation {
	in := installation{line: s.Command}
	locks := r.locks(tree)
	h := sha256.New()
	for above, dir := range r.foldersUp() { // a workspace has its lock file at its top
		for _, i := range installers {
			hash := locks[path.Join(dir, i.lock)]
			if hash == "" {
				continue
			}
			fmt.Fprintf(h, "%s %s %s\n", dir, i.lock, hash)
			if in.line == "" {
				in.line, in.into = i.line, path.Join(dir, i.into)
				if above > 0 {
					in.line = "cd " + strings.Repeat("../", above) + " && " + in.line
				}
			}
		}
		for _, name := range otherLockFiles {
			if hash := locks[path.Join(dir, name)]; s.Command != "" && hash != "" {
				fmt.Fprintf(h, "%s %s %s\n", dir, name, hash)
			}
		}
	}
	fmt.Fprintf(h, "%s\n", in.line)
	in.key = hex.EncodeToString(h.Sum(nil))
	return in
}

// foldersUp lists the project's folder and those above it; the last one, "", is the top.
func (r *Rooms) foldersUp() (list []string) {
	for dir := r.Prefix; dir != "" && dir != "."; dir = path.Dir(dir) {
		list = append(list, dir)
	}
	return append(list, "")
}

// locks returns the files a tree is installed from, in the project's folder and above it, with
// their content hashes. They are read once: a tree does not change.
func (r *Rooms) locks(tree string) map[string]string {
	if was, ok := r.known.Load(tree); ok {
		return was.(map[string]string)
	}
	found := map[string]string{}
	for _, dir := range r.foldersUp() {
		list, err := r.Repo.Trees().Folder(tree, path.Clean(dir))
		if err != nil {
			return map[string]string{}
		}
		for _, e := range list {
			if e.Kind == "blob" && isLock(path.Base(e.Path)) {
				found[e.Path] = e.Hash
			}
		}
	}
	r.known.Store(tree, found)
	return found
}

func isLock(name string) bool {
	for _, in := range installers {
		if name == in.lock {
			return true
		}
	}
	return slices.Contains(otherLockFiles, name)
}

// listUntracked lists what the tree does not have, including the folder that a command installs
// into even if git ignores it.
func (m *Room) listUntracked(ctx context.Context, into string) ([]string, error) {
	out, err := m.git(ctx, "ls-files", "-z", "--others", "--directory", "--no-empty-directory")
	if err != nil {
		return nil, err
	}
	var list []string
	for _, name := range strings.Split(out, "\x00") {
		if name = strings.TrimSuffix(name, "/"); name != "" && name != ".git" {
			list = append(list, name)
		}
	}
	if into != "" && !slices.Contains(list, into) {
		if _, err := os.Lstat(filepath.Join(m.top, filepath.FromSlash(into))); err == nil {
			list = append(list, into)
		}
	}
	return list, nil
}
