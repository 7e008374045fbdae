// Package prove runs the checks of criteria (internal/core/redfirst): on a stub or the base, where a
// check of something new has to fail, and on the work. It keeps them where no contained agent reads:
// no file, name or value of a check ever enters the project, its git folder or its logs.
package prove

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/redfirst"
	"warp/internal/durable"
	"warp/internal/engine/judge"
	"warp/internal/sys/sandbox"
)

const (
	runTime = 2 * time.Minute // of one check
	times   = 3               // a check runs alone before it counts
	maxLeft = 1 << 20         // of one file that a checker leaves, in bytes
)

// Desk runs and keeps the checks of a project.
type Desk struct {
	Rooms   judge.Rooms
	Base    string // commit or tree: what the work began with
	Environ []string
	State   string // the user's state folder
	Project string // a path that is this project's alone
	Left    func() time.Duration
}

// Ran is what running a check came to.
type Ran struct {
	redfirst.Outcome
	Exit   int
	Output string
	// Already means that what has to fail before the work passes on the code as it is: the criterion
	// is met, or the check is worthless.
	Already bool
}

// Run runs a check on a tree with further files under it, alone, as often as is asked for.
func (d Desk) Run(ctx context.Context, tree string, c redfirst.Criterion, under []redfirst.File, often int) (ran Ran, err error) {
	var list []redfirst.Outcome
	for range often {
		site := judge.Site{Rooms: d.Rooms, Tree: tree, Base: d.Base, Over: append(append([]redfirst.File{}, under...), c.Files...)}
		said, err := site.Run(ctx, judge.Command{Line: c.Command, Environ: uncached(d.Environ), Limit: runTime, Left: d.Left})
		if err != nil {
			return ran, err
		}
		ran = Ran{Outcome: redfirst.Judge(said.Passed, said.TimedOut, said.Exit, said.Output), Exit: said.Exit, Output: said.Output}
		if list = append(list, ran.Outcome); redfirst.All(list) == redfirst.Wavers {
			break
		}
	}
	ran.Outcome = redfirst.All(list)
	return ran, nil
}

// uncached has go test run each time: it gives the result of an earlier run that passed again.
func uncached(environ []string) []string {
	flags := strings.TrimSpace(sandbox.Variable(environ, "GOFLAGS") + " -count=1")
	return append(slices.Clone(environ), "GOFLAGS="+flags)
}

// Before says how a check behaves before the work: "" as it has to, or what is wrong with it.
func (d Desk) Before(ctx context.Context, s *redfirst.Set, c redfirst.Criterion) (ran Ran, wrong string, err error) {
	on, under := "the code as it is now", []redfirst.File(nil)
	if c.NeedsStub() {
		on, under = "the stub", s.Stub
		if len(s.Stub) == 0 {
			on = "the code as it is now, since there is no stub"
		}
	}
	ran, err = d.Run(ctx, d.Base, c, under, times)
	if err != nil {
		return ran, "", err
	}
	want := redfirst.Red
	if c.Is(redfirst.Keeps) && !c.NeedsStub() && !c.Is(redfirst.Shape) {
		want = redfirst.Green
	}
	switch {
	case ran.Outcome == want:
		return ran, "", nil
	case ran.Outcome == redfirst.Wavers:
		return ran, "its runs on " + on + " differ", nil
	case ran.Outcome == redfirst.Broken:
		return ran, "it does not run on " + on + ": it has to fail by an assertion or an exit code of its own", nil
	case want == redfirst.Green:
		return ran, "it fails on " + on + ", and must pass before and after the work", nil
	}
	ran.Already = len(under) == 0
	if !ran.Already {
		bare, err := d.Run(ctx, d.Base, c, nil, times)
		if err != nil {
			return ran, "", err
		}
		ran.Already = bare.Outcome == redfirst.Green
	}
	return ran, "it passes on " + on + ", so it proves nothing", nil
}

// ReadLeft reads what a checker left in its room besides what was there before.
func ReadLeft(ctx context.Context, room judge.Room, before []string) (files []redfirst.File, err error) {
	names, err := room.Left(ctx)
	if err != nil {
		return nil, err
	}
	top, err := os.OpenRoot(room.Top())
	if err != nil {
		return nil, err
	}
	defer top.Close()
	was := map[string]bool{}
	for _, name := range before {
		was[name] = true
	}
	for _, name := range names {
		if was[name] || strings.HasPrefix(name, ".git/") || strings.HasPrefix(name, ".claude/") {
			continue
		}
		st, err := top.Lstat(filepath.FromSlash(name))
		if err != nil || !st.Mode().IsRegular() || st.Size() > maxLeft {
			continue
		}
		text, err := readFrom(top, name)
		if err != nil {
			return nil, err
		}
		files = append(files, redfirst.File{Path: name, Content: string(text), Run: st.Mode()&0o100 != 0})
	}
	return files, nil
}

func readFrom(top *os.Root, name string) ([]byte, error) {
	f, err := top.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxLeft))
	return text, errors.Join(err, f.Close())
}

// Key identifies the criteria that checks are written for.
func Key(texts []string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// NewSet returns an empty set for criteria.
func NewSet(issue, key string) (*redfirst.Set, error) {
	var b [3]byte
	if _, err := rand.Read(b[:]); err != nil {
		return nil, err
	}
	return &redfirst.Set{Issue: issue, Key: key, Token: hex.EncodeToString(b[:])}, nil
}

// Folder is the folder of a project's checks.
func (d Desk) Folder() string {
	sum := sha256.Sum256([]byte(d.Project))
	return filepath.Join(d.State, "checks", hex.EncodeToString(sum[:8]))
}

func (d Desk) file(issue string) string {
	sum := sha256.Sum256([]byte(issue))
	return filepath.Join(d.Folder(), hex.EncodeToString(sum[:8])+".json")
}

// Load returns the kept checks of an issue, or nil.
func (d Desk) Load(issue string) (*redfirst.Set, error) {
	if d.State == "" {
		return nil, nil
	}
	text, err := durable.ReadPlain(d.file(issue))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &redfirst.Set{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("reading the checks of #%s in %s: %w", issue, d.file(issue), err)
	}
	return s, nil
}

// Save keeps the checks of an issue.
func (d Desk) Save(s *redfirst.Set) error {
	if d.State == "" {
		return errors.New("there is no state folder to keep checks in")
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = os.MkdirAll(d.Folder(), 0o700)
	}
	if err == nil {
		err = durable.WriteFile(d.file(s.Issue), append(text, '\n'), 0o600)
	}
	return err
}
