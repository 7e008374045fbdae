package gitwrite

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// Limits on the files named before a diff, and on what counts as long.
const (
	mostNamed = 400
	longFile  = 200 << 10 // bytes
	readMost  = 8 << 20   // of one file, to see if it is text
	readAll   = 64 << 20  // of all files
)

// outline describes in words what a diff shows badly or not at all, and lists the paths that it
// leaves out. The repository's attributes and file names do not influence it.
type outline struct {
	notes []string
	files []string
	skip  []string // paths whose content is not text
}

// survey compares two trees and describes what needs words.
func survey(ctx context.Context, repo git.Repo, from, to string) (o outline, err error) {
	list, err := repo.Trees().Diff(ctx, from, to, true)
	if err != nil {
		return o, err
	}
	sizes, contents, err := readSmall(ctx, repo, list)
	if err != nil {
		return o, err
	}
	for _, d := range list {
		o.files = append(o.files, d.Path)
		o.describe(d, sizes, contents)
	}
	return o, nil
}

// Modes other than that of an ordinary file.
const (
	modeLink       = "120000"
	modeExecutable = "100755"
)

// describe notes what the diff of one change does not show.
func (o *outline) describe(d git.Difference, sizes map[string]int64, contents map[string][]byte) {
	note := func(format string, args ...any) {
		o.notes = append(o.notes, fmt.Sprintf("%q ", d.Path)+fmt.Sprintf(format, args...))
	}
	was, is := d.Modes[0], d.Modes[1]
	if is == gitlink || was == gitlink {
		note("is another repository, at %s: its content is not shown", text.Hash(d.Hashes[1]))
		return
	}
	if is == modeExecutable && was != modeExecutable {
		note("can be executed now")
	}
	for i, mode := range d.Modes {
		if strings.Trim(mode, "0") == "" { // it does not exist
			continue
		}
		content, size := contents[d.Hashes[i]], sizes[d.Hashes[i]]
		switch {
		case mode == modeLink && i == 1:
			where := "inside of the tree"
			if target := string(content); path.IsAbs(target) || strings.HasPrefix(path.Join(path.Dir(d.Path), target), "..") {
				where = "outside of the tree"
			}
			note("is a link to %q, %s", content, where)
		case bytes.IndexByte(content, 0) >= 0:
			note("has NUL bytes and counts as binary (%d bytes): its content is not shown", size)
			o.skip = append(o.skip, d.Path)
			return
		case size > longFile && i == 1:
			note("is long (%d bytes)", size)
		}
	}
}

// readSmall returns the sizes of all files, and the contents of those that are not too large.
func readSmall(ctx context.Context, repo git.Repo, list []git.Difference) (sizes map[string]int64, contents map[string][]byte, err error) {
	var ask []string
	for _, d := range list {
		for i, mode := range d.Modes {
			if mode != gitlink && strings.Trim(mode, "0") != "" {
				ask = append(ask, d.Hashes[i])
			}
		}
	}
	if sizes, err = repo.Trees().Sizes(ctx, ask); err != nil {
		return nil, nil, err
	}
	var small []string
	all := int64(0)
	for _, hash := range ask {
		if n, there := sizes[hash]; there && n <= readMost && all+n <= readAll {
			small, all = append(small, hash), all+n
		}
	}
	contents, err = repo.Trees().Contents(ctx, small)
	return sizes, contents, err
}

// head returns the text before the diff. all means that the diff was cut, so all files are listed.
func (o outline) head(all bool) string {
	var b strings.Builder
	for _, n := range o.notes[:min(len(o.notes), mostNamed)] {
		fmt.Fprintf(&b, "# %s\n", n)
	}
	if more := len(o.notes) - mostNamed; more > 0 {
		fmt.Fprintf(&b, "# and %d more of such files\n", more)
	}
	if !all {
		return b.String()
	}
	fmt.Fprintf(&b, "# All files that differ, %d:\n", len(o.files))
	for _, f := range o.files[:min(len(o.files), mostNamed)] {
		fmt.Fprintf(&b, "#   %q\n", f)
	}
	if more := len(o.files) - mostNamed; more > 0 {
		fmt.Fprintf(&b, "#   and %d more\n", more)
	}
	return b.String()
}
