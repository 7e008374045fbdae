package room

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
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
	return fmt.Sprintf("the dependencies that the work's manifest and lock file name cannot be installed with %q; change both together, with the package manager (sandbox_hosts lists the hosts that it reaches):\n%v", e.Line, e.Err)
}

func (e *WorkError) Unwrap() error { return e.Err }

// otherLockFiles are files that a user's own command may install from.
var otherLockFiles = []string{"Pipfile", "Pipfile.lock", "pom.xml", "setup.py", "setup.cfg", "build.gradle",
	"build.gradle.kts", "gradle.lockfile", "mix.exs", "mix.lock", "bun.lock", "deno.lock"}

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
// installer runs scripts of its folder. If the work changes a manifest or a lock file, or no base is
// known, they are installed confined, and for that tree alone, by a command that refuses a manifest
// without its lock file.
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
	for _, c := range in.checks {
		if err := s.check(ctx, m, c, tree, base); err != nil {
			return err
		}
	}
	now := done{Key: in.key}
	if !in.isEmpty() {
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
	if in.line != "" {
		switch err := s.Run(ctx, m, in.line, in.confined); {
		case err != nil && in.confined && ctx.Err() == nil:
			return nil, &WorkError{in.line, err}
		case err != nil && in.program != "" && !isInstalled(in.program):
			return nil, &missingError{in.program, in.lock}
		case err != nil:
			return nil, fmt.Errorf("setting up a clean room with %q: %w; worktree_setup sets another command", in.line, err)
		}
	}
	for _, name := range in.environments {
		if err := m.copyEnvironment(name); err != nil {
			return nil, fmt.Errorf("worktree_copy: %w", err)
		}
	}
	made, err := m.listUntracked(ctx, in.into)
	return slices.DeleteFunc(made, func(name string) bool { return slices.Contains(before, name) }), err
}

// check fails if the work changed a manifest without its lock file. What fails on the base as well
// proves nothing.
func (s Setup) check(ctx context.Context, m *Room, c check, tree, base string) error {
	if err := m.checkOut(ctx, tree, base); err != nil {
		return err
	}
	bad := s.Run(ctx, m, c.line, true)
	if bad == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	if err := m.checkOut(ctx, base, base); err != nil {
		return err
	}
	if s.Run(ctx, m, c.line, true) != nil {
		return ctx.Err()
	}
	return &WorkError{c.name, bad}
}

// write records what was set up.
func (m *Room) write(d done) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return os.WriteFile(m.doneFile(), text, 0o600)
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
