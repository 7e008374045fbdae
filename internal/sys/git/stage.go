package git

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/durable"
)

// Root is the location of a repository, seen from a folder in its work tree. Callers that ask often
// look it up once.
type Root struct {
	Top    string // the work tree's top folder
	GitDir string // this work tree's git folder
	Prefix string // from Top to the folder, ending in a slash; "" at the top
	Zero   string // the null hash
	memory *memory
}

// Folder is Prefix without the slash at its end.
func (r Root) Folder() string { return strings.TrimSuffix(r.Prefix, "/") }

// zeros maps git's names of hash kinds to their null hashes.
var zeros = lazy.Table[string, string]{{"sha1", zeroSHA1}, {"sha256", zeroSHA256}}

const (
	zeroSHA1   = "0000000000000000000000000000000000000000"
	zeroSHA256 = zeroSHA1 + "000000000000000000000000"
)

// Root locates the repository with one git process.
func (r Repo) Root() (Root, error) {
	if r.root != nil {
		return *r.root, nil
	}
	out, err := r.path("rev-parse", "--show-toplevel", "--absolute-git-dir", "--show-prefix", "--show-object-format")
	if err != nil {
		return Root{}, err
	}
	if f := strings.Split(out, "\n"); len(f) == 4 && zeros.Get(f[3]) != "" {
		return Root{f[0], f[1], f[2], zeros.Get(f[3]), &memory{}}, nil
	}
	// A folder name has a newline, or the hash kind is new.
	o := Root{memory: &memory{}}
	if o.Top, err = r.Top(); err != nil {
		return Root{}, err
	}
	if o.GitDir, err = r.GitDir(); err != nil {
		return Root{}, err
	}
	empty, err := r.Trees().Empty()
	if err != nil {
		return Root{}, err
	}
	o.Zero = strings.Repeat("0", len(empty))
	o.Prefix, err = r.path("rev-parse", "--show-prefix")
	return o, err
}

// Repo returns the repository, seen from a folder in its work tree with the same prefix. If the
// Root is empty, it is looked up again.
func (o Root) Repo(dir string) Repo {
	if o.Top == "" {
		return Repo{Dir: dir}
	}
	return Repo{Dir: dir, root: &o}
}

func (o Root) indexFile() string { return filepath.Join(o.GitDir, "index") }

// Common returns the git folder that all work trees share.
func (o Root) Common() string { return At(o.GitDir).common }

// A Stage is a copy of the index that includes the whole work tree, as Snapshot describes. The
// caller may change it and must remove it.
type Stage struct {
	Dir        string   // the copy's folder, inside git's; other files may go there too
	Env        []string // makes git use the copy
	Unreadable []string // paths that the copy lacks, or has as in the index
}

// Stage copies the index and brings the work tree into the copy.
func (o Root) Stage(ctx context.Context, exclude ...string) (Stage, error) {
	out, err := o.excludes(exclude)
	if err != nil {
		return Stage{}, err
	}
	x, err := o.copyIndex(ctx)
	if err != nil {
		return Stage{}, fmt.Errorf("taking a snapshot of %s: copying the index: %w; check that the folder of git can be written to", o.Top, err)
	}
	s := Stage{Dir: x.dir, Env: x.env}
	links, err := x.reveal(out)
	if err == nil {
		s.Unreadable, err = x.addAll(out, links)
	}
	if err != nil {
		s.Remove()
		return Stage{}, err
	}
	return s, nil
}

// Blank returns a stage without an index: a temporary folder inside git's, out of the way.
func (o Root) Blank() (Stage, error) {
	dir, err := os.MkdirTemp(o.GitDir, "warp-index-")
	if err != nil {
		return Stage{}, fmt.Errorf("making a folder in %s: %w; check that it can be written to", o.GitDir, err)
	}
	return Stage{Dir: dir, Env: []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}}, nil
}

// Remove removes the copy.
func (s Stage) Remove() { tempIndex{dir: s.Dir}.remove() }

// Staged lists the differences between the index and a tree or commit. The answer is cached while
// the index stays the same byte for byte; if nothing is staged, git is not asked at all. env makes
// git use another index, about which it is always asked.
func (o Root) Staged(ctx context.Context, from string, env ...string) ([]Difference, error) {
	if env == nil && o.isUnstaged(from) {
		return nil, nil
	}
	was, before := o.sumIndex()
	key := "staged " + from + " " + before
	out, known := o.memory.get(key)
	if !known || env != nil {
		var err error
		if out, err = o.Repo(o.Top).Must(ctx, Call{Args: []string{"diff-index", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none", "--cached", "--end-of-options", from, "--"}, Env: env}); err != nil {
			return nil, err
		}
		// Git may have read an index that was there only in between.
		is, after := o.sumIndex()
		if env == nil && IsHash(from) && before != "" && before == after && os.SameFile(was, is) && was.ModTime().Equal(is.ModTime()) {
			o.memory.set(key, out)
		}
	}
	list, err := parseDiff(Split(out))
	if err != nil {
		return nil, fmt.Errorf("reading what is staged in %s: %w", o.Top, err)
	}
	return list, nil
}

// isUnstaged reports whether the index equals a tree or commit, if that is quick to tell.
func (o Root) isUnstaged(from string) bool {
	tree, ok := (treeReader{o}).treeOf(from)
	if !ok {
		return false
	}
	text, err := durable.ReadPlain(o.indexFile())
	if err != nil {
		return false
	}
	name, ok := (&treeWriter{root: o}).nameIndex(text)
	return ok && name == tree
}

// sumIndex returns a checksum of the index, "" if it cannot be read or refers to other files.
func (o Root) sumIndex() (info fs.FileInfo, sum string) {
	info, err := os.Lstat(o.indexFile())
	if err != nil {
		return nil, ""
	}
	text, err := durable.ReadPlain(o.indexFile())
	if _, whole := parseIndex(text, len(o.Zero)/2); err != nil || !whole || o.objects() == nil {
		return nil, ""
	}
	return info, o.objects().Sum(text)
}
