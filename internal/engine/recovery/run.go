package recovery

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/guard"
	"warp/internal/turnstile"
)

// Options are what a person asks for.
type Options struct {
	Issue   string // "": the only one that there is
	Branch  string // "": as the state or the commits say
	Level   int    // 0: as the state or the settings say
	Apart   bool   // into a work tree of its own
	InPlace bool   // into the main work tree; neither: where it was
	Redo    bool   // chunks whose commits are lost are done again
}

// Result is what was brought back.
type Result struct {
	Issue  string      `json:"issue"`
	Title  string      `json:"title,omitempty"`
	Branch string      `json:"branch,omitempty"`
	Commit string      `json:"commit,omitempty"`
	Root   string      `json:"root,omitempty"` // where it is gone on with
	Phase  drive.Phase `json:"phase,omitempty"`
	Done   int         `json:"chunks_done"`
	Total  int         `json:"chunks"`
	Picked []string    `json:"picked,omitempty"` // commits that were made anew
	Kept   []string    `json:"kept,omitempty"`   // what had to make room
	Whole  bool        `json:"whole,omitempty"`  // nothing was lost
	Over   bool        `json:"over,omitempty"`   // a person stopped it: only its branch was brought back
	Next   string      `json:"next"`
	Notes  []string    `json:"notes,omitempty"`
}

// NothingError says that there is nothing to bring back.
type NothingError struct{ Why string }

func (e *NothingError) Error() string { return e.Why }

// Run brings a drive back. On an error nothing of what was there is lost.
func (r *Recovery) Run(ctx context.Context, o Options) (Result, error) {
	r.notes = nil
	r.fetch(ctx)
	c, err := r.choose(ctx, o)
	if err != nil {
		return Result{Notes: r.notes}, err
	}
	res := Result{Issue: c.issue}
	if c.at != nil && r.whole(ctx, *c.at) {
		res.Whole, res.Branch, res.Root, res.Phase = true, c.at.state.BranchName(), c.at.Root(), c.at.state.Phase
		res.Done, res.Total, res.Next = c.at.state.Metrics.ChunksCompleted, c.at.state.Chunk.Total, "warp resume"
		res.Notes = r.notes
		return res, nil
	}
	err = r.bring(ctx, o, c, &res)
	res.Notes = r.notes
	return res, err
}

// bring brings a drive back: its branch, its work tree, its state.
func (r *Recovery) bring(ctx context.Context, o Options, c chosen, res *Result) error {
	if err := errors.Join(r.Tree.Identity(ctx), r.free(c.at)); err != nil {
		return err
	}
	b, t, err := r.look(ctx, c.issue, c.branch, r.recorded(c))
	switch {
	case err != nil:
		return err
	case len(b.lost) > 0 && !o.Redo:
		return &LostError{b.lost}
	}
	if err := r.vacant(o.place(r, c, b), c.issue); err != nil {
		return err
	}
	state := c.state()
	if t.session == 0 && state != nil {
		t.session = state.Session.StartedAtEpoch
	}
	a, err := r.ask(ctx, c.issue, t.session)
	if err != nil {
		return err
	}
	if t.session == 0 {
		t.session = a.taken
	}
	switch {
	case !a.issue.Open:
		return &NothingError{fmt.Sprintf("#%s is closed: there is nothing to go on with", c.issue)}
	case t.session == 0:
		return &NothingError{fmt.Sprintf("nothing of a drive of #%s is left, neither commits nor a record: warp drive %s begins it", c.issue, c.issue)}
	}
	res.Title = a.issue.Title
	level, err := r.level(o, state)
	if err != nil {
		return err
	}
	if err := r.pick(ctx, &b); err != nil {
		return err
	}
	if b.tip != "" {
		session := t.session
		if t, err = r.trail(c.issue, b.tip); err != nil {
			return err
		}
		t.session = max(t.session, session)
	}
	at, err := r.settle(ctx, o, c, b, t.session, res)
	if err != nil {
		return err
	}
	if a.aborted && len(t.done()) < t.total { // what was under way is not gone on with; what only waits to be merged is
		res.Over, res.Next = true, "warp drive "+c.issue
		return nil
	}
	release, err := r.hold(at)
	if err != nil {
		return err
	}
	defer release()
	if state != nil && state.Session.StartedAtEpoch != t.session {
		state = nil // another session went on with it since
	}
	f := r.gather(t, state, len(b.lost) == 0, a, b.name, level)
	if err := r.records(ctx, f, t, a, b.picked); err != nil {
		return err
	}
	if err := r.leaveOut(ctx, at, c.issue); err != nil {
		return err
	}
	v, err := at.Recover(ctx, f.recovered())
	if err != nil {
		return err
	}
	r.notes = append(r.notes, v.Notes...)
	if c.at != nil && c.at.Root() != at.Root() && turnstile.HasState(c.at.Root()) {
		if _, err := c.at.Reset(); err != nil { // the drive is elsewhere now; the journal has what it was
			return err
		}
	}
	res.Phase, res.Done, res.Total = v.State.Phase, len(f.done), v.State.Chunk.Total
	res.Next = "warp drive " + c.issue
	if at.Root() != r.Main.Root() {
		res.Next += " --worktree"
	}
	return nil
}

// leaveOut has the present chunk begin without what a run of it has left in the
// work tree: that is the chunk's work.
func (r *Recovery) leaveOut(ctx context.Context, at *turnstile.Drive, issue string) error {
	g, err := guard.New(guard.Options{Root: at.Root(), Store: at.Store(), State: r.State, Name: "drive", Now: r.Env.Now, Remark: r.note})
	if err != nil {
		return err
	}
	left, err := g.Leftovers(ctx, "drive #"+issue+" ")
	if err != nil || len(left) == 0 {
		return err
	}
	tree, err := at.Tree.Fingerprint()
	if err != nil {
		return err
	}
	if tree, err = g.Work.Repo().Graft(ctx, tree, r.tip(ctx, "HEAD"), left); err == nil {
		at.Tree.AssumeUnchanged(tree)
		r.note("what an agent left unfinished in the work tree stays the chunk's work: %s", text.Quote(left, 5))
	}
	return err
}

func (c chosen) state() *drive.State {
	if c.at == nil {
		return nil
	}
	return c.at.state
}

// recorded are the commits that the state knows; without it, those that the
// journal knows of the newest session.
func (r *Recovery) recorded(c chosen) (list []string) {
	if s := c.state(); s != nil {
		return s.CommitHashes
	}
	page := r.book.Of(c.issue, 0)
	began, _ := evidence.Last(page.Written, func(evidence.Written) bool { return true }) // each session records the criteria first
	for _, e := range page.Commits {
		if e.N > began.N || e.Row.Epoch != 0 && e.Row.Epoch == began.Row.Epoch {
			list = append(list, e.Row.Hash)
		}
	}
	return list
}

// level is the automation level: as it is asked for, was, or is configured.
func (r *Recovery) level(o Options, s *drive.State) (int, error) {
	level := o.Level
	if level == 0 && s != nil {
		level = s.Session.Level
	}
	if level == 0 {
		level = r.cfg.Level
	}
	if level != 2 && level != 3 {
		return 0, turnstile.ErrLevel
	}
	return level, nil
}
