package room

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
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

// installation is what has to be installed for a tree.
type installation struct {
	line, into string
	key        string // of what it depends on
	confined   bool
	checks     []check
}

// check is a command that fails if a manifest does not fit its lock file.
type check struct{ name, line string }

// plan returns how to install a tree's dependencies.
func (s Setup) plan(r *Rooms, tree, base string) (in installation) {
	now := s.findParts(r, tree)
	was := map[string]part{}
	if base != "" {
		was = s.findParts(r, base)
	}
	h := sha256.New()
	changed := ""
	for above, dir := range r.foldersUp() { // a workspace has its lock file at its top
		for _, e := range ecosystems {
			at := path.Join(dir, e.lock)
			n, had := now[at], was[at].lock
			if n.lock || n.manifest && had {
				fmt.Fprintf(h, "%s %s\n", at, n.print)
			}
			up := ""
			if above > 0 {
				up = "cd " + strings.Repeat("../", above) + " && "
			}
			differs := base == "" || n.print != was[at].print
			switch {
			case !n.lock && (!n.manifest || !had): // not used, or removed by the work
			case e.line == "" && base != "" && differs:
				in.checks = append(in.checks, check{e.frozenName, up + e.frozen})
			case e.line != "" && s.Command == "" && in.line == "":
				if in.line, in.into = up+e.line, path.Join(dir, e.into); differs {
					in.line, changed = up+cmp.Or(e.frozen, e.line), tree
				}
			}
		}
	}
	if s.Command != "" {
		in.line = s.Command
		n, w := now[others].print, was[others].print
		fmt.Fprintf(h, "%s\n", n)
		if base == "" || n != w {
			changed = tree
		}
	}
	if in.line == "" && len(in.checks) == 0 {
		return in
	}
	fmt.Fprintf(h, "%s\n", in.line)
	in.confined = in.line != "" && changed != ""
	in.key = hex.EncodeToString(h.Sum(nil))
	if in.confined || len(in.checks) > 0 {
		in.key += " " + tree
	}
	return in
}

// part is what one lock file and its manifests say in a tree.
type part struct {
	lock, manifest bool // which are there
	print          string
}

// others is the part with all files that a user's own command may install from.
const others = "*"

// findParts returns the parts of a tree by the paths of their lock files.
func (s Setup) findParts(r *Rooms, tree string) map[string]part {
	files, parts := r.manifests(tree), map[string]part{}
	for _, dir := range r.foldersUp() {
		for _, e := range ecosystems {
			at := path.Join(dir, e.lock)
			p := part{lock: files[at] != "", manifest: files[path.Join(dir, e.manifests[0])] != "", print: files[at]}
			for _, name := range e.manifests {
				p.print += " " + files[path.Join(dir, name)]
			}
			parts[at] = p
		}
	}
	all := part{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all.print += name + " " + files[name] + "\n"
	}
	parts[others] = all
	return parts
}

// foldersUp lists the project's folder and those above it; the last one, "", is the top.
func (r *Rooms) foldersUp() (list []string) {
	for dir := r.Prefix; dir != "" && dir != "."; dir = path.Dir(dir) {
		list = append(list, dir)
	}
	return append(list, "")
}

// manifests returns the files a tree is installed from, in the project's folder and above it, with
// fingerprints of what matters in them. They are read once: a tree does not change.
func (r *Rooms) manifests(tree string) map[string]string {
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
			if e.Kind != "blob" || !isManifest(path.Base(e.Path)) {
				continue
			}
			found[e.Path] = e.Hash
			if !hasParts(e.Path) {
				continue
			}
			if text, err := r.Repo.Trees().Content(tree, e.Path, mostManifest); err == nil {
				found[e.Path] = fingerprint(e.Path, text)
			}
		}
	}
	r.known.Store(tree, found)
	return found
}

const mostManifest = 4 << 20 // bytes

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
