package tokens

import (
	"math"
	"strings"
	"testing"
)

func TestLookup(t *testing.T) {
	for model, want := range map[string]string{
		"claude-opus-4-5":                              "claude-opus-4-5",
		"claude-opus-4-5-20251101":                     "claude-opus-4-5",
		"claude-opus-4-20250514":                       "claude-opus-4",
		"claude-opus-4@20250514":                       "claude-opus-4",
		"claude-sonnet-4-5[1m]":                        "claude-sonnet-4-5",
		"Claude-Sonnet-5":                              "claude-sonnet-5",
		"anthropic/claude-sonnet-5":                    "claude-sonnet-5",
		"gpt-5":                                        "gpt-5",
		"gpt-5-2025-08-07":                             "gpt-5",
		"gpt-5-codex":                                  "gpt-5-codex",
		"openai/gpt-5.4-mini":                          "gpt-5.4-mini",
		"models/gemini-2.5-flash":                      "gemini-2.5-flash",
		"gemini-2.5-flash-001":                         "gemini-2.5-flash",
		"gemini-2.5-flash-lite":                        "gemini-2.5-flash-lite",
		"gemini-3.1-pro-preview":                       "gemini-3.1-pro",
		"gemini-2.5-pro-latest":                        "gemini-2.5-pro",
		"us.anthropic.claude-opus-5":                   "claude-opus-5",
		"eu.anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-sonnet-4-5",

		// Another model, whatever it begins with.
		"claude-opus-4-9": "", "claude-opus-9": "", "claude-opus-4x": "", "gpt-5-pro": "", "gpt-5.9": "", "gpt-50": "", "gpt-5-": "",
		"gemini-2.5-flash-image": "", "opus": "", "": "", "demo": "", "auto": "",
	} {
		got, ok := DefaultPrices.Lookup(model)
		var rate Rate
		for _, r := range DefaultPrices {
			if r.Model == want {
				rate = r.Rate
			}
		}
		if ok != (want != "") || got != rate {
			t.Errorf("%q: %+v, %v, want that of %q: %+v", model, got, ok, want, rate)
		}
	}
}

// A row that was mistyped shows in how its rates stand to each other.
func TestTheTableIsPlausible(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range DefaultPrices {
		if seen[r.Model] || r.Model != plain(r.Model) {
			t.Errorf("%s is there twice, or cannot be found", r.Model)
		}
		seen[r.Model] = true
		if r.CacheRead <= 0 || r.CacheRead*4 > r.Input || r.CacheWrite < r.Input || r.CacheWrite*4 > r.Input*5 || r.Output < 4*r.Input || r.Output > 10*r.Input {
			t.Errorf("%+v", r)
		}
	}
}

func TestCost(t *testing.T) {
	r := Rate{Input: 5_000_000, Output: 25_000_000, CacheRead: 500_000, CacheWrite: 6_250_000}
	for _, c := range []struct{ in, out, read, write, want int64 }{
		{0, 0, 0, 0, 0},
		{1_000_000, 0, 0, 0, 5_000_000},
		{1000, 100, 10_000, 1000, 5000 + 2500 + 5000 + 6250},
		{0, 0, 1, 0, 1}, // rounded up: nothing is free
		{-5, 0, 0, 0, 0},
		{math.MaxInt64, 0, 0, 0, mostCost}, {math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64, mostCost},
		{math.MaxInt64 / 5_000_000, 0, 0, 0, math.MaxInt64 / 5_000_000 * 5},
	} {
		if got := r.Cost(c.in, c.out, c.read, c.write); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestAUsersPricesExtendTheTable(t *testing.T) {
	over, err := ParsePrices([]byte(`{"comment": "mine", "models": {
		"GPT-5": {"input": 1, "output": 2.5, "cache_read": 0, "cache_write": 3},
		"gpt-5-2026-02-02": {"input": 7, "output": 7},
		"local/llama": {"input": 0, "output": 0.000001}}}`))
	if err != nil {
		t.Fatal(err)
	}
	all := DefaultPrices.With(over)
	for model, want := range map[string]Rate{
		"gpt-5":            {1_000_000, 2_500_000, 0, 3_000_000},
		"gpt-5-2026-01-01": {1_000_000, 2_500_000, 0, 3_000_000},
		"gpt-5-2026-02-02": {7_000_000, 7_000_000, 7_000_000, 7_000_000},
		"llama":            {0, 1, 0, 0},
	} {
		if got, ok := all.Lookup(model); !ok || got != want {
			t.Errorf("%s: %+v, %v", model, got, ok)
		}
	}
	if got, _ := DefaultPrices.Lookup("gpt-5"); got.Input != 1_250_000 {
		t.Errorf("the table itself has changed: %+v", got)
	}
	if none, err := ParsePrices(nil); err != nil || len(DefaultPrices.With(none)) != len(DefaultPrices) {
		t.Errorf("%v, %v", none, err)
	}
}

func TestPricesThatMakeNoSense(t *testing.T) {
	for text, want := range map[string]string{
		`{`: "not valid JSON", `[]`: "models", `{}`: "models", `{"models": []}`: "models",
		`{"models": {"m": 3}}`:                                      `"m": it must be an object`,
		`{"models": {"m": {"input": 1}}}`:                           "output is missing",
		`{"models": {"m": {"output": 1}}}`:                          "input is missing",
		`{"models": {"m": {"input": "1", "output": 1}}}`:            "input must be dollars",
		`{"models": {"m": {"input": -1, "output": 1}}}`:             "input must be dollars",
		`{"models": {"m": {"input": 1, "output": 1e9}}}`:            "output must be dollars",
		`{"models": {"m": {"input": 1, "output": 1, "cached": 1}}}`: `"cached" is unknown`,
	} {
		if table, err := ParsePrices([]byte(text)); err == nil || table != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", text, table, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"models": {"gpt-5": {"input": 1.25, "output": 10}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		table, _ := ParsePrices(text)
		for _, r := range table {
			if min(r.Input, r.Output, r.CacheRead, r.CacheWrite) < 0 {
				t.Errorf("%+v", r)
			}
		}
	})
}
