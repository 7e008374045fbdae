package session

import (
	"strings"

	"warp/internal/core/session"
	"warp/internal/core/session/progress"
)

// record keeps an iteration: for the next agent in the progress file, then in the
// document, which counts. Doing it again after a crash adds nothing.
func (r *run) record(i, number int, out Outcome) error {
	if err := r.keep(r.Files, true); err != nil { // without a guard, an agent may have removed them
		return err
	}
	if r.units[i].gathers == nil {
		if err := r.files.note(i, r.progressFile(i), progress.Section{
			Iteration: number, At: r.Now(), Items: out.Row.Items, Summary: summary(out.Row), Files: out.Files, Learnings: out.Learnings,
		}); err != nil {
			return err
		}
		r.passed("progress_written")
	}
	out.Row.Iteration = number
	if err := r.doc.Update("iteration_completed", func(s *session.State) error {
		return s.CompleteIteration(i, out.Row, out.Spent, r.Now())
	}); err != nil {
		return err
	}
	r.charge(i, nil)
	row := out.Row
	r.tell(Note{Kind: Ran, Stage: r.shown(i), Iteration: number, Agent: row.Agent, Row: &row})
	return nil
}

// summary is what the progress file says of an iteration.
func summary(row session.Row) string {
	switch {
	case row.End != "":
		return strings.TrimSpace("The agent's run came to nothing (" + row.End + "). " + row.Summary)
	case row.Gates == session.Fail:
		return strings.TrimSpace(row.Summary + " (The checks failed afterwards.)")
	}
	return row.Summary
}
