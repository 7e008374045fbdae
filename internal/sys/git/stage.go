package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/lazy"
)

// Root is where a repository is, seen from a folder in its work tree. Who asks
// often finds it out once.
type Root struct {
	Top    string // of the work tree
	GitDir string // what belongs to this work tree alone
	Prefix string // from Top to the folder, ending in a slash; "" at the top
	Zero   string // the hash that stands for nothing
	memory *memory
}

// zeros are the hashes that stand for nothing, by what git calls the kind of hash.
var zeros = lazy.Table[string, string]{{"sha1", zeroSHA1}, {"sha256", zeroSHA256}}

const (
	zeroSHA1   = "0000000000000000000000000000000000000000"
	zeroSHA256 = zeroSHA1 + "000000000000000000000000"
)

// Root finds out where the repository is, with one question to git.
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
	// A folder has a line end in its name, or the hash is of a new kind.
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

// Repo is the repository, seen from a folder in its work tree that has the same prefix.
// What was never found is asked for again.
func (o Root) Repo(dir string) Repo {
	if o.Top == "" {
		return Repo{Dir: dir}
	}
	return Repo{Dir: dir, root: &o}
}

func (o Root) indexFile() string { return filepath.Join(o.GitDir, "index") }

// Common is the folder that all work trees of the repository share.
func (o Root) Common() string { return At(o.GitDir).common }

// A Stage is a copy of the index that has taken in the whole work tree, as
// Snapshot describes. It is its owner's to change, and to remove.
type Stage struct {
	Dir        string   // of the copy: a folder inside of git's, with room for more
	Env        []string // makes git use the copy
	Unreadable []string // paths that the work tree has, and the copy has not or as the index has them
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

// Blank is a stage that nothing was brought into: it has no index yet.
func (o Root) Blank() (Stage, error) {
	dir, err := os.MkdirTemp(o.GitDir, "warp-index-")
	if err != nil {
		return Stage{}, fmt.Errorf("making an index in %s: %w; check that the folder of git can be written to", o.Top, err)
	}
	return Stage{Dir: dir, Env: []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}}, nil
}

// Remove removes the copy.
func (s Stage) Remove() { tempIndex{dir: s.Dir}.remove() }
