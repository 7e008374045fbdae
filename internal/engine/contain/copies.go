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
)

// Config is a folder or file of an agent's own in the user's home.
type Config struct {
	Path string   // from the home folder, inside and outside
	From string   // where it is outside, when it is elsewhere
	Copy []string // what of a folder is copied in: names, each with all below it; nil: it is a file
	// Credentials are the files that a run may refresh: one is copied back when it
	// was there before and is JSON.
	Credentials []string
	// Transcripts are the patterns of what is copied back besides.
	Transcripts []string
}

// copies are an agent's configuration inside and outside.
type copies struct {
	home, user string
	config     []Config
}

// Bounds of what is copied, either way: a configuration is small.
const (
	mostFiles = 5_000
	mostBytes = 64 << 20 // of one file
)

var errTooMany = errors.New("the agent's configuration has too many files")

func (c copies) outside(one Config) string {
	if one.From != "" {
		return one.From
	}
	return filepath.Join(c.user, filepath.FromSlash(one.Path))
}

// copyIn makes the private copy as the user's is now.
func (c copies) copyIn() error {
	left := mostFiles
	for _, one := range c.config {
		from, to := c.outside(one), filepath.Join(c.home, filepath.FromSlash(one.Path))
		names := one.Copy
		if names == nil {
			names = []string{""}
		}
		for _, name := range names {
			if err := copyTree(filepath.Join(from, name), filepath.Join(to, name), &left); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyTree(from, to string, left *int) error {
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
		target := filepath.Join(to, rest)
		if was, err := os.Lstat(target); err == nil && was.Mode().IsRegular() && was.Size() == st.Size() && was.ModTime().Equal(st.ModTime()) {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return replace(target, text, st)
	})
}

// replace writes a file anew, whatever an agent has put in its place.
func replace(file string, text []byte, st fs.FileInfo) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".warp-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Close(), os.Chmod(temp.Name(), st.Mode().Perm()), os.Chtimes(temp.Name(), st.ModTime(), st.ModTime()))
	if err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

// copyBack takes over what a run has refreshed. The copy is the agent's to write: no
// link in it is followed, and nothing but what is expected is taken.
func (c copies) copyBack() error {
	var errs []error
	for _, one := range c.config {
		if len(one.Credentials)+len(one.Transcripts) == 0 {
			continue
		}
		inside, err := os.OpenRoot(filepath.Join(c.home, filepath.FromSlash(one.Path)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, c.takeBack(inside, one), inside.Close())
	}
	return errors.Join(errs...)
}

func (c copies) takeBack(inside *os.Root, one Config) error {
	left, outside := mostFiles, c.outside(one)
	return fs.WalkDir(inside.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil // what an agent has made unreadable is its own loss
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
			return nil // there is nothing to refresh
		}
		now, err := e.Info()
		if err != nil || now.Size() > mostBytes || was != nil && now.Size() == was.Size() && now.ModTime().Equal(was.ModTime()) {
			return nil
		}
		text, err := readBounded(inside, name)
		if err != nil || credentials && !json.Valid(text) {
			return nil
		}
		return replace(file, text, now)
	})
}

// readBounded reads a file that may be swapped for another while it is looked at.
func readBounded(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New(strings.TrimSpace(name+" is no file")))
	}
	return io.ReadAll(io.LimitReader(f, mostBytes))
}
