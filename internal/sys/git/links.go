package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/durable"
)

// Submodules lists the submodules with a folder in the work tree, relative to its top.
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

// mayHaveLinks reports whether an index file may name a submodule, by any mode that git takes for
// one.
func mayHaveLinks(index []byte) bool {
	for i := 2; i < len(index); i++ {
		if index[i]>>4 == 0xe && index[i-1] == 0 && index[i-2] == 0 {
			return true
		}
	}
	return false
}

// setLinks updates the submodules in the index to the commits that they have checked out.
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

// checkedOut returns the commit that a nested repository has checked out, "" if unknown. It runs
// nothing there.
func checkedOut(dir string) string {
	if p, ok := Locate(dir); ok && p.Top == dir {
		return p.head()
	}
	return ""
}

// head returns the checked-out commit according to git's files, "" if they do not tell.
func (p Place) head() string {
	text, err := durable.ReadPlain(filepath.Join(p.dir, "HEAD"))
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

// IsPublished reports whether a nested repository has a remote's branch or a tag checked out. It
// runs nothing there.
func IsPublished(dir string) bool {
	p, ok := Locate(dir)
	hash := checkedOut(dir)
	if !ok || hash == "" {
		return false
	}
	packed, _ := durable.ReadPlain(filepath.Join(p.common, "packed-refs"))
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
			if text, err := durable.ReadPlain(path); err == nil && strings.TrimSpace(string(text)) == hash {
				found = true
				return fs.SkipAll
			}
			return nil
		})
	}
	return found
}
