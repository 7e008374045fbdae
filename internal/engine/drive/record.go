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

// keep writes rows of evidence of a session, into the journal and the open book.
// Rows that something is decided from are synced, with one sync for all that an
// action has found out. A row that cannot be written ends the run: evidence that
// is missing is worth nothing in the morning.
func (e *Engine) keep(s *drive.State, kind string, rows ...any) {
	write := e.home().AppendSynced
	if kind == event.Filed || kind == event.Intervened { // the tracker and git know it
		write = e.home().Append
	}
	for i, row := range rows {
		rows[i] = withEpoch(s, row)
	}
	if err := write(kind, rows...); err != nil && e.bad == nil {
		e.bad = fmt.Errorf("keeping evidence: %w", err)
	}
	e.remember(s, kind, rows...)
}

// remember puts rows that are journalled already into the open book.
func (e *Engine) remember(s *drive.State, kind string, rows ...any) {
	for _, row := range rows {
		e.book.Take(event.Row{At: event.Stamp(e.Now()), Kind: kind, Data: withEpoch(s, row)})
	}
}

// withEpoch is a row that says which session it is of; without a state none is
// known.
func withEpoch(s *drive.State, row any) *lossless.Value {
	data := lossless.Encode(row, nil)
	if s == nil {
		return data
	}
	return data.With("epoch", lossless.NewInt(epoch(s)))
}

// page is what the book has about the present requirement in this session.
func (e *Engine) page(s *drive.State) *evidence.Book { return e.book.Of(s.Issue(), epoch(s)) }

// all is what the book has about this session.
func (e *Engine) all(s *drive.State) *evidence.Book { return e.book.Of("", epoch(s)) }

func epoch(s *drive.State) int64 { return s.Session.StartedAtEpoch }

// intervene records that something an agent did was taken back.
func (e *Engine) intervene(s *drive.State, what, kept, format string, args ...any) {
	row := evidence.Intervened{Issue: s.Issue(), Chunk: s.Chunk.Index, What: what, Text: fmt.Sprintf(format, args...), Kept: kept}
	e.keep(s, event.Intervened, row)
	e.tell(Note{Kind: Intervened, Text: row.Text})
}

// end records what became of the present requirement, once: a drive that died
// after it comes here again.
func (e *Engine) end(s *drive.State, o evidence.Outcome) {
	o.Issue, o.Epoch, o.Branch, o.Started = s.Issue(), epoch(s), s.BranchName(), s.Session.StartedAt
	if e.issue != nil {
		o.Title = e.issue.Title
	}
	o.Why, o.Do = e.Redact(o.Why), e.Redact(o.Do)
	if e.book != nil {
		if last, known := evidence.Last(e.page(s).Outcomes, func(evidence.Outcome) bool { return true }); !known || last.Row != o {
			e.keep(s, event.Outcome, o)
		}
		e.passed("outcome")
	}
	e.ends = append(e.ends, o)
	e.tell(Note{Kind: Ended, Outcome: &o})
}

// tokens are all that the session has used.
func (e *Engine) tokens() int64 { return e.spent.Tokens() }
