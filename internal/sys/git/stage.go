package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/lazy"
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

// Blank returns a stage without an index.
func (o Root) Blank() (Stage, error) {
	dir, err := os.MkdirTemp(o.GitDir, "warp-index-")
	if err != nil {
		return Stage{}, fmt.Errorf("making an index in %s: %w; check that the folder of git can be written to", o.Top, err)
	}
	return Stage{Dir: dir, Env: []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}}, nil
}

// Remove removes the copy.
func (s Stage) Remove() { tempIndex{dir: s.Dir}.remove() }
