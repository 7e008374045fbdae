package drive

import (
	"fmt"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// home is where evidence is kept: the main worktree's store, which outlives a
// worktree of the drive's own.
func (e *Engine) home() *durable.Store {
	if e.homeStore == nil {
		e.homeStore = e.Drive.Project.Home()
	}
	return e.homeStore
}

// read opens the book of the project: what was found out before counts.
func (e *Engine) read() (*evidence.Book, error) {
	b := &evidence.Book{}
	_, err := e.home().Events(func(r event.Row) bool { b.Take(r); return true })
	if err != nil && !durable.IsMissing(err) {
		return nil, fmt.Errorf("reading the evidence so far: %w", err)
	}
	return b, nil
}

// keep writes a row of evidence, into the journal and the open book. A row that
// cannot be written ends the run: evidence that is missing is worth nothing in
// the morning.
func (e *Engine) keep(kind string, row any) {
	if err := e.home().Append(kind, row); err != nil && e.bad == nil {
		e.bad = fmt.Errorf("keeping evidence: %w", err)
	}
	e.remember(kind, row)
}

func (e *Engine) remember(kind string, row any) {
	e.book.Take(event.Row{At: event.Stamp(e.Now()), Kind: kind, Data: lossless.Encode(row, nil)})
}

// page is what the book has about the present requirement in this session.
func (e *Engine) page(s *drive.State) *evidence.Book { return e.book.Of(s.Issue(), e.since(s)) }

// since is when the work on the requirement began: rows from before are another
// session's.
func (e *Engine) since(s *drive.State) string { return s.Session.StartedAt }

// intervene records that something an agent did was taken back.
func (e *Engine) intervene(s *drive.State, what, kept, format string, args ...any) {
	row := evidence.Intervened{Issue: s.Issue(), Chunk: s.Chunk.Index, What: what, Text: fmt.Sprintf(format, args...), Kept: kept}
	e.keep(event.Intervened, row)
	e.tell(Note{Kind: Intervened, Text: row.Text})
}

// end records what became of the present requirement, once: a drive that died
// after it comes here again.
func (e *Engine) end(s *drive.State, o evidence.Outcome) {
	o.Issue, o.Branch, o.Started = s.Issue(), s.BranchName(), s.Session.StartedAt
	if e.issue != nil {
		o.Title = e.issue.Title
	}
	o.Why, o.Do = e.Redact(o.Why), e.Redact(o.Do)
	if e.book != nil {
		if last, known := evidence.Last(e.page(s).Outcomes, func(evidence.Outcome) bool { return true }); !known || last.Row != o {
			e.keep(event.Outcome, o)
		}
		e.passed("outcome")
	}
	e.ends = append(e.ends, o)
	e.tell(Note{Kind: Ended, Outcome: &o})
}

// tokens are all that the session has used.
func (e *Engine) tokens() int64 { return e.spent.Tokens() }
