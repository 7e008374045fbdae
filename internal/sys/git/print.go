package git

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A Print is what a work tree looks like: the commit that is checked out, and
// what differs from it. It costs one git and the reading of what is uncommitted,
// where a Snapshot costs three and an object for each of them.
type Print struct {
	Head  string            `json:"head"`
	Dirty map[string]string `json:"dirty,omitempty"` // path to content
}

// Since lists the uncommitted paths that are not as they were; moved says that
// another commit is checked out.
func (p Print) Since(was Print) (paths []string, moved bool) {
	for path, is := range p.Dirty {
		if was.Dirty[path] != is {
			paths = append(paths, path)
		}
	}
	for path := range maps.Keys(was.Dirty) {
		if _, still := p.Dirty[path]; !still {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths, p.Head != was.Head
}

// A Printer takes prints of one work tree. It remembers what it has read.
type Printer struct {
	repo    Repo
	top     string
	exclude []string

	mu   sync.Mutex
	read map[string]content
}

type content struct {
	info fs.FileInfo
	sum  string
}

// NewPrinter makes a printer of a work tree that looks at everything but some
// folders, whose paths are from its top.
func NewPrinter(dir string, exclude ...string) (*Printer, error) {
	r, err := Open(dir)
	if err != nil {
		return nil, err
	}
	top, err := r.Top()
	return &Printer{repo: r, top: top, exclude: exclude}, err
}

// mostRead bounds what is read of one file; of a larger one its size and time
// stand for the rest.
const mostRead = 16 << 20

// Print looks at the work tree.
func (p *Printer) Print(ctx context.Context) (Print, error) {
	args := []string{"--no-optional-locks", "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none", "--", ":(top)"}
	for _, e := range p.exclude {
		args = append(args, ":(top,exclude,literal)"+e)
	}
	out, err := p.repo.must(Call{Args: args})
	if err != nil {
		return Print{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now, read := Print{Dirty: map[string]string{}}, map[string]content{}
	for _, line := range Split(out) {
		if oid, is := strings.CutPrefix(line, "# branch.oid "); is {
			now.Head = oid
			continue
		}
		path, ok := dirty(line)
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return Print{}, err
		}
		sum, err := p.sum(path, read)
		if err != nil {
			return Print{}, fmt.Errorf("looking at %q in %s: %w", path, p.top, err)
		}
		now.Dirty[path] = sum
	}
	p.read = read
	return now, nil
}

// dirty is the path that a line of git status is about.
func dirty(line string) (path string, ok bool) {
	if line == "" {
		return "", false
	}
	// 1 XY sub mH mI mW hH hI path; u XY sub m1 m2 m3 mW h1 h2 h3 path; ? path
	fields := map[byte]int{'1': 8, 'u': 10, '?': 1}[line[0]]
	parts := strings.SplitN(line, " ", fields+1)
	if fields == 0 || len(parts) != fields+1 {
		return "", false
	}
	return parts[fields], true
}

func (p *Printer) sum(path string, read map[string]content) (string, error) {
	full := filepath.Join(p.top, filepath.FromSlash(path))
	info, err := os.Lstat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "gone", nil
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink != 0:
		return os.Readlink(full)
	case !info.Mode().IsRegular():
		return info.Mode().Type().String(), nil
	}
	was, known := p.read[path]
	if !known || !os.SameFile(was.info, info) || was.info.Size() != info.Size() || !was.info.ModTime().Equal(info.ModTime()) || was.info.Mode() != info.Mode() {
		was.info = info
		if was.sum, err = digest(full, info); errors.Is(err, fs.ErrPermission) {
			was.sum, err = fmt.Sprint(info.Size(), info.ModTime()), nil
		}
		if err != nil {
			return "", err
		}
	}
	read[path] = was
	return was.sum, nil
}

func digest(full string, info fs.FileInfo) (string, error) {
	f, err := os.Open(full)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := fnv.New128a() // it tells two contents apart, it vouches for none; and the hook links it
	if _, err := io.Copy(h, io.LimitReader(f, mostRead)); err != nil {
		return "", err
	}
	fmt.Fprint(h, info.Mode().Perm())
	if info.Size() > mostRead {
		fmt.Fprint(h, info.Size(), info.ModTime())
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
