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

// Ledger returns the user's ledger; the environment determines its files.
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

// Prices returns the built-in prices, updated from ~/.claude/prices.json.
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

// Record records an event's tokens in the ledger. A failure does not affect the event: the next
// one records them.
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

// KnownProjects returns first, then the existing project folders in the user's token ledger,
// each once.
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

// ShortRuns is the cache time of DayUsed for runs that may be short: reading all journals and
// transcripts costs more than such a run.
const ShortRuns = time.Minute

// DayUsed returns a function to call before each run; it returns which of the day's budgets is
// used up, or "". It is nil if no budget is set. The answer "" is cached for most.
func DayUsed(a *app.App, d *turnstile.Drive, w config.Workflow, most time.Duration) func(context.Context) (string, error) {
	limits := tokens.Limits{Day: tokens.LimitsOf(w).Day}
	if limits == (tokens.Limits{}) {
		return nil
	}
	var mu sync.Mutex
	var last time.Time
	var ledger *usage.Ledger // shared by all runs: it reads only what is new
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
				ledger = nil // the prices may be fixed meanwhile
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
