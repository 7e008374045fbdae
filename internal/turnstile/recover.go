package turnstile

import (
	"context"
	"slices"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// Recovered is what is known about a drive whose state or work tree was lost.
type Recovered struct {
	Issue, Branch string
	Level         int
	Epoch         int64 // when its session began, in milliseconds; its reports and commits carry it
	Phase         drivestate.Phase
	Chunks        [][]string // the criteria of each chunk
	Index         int        // the last finished chunk, or the one to start in coding
	Skipped       []int
	DoneBefore    []string // criteria that were done before the session
	Criteria      []drivestate.Criterion
	Commits       []string // oldest first
}

// Recover rewrites the state of a drive from what is known. No process owns the result, so the next
// engine resumes it. A state of the same session is updated and keeps its other data. Recover
// refuses if another requirement is unfinished or the drive is running.
func (d *Drive) Recover(ctx context.Context, r Recovered) (View, error) {
	cfg, err := d.Project.Settings()
	if err != nil {
		return View{}, err
	}
	b := drivestate.Begin{Session: drivestate.Session{Level: r.Level}, Issue: r.Issue, Targets: cfg.Targets(), Now: time.UnixMilli(r.Epoch)}
	notes := detectBranches(&d.Project, &b)
	if b.Branch, b.SessionBranch = r.Branch, ""; r.Level == 2 {
		b.SessionBranch = r.Branch
	}
	b.GitHubUser = findGitHubUser(ctx, d.Root())
	tree := ""
	if r.Phase == drivestate.Coding {
		if tree, err = d.Tree.Fingerprint(); err != nil {
			return View{}, err
		}
	}
	if err := d.Store().Try(); err != nil { // creates the store's folders
		return View{}, err
	}
	var v View
	more, err := d.doc.file.Update(func(tx *durable.Tx[drivestate.State]) error {
		old, now := tx.Doc, d.Project.env.Now()
		if old != nil && old.Phase.Active() && (old.Issue() != r.Issue || !d.doc.isStale(old)) {
			return &ActiveError{old.Issue(), old.Phase, old.Session.PID, d.doc.isStale(old), old.Session.Caps}
		}
		if old != nil && old.Session.StartedAtEpoch == r.Epoch {
			old.Fold(tx.Since, cfg.Limits)
		} else {
			tx.Doc = drivestate.New(b)
		}
		s := tx.Doc
		s.Own("", 0, "")
		s.History = append(s.History, drivestate.Row{Phase: r.Phase, At: drivestate.Stamp(now), From: s.Phase, Event: "recovered"})
		r.fill(s, tree, now)
		s.Accept(d.Watch.readBranches(s).tips)
		tx.Log("recovered", map[string]string{"to": string(s.Phase), "requirement": r.Issue})
		v = View{State: s, Stale: true}
		return nil
	})
	v.Notes = append(notes, more...)
	if err == nil {
		registerDrive(d.Root(), "")
		err = d.Ownership.remove()
	}
	return v, err
}

// fill sets the state to what is known and clears everything that was in progress.
func (r Recovered) fill(s *drivestate.State, tree string, now time.Time) {
	s.Phase, s.Requirement, s.Branch = r.Phase, &r.Issue, nil
	if r.Branch != "" {
		s.Branch = &r.Branch
	}
	s.Session.Level, s.Session.PausedSeconds = r.Level, 0
	s.Chunk = drivestate.Chunk{Index: r.Index, Total: len(r.Chunks), ACs: slices.Clone(r.Chunks), Base: tree, DoneBefore: r.DoneBefore, Skipped: r.Skipped}
	if s.Chunk.ACs == nil {
		s.Chunk.ACs = [][]string{}
	}
	s.Aborted, s.Paused, s.Frozen, s.Override, s.Waiting, s.Asked = r.Phase == drivestate.Aborted, nil, nil, nil, nil, nil
	s.EditCounts = map[string]int{}
	done := slices.Contains([]drivestate.Phase{drivestate.DocDriftCheck, drivestate.Reporting, drivestate.ChunkComplete}, r.Phase)
	s.Checklist = drivestate.Checklist{DocsUpdated: done, TestsPassed: done, Committed: done, ReportFiled: r.Phase == drivestate.ChunkComplete}
	s.Tokens.CurrentStartedAt = nil
	if r.Index > 0 {
		at := drivestate.Stamp(now)
		s.Tokens.CurrentStartedAt = &at
	}
	if s.Criteria == nil {
		s.Criteria = map[string][]drivestate.Criterion{}
	}
	if s.Checked == nil {
		s.Checked = map[string][]string{}
	}
	s.Criteria[r.Issue] = r.Criteria
	s.Checked[r.Issue] = s.Chunk.Due()
	if !done { // the current chunk is not done
		s.Checked[r.Issue] = slices.DeleteFunc(s.Chunk.Due(), func(id string) bool { return slices.Contains(s.Chunk.Present(), id) })
	}
	r.account(s, now)
}

// account sets the counters to what is known and resets the budgets, because a person decided to
// recover the drive.
func (r Recovered) account(s *drivestate.State, now time.Time) {
	s.Completed = []*lossless.Value{}
	for i, ids := range r.Chunks[:min(r.Index, len(r.Chunks))] {
		present := i+1 == r.Index && r.Phase != drivestate.ChunkComplete
		if present || len(ids) == 0 || slices.Contains(r.Skipped, i+1) {
			continue
		}
		s.Completed = append(s.Completed, lossless.Record("index", i+1, "acs", ids, "at", drivestate.Stamp(now)))
	}
	s.CommitHashes = slices.Clone(r.Commits)
	s.Metrics.Commits, s.Metrics.ReportsFiled, s.Metrics.ChunksCompleted = len(r.Commits), len(s.Completed), len(s.Completed)
	s.Budgets = drivestate.Budgets{PhaseStartedAt: drivestate.Stamp(now), SessionFrom: drivestate.Stamp(now), ChunksFrom: len(s.Completed)}
}
