package cost

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"warp/internal/cli/app"
	"warp/internal/core/tokens"
	"warp/internal/durable"
	ledger "warp/internal/engine/usage"
)

// Ledger is that of the user: where things are kept follows from the environment.
func Ledger(a *app.App) (*ledger.Ledger, error) {
	home := a.Getenv("HOME")
	if home == "" {
		return nil, errors.New("HOME is not set, so there is no ~/.claude with transcripts and token-usage.jsonl")
	}
	prices, err := Prices(a)
	if err != nil {
		return nil, err
	}
	cache := cmp.Or(a.Getenv("XDG_CACHE_HOME"), filepath.Join(home, ".cache"))
	return &ledger.Ledger{
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
