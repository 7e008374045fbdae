package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Submodules lists those of the work tree that are folders, from its top.
func (p Place) Submodules(ctx context.Context) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(p.dir, "index"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !mayHaveLinks(text) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := askEntries(ctx, p.Top, nil)
	return submodules(p.Top, list), err
}

// mayHaveLinks reports whether an index file may name a submodule: by any mode that git takes
// for that of one.
func mayHaveLinks(index []byte) bool {
	for i := 2; i < len(index); i++ {
		if index[i]>>4 == 0xe && index[i-1] == 0 && index[i-2] == 0 {
			return true
		}
	}
	return false
}

// setLinks has the index name what is checked out in submodules.
func (x tempIndex) setLinks(list []string) error {
	var lines bytes.Buffer
	for _, name := range list {
		if hash := checkedOut(filepath.Join(x.root.Top, filepath.FromSlash(name))); hash != "" {
			lines.WriteString("160000 " + hash + "\t" + name + "\x00")
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	_, err := x.git(lines.Bytes(), "update-index", "-z", "--index-info")
	return err
}

// checkedOut is the commit that a repository inside of this one has checked out; "": it
// is unknown. Nothing is run there.
func checkedOut(dir string) string {
	if p, ok := Locate(dir); ok && p.Top == dir {
		return p.head()
	}
	return ""
}

// head is the commit that is checked out, as files tell; "": they do not.
func (p Place) head() string {
	text, err := readFile(filepath.Join(p.dir, "HEAD"))
	if head := strings.TrimSpace(string(text)); err != nil || IsHash(head) {
		return head
	}
	if p.hasReftable() {
		return ""
	}
	branch, err := p.Checked()
	if err != nil || branch == "" {
		return ""
	}
	hash, err := p.Tip(branch)
	if err != nil || !IsHash(hash) {
		return ""
	}
	return hash
}

// IsPublished reports whether what a repository inside of another has checked out is a
// branch of one of its remotes, or a tag. Nothing is run there.
func IsPublished(dir string) bool {
	p, ok := Locate(dir)
	hash := checkedOut(dir)
	if !ok || hash == "" {
		return false
	}
	packed, _ := readFile(filepath.Join(p.common, "packed-refs"))
	for line := range strings.Lines(string(packed)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), hash+" refs/"); ok && (strings.HasPrefix(rest, "remotes/") || strings.HasPrefix(rest, "tags/")) {
			return true
		}
	}
	found := false
	for _, name := range []string{"remotes", "tags"} {
		_ = filepath.WalkDir(filepath.Join(p.common, "refs", name), func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return nil
			}
			if text, err := readFile(path); err == nil && strings.TrimSpace(string(text)) == hash {
				found = true
				return fs.SkipAll
			}
			return nil
		})
	}
	return found
}
