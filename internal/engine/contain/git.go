package contain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"warp/internal/sys/sandbox"
)

// insideObjects is where a private git folder finds the original's objects.
const insideObjects = "/run/warp/objects"

// showGit sets what a run sees of git's folder: the user's own, read-only and without the tokens in
// its settings; or, if configured, a private one in which an agent may commit. Nothing done there
// comes back: warp commits the work tree.
func (w *Walls) showGit(p *sandbox.Profile, o Order, r *Run) error {
	if o.Git == "" || w.Box.Kind() != sandbox.Bwrap {
		return nil
	}
	if !w.Settings.PrivateGit || o.ReadOnly || o.own != nil {
		return w.hideTokens(p, filepath.Join(o.Git, "config"), r)
	}
	aside, err := w.aside(r)
	if err != nil {
		return fmt.Errorf("making a private git folder: %w", err)
	}
	private := filepath.Join(aside, "git")
	if err := os.Mkdir(private, 0o700); err != nil {
		return fmt.Errorf("making a private git folder: %w", err)
	}
	if err := inFolder(private, func(root *os.Root) error { return fillGit(root, o.Git) }); err != nil {
		return fmt.Errorf("making a private git folder: %w", err)
	}
	r.dirs = append(r.dirs, private)
	p.Frozen = slices.DeleteFunc(slices.Clone(p.Frozen), func(path string) bool { return Contains(o.Git, path) })
	p.Binds = append(p.Binds, sandbox.Bind{From: private, To: o.Git}, sandbox.Bind{From: filepath.Join(o.Git, "objects"), To: insideObjects, ReadOnly: true})
	return nil
}

// fillGit fills a private git folder from the user's.
func fillGit(private *os.Root, git string) error {
	left := mostFiles
	for _, name := range []string{"HEAD", "packed-refs", "config", "config.worktree", "index", "shallow", "info", "refs", "logs/HEAD", "worktrees"} {
		if err := copyTree(private, filepath.Join(git, name), name, &left); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{"objects/info/alternates": insideObjects + "\n", "hooks/.keep": ""} {
		if err := replaceFile(private, name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := makeFolders(private, "refs"); err != nil {
		return err
	}
	text, err := private.ReadFile("config")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return replaceFile(private, "config", append([]byte(nameless), withoutTokens(text)...), 0o600)
}

// nameless is the committer in a private git folder without one: the user's own settings are not
// there.
const nameless = "[user]\n\tname = agent\n\temail = agent@sandbox.invalid\n"

// Logins in git's settings: a name and password in an address, and headers that some services'
// checkouts leave.
var (
	userInAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(://)[^/@\s"]+@`) })
	loginHeader   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?im)^\s*extraheader\s*=.*$`) })
)

func withoutTokens(config []byte) []byte {
	return loginHeader().ReplaceAll(userInAddress().ReplaceAll(config, []byte("$1")), nil)
}

// hideTokens shows git's settings without logins.
func (w *Walls) hideTokens(p *sandbox.Profile, config string, r *Run) error {
	text, err := os.ReadFile(config)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading git's settings: %w", err)
	}
	without := withoutTokens(text)
	if string(without) == string(text) {
		return nil
	}
	aside, err := w.aside(r)
	if err != nil {
		return fmt.Errorf("writing git's settings without logins: %w", err)
	}
	clean := filepath.Join(aside, "git-config")
	if err := os.WriteFile(clean, without, 0o600); err != nil {
		return fmt.Errorf("writing git's settings without logins: %w", err)
	}
	p.Binds = append(p.Binds, sandbox.Bind{From: clean, To: config, ReadOnly: true})
	return nil
}
