package gitwrite

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// Bounds of what is named before a diff, and of what counts as long in it.
const (
	mostNamed = 400
	longFile  = 200 << 10 // bytes
	readMost  = 8 << 20   // of one file, to see whether it is text
	readAll   = 64 << 20  // of all of them
)

// outline is what a diff shows badly or not at all, in words, and the paths that it
// leaves out. Neither attributes nor names of the repository have a say in it.
type outline struct {
	notes []string
	files []string
	skip  []string // whose content is no text
}

// survey lists what differs between two trees, and what of it needs words.
func (t Tree) survey(ctx context.Context, from, to string) (o outline, err error) {
	out, err := t.must(ctx, git.Call{Args: []string{"diff-tree", "-r", "-z", "-M", "--raw", "--no-abbrev", "--ignore-submodules=none", "--end-of-options", from, to, "--"}})
	if err != nil {
		return o, err
	}
	list, err := parseRaw(git.Split(out))
	if err != nil {
		return o, err
	}
	sizes, contents, err := t.read(ctx, list)
	if err != nil {
		return o, err
	}
	for _, d := range list {
		o.files = append(o.files, d.name)
		o.describe(d, sizes, contents)
	}
	return o, nil
}

// differs is one line of what differs.
type differs struct {
	name         string
	modes, blobs [2]string // before and after
}

// parseRaw reads «:MODE MODE HASH HASH STATUS», and a path, or two of what is renamed.
func parseRaw(fields []string) (list []differs, err error) {
	for len(fields) > 1 {
		m := strings.Fields(strings.TrimPrefix(fields[0], ":"))
		if len(m) != 5 {
			return nil, errTorn
		}
		d := differs{name: fields[1], modes: [2]string{m[0], m[1]}, blobs: [2]string{m[2], m[3]}}
		fields = fields[2:]
		if (m[4][0] == 'R' || m[4][0] == 'C') && len(fields) > 0 {
			d.name, fields = fields[0], fields[1:]
		}
		list = append(list, d)
	}
	return list, nil
}

// Modes of what is no ordinary file.
const (
	modeLink       = "120000"
	modeSubmodule  = "160000"
	modeExecutable = "100755"
)

// describe says of one change what its diff does not show.
func (o *outline) describe(d differs, sizes map[string]int, contents map[string][]byte) {
	note := func(format string, args ...any) {
		o.notes = append(o.notes, fmt.Sprintf("%q ", d.name)+fmt.Sprintf(format, args...))
	}
	was, is := d.modes[0], d.modes[1]
	if is == modeSubmodule || was == modeSubmodule {
		note("is another repository, at %s: what it holds is not shown", text.Hash(d.blobs[1]))
		return
	}
	if is == modeExecutable && was != modeExecutable {
		note("can be executed now")
	}
	for i, mode := range d.modes {
		if strings.Trim(mode, "0") == "" { // it is not there
			continue
		}
		content, size := contents[d.blobs[i]], sizes[d.blobs[i]]
		switch {
		case mode == modeLink && i == 1:
			where := "inside of the tree"
			if target := string(content); path.IsAbs(target) || strings.HasPrefix(path.Join(path.Dir(d.name), target), "..") {
				where = "outside of the tree"
			}
			note("is a link to %q, %s", content, where)
		case bytes.IndexByte(content, 0) >= 0:
			note("has NUL bytes and is taken for binary (%d bytes): its content is not shown", size)
			o.skip = append(o.skip, d.name)
			return
		case size > longFile && i == 1:
			note("is long (%d bytes)", size)
		}
	}
}

// read has the sizes of all files, and the contents of those that are not too large.
func (t Tree) read(ctx context.Context, list []differs) (sizes map[string]int, contents map[string][]byte, err error) {
	var ask []string
	for _, d := range list {
		for i, mode := range d.modes {
			if mode != modeSubmodule && strings.Trim(mode, "0") != "" {
				ask = append(ask, d.blobs[i])
			}
		}
	}
	sizes = map[string]int{}
	if len(ask) == 0 {
		return sizes, nil, nil
	}
	out, err := t.must(ctx, git.Call{Args: []string{"cat-file", "--batch-check=%(objectname) %(objectsize)"}, Stdin: []byte(strings.Join(ask, "\n") + "\n")})
	if err != nil {
		return nil, nil, err
	}
	var small []string
	all := 0
	for line := range strings.Lines(string(out)) {
		hash, size, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(size)
		if err != nil {
			continue // it is missing
		}
		if sizes[hash] = n; n <= readMost && all+n <= readAll {
			small, all = append(small, hash), all+n
		}
	}
	contents, err = git.Repo{Dir: t.root.Top}.Contents(ctx, small)
	return sizes, contents, err
}

// head is what stands before the diff. All tells that the diff was cut, so that the
// names of all files are listed.
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
