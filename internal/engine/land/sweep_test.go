package land

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/engine/forge"
)

// merged is a port whose branch was pushed and merged.
func merged(t *testing.T) (*port, Sweep) {
	p := newPort(t)
	tip := p.change("feature.txt")
	p.must(p.Push(t.Context(), "work", p.sh("git rev-parse work")))
	if late, err := p.Merge(t.Context(), "work", "main", tip); err != nil || late {
		t.Fatal(late, err)
	}
	p.must(RecordLanded(p.Lander, evidence.Landed{Branch: "work", Target: "main", Commit: tip}))
	p.sh("git checkout -q main")
	return p, Sweep{Work: p.Work, Home: p.Home, Now: time.Now}
}

// places are where the branch still is.
func (p *port) places() string {
	p.Helper()
	return strings.ReplaceAll(p.sh(`git rev-parse -q --verify refs/heads/work >/dev/null && echo here; git -C ../origin.git rev-parse -q --verify refs/heads/work >/dev/null && echo there; true`), "\n", " ")
}

func (p *port) sweep(s Sweep) (said []string) {
	p.Helper()
	deleted, kept, err := s.RemoveAll(p.Context())
	p.must(err)
	for _, b := range deleted {
		said = append(said, b.String()+": "+b.Why)
	}
	for _, b := range kept {
		said = append(said, "kept "+b.String()+": "+b.Kept)
	}
	return said
}

func TestAMergedBranchIsDeletedThereThenHere(t *testing.T) {
	p, s := merged(t)
	s.Work = p.Work
	if said, want := p.sweep(s), []string{"origin/work: all of it is in origin/main", "work: all of it is in main"}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
	p.want("where it is", p.places(), "")
	// Once more: nothing is left, and the remote is not even asked.
	p.sh("git remote set-url origin /nowhere")
	if said := p.sweep(s); len(said) != 0 {
		t.Errorf("again: %q", said)
	}
}

// Two processes sweep at once: what the other has deleted is gone, and no failure.
func TestABranchThatAnotherHasDeletedIsGone(t *testing.T) {
	p, s := merged(t)
	list, err := s.Find(t.Context())
	p.must(err)
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	p.sweep(s)
	for _, b := range list {
		p.must(s.Remove(t.Context(), b))
	}
	p.sh("git branch work main; git push -q origin work")
	for _, b := range list {
		b.At = strings.Repeat("1", len(b.At))
		if s.Remove(t.Context(), b) == nil {
			t.Errorf("%s, which is another one now, counts as deleted", b)
		}
	}
	p.want("where it is", p.places(), "here there")
}

// Whatever is not plainly done with stays.
func TestWhatMovedOrIsInUseIsKept(t *testing.T) {
	for name, c := range map[string]struct{ does, where, why string }{
		"checked out here":      {"git checkout -q work", "here there", "it is checked out in"},
		"checked out elsewhere": {"git worktree add -q ../elsewhere work", "here there", "it is checked out in"},
		"being rebased":         {"git worktree add -q ../elsewhere work; cd ../elsewhere; git commit -q --allow-empty -m x; git reset -q --hard HEAD~; GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i --root", "here there", "it is checked out in"},
		"moved here":            {"git checkout -q work; git commit -q --allow-empty -m more; git checkout -q main", "here there", "it has commits since it was merged"},
		"moved there":           {"git checkout -q --detach work; git commit -q --allow-empty -m more; git push -q origin HEAD:work; git checkout -q main", "here there", "it has moved on origin since it was merged"},
		"taken back here":       {"git reset -q --hard HEAD~", "here", "it has commits that are not in main"},
		"taken back there":      {"git push -q -f origin main~:main", "here there", "it has commits that are not in origin/main"},
		"the remote is away":    {"git remote set-url origin /nowhere", "here there", "origin cannot be reached"},
		"it takes no deletions": {"git -C ../origin.git config receive.denyDeletes true", "here there", "deletion prohibited"},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := merged(t)
			p.sh(c.does)
			said := strings.Join(p.sweep(s), "\n")
			if !strings.Contains(said, c.why) {
				t.Errorf("%q does not say %q", said, c.why)
			}
			p.want("where it is", p.places(), c.where)
		})
	}
}

// A rebase before the merge leaves an older version of the branch on the remote, which
// warp itself has pushed.
func TestTheRemoteHasWhatWasPushedBeforeTheRebase(t *testing.T) {
	p := newPort(t)
	p.change("feature.txt")
	p.must(p.Push(t.Context(), "work", p.sh("git rev-parse work")))
	p.colleague("echo theirs > theirs.txt")
	p.must(p.Update(t.Context(), "main"))
	r, _, err := p.Rebase(t.Context(), "work", "main")
	p.must(err)
	p.must(p.Follow(t.Context(), "work", r.Next))
	_, err = p.Merge(t.Context(), "work", "main", r.Next)
	p.must(err)
	p.must(RecordLanded(p.Lander, evidence.Landed{Branch: "work", Target: "main", Commit: r.Next}))
	p.sh("git checkout -q main")
	p.sweep(Sweep{Work: p.Work, Home: p.Home, Now: time.Now})
	p.want("where it is", p.places(), "")
}

// The branch of a pull request stays until that is merged, by whatever method.
func TestTheBranchOfAPullRequest(t *testing.T) {
	for name, c := range map[string]struct {
		pull  forge.Pull
		err   error
		where string
		why   string
	}{
		"open":                {forge.Pull{Open: true, Commit: "tip"}, nil, "here there", "its pull request #7 is open"},
		"closed":              {forge.Pull{Commit: "tip"}, nil, "here there", "closed without a merge"},
		"squashed":            {forge.Pull{Merged: true, Commit: "tip"}, nil, "", "its pull request #7 is merged"},
		"merged with another": {forge.Pull{Merged: true, Commit: "0123456789012345678901234567890123456789"}, nil, "here there", "it has commits since it was merged"},
		"no commit is known":  {forge.Pull{Merged: true}, nil, "here there", "not in origin/main"},
		"cannot be asked":     {forge.Pull{}, errors.New("no network"), "here there", "no network"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPort(t)
			tip := p.change("feature.txt")
			p.must(p.Push(t.Context(), "work", p.sh("git rev-parse work")))
			p.must(RecordLanded(p.Lander, evidence.Landed{Branch: "work", Target: "main", Commit: tip, Pull: 7}))
			p.sh("git checkout -q main")
			c.pull.Commit = strings.Replace(c.pull.Commit, "tip", tip, 1)
			s := Sweep{Work: p.Work, Home: p.Home, Now: time.Now, Pull: func(context.Context, int) (forge.Pull, error) { return c.pull, c.err }}
			if said := strings.Join(p.sweep(s), "\n"); !strings.Contains(said, c.why) {
				t.Errorf("%q does not say %q", said, c.why)
			}
			p.want("where it is", p.places(), c.where)
		})
	}
}

func TestAPersonsBranchAndAnUnfinishedOneStay(t *testing.T) {
	p, s := merged(t)
	s.Unfinished = map[string]string{"work": "its drive is unfinished"}
	if said := strings.Join(p.sweep(s), "\n"); !strings.Contains(said, "kept origin/work: its drive is unfinished") {
		t.Errorf("%q", said)
	}
	s.Unfinished = nil
	p.must(RecordLanded(p.Lander, evidence.Landed{Branch: "work", Target: "main", Commit: p.sh("git rev-parse work"), Borrowed: true}))
	if said := p.sweep(s); len(said) != 0 {
		t.Errorf("%q", said)
	}
	p.want("where it is", p.places(), "here there")
}
