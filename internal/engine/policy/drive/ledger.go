package drive

import (
	"fmt"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
	"warp/internal/core/tokens"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// ledger keeps what the engine has found out and spent, and tells people who watch.
type ledger struct {
	ports *Ports
	// home is where evidence is kept: the main work tree's store, which outlives a
	// work tree of the drive's own.
	home  *durable.Store
	issue *subject  // what is worked on
	began time.Time // the work on it
	book  *evidence.Book
	ends  []evidence.Outcome
	bad   error // a row that could not be written

	spent     agent.Usage // of the runs that are over
	running   agent.Usage // of the one that is not
	windows   map[string]tokens.Window
	live      *step.Live
	overspent string // the budget that is used up
	until     time.Time
	awake     func() time.Time // the clock that budgets go by
	waited    time.Duration    // by it, for people
}

// readBook opens the book of the project: what was found out before counts.
func readBook(l *ledger) error {
	l.book = &evidence.Book{}
	if l.home.Dir() != l.ports.Drive.Store().Dir() { // that one was looked at with the lease
		step.TellTampering(l.home, l.remark)
	}
	_, err := l.home.Events(func(r event.Row) bool { l.book.Take(r); return true })
	if err != nil && !durable.IsMissing(err) {
		return fmt.Errorf("reading the evidence so far: %w", err)
	}
	return nil
}

// recordEvidence writes rows of evidence of a session, into the journal and the open book.
// Rows that something is decided from are synced, with one sync for all that an
// action has found out. A row that cannot be written ends the run: evidence that
// is missing is worth nothing in the morning.
func (l *ledger) recordEvidence(s *drivestate.State, kind string, rows ...any) {
	write := l.home.AppendSynced
	if kind == event.Filed || kind == event.Intervened { // the tracker and git know it
		write = l.home.Append
	}
	for i, row := range rows {
		rows[i] = withEpoch(s, row)
	}
	if err := write(kind, rows...); err != nil && l.bad == nil {
		l.bad = fmt.Errorf("keeping evidence: %w", err)
	}
	l.remember(s, kind, rows...)
}

// mirrorEvidence keeps rows that the turnstile has journalled where the drive is, which may
// not outlive it.
func (l *ledger) mirrorEvidence(s *drivestate.State, kind string, rows ...any) {
	if l.home.Dir() != l.ports.Drive.Store().Dir() {
		l.recordEvidence(s, kind, rows...)
		return
	}
	l.remember(s, kind, rows...)
}

// remember puts rows that are journalled already into the open book.
func (l *ledger) remember(s *drivestate.State, kind string, rows ...any) {
	for _, row := range rows {
		l.book.Take(event.Row{At: event.Stamp(l.ports.Now()), Kind: kind, Data: withEpoch(s, row)})
	}
}

// withEpoch is a row that says which session it is of; without a state none is
// known.
func withEpoch(s *drivestate.State, row any) *lossless.Value {
	data := lossless.Encode(row, nil)
	if s == nil {
		return data
	}
	return data.With("epoch", lossless.NewInt(s.Session.StartedAtEpoch))
}

// evidenceOfIssue is what the book has about the present requirement in this session.
func (l *ledger) evidenceOfIssue(s *drivestate.State) *evidence.Book {
	return l.book.Page(s.Issue(), s.Session.StartedAtEpoch)
}

// evidenceOfSession is what the book has about this session.
func (l *ledger) evidenceOfSession(s *drivestate.State) *evidence.Book {
	return l.book.Page("", s.Session.StartedAtEpoch)
}

// intervene records that something an agent did was reverted.
func (l *ledger) intervene(s *drivestate.State, what, kept, format string, args ...any) {
	row := evidence.Intervened{Issue: s.Issue(), Chunk: s.Chunk.Index, What: what, Text: fmt.Sprintf(format, args...), Kept: kept}
	l.recordEvidence(s, event.Intervened, row)
	l.tell(Note{Kind: Intervened, Text: row.Text})
}

// recordFiled keeps what the tracker was given, if that is news, and says so.
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

// recordOutcome records what became of the present requirement, once: a drive that
// died after it comes here again.
func (l *ledger) recordOutcome(s *drivestate.State, o evidence.Outcome) {
	o.Issue, o.Epoch, o.Branch, o.Started = s.Issue(), s.Session.StartedAtEpoch, s.BranchName(), s.Session.StartedAt
	if l.issue != nil {
		o.Title = l.issue.Title
	}
	o.Why, o.Do = l.ports.Redact(o.Why), l.ports.Redact(o.Do)
	if l.book != nil {
		if last, known := evidence.Last(l.evidenceOfIssue(s).Outcomes, nil); !known || last.Row != o {
			l.recordEvidence(s, event.Outcome, o)
		}
		l.pass("outcome")
	}
	l.reportOutcome(o)
}

// reportOutcome tells what became of a requirement.
func (l *ledger) reportOutcome(o evidence.Outcome) {
	l.ends = append(l.ends, o)
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
func relayEvent(l *ledger, role agent.Role, name string, ev agent.Event) {
	if ev.Usage != nil {
		l.running = *ev.Usage
	}
	for _, w := range ev.Windows {
		if l.windows == nil {
			l.windows = map[string]tokens.Window{}
		}
		l.windows[w.Name] = w
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

// Kind says what a note is about.
type Kind string

// The kinds of notes.
const (
	Began      Kind = "began"      // work on a requirement begins, or is resumed
	Phased     Kind = "phase"      // another phase: From, Phase, Event
	Criteria   Kind = "criteria"   // Criteria as they stand now
	AgentBegan Kind = "agent"      // an agent is asked: Agent, Role
	AgentSaid  Kind = "said"       // one event of its stream: Said
	AgentEnded Kind = "ran"        // it has ended: Text is how
	Judged     Kind = "verdict"    // a verifier judged a criterion: Text, Passed
	Gated      Kind = "gate"       // a gate was run: Text, Passed
	Tested     Kind = "test"       // the tests were run: Text, Passed
	Committed  Kind = "commit"     // Text is the subject, Hash the commit
	Filed      Kind = "filed"      // Text, Number, URL
	Intervened Kind = "intervened" // what an agent did was reverted
	Asked      Kind = "decision"   // a question, and perhaps its answer
	Skipped    Kind = "skipped"    // a chunk was given up
	Waiting    Kind = "wait"       // until Until, for what Text says; a zero Until: no more
	Remark     Kind = "note"       // anything else that people should know
	Ended      Kind = "end"        // Outcome
)

// Criterion is one acceptance criterion on its way.
type Criterion struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Done    bool   `json:"done"`
	Doing   bool   `json:"doing,omitempty"`   // of the present chunk
	Skipped bool   `json:"skipped,omitempty"` // given up
}

// Note is something that happens during a drive, for people who watch it.
// Nothing depends on its being read. Its texts may be an agent's or an issue's
// words.
type Note struct {
	At     time.Time `json:"at"`
	Kind   Kind      `json:"kind"`
	Issue  string    `json:"issue,omitempty"`
	Title  string    `json:"title,omitempty"`
	Branch string    `json:"branch,omitempty"`
	Move
	Criteria []Criterion `json:"criteria,omitempty"`
	Speaker
	Text   string `json:"text,omitempty"`
	Passed *bool  `json:"passed,omitempty"`
	Link
	Until time.Time `json:"until,omitzero"`
	Meter
	Outcome *evidence.Outcome `json:"outcome,omitempty"`
	Made
}

// Move is where the drive is, and how it came there.
type Move struct {
	From  drivestate.Phase `json:"from,omitempty"`
	Phase drivestate.Phase `json:"phase,omitempty"`
	Event drivestate.Event `json:"event,omitempty"`
	Chunk int              `json:"chunk,omitempty"`
	Total int              `json:"total,omitempty"`
}

// Speaker is the agent that a note is about, and what it says.
type Speaker struct {
	Agent string       `json:"agent,omitempty"`
	Role  agent.Role   `json:"role,omitempty"`
	Said  *agent.Event `json:"-"` // see Text and Tool in JSON
	Tool  string       `json:"tool,omitempty"`
}

// Link is where to find what a note is about.
type Link struct {
	Hash   string `json:"hash,omitempty"`
	Number int    `json:"number,omitempty"`
	URL    string `json:"url,omitempty"`
}

// Meter is what the session has used so far, and what is left of its time.
type Meter struct {
	Tokens   int64         `json:"tokens,omitempty"`
	MicroUSD int64         `json:"micro_usd,omitempty"`
	Unpriced bool          `json:"unpriced,omitempty"` // what the run has cost is not known
	Left     time.Duration `json:"-"`

	Spent evidence.Effort `json:"-"` // on the requirement, with its outcome
}

// Made is what the session has done so far, with a phase.
type Made struct {
	Commits int `json:"commits,omitempty"`
	Chunks  int `json:"chunks,omitempty"`
}
