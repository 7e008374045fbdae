// Package trust keeps the ledger of what may be run on this machine, outside every project, so that
// no byte of a clone decides about its own trust. core/trustledger defines what counts as trusted.
package trust

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"warp/internal/core/config"
	"warp/internal/core/trustledger"
	"warp/internal/durable"
)

const file = "trust.json"

// Store is the ledger of one user.
type Store struct {
	doc *durable.Doc[trustledger.Ledger]
	now func() time.Time
	err error // why there is no folder for it
}

// Folder returns where warp keeps what belongs to a user and to no project.
func Folder(getenv func(string) string) (string, error) {
	// A relative path would lead into a project; the standard says to ignore it.
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "warp"), nil
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "warp"), nil
	}
	return "", errors.New("trust is stored in your home folder, but HOME is not set: set HOME or XDG_STATE_HOME")
}

// Open returns the user's ledger. It reads nothing yet; without a folder for it, nothing is
// trusted.
func Open(getenv func(string) string, now func() time.Time, pid int) *Store {
	dir, err := Folder(getenv)
	if err != nil {
		return &Store{err: err}
	}
	store := durable.New(durable.Config{Dir: dir, Now: now, PID: pid})
	return &Store{now: now, doc: durable.Open(store, file, durable.Kind[trustledger.Ledger]{Name: "trust", Version: trustledger.Version})}
}

// Name returns a file's name in the ledger, with the folder's links resolved, so that a project has
// one name.
func Name(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", fmt.Errorf("finding the folder of %q: %w", path, err)
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}

// Check returns why the content of a file may not be run: a *trust.Untrusted, or why that is
// unknown; nil if it may. The caller must run this content, not what the file holds by then.
func (s *Store) Check(path string, content []byte) error {
	if len(trustledger.Subject(path, content)) == 0 {
		return nil
	}
	name, err := Name(path)
	if err != nil {
		return err
	}
	l, err := s.Ledger()
	if err != nil {
		return fmt.Errorf("it is unknown whether %s is trusted, so it is not run: %w", name, err)
	}
	return l.Check(name, content)
}

// Ledger returns everything that is trusted.
func (s *Store) Ledger() (trustledger.Ledger, error) {
	if s.err != nil {
		return trustledger.Ledger{}, s.err
	}
	v, err := s.doc.Read()
	if durable.IsMissing(err) {
		return trustledger.Ledger{}, nil
	}
	if err != nil {
		return trustledger.Ledger{}, err
	}
	return *v.Doc, nil
}

// Allow trusts the content of a file.
func (s *Store) Allow(path string, content []byte) error {
	return s.change(path, "allowed", func(l *trustledger.Ledger, name string) bool {
		l.Allow(name, content, s.now().UTC().Format(time.RFC3339))
		return true
	})
}

// Revoke revokes the trust in a file, and reports whether there was any.
func (s *Store) Revoke(path string) (had bool, err error) {
	err = s.change(path, "revoked", func(l *trustledger.Ledger, name string) bool {
		had = l.Revoke(name)
		return had
	})
	return had, err
}

// Carry trusts what warp itself made of a file at a person's request, if the old content was
// trusted or could start nothing: changing one setting must not vouch for the others. It reports
// whether the file is trusted now.
func (s *Store) Carry(path string, before, after []byte) (bool, error) {
	var not *trustledger.Untrusted
	if err := s.Check(path, before); errors.As(err, &not) {
		return s.Check(path, after) == nil, nil
	} else if err != nil {
		return false, err
	}
	if s.Check(path, after) == nil {
		return true, nil
	}
	return true, s.Allow(path, after)
}

func (s *Store) change(path, what string, fn func(*trustledger.Ledger, string) bool) error {
	if s.err != nil {
		return s.err
	}
	name, err := Name(path)
	if err != nil {
		return err
	}
	_, err = s.doc.Update(func(tx *durable.Tx[trustledger.Ledger]) error {
		if tx.Doc == nil {
			tx.Doc = &trustledger.Ledger{Version: trustledger.Version}
		}
		if !fn(tx.Doc, name) {
			return durable.ErrUnchanged
		}
		tx.Log(what, map[string]string{"path": name})
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing trust: %w", err)
	}
	return nil
}

// candidates are the files of a project that can hold commands.
var candidates = []string{"dev.json", config.File, ".claude/pipelines/*.yaml", ".claude/pipelines/*.yml", ".claude/pipelines/*.json",
	".claude/stages/*/stage.yaml", ".claude/stages/*/prompt.md"}

// Files lists the files of a project that can hold commands.
func Files(root string) []string {
	var all []string
	for _, c := range candidates {
		names, err := fs.Glob(os.DirFS(root), c)
		if err != nil {
			continue // the patterns are well-formed
		}
		for _, n := range names {
			all = append(all, filepath.Join(root, filepath.FromSlash(n)))
		}
	}
	return all
}

// maxSize bounds what can be trusted: no person reviews more (a dev.json of 3 GB once used up all
// memory).
const maxSize = 1 << 20

// ErrTooLarge reports that a file is too large to be reviewed, and so to be trusted.
var ErrTooLarge = fmt.Errorf("it is larger than %d KB, more than a person reviews: it is neither trusted nor run", maxSize>>10)

// Read reads a file that is to be trusted. It does not block on anything but a regular file, such
// as a pipe or a device.
func Read(path string) ([]byte, error) {
	info, err := os.Stat(path) // first: opening a pipe would block forever
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: %w", path, errors.New("it is not a file"))
	case info.Size() > maxSize:
		return nil, fmt.Errorf("%s: %w", path, ErrTooLarge)
	}
	f, err := durable.OpenPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && len(text) > maxSize {
		err = fmt.Errorf("%s: %w", path, ErrTooLarge)
	}
	return text, err
}
