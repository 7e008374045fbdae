package drive

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/learning"
	"warp/internal/core/lossless"
	"warp/internal/core/tokens"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/lessons"
	"warp/internal/engine/step"
)

// ledger records evidence and spending, and tells people who watch.
type ledger struct {
	ports *Ports
	// home is where evidence is kept: the main work tree's store, which outlives a drive's own work
	// tree.
	home     *durable.Store
	issue    *subject  // being worked on
	began    time.Time // when work on the issue began
	book     *evidence.Book
	outcomes []evidence.Outcome
	writeErr error // the first failure to write evidence

	spent     agent.Usage // by finished runs
	running   agent.Usage // by the present run
	windows   map[string]tokens.Window
	live      *step.Live
	overspent string // the budget that is used up
	until     time.Time
	awake     func() time.Time // the clock for budgets
	waited    time.Duration    // for people, by the awake clock
}

// readBook reads the project's evidence so far.
func readBook(l *ledger) error {
	l.book = &evidence.Book{}
	if l.home.Dir() != l.ports.Drive.Store().Dir() { // the drive's own store was checked when the lease was taken
		step.TellTampering(l.home, l.remark)
	}
	_, err := l.home.Events(func(r event.Row) bool { l.book.Take(r); return true })
	if err != nil && !durable.IsMissing(err) {
		return fmt.Errorf("reading the evidence so far: %w", err)
	}
	return nil
}

// recordEvidence writes rows of a session's evidence to the journal and the open book. Rows that
// decisions depend on are synced, with one sync per call. A row that cannot be written ends the
// run: incomplete evidence is worthless in the morning.
func (l *ledger) recordEvidence(s *drivestate.State, kind string, rows ...any) {
	write := l.home.AppendSynced
	if kind == event.Filed || kind == event.Intervened { // the tracker and git have these too
		write = l.home.Append
	}
	for i, row := range rows {
		rows[i] = withEpoch(s, row)
	}
	if err := write(kind, rows...); err != nil && l.writeErr == nil {
		l.writeErr = fmt.Errorf("keeping evidence: %w", err)
	}
	l.remember(s, kind, rows...)
}

// mirrorEvidence copies rows that the turnstile journalled in the drive's own work tree, which may
// not outlive the drive.
func (l *ledger) mirrorEvidence(s *drivestate.State, kind string, rows ...any) {
	if l.home.Dir() != l.ports.Drive.Store().Dir() {
		l.recordEvidence(s, kind, rows...)
		return
	}
	l.remember(s, kind, rows...)
}

// remember adds rows that are already journalled to the open book.
func (l *ledger) remember(s *drivestate.State, kind string, rows ...any) {
	for _, row := range rows {
		l.book.Take(event.Row{At: event.Stamp(l.ports.Now()), Kind: kind, Data: withEpoch(s, row)})
	}
}

// withEpoch returns the row with its session's epoch; unchanged if s is nil.
func withEpoch(s *drivestate.State, row any) *lossless.Value {
	data := lossless.Encode(row, nil)
	if s == nil {
		return data
	}
	return data.With("epoch", lossless.NewInt(s.Session.StartedAtEpoch))
}

// evidenceOfIssue returns the evidence about the present requirement in this session.
func (l *ledger) evidenceOfIssue(s *drivestate.State) *evidence.Book {
	return l.book.Page(s.Issue(), s.Session.StartedAtEpoch)
}

// evidenceOfSession returns this session's evidence.
func (l *ledger) evidenceOfSession(s *drivestate.State) *evidence.Book {
	return l.book.Page("", s.Session.StartedAtEpoch)
}

// intervene records that something an agent did was reverted.
func (l *ledger) intervene(s *drivestate.State, what, kept, format string, args ...any) {
	row := evidence.Intervened{Issue: s.Issue(), Chunk: s.Chunk.Index, What: what, Text: fmt.Sprintf(format, args...), Kept: kept}
	l.recordEvidence(s, event.Intervened, row)
	l.tell(Note{Kind: Intervened, Text: row.Text})
}

// recordFiled records what was filed in the tracker and announces it, unless it is known.
func recordFiled(l *ledger, s *drivestate.State, row evidence.Filed, say string) {
	if _, known := evidence.Last(l.evidenceOfSession(s).Filed, func(f evidence.Filed) bool {
		return f.What == row.What && f.Number == row.Number && f.Chunk == row.Chunk
	}); known {
		return
	}
	l.recordEvidence(s, event.Filed, row)
	l.pass("recorded " + row.What)
	if say != "" {
		l.tell(Note{Kind: Filed, Text: say, Link: Link{Number: row.Number, URL: row.URL}})
	}
}

// recordOutcome records the requirement's outcome once: a drive that died after this comes here
// again.
func (l *ledger) recordOutcome(s *drivestate.State, o evidence.Outcome) {
	o.Issue, o.Epoch, o.Branch, o.Started = s.Issue(), s.Session.StartedAtEpoch, s.BranchName(), s.Session.StartedAt
	if l.issue != nil {
		o.Title = l.issue.Title
	}
	if l.book != nil && (o.Result == evidence.Merged || o.Result == evidence.Pull) {
		o.Why = cmp.Or(o.Why, l.evidenceOfIssue(s).RedSuite())
	}
	o.Why, o.Do = l.ports.Redact(o.Why), l.ports.Redact(evidence.RepeatCaps(o.Do, s.Issue(), s.Session.Caps))
	if l.book != nil {
		if !isRecorded(l.evidenceOfIssue(s), s, o) {
			l.recordEvidence(s, event.Outcome, o)
		}
		l.pass("outcome")
	}
	l.reportOutcome(o)
}

// reportOutcome tells people a requirement's outcome.
func (l *ledger) reportOutcome(o evidence.Outcome) {
	l.outcomes = append(l.outcomes, o)
	n := Note{Kind: Ended, Outcome: &o}
	if l.book != nil {
		page := l.book.Of(o.Issue, o.Epoch)
		n.Spent = evidence.Effort{Cost: page.Cost(0), Failing: page.Failing()}
	}
	if !l.began.IsZero() {
		n.Spent.Took = l.ports.Now().Sub(l.began)
	}
	l.tell(n)
}

func (l *ledger) tell(n Note) {
	n.At = l.ports.Now()
	if n.Kind == Began {
		l.began = n.At
	}
	if l.issue != nil {
		n.Issue, n.Title, n.Branch = l.issue.id, l.issue.Title, l.issue.branch
	}
	l.live.Set(n.show)
	if l.ports.Tell == nil {
		return
	}
	n.Tokens, n.MicroUSD = l.spent.Tokens()+l.running.Tokens(), l.spent.MicroUSD+l.running.MicroUSD
	if !l.until.IsZero() {
		n.Left = max(0, l.until.Sub(n.At))
	}
	l.ports.Tell(n)
}

// relayEvent passes on what an agent does while it runs.
func relayEvent(l *ledger, role agent.Role, name string, ev agent.Event, hidden bool) {
	if ev.Usage != nil {
		l.running = *ev.Usage
	}
	for _, w := range ev.Windows {
		if l.windows == nil {
			l.windows = map[string]tokens.Window{}
		}
		l.windows[w.Name] = w
	}
	if hidden {
		return
	}
	l.tell(Note{Kind: AgentSaid, Speaker: Speaker{Role: role, Agent: name, Said: &ev, Tool: ev.Tool}, Text: ev.Text})
}

func (l *ledger) remark(format string, args ...any) {
	l.tell(Note{Kind: Remark, Text: fmt.Sprintf(format, args...)})
}

func (l *ledger) warn(notes []string) {
	for _, n := range notes {
		l.remark("%s", n)
	}
}

func (l *ledger) pass(point string) {
	if l.ports.Passed != nil {
		l.ports.Passed(point)
	}
}

// saveLessons adds a run's lessons to those of sessions and workflows. A failure does not end the
// drive.
func (l *ledger) saveLessons(s *drivestate.State, said []learning.Said) {
	about := learning.Learning{Timestamp: l.ports.Now().UTC().Format(time.RFC3339), Type: learning.Insight}
	if s != nil {
		about.Task, about.Issue, about.Iteration = "#"+s.Issue(), s.Issue(), s.Chunk.Index
		about.Began = strconv.FormatInt(s.Session.StartedAtEpoch, 10)
	}
	if _, err := lessons.Open(l.home).Add(learning.From(about, said, l.ports.Redact)); err != nil {
		l.remark("saving the lessons: %v", err)
	}
}
