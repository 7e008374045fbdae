package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/engine/forge"
)

// Labels of what is filed.
const (
	labelDrive    = "warp-drive"
	labelSummary  = "session-summary"
	labelLesson   = "lesson"
	labelDecision = "decision"
	labelBug      = "bug-deferred"
	labelTodo     = "todo"
	labelRisk     = "risk"
)

// labels are made on first use.
var labels = []forge.Label{
	{Name: labelDrive, Color: "5319e7", Description: "filed by warp drive"},
	{Name: labelLesson, Color: "0e8a16", Description: "something learned"},
	{Name: labelDecision, Color: "1d76db", Description: "a decision that was made"},
	{Name: labelRisk, Color: "d93f0b", Description: "a risk that was noticed"},
	{Name: labelBug, Color: "b60205", Description: "given up for now"},
	{Name: labelTodo, Color: "fbca04", Description: "waits for a person"},
	{Name: labelSummary, Color: "c5def5", Description: "what a session did"},
}

// subjectOf is what texts that are filed are about.
func (e *Engine) subjectOf(s *drive.State) evidence.Subject {
	sub := evidence.Subject{Issue: s.Issue(), Branch: s.BranchName(), Level: s.Session.Level, User: s.Session.GitHubUser,
		Chunk: s.Chunk.Index, Total: s.Chunk.Total, Started: s.Session.StartedAt, Ended: event.Stamp(e.Now())}
	if e.issue == nil {
		return sub
	}
	sub.Title = e.issue.Title
	for _, c := range e.issue.criteria {
		sub.Criteria = append(sub.Criteria, evidence.Named{ID: c.ID, Text: c.Text, Done: slices.Contains(s.Checked[s.Issue()], c.ID), Skipped: slices.Contains(s.SkippedCriteria(), c.ID)})
	}
	return sub
}

// page is a text for the tracker.
type page struct{ title, body string }

func paged(title, body string) page { return page{title, body} }

// file files an issue once, with every secret taken out.
func (e *Engine) file(ctx context.Context, s *drive.State, what string, p page, labels []string, once string, assignees ...string) error {
	i, err := e.Tracker.Create(ctx, forge.NewIssue{Title: e.Redact(p.title), Body: e.Redact(p.body), Labels: labels, Assignees: assignees, Once: once})
	if err != nil {
		return err
	}
	e.passed("filed " + what)
	if e.filed(s, evidence.Filed{Issue: s.Issue(), Chunk: s.Chunk.Index, What: what, Number: i.Number, URL: i.URL, Title: i.Title}) {
		e.tell(Note{Kind: Filed, Text: fmt.Sprintf("%s: %s", what, i.Title), Number: i.Number, URL: i.URL})
	}
	return nil
}

// filed records what the tracker was given, and tells whether that is news.
func (e *Engine) filed(s *drive.State, row evidence.Filed) bool {
	_, known := evidence.Last(e.all(s).Filed, func(f evidence.Filed) bool { return f.What == row.What && f.Number == row.Number })
	if !known {
		e.keep(s, event.Filed, row)
		e.passed("recorded " + row.What)
	}
	return !known
}

// report files the report of a chunk.
func (e *Engine) report(ctx context.Context, s *drive.State) (move, error) {
	page := paged(evidence.ChunkReport(e.page(s), e.subjectOf(s)))
	if err := e.file(ctx, s, "report", page, []string{labelDrive}, e.chunkMarker("report", s)); err != nil {
		return move{}, err
	}
	return move{on: drive.ReportFiled}, nil
}

// nextChunk goes to the next chunk, or ends the requirement: well when all of
// it is done, and by giving the rest up when a chunk was.
func (e *Engine) nextChunk(ctx context.Context, s *drive.State) (move, error) {
	if e.cfg.Reconcile {
		if err := e.reconcile(s); err != nil {
			return move{}, err
		}
	}
	e.showCriteria(s)
	if err := e.devCheck(ctx); err != nil {
		return move{}, err
	}
	switch {
	case s.Chunk.Index < s.Chunk.Total:
		_, err := e.look() // the chunk begins here
		return move{on: drive.NextChunk}, err
	case len(s.Chunk.Skipped) > 0:
		return move{on: drive.Abort, data: data{Failure: e.givenUp(s)}}, nil
	}
	return move{on: drive.RequirementDone}, nil
}

func (e *Engine) givenUp(s *drive.State) string {
	return fmt.Sprintf("%d of %d chunks could not be done", len(s.Chunk.Skipped), s.Chunk.Total)
}

// reconcile recomputes the counters from git and from what was filed.
func (e *Engine) reconcile(s *drive.State) error {
	made, err := e.repo().Commits("refs/heads/"+s.BranchName(), "refs/heads/"+s.MergeTarget)
	if err != nil {
		return err
	}
	var hashes []string
	for _, c := range made {
		if strings.Contains(c.Message, fmt.Sprintf("session %d", s.Session.StartedAtEpoch)) {
			hashes = append(hashes, c.Hash)
		}
	}
	reports := 0
	for _, f := range e.all(s).Filed {
		if f.Row.What == "report" {
			reports++
		}
	}
	wrong, err := e.Drive.ReconcileCounters(hashes, reports)
	for _, w := range wrong {
		e.remark("the counter %s was wrong and was corrected", w)
	}
	return err
}
