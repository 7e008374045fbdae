package guard

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

const (
	heads    = "refs/heads/"
	stashRef = "refs/stash"
	stashLog = "logs/refs/stash"
)

// restoreShared restores what the work trees share; what another guard has just restored is left
// alone. It returns the commits that the work tree was reset to.
func (r *Run) restoreShared(ctx context.Context) (reverted []string, err error) {
	g := r.g
	g.Shared.restoring.Lock()
	defer g.Shared.restoring.Unlock()
	if err := r.restoreGit(ctx); err != nil {
		return nil, err
	}
	expected := g.Shared.expected()
	now, err := g.repo.place.Refs(ctx)
	if err != nil {
		return nil, err
	}
	reverted, moved, err := r.restoreOwnRefs(ctx, expected, now)
	if err != nil {
		return nil, err
	}
	g.Shared.recordRestored(moved)
	reverted = g.Shared.recordResets(reverted)
	if !r.Beside { // a person may switch branches in their own work tree
		if reverted, err = r.restoreHead(ctx, now, reverted, moved); err != nil {
			return nil, err
		}
	}
	if r.Contained {
		return reverted, nil
	}
	return reverted, r.restoreOtherRefs(ctx, expected, now)
}

// restoreOwnRefs restores the refs that only the engine moves. What the run committed is kept under
// a ref, and stays in the work tree.
func (r *Run) restoreOwnRefs(ctx context.Context, expected, now map[string]string) (reverted []string, moved bool, err error) {
	g := r.g
	for _, ref := range r.Refs {
		if r.Contained && (r.Beside || ref != heads+r.before.Branch) {
			continue
		}
		was, is := expected[ref], now[ref]
		unborn := r.before.Head == "" && !r.Beside && ref == heads+r.before.Branch
		if is == was || was == "" && !unborn || r.Expected != nil && r.Expected(ref, is) || g.recorded(ref, was, is) {
			continue
		}
		moved = true
		kept := ""
		if back, err := g.Work.Repo().Descends(was, is); is != "" && err == nil && back {
			reverted = append(reverted, is)
		} else if is != "" {
			kept = r.keep(ctx, "agent", is)
		}
		if err := retryRestoreRef(ctx, r, ref, was, now); err != nil {
			return nil, moved, fmt.Errorf("putting %s back to %s: %w", ref, text.Hash(was), err)
		}
		r.report(Commit, kept, "the agent moved %s from %s to %s; it was put back, and its files stay in the work tree",
			strings.TrimPrefix(ref, heads), orNothing(was), orNothing(is))
	}
	return reverted, moved, nil
}

// restoreHead checks out again what was checked out; it touches no file.
func (r *Run) restoreHead(ctx context.Context, now map[string]string, reverted []string, moved bool) ([]string, error) {
	g := r.g
	on, bad := g.repo.place.Checked()
	head := ""
	if bad == nil && on == "" && r.before.Branch == "" {
		head, _ = g.Work.Repo().Head() // a dangling HEAD is no commit of the run's
	}
	switch {
	case bad != nil || on != r.before.Branch:
		if tip := now[heads+on]; tip != "" {
			reverted = append(reverted, tip)
		}
		r.report(Commit, "", "the agent checked out %s; %s is checked out again", orDetached(on), orDetached(r.before.Branch))
	case on == "" && head != "" && head != r.before.Head:
		reverted = append(reverted, head)
		r.report(Commit, r.keep(ctx, "agent", head), "the agent moved HEAD from %s to %s; it was put back", text.Hash(r.before.Head), text.Hash(head))
	case !moved && len(reverted) == 0:
		return nil, nil
	default:
		return reverted, g.repo.resetIndex(ctx)
	}
	args := []string{"symbolic-ref", "HEAD", heads + r.before.Branch}
	if r.before.Branch == "" {
		args = []string{"update-ref", "--no-deref", "HEAD", r.before.Head}
	}
	if _, err := g.repo.git(ctx, "", args...); err != nil {
		return nil, fmt.Errorf("checking out %s again: %w", orDetached(r.before.Branch), err)
	}
	return reverted, g.repo.resetIndex(ctx)
}

// restoreRefTries is how often a parallel agent may move a ref while it is being restored.
const restoreRefTries = 5

func retryRestoreRef(ctx context.Context, r *Run, ref, to string, now map[string]string) (err error) {
	for range restoreRefTries {
		if err = r.restoreRef(ctx, ref, to, now); err == nil {
			return nil
		}
		next, bad := r.g.repo.place.Refs(ctx)
		if bad != nil || next[ref] == now[ref] {
			return err
		}
		if now[ref] = next[ref]; next[ref] == to { // another run has restored it
			return nil
		}
		if next[ref] != "" {
			r.keep(ctx, "agent", next[ref])
		}
	}
	return err
}

// restoreRef restores a ref, or removes it if there was none. It removes whatever the run put in
// the ref's way.
func (r *Run) restoreRef(ctx context.Context, ref, to string, now map[string]string) error {
	args := []string{"update-ref", "--create-reflog", "-m", "warp put it back", ref, to}
	if to == "" {
		args = []string{"update-ref", "-d", ref}
	}
	if is := now[ref]; is != "" {
		args = append(args, is)
	} else {
		_ = durable.RemoveFile(filepath.Join(r.g.repo.place.Common(), filepath.FromSlash(ref))) // removes a broken ref; usually there is none
	}
	for other, at := range now {
		if other == ref || !strings.HasPrefix(other, ref+"/") && !strings.HasPrefix(ref, other+"/") {
			continue
		}
		r.report(Commit, r.keep(ctx, "agent", at), "the agent put %s where %s belongs; it was removed", other, ref)
		_, _ = r.g.repo.git(ctx, "", "update-ref", "-d", other) // what is still in the way is reported below
	}
	_, err := r.g.repo.git(ctx, "", args...)
	return err
}

// restoreOtherRefs restores a person's refs that the run deleted, and keeps the old commits of
// those it moved back or aside. What is merged into a guarded ref is not lost.
func (r *Run) restoreOtherRefs(ctx context.Context, expected, now map[string]string) error {
	g := r.g
	for ref, was := range expected {
		is := now[ref]
		if is == was || slices.Contains(r.Refs, ref) || strings.HasPrefix(ref, heads+"warp/") || g.recorded(ref, was, is) {
			continue
		}
		if is != "" && ref != stashRef {
			if ahead, err := g.Work.Repo().Descends(is, was); err != nil || !ahead || !strings.HasPrefix(ref, heads) {
				r.report(Commit, r.keep(ctx, "moved", was), "%s was moved from %s to %s while the agent ran", ref, text.Hash(was), text.Hash(is))
			}
			continue
		}
		kept := ""
		if ref == stashRef {
			kept = r.keepStashes(ctx, is)
		}
		if err := r.restoreRef(ctx, ref, was, now); err != nil {
			return err
		}
		if ref == stashRef && len(g.Shared.stash.Text) > 0 {
			if err := g.Shared.stash.write(filepath.Join(g.repo.place.Common(), stashLog)); err != nil {
				return err
			}
		}
		if is == "" {
			r.report(Destroyed, "", "%s was deleted while the agent ran; it was put back", ref)
		} else {
			r.report(Commit, kept, "the agent changed the stashes; they were put back")
		}
	}
	for ref, is := range now {
		object, replaces := strings.CutPrefix(ref, "refs/replace/")
		if _, was := expected[ref]; was || !replaces {
			continue
		}
		if _, err := g.repo.git(ctx, "", "update-ref", "-d", ref, is); err != nil {
			return err
		}
		r.report(Settings, "", "the agent made git show another object instead of %s; that was removed", text.Hash(object))
	}
	return nil
}

// keepStashes keeps the run's stashes, all but the newest of which only the reflog lists, and
// returns where that one is kept.
func (r *Run) keepStashes(ctx context.Context, newest string) (kept string) {
	log, _ := durable.ReadPlain(filepath.Join(r.g.repo.place.Common(), stashLog)) // usually there is none
	for line := range strings.Lines(string(log)) {
		f := strings.Fields(line) // OLD NEW …
		if len(f) > 1 && f[1] != newest && !strings.Contains(string(r.g.Shared.stash.Text), f[1]) {
			r.keep(ctx, "stash", f[1])
		}
	}
	if newest == "" {
		return ""
	}
	return r.keep(ctx, "stash", newest)
}

// keep protects a commit or tree from garbage collection, and returns its ref.
func (r *Run) keep(ctx context.Context, what, object string) string {
	name := fmt.Sprintf("%s/%s-%s-%s", what, r.Label, r.g.Now().UTC().Format("20060102T150405"), text.Hash(object))
	if err := r.g.Work.Keep(ctx, name, object); err != nil {
		r.g.Remark("%s could not be kept: %v", text.Hash(object), err)
		return ""
	}
	return "refs/warp/" + name
}

// git runs a command that must succeed, at the top of the work tree.
func (g *repository) git(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	return git.Repo{Dir: g.top}.Must(ctx, git.Call{Args: args, Stdin: []byte(stdin)})
}

func orNothing(hash string) string { return cmp.Or(text.Hash(hash), "nothing") }

func orDetached(branch string) string { return cmp.Or(branch, "no branch") }
