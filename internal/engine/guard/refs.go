package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

const heads = "refs/heads/"

// restoreRefs puts back the references that only the engine moves, and what is
// checked out. What the run committed is kept under a reference, and stays in the
// work tree. It returns the commits that the work tree was reset to.
func (r *Run) restoreRefs(ctx context.Context) (reverted []string, err error) {
	g, expected, moved := r.g, r.g.Shared.expected(), false
	now, err := readRefs(ctx, g.place, g.Work.Repo())
	if err != nil {
		return nil, err
	}
	for _, ref := range r.Refs {
		was, is := expected[ref], now[ref]
		if was == "" || is == was || r.Expected != nil && r.Expected(ref, is) || g.recorded(g.Shared.movesAt, ref, was, is) {
			continue
		}
		moved = true
		kept := ""
		if is != "" {
			if in, err := g.Work.Repo().Descends(was, is); err == nil && in {
				reverted = append(reverted, is)
			} else {
				kept = r.keep(ctx, "agent", is)
			}
		}
		if err := g.point(ctx, ref, was, is); err != nil {
			return nil, fmt.Errorf("putting %s back to %s: %w", ref, text.Hash(was), err)
		}
		r.report(Commit, kept, "the agent moved %s from %s to %s; it was put back, and its files stay in the work tree", short(ref), text.Hash(was), orNothing(text.Hash(is)))
	}
	reverted = g.Shared.wentBack(reverted)
	on, err := g.place.Checked()
	if r.Beside { // a person may switch in their own work tree
		return reverted, err
	}
	if on == "" && err == nil && r.before.Branch == "" {
		if head, headErr := g.Work.Repo().Head(); headErr == nil && head != r.before.Head {
			moved = true
			r.report(Commit, r.keep(ctx, "agent", head), "the agent moved HEAD from %s to %s; it was put back", text.Hash(r.before.Head), text.Hash(head))
			reverted = append(reverted, head)
			err = g.checkOut(ctx, r.before)
		}
	}
	if err != nil || on != r.before.Branch {
		moved = true
		if tip := now[heads+on]; tip != "" && on != "" {
			reverted = append(reverted, tip)
		}
		if err := g.checkOut(ctx, r.before); err != nil {
			return nil, fmt.Errorf("checking out %s again: %w", orDetached(r.before.Branch), err)
		}
		r.report(Commit, "", "the agent checked out %s; %s is checked out again", orDetached(on), orDetached(r.before.Branch))
	}
	if moved || len(reverted) > 0 {
		err = g.git(ctx, nil, "reset", "-q", "HEAD", "--") // which keeps the flags of what it does not change
	}
	return reverted, err
}

// checkOut makes HEAD stand for what it did; no file is touched.
func (g *repository) checkOut(ctx context.Context, was git.Print) error {
	if was.Branch == "" {
		return g.git(ctx, nil, "update-ref", "--no-deref", "HEAD", was.Head)
	}
	return g.git(ctx, nil, "symbolic-ref", "HEAD", heads+was.Branch)
}

func (g *repository) point(ctx context.Context, ref, to, was string) error {
	return g.git(ctx, nil, "update-ref", "-m", "warp put it back", ref, to, was)
}

// restoreOtherRefs puts back references of a person's that the run deleted, and
// keeps what those had that it moved backwards or aside. What is merged into what
// the engine looks after is not lost.
func (r *Run) restoreOtherRefs(ctx context.Context) error {
	g := r.g
	now, err := readRefs(ctx, g.place, g.Work.Repo())
	if err != nil {
		return err
	}
	expected := g.Shared.expected()
	for ref, was := range expected {
		is, there := now[ref]
		if is == was || slices.Contains(r.Refs, ref) || strings.HasPrefix(ref, heads+"warp/") || g.recorded(g.Shared.movesAt, ref, was, is) {
			continue
		}
		if there && ref == "refs/stash" {
			if err := errors.Join(g.point(ctx, ref, was, is), g.Shared.restoreStashes(g.place.Common())); err != nil {
				return err
			}
			r.report(Commit, r.keep(ctx, "stash", is), "the agent changed the stashes; they were put back")
			continue
		}
		if there {
			if ahead, err := g.Work.Repo().Descends(is, was); err == nil && ahead && strings.HasPrefix(ref, heads) {
				continue
			}
			r.report(Commit, r.keep(ctx, "moved", was), "%s was moved from %s to %s while the agent ran", ref, text.Hash(was), text.Hash(is))
			continue
		}
		if err := g.git(ctx, nil, "update-ref", "--create-reflog", "-m", "warp put it back", ref, was); err != nil {
			return err
		}
		if ref == "refs/stash" {
			if err := g.Shared.restoreStashes(g.place.Common()); err != nil {
				return err
			}
		}
		r.report(Destroyed, "", "%s was deleted while the agent ran; it was put back", ref)
	}
	for ref, is := range now {
		if _, was := expected[ref]; was || !strings.HasPrefix(ref, "refs/replace/") {
			continue
		}
		if err := g.git(ctx, nil, "update-ref", "-d", ref, is); err != nil {
			return err
		}
		r.report(Settings, "", "the agent made git show another object in the place of %s; that was removed", text.Hash(strings.TrimPrefix(ref, "refs/replace/")))
	}
	return nil
}

// restoreStashes puts back the log of refs/stash, which is all that lists stashes.
func (s *Shared) restoreStashes(common string) error {
	if len(s.stash) == 0 {
		return nil
	}
	return os.WriteFile(filepath.Join(common, stashLog), s.stash, 0o644)
}

// keep keeps a commit or a tree from being collected, and returns the reference
// that does.
func (r *Run) keep(ctx context.Context, what, object string) string {
	name := fmt.Sprintf("%s/%s-%s-%s", what, r.Label, r.g.Now().UTC().Format("20060102T150405"), text.Hash(object))
	if err := r.g.Work.Keep(ctx, name, object); err != nil {
		r.g.Remark("%s could not be kept: %v", text.Hash(object), err)
		return ""
	}
	return "refs/warp/" + name
}

// git runs a command that has to work, at the top of the work tree.
func (g *repository) git(ctx context.Context, stdin []byte, args ...string) error {
	a, err := git.Repo{Dir: g.Work.Top()}.Run(ctx, git.Call{Args: args, Stdin: stdin})
	if err == nil && a.Exit != 0 {
		err = &git.Failure{Args: args, Dir: g.Work.Top(), Exit: a.Exit, Stderr: a.Stderr}
	}
	return err
}

func short(ref string) string { return strings.TrimPrefix(ref, heads) }

func orNothing(hash string) string {
	if hash == "" {
		return "nothing"
	}
	return hash
}

func orDetached(branch string) string {
	if branch == "" {
		return "no branch"
	}
	return branch
}

// GoneError says that the repository is gone, and what can be done.
type GoneError struct {
	Top, Copies, Remote string
	Linked              bool // a work tree of the engine's own is gone, not the repository
}

func (e *GoneError) Error() string {
	if e.Linked {
		return fmt.Sprintf("the work tree %s was deleted while an agent ran; what was committed in it is on its branch", e.Top)
	}
	return fmt.Sprintf("the repository of %s is gone: its .git was deleted or moved while an agent ran. Commits, branches and stashes that were never pushed are lost with it; the files in the work tree are still there", e.Top)
}

// Advice is how to recover the rest.
func (e *GoneError) Advice() string {
	if e.Linked {
		return "go on with it: the work tree is made again"
	}
	from := "git init, then git add and commit the files that are left"
	if e.Remote != "" {
		from = fmt.Sprintf("git clone %s into another folder, and move its .git here", e.Remote)
	}
	return fmt.Sprintf("%s; copies of your uncommitted and ignored files from before the run are in %s", from, e.Copies)
}

// gone says what is lost with the repository.
func (g *Guard) gone() error {
	e := &GoneError{Top: g.Work.Top(), Copies: filepath.Join(g.Dir, "files"), Remote: g.Shared.url()}
	if g.person != nil {
		_, e.Linked = g.person.locate()
	}
	return e
}

// Gone tells whether an error says so.
func Gone(err error) (*GoneError, bool) {
	var e *GoneError
	return e, errors.As(err, &e)
}
