package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"warp/internal/durable"
)

// A Print describes a work tree: the commit that is checked out and the differences from it. It
// takes one git process and reading the uncommitted files; a Snapshot takes three and an object per
// file.
type Print struct {
	Head  string            `json:"head"`            // "" if there is no commit yet
	Dirty map[string]string `json:"dirty,omitempty"` // path to content
	// Only if the Printer's All is set:
	Branch  string            `json:"branch,omitempty"`  // "" if detached
	Staged  map[string]Staged `json:"staged,omitempty"`  // by path
	Ignored []string          `json:"ignored,omitempty"` // folders end in a slash
}

// Staged is the difference between the index and the checked-out commit at a path.
type Staged struct {
	Index string `json:"index"` // «MODE HASH» of the entry; a zero mode means there is none
	Head  string `json:"head"`  // the same for the commit
}

// Gone is the content of a deleted path.
const Gone = "gone"

// Since lists the uncommitted paths that changed since was; moved reports whether another commit is
// checked out.
func (p Print) Since(was Print) (paths []string, moved bool) {
	for path, is := range p.Dirty {
		if was.Dirty[path] != is {
			paths = append(paths, path)
		}
	}
	for path := range was.Dirty {
		if _, still := p.Dirty[path]; !still {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths, p.Head != was.Head
}

// A Printer takes prints of one work tree. It caches the sums of files.
type Printer struct {
	repo    Repo // at the top
	exclude []string
	All     bool // include the index and ignored files

	mu   sync.Mutex
	read map[string]content
}

type content struct {
	info fs.FileInfo
	sum  string
}

// NewPrinter returns a printer for a work tree, without the given folders (paths relative to its
// top).
func NewPrinter(o Root, exclude ...string) *Printer {
	return &Printer{repo: Repo{Dir: o.Top}, exclude: exclude}
}

// mostRead bounds how much is read of one file; size and time stand in for the rest of a larger
// one.
const mostRead = 16 << 20

// Print takes a print of the work tree.
func (p *Printer) Print(ctx context.Context) (Print, error) {
	args := []string{"--no-optional-locks", "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty"}
	if p.All {
		args = append(args, "--ignored=matching")
	}
	args = append(args, "--", ":(top)")
	for _, e := range p.exclude {
		args = append(args, ":(top,exclude,literal)"+e)
	}
	out, err := p.repo.must(Call{Args: args})
	if err != nil {
		return Print{}, err
	}
	if !bytes.HasPrefix(out, []byte("# branch.oid ")) { // without it, the work tree would seem to have no commit and no changes
		return Print{}, fmt.Errorf("looking at the work tree %s: %w", p.repo.Dir, errTorn)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now, read := Print{Dirty: map[string]string{}}, map[string]content{}
	for _, line := range Split(out) {
		if oid, is := strings.CutPrefix(line, "# branch.oid "); is {
			if oid != "(initial)" {
				now.Head = oid
			}
			continue
		}
		if p.All && now.more(line) {
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
			return Print{}, fmt.Errorf("looking at %q in %s: %w", path, p.repo.Dir, err)
		}
		now.Dirty[path] = sum
	}
	p.read = read
	return now, nil
}

// more handles a line that only matters if All is set, and reports whether it is done with it.
func (p *Print) more(line string) bool {
	if branch, is := strings.CutPrefix(line, "# branch.head "); is {
		if p.Branch = branch; branch == "(detached)" {
			p.Branch = ""
		}
		return true
	}
	if path, is := strings.CutPrefix(line, "! "); is {
		p.Ignored = append(p.Ignored, path)
		return true
	}
	// 1 XY sub mH mI mW hH hI path
	if f := strings.SplitN(line, " ", 9); len(f) == 9 && f[0] == "1" && f[1][0] != '.' {
		if p.Staged == nil {
			p.Staged = map[string]Staged{}
		}
		p.Staged[f[8]] = Staged{Index: f[4] + " " + f[7], Head: f[3] + " " + f[6]}
	}
	return false
}

// dirty returns the path that a line of git status is about.
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
	full := filepath.Join(p.repo.Dir, filepath.FromSlash(path))
	info, err := os.Lstat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Gone, nil
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
	f, err := durable.OpenPlain(full)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := fnv.New128a() // it only tells contents apart and is not cryptographic; and the hook links it anyway
	if _, err := io.Copy(h, io.LimitReader(f, mostRead)); err != nil {
		return "", err
	}
	fmt.Fprint(h, info.Mode().Perm())
	if info.Size() > mostRead {
		fmt.Fprint(h, info.Size(), info.ModTime())
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
