package contain

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/durable"
)

// Config is an agent's own folder or file in the user's home.
type Config struct {
	Path string   // relative to the home folder, inside and outside
	From string   // its path outside, if different
	Copy []string // what of a folder is copied in: names, each with everything below; nil: it is a file
	// Credentials are the files that a run may refresh: one is copied back if it existed before and
	// is JSON.
	Credentials []string
	// Transcripts are patterns of what else is copied back. They also stay inside.
	Transcripts []string
	Keep        []string // patterns of what else stays, for continuing sessions
}

// copies is an agent's configuration inside and outside.
type copies struct {
	home, user string
	config     []Config
	session    string // the session to continue; "": none
}

// Limits of what is copied in either direction: a configuration is small.
const (
	mostFiles = 5_000
	mostBytes = 64 << 20 // per file
)

var errTooMany = errors.New("the agent's configuration has too many files")

func (c copies) outside(one Config) string {
	if one.From != "" {
		return one.From
	}
	return filepath.Join(c.user, filepath.FromSlash(one.Path))
}

// copyIn refreshes the private copy from the user's. Nothing that an earlier run left there is
// kept, except for transcripts: an agent would obey it.
func (c copies) copyIn() error {
	left := mostFiles
	return inFolder(c.home, func(home *os.Root) error {
		for _, one := range c.config {
			from := c.outside(one)
			if one.Copy == nil {
				if err := errors.Join(makeFolders(home, path.Dir(one.Path)), removeAll(home, one.Path), copyTree(home, from, one.Path, &left)); err != nil {
					return err
				}
				continue
			}
			if err := emptyFolder(home, one.Path, slices.Concat(one.Transcripts, one.Keep)); err != nil {
				return err
			}
			if err := c.copyTranscript(home, one); err != nil {
				return err
			}
			for _, name := range one.Copy {
				if err := copyTree(home, filepath.Join(from, name), path.Join(one.Path, name), &left); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// copyTranscript copies in the transcript of the session to continue: it may have been in another
// home folder. The user's other conversations stay invisible.
func (c copies) copyTranscript(home *os.Root, one Config) error {
	if len(c.session) < leastSession {
		return nil
	}
	from := c.outside(one)
	for _, p := range one.Transcripts {
		names, err := fs.Glob(os.DirFS(from), p)
		if err != nil {
			return err
		}
		for _, name := range names {
			left, to := 1, path.Join(one.Path, name)
			st, err := os.Stat(filepath.Join(from, name))
			if err != nil || !strings.Contains(path.Base(name), c.session) {
				continue
			}
			if have, err := home.Lstat(to); err == nil && have.Mode().IsRegular() && !have.ModTime().Before(st.ModTime()) {
				continue
			}
			if err := copyTree(home, filepath.Join(from, name), to, &left); err != nil {
				return err
			}
		}
	}
	return nil
}

// leastSession is the least length of a session's name: a short one might be part of another's
// name.
const leastSession = 32

// copyTree copies a path to a place below a folder.
func copyTree(root *os.Root, from, to string, left *int) error {
	return filepath.WalkDir(from, func(file string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		st, err := os.Stat(file) // the user's own links are followed
		if err != nil || !st.Mode().IsRegular() || st.Size() > mostBytes {
			return nil
		}
		if *left--; *left < 0 {
			return errTooMany
		}
		rest, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name := path.Join(to, filepath.ToSlash(rest))
		if err := replaceFile(root, name, text, st.Mode().Perm()); err != nil {
			return err
		}
		return root.Chtimes(name, st.ModTime(), st.ModTime())
	})
}

// replaceFile replaces a file below a folder, whatever is there.
func replaceFile(root *os.Root, name string, text []byte, mode fs.FileMode) error {
	if err := errors.Join(makeFolders(root, path.Dir(name)), removeAll(root, name)); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Chmod(mode), f.Close())
}

// replaceUserFile rewrites a user's file.
func replaceUserFile(file string, text []byte, st fs.FileInfo) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := durable.WriteFile(file, text, st.Mode().Perm()); err != nil {
		return err
	}
	return os.Chtimes(file, st.ModTime(), st.ModTime())
}

// copyBack copies back what a run has refreshed. The agent can write the copy: no link in it is
// followed, and only what is expected is taken.
func (c copies) copyBack() error {
	if len(c.config) == 0 {
		return nil
	}
	_ = os.Chmod(c.home, 0o700) // the agent may have closed it; a failure shows below
	return inFolder(c.home, func(home *os.Root) error {
		var errs []error
		for _, one := range c.config {
			if len(one.Credentials)+len(one.Transcripts) == 0 || !isPlainFolder(home, one.Path) {
				continue
			}
			inside, err := home.OpenRoot(one.Path)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			errs = append(errs, c.takeBack(inside, one), inside.Close())
		}
		return errors.Join(errs...)
	})
}

func (c copies) takeBack(inside *os.Root, one Config) error {
	left, outside := mostFiles, c.outside(one)
	return fs.WalkDir(inside.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil // what an agent made unreadable is its own loss
		}
		credentials := slices.Contains(one.Credentials, name)
		if !credentials && !slices.ContainsFunc(one.Transcripts, func(p string) bool { ok, _ := path.Match(p, name); return ok }) {
			return nil
		}
		if left--; left < 0 {
			return errTooMany
		}
		file := filepath.Join(outside, filepath.FromSlash(name))
		was, err := os.Lstat(file)
		if credentials && err != nil {
			return nil // nothing to refresh
		}
		now, err := e.Info()
		if err != nil || now.Size() > mostBytes || was != nil && now.Size() == was.Size() && now.ModTime().Equal(was.ModTime()) {
			return nil
		}
		text, err := readBounded(inside, name)
		if err != nil || credentials && !json.Valid(text) {
			return nil
		}
		return replaceUserFile(file, text, now)
	})
}

// readBounded reads a file that may be swapped for another meanwhile.
func readBounded(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New(strings.TrimSpace(name+" is not a file")))
	}
	return io.ReadAll(io.LimitReader(f, mostBytes))
}
