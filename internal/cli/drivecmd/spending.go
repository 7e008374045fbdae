package drivecmd

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/config"
	"warp/internal/core/docscheck"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/core/tokens"
	"warp/internal/engine/agent"
	"warp/internal/engine/docs"
	"warp/internal/engine/policy/drive"
	counted "warp/internal/engine/usage"
	"warp/internal/turnstile"
	"warp/plugin"
)

// spending is the budget in money, tokens and time that all drives of one command share.
type spending struct {
	cost, tokens int64         // micro-dollars and tokens; 0: unlimited
	each         int64         // micro-dollars of each drive if there is no limit for all; 0: unlimited
	time         time.Duration // 0: unlimited
	parallel     int64         // number of concurrent drives
	awake        func() time.Time

	mu    sync.Mutex
	used  budget.Amount // by finished drives, on this machine
	began time.Time     // start of the first drive; zero before
}

// newSpending takes the limit of all drives from the command line, and that of each from the
// settings.
func newSpending(o options, s config.Settings, awake func() time.Time) *spending {
	return &spending{cost: o.caps().MicroUSD, tokens: o.maxTokens, each: s.SessionMicroUSD, time: o.maxTime, parallel: int64(max(1, o.parallel)), awake: awake}
}

// begin starts the clock with the first drive.
func (s *spending) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.began.IsZero() {
		s.began = s.awake()
	}
}

// excludeWait does not charge the time a drive waited for a person, unless other drives may have
// worked meanwhile.
func (s *spending) excludeWait(waited time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parallel == 1 {
		s.began = s.began.Add(waited)
	}
}

// timeLeft returns how long another drive may take; 0: unlimited.
func (s *spending) timeLeft() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.time == 0 || s.began.IsZero() {
		return s.time
	}
	return max(time.Second, (s.time - s.awake().Sub(s.began)).Round(time.Second))
}

func (s *spending) add(u budget.Amount) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = s.used.Add(u)
}

// shareOfOne returns the budget of one of the concurrent drives.
func (s *spending) shareOfOne() agent.Budget {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := agent.Budget{MicroUSD: s.each, Tokens: s.tokens}
	if s.cost > 0 {
		b.MicroUSD = max(1, (s.cost-s.used.MicroUSD)/s.parallel)
	}
	if b.Tokens > 0 {
		b.Tokens = max(1, (b.Tokens-s.used.Tokens)/s.parallel)
	}
	return b
}

// whySpent returns which part of the budget is spent, or "".
func (s *spending) whySpent() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.cost > 0 && s.used.MicroUSD >= s.cost:
		return "the " + evidence.Dollars(s.cost) + " for this night are spent"
	case s.tokens > 0 && s.used.Tokens >= s.tokens:
		return "the " + text.Thousands(s.tokens) + " tokens for this night are spent"
	case s.time > 0 && !s.began.IsZero() && s.awake().Sub(s.began) >= s.time:
		return "the time for this night (" + s.time.String() + ") is up"
	}
	return ""
}

// compareDocs compares a project's documentation with its code.
func compareDocs(root string) drive.Docs {
	return projectDocs{docs.Scope{Root: root, Exclude: plugin.Paths(), CommittedOnly: true}}
}

// projectDocs implements drive.Docs.
type projectDocs struct{ scope docs.Scope }

// Proof implements drive.Docs.
func (d projectDocs) Proof() (high, mechanical []string, err error) {
	found, err := docs.Scope{Root: d.scope.Root, Exclude: d.scope.Exclude, AsCommitted: true}.Audit()
	for _, f := range found {
		switch words := fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message); {
		case f.Fix != nil:
			mechanical = append(mechanical, words)
		case f.Severity == docscheck.High:
			high = append(high, words)
		}
	}
	return high, mechanical, err
}

func (d projectDocs) Sync() ([]string, error) { return d.scope.Fix() }

func (d projectDocs) Drift() (high []string, err error) {
	found, err := d.scope.Audit()
	for _, f := range found {
		if f.Severity == docscheck.High {
			high = append(high, fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message))
		}
	}
	return high, err
}

// newCounter returns a function that records spending after the events the ledger wants, and checks
// it against the limits. It returns each warning once.
func (m *engines) newCounter(l *counted.Ledger, e *drive.Engine, d *turnstile.Drive) func(context.Context, *drivestate.State, drivestate.Event) ([]string, string, error) {
	limits := tokens.LimitsOf(m.settings.Workflow)
	if m.o.maxCost > 0 { // the command line overrides the settings
		limits.Session.MicroUSD = m.spending.cost
	}
	if m.o.maxTokens > 0 {
		limits.Session.Tokens = m.o.maxTokens
	}
	var said []string
	var last time.Time
	return func(ctx context.Context, s *drivestate.State, on drivestate.Event) ([]string, string, error) {
		if on != "" && !counted.Recorded(on) {
			return nil, "", nil
		}
		// Record quick chunks together: reading the usage would cost more than they did.
		if now := m.app.Env.Now(); on == drivestate.NextChunk && now.Sub(last) < time.Minute {
			return nil, "", nil
		} else if on != "" {
			last = now
		}
		if on != "" {
			if err := l.Delta(ctx, d, m.app.Env, s, on); err != nil {
				return nil, "", err
			}
		}
		if limits == (tokens.Limits{}) {
			return nil, "", nil
		}
		spent, err := l.Spent(ctx, d, m.app.Env, s)
		if err != nil {
			return nil, "", err
		}
		spent.Windows = e.Windows()
		warn, stop := tokens.Check(spent, limits)
		warn = slices.DeleteFunc(warn, func(text string) bool { return slices.Contains(said, text) })
		said = append(said, warn...)
		return warn, stop, nil
	}
}
