package drivecmd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"warp/internal/core/docscheck"
	"warp/internal/core/drivestate"
	"warp/internal/core/tokens"
	"warp/internal/engine/docs"
	"warp/internal/engine/policy/drive"
	counted "warp/internal/engine/usage"
	"warp/internal/turnstile"
	"warp/plugin"
)

// Documents compares a project's documentation with its code.
func Documents(root string) drive.Docs {
	return projectDocs{docs.Scope{Root: root, Exclude: plugin.Paths(), CommittedOnly: true}}
}

// projectDocs are the documents of a project.
type projectDocs struct{ scope docs.Scope }

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

// counter writes down what was spent after the events that the ledger wants, and
// holds it against the limits. Each warning is given once.
func (m *engines) counter(l *counted.Ledger, e *drive.Engine, d *turnstile.Drive) func(context.Context, *drivestate.State, drivestate.Event) ([]string, string, error) {
	limits := tokens.LimitsOf(m.settings.Workflow)
	if m.o.maxCost > 0 { // a person says so now
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
		// Chunks that take no time are written down together: reading what there
		// is would cost more than they did.
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
