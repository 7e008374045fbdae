package turnstile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/internal/core/config"
	"warp/internal/core/drive"
	"warp/internal/durable"
)

// Result is what became of an event.
type Result struct {
	drive.Outcome
	State *drive.State
	Gates []GateResult // what the gates said, up to the first that refused
	Notes []string     // advice and what had to be mended
}

// DataError refuses what came with an event.
type DataError struct{ Err error }

func (e *DataError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *DataError) Unwrap() error { return e.Err }

// Fire carries the drive over one event. The data is a JSON text, "" for none.
// An event that the table does not allow changes nothing. A gate that fails
// returns a *GateError: one retry was counted. When a budget trips, the result
// says so and the drive waits in budget_exceeded. More are an engine's own gates.
func (d *Drive) Fire(ctx context.Context, on drive.Event, data string, more ...Gate) (Result, error) {
	return d.FireOr(ctx, on, "", data, more...)
}

// FireOr is Fire, but that a gate that fails makes another event true: its
// *GateError comes with what became of that, which counts as it does by itself.
func (d *Drive) FireOr(ctx context.Context, on, instead drive.Event, data string, more ...Gate) (Result, error) {
	cfg, err := d.Settings()
	if err != nil && slices.Contains(brakes, on) {
		cfg = config.Settings{Workflow: config.Default(), Warnings: []string{err.Error()}}
	} else if err != nil {
		return Result{}, fmt.Errorf("the settings must be mended first, nothing was changed: %w", err)
	}
	st := drive.Step{Event: on, Limits: cfg.Limits, Targets: cfg.Targets()}
	if data != "" {
		if st.Data, err = drive.ParseData(data, on, cfg.Limits); err != nil {
			return Result{}, &DataError{err}
		}
	}
	gates, err := d.before(ctx, cfg, on, more)
	if err != nil {
		return Result{Notes: gates.seen.Notes}, err
	}
	failed := gates.failure()
	if failed != nil && failed.Result.broken {
		return Result{Gates: gates.results, Notes: gates.seen.Notes}, failed // not the agent's failure: it costs nothing
	}
	switch {
	case failed == nil:
	case instead != "":
		st.Event, st.Data.Failure = instead, failed.signature()
	default:
		st.Blocked = failed.signature()
	}
	st.Tree = gates.tree
	if st.Tree == "" && needsTree(st) && d.env.eyes != nil {
		if st.Tree, err = d.env.eyes.tree(d); err != nil {
			cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("the work tree was not recorded, so the last commit stands for it: %v", err))
		}
	}
	res, err := d.apply(st, gates, failed, cfg)
	res.Gates = gates.results
	return res, err
}

// before runs the gates of an event, when it has any and is allowed: gates can
// take minutes, so they run on a state that was only read.
func (d *Drive) before(ctx context.Context, cfg config.Settings, on drive.Event, more []Gate) (gateRun, error) {
	if drive.Semantic[on] == "" && len(cfg.Gates[on]) == 0 && len(more) == 0 {
		return gateRun{event: on}, nil
	}
	now, err := d.Read()
	if err != nil {
		return gateRun{}, err
	}
	if _, err := now.State.Check(on); err != nil {
		return gateRun{seen: now}, err
	}
	if err := d.held(now, on); err != nil {
		return gateRun{seen: now}, err
	}
	return d.gates(ctx, now, cfg, on, more)
}

// held looks before the gates run, which can take minutes.
func (d *Drive) held(v View, on drive.Event) error {
	if slices.Contains(brakes, on) {
		return nil
	}
	_, unseen := v.State.Moved(d.refs(v.State).tips, d.env.Now())
	f := drive.Freeze{Moves: unseen, State: d.tampered(v)}
	if !f.State && len(f.Moves) == 0 {
		return nil
	}
	return errors.Join(&drive.FrozenError{Phase: v.State.Phase, Freeze: f}, d.freeze(f))
}

// brakes work whatever is wrong with the settings: no gate can guard them.
var brakes = []drive.Event{drive.Abort, drive.BudgetAbort}

// needsTree tells whether the event depends on the work tree's fingerprint.
func needsTree(st drive.Step) bool {
	return st.Blocked != "" || st.Data.Failure != "" || slices.Contains([]drive.Event{drive.ChunksDefined, drive.NextChunk}, st.Event)
}

func (d *Drive) apply(st drive.Step, gates gateRun, failed *GateError, cfg config.Settings) (Result, error) {
	res := Result{Notes: slices.Clone(cfg.Warnings)}
	var frozen *drive.FrozenError
	notes, err := d.update(func(tx *durable.Tx[drive.State]) error {
		if was := gates.seen.State; was != nil && tx.Doc.Moves() != was.Moves() {
			return fmt.Errorf("the drive moved from %s to %s while the gates of %s ran; nothing was changed, look again", was.Phase, tx.Doc.Phase, st.Event)
		}
		st.Now = d.env.Now()
		tx.Doc.Fold(tx.Since, st.Limits)
		if frozen = d.look(View{State: tx.Doc, Foreign: tx.Foreign}, &st); frozen != nil {
			return errUnchanged
		}
		if err := d.facts(tx.Doc, st); err != nil {
			return err
		}
		out, err := tx.Doc.Apply(st)
		if err != nil {
			return err
		}
		res.Outcome, res.State = out, tx.Doc
		tx.Log("transition", logged{out.Event, out.From, out.To, out.Reasons, st.Data.Failure != "" || failed != nil})
		return nil
	})
	res.Notes = append(append(gates.seen.Notes, res.Notes...), notes...)
	if frozen != nil {
		return Result{Notes: res.Notes}, errors.Join(frozen, d.freeze(frozen.Freeze))
	}
	if err != nil {
		return Result{Notes: res.Notes}, err
	}
	switch {
	case !res.State.Phase.Active():
		d.strike()
	case st.Event == drive.Start:
		d.enlist(res.State.Session.ClaudeSession)
	}
	res.Notes = append(res.Notes, advice(res, st.Limits)...)
	if failed != nil {
		return res, failed
	}
	return res, nil
}

// look tells the step where the branches are. One that moved where nobody may
// have moved it holds every event but the brakes.
func (d *Drive) look(v View, st *drive.Step) *drive.FrozenError {
	s := v.State
	f := d.refs(s, st.Data.Branch)
	st.Head, st.Tips = f.head, f.tips
	if !slices.Contains(brakes, st.Event) {
		_, unseen := s.Moved(f.tips, st.Now)
		if found := (drive.Freeze{Moves: unseen, State: d.tampered(v)}); found.State || len(unseen) > 0 {
			return &drive.FrozenError{Phase: s.Phase, Freeze: found}
		}
	}
	st.Commits = d.commits(s, f)
	return nil
}

// facts holds what an agent says against git. Whoever drives without an agent is
// believed, and what git knows counts all the same.
func (d *Drive) facts(s *drive.State, st drive.Step) error {
	if s.Session.ClaudeSession == "" || st.Tips == nil || s.Watch == nil {
		return nil
	}
	if _, err := s.Check(st.Event); err != nil {
		return nil // the table says why not
	}
	switch b := st.Data.Branch; {
	case b != "" && b != st.Head:
		return &DataError{fmt.Errorf("data.branch: %q is not checked out, %q is: the drive's branch is the one that is worked on", b, st.Head)}
	case st.Event != drive.Committed && st.Event != drive.CommitWithDocGate && st.Event != drive.Merged:
		return nil
	case st.Event == drive.Merged:
		return d.merged(s, st)
	case len(st.Commits) == 0 && st.Head != s.BranchName():
		return fmt.Errorf("nothing was committed on the drive's branch %q in this phase: %q is checked out", s.BranchName(), st.Head)
	case len(st.Commits) == 0:
		return fmt.Errorf("nothing was committed in this phase, so %s is not true", st.Event)
	}
	return nil
}

// merged wants the work in the branch that it is merged into, at level 3.
func (d *Drive) merged(s *drive.State, st drive.Step) error {
	tip, target := st.Tips[s.BranchName()], st.Tips[s.MergeTarget]
	if s.Session.Level < 3 || s.BranchName() == s.MergeTarget || tip == "" || target == "" {
		return nil
	}
	repo, err := d.repo()
	if err != nil {
		return err
	}
	if in, err := repo.Descends(target, tip); err != nil || !in {
		return errors.Join(fmt.Errorf("%s does not contain %s, so merged is not true: merge it first", s.MergeTarget, s.BranchName()), err)
	}
	return nil
}

// logged is what the journal tells of a transition besides the change itself.
type logged struct {
	Event   drive.Event `json:"event"`
	From    drive.Phase `json:"from"`
	To      drive.Phase `json:"to"`
	Reasons []string    `json:"reasons,omitempty"`
	Failed  bool        `json:"failed,omitempty"`
}

// advice says what is unusual about a transition that was nevertheless allowed.
func advice(r Result, l drive.Limits) (notes []string) {
	for _, w := range r.Warnings {
		notes = append(notes, fmt.Sprintf("%s: phase %s lasted longer than max_phase_minutes (%d)", w, r.From, l.PhaseMinutes))
	}
	c := r.State.Chunk
	switch {
	case r.To == drive.RequirementComplete && c.Index < c.Total:
		notes = append(notes, fmt.Sprintf("the requirement is called done after chunk %d of %d", c.Index, c.Total))
	case r.Event == drive.NextChunk && c.Total > len(c.ACs) && len(c.ACs) > 0:
		notes = append(notes, fmt.Sprintf("chunk %d is past the %d chunks that were defined", c.Index, len(c.ACs)))
	}
	return notes
}

// Reset deletes the state; the journal keeps what it knows.
func (d *Drive) Reset() ([]string, error) {
	if !d.store.Exists() {
		return nil, &durable.MissingError{Path: d.doc.Path()}
	}
	notes, err := d.doc.Remove()
	if err == nil {
		d.strike()
		err = d.store.RemoveFile(stateFolder + "/" + OwnerFile)
	}
	return notes, err
}

// Permit says whether an operation is allowed now.
func (d *Drive) Permit(operation, branch string) (drive.Permission, error) {
	if _, err := new(drive.State).Permit(operation, branch); err != nil {
		return drive.Permission{}, &DataError{err}
	}
	v, err := d.Read()
	if durable.IsMissing(err) {
		return drive.Permission{Allowed: true, Reason: "there is no session here, so nothing is guarded"}, nil
	}
	if err != nil {
		return drive.Permission{}, err
	}
	return v.State.Permit(operation, branch)
}
