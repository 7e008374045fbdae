package cost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/core/tokens"
	"warp/internal/durable"
	"warp/internal/engine/usage"
	"warp/internal/turnstile"
)

// Ledger is that of the user: where things are kept follows from the environment.
func Ledger(a *app.App) (*usage.Ledger, error) {
	home := a.Getenv("HOME")
	if home == "" {
		return nil, errors.New("HOME is not set, so there is no ~/.claude with transcripts and token-usage.jsonl")
	}
	prices, err := Prices(a)
	if err != nil {
		return nil, err
	}
	cache := cmp.Or(a.Getenv("XDG_CACHE_HOME"), filepath.Join(home, ".cache"))
	return &usage.Ledger{
		Home: filepath.Join(home, ".claude"), Config: a.Getenv("CLAUDE_CONFIG_DIR"), Cache: filepath.Join(cache, "warp-drive", "usage"),
		Prices: prices, Now: a.Env.Now, FS: a.Env.FS,
	}, nil
}

// Prices are the built-in ones, with those of ~/.claude/prices.json.
func Prices(a *app.App) (tokens.PriceTable, error) {
	home := a.Getenv("HOME")
	if home == "" {
		return tokens.DefaultPrices, nil
	}
	file := filepath.Join(home, ".claude", "prices.json")
	text, err := durable.ReadPlain(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the prices of models: %w", err)
	}
	own, err := tokens.ParsePrices(text)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	return tokens.DefaultPrices.With(own), nil
}

// Record lets the ledger of tokens know of an event that was fired, with its
// error. The event stands in any case: what could not be recorded now
// is recorded with the next one.
func Record(ctx context.Context, a *app.App, d *turnstile.Drive, r turnstile.Result, fired error) {
	if fired != nil || r.State == nil || r.Tripped() || !usage.Recorded(r.Event) {
		return
	}
	l, err := Ledger(a)
	if err == nil {
		err = l.Delta(ctx, d, a.Env, r.State, r.Event)
	}
	if err != nil {
		a.Note("the tokens so far are not recorded: %v", err)
	}
}

// KnownProjects are the folders of the projects in the user's token ledger that are still
// there, each once, after those that are given.
func KnownProjects(a *app.App, first ...string) ([]string, error) {
	ledger, err := Ledger(a)
	if err != nil {
		return nil, err
	}
	rows, err := ledger.Rows()
	if err != nil {
		return nil, err
	}
	list := slices.Clone(first)
	for _, r := range rows {
		root := filepath.Clean(r.Project)
		if !filepath.IsAbs(root) || slices.Contains(list, root) {
			continue
		}
		if info, err := os.Stat(filepath.Join(root, ".claude")); err == nil && info.IsDir() {
			list = append(list, root)
		}
	}
	return list, nil
}

// ShortRuns is how old, for runs that may be short, the answer may be that the
// day's budget is not used up: reading all journals and transcripts costs more than
// such a run.
const ShortRuns = time.Minute

// DayUsed says which of the settings' budgets for a day is used up, "" when none
// is; nil when none is set. It is called before each run; an answer that none is
// holds until it is older than most.
func DayUsed(a *app.App, d *turnstile.Drive, w config.Workflow, most time.Duration) func(context.Context) (string, error) {
	limits := tokens.Limits{Day: tokens.LimitsOf(w).Day}
	if limits == (tokens.Limits{}) {
		return nil
	}
	var mu sync.Mutex
	var last time.Time
	var ledger *usage.Ledger // one for all runs: it reads on where it stopped
	return func(ctx context.Context) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		now := a.Env.Now()
		if !last.IsZero() && now.Sub(last) < most {
			return "", nil
		}
		if ledger == nil {
			var err error
			if ledger, err = Ledger(a); err != nil {
				ledger = nil // what is wrong with the prices may be repaired
				return "", err
			}
		}
		day, err := ledger.Day(ctx, d, a.Env)
		if err != nil {
			return "", err
		}
		_, stop := tokens.Check(tokens.Spent{Day: day}, limits)
		if stop == "" {
			last = now
		}
		return stop, nil
	}
}
