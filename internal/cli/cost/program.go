package cost

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"warp/internal/core/tokens"
)

// view is a line for programs.
type view struct {
	Name string `json:"name"`
	tokens.Tokens
	Sum     int64    `json:"tokens"`
	Cost    *float64 `json:"cost_usd"`       // null: unknown, at least in part
	AtLeast float64  `json:"known_cost_usd"` // the known part
	Unknown int64    `json:"unknown_cost_tokens"`
	Models  []string `json:"unknown_models"`
	Untold  int      `json:"untold_runs"`
}

func viewOf(l tokens.Line) view {
	models := append([]string{}, l.Models...) // not null, for jq
	return view{l.Name, l.Tokens, l.Sum(), costUSD(l), float64(l.MicroUSD) / 1e6, l.Unknown, models, l.Untold}
}

func (s *sheet) json() any {
	t, trend := s.table(), tokens.TrendOf(s.entries, s.now, s.prices)
	lines := []view{}
	for _, l := range t.Lines {
		lines = append(lines, viewOf(l))
	}
	return struct {
		Project string          `json:"project,omitempty"`
		Since   string          `json:"since,omitempty"`
		By      tokens.By       `json:"by"`
		Lines   []view          `json:"lines"`
		Total   view            `json:"total"`
		Trend   map[string]view `json:"trend"`
		Each    *perCriterion   `json:"per_merged_criterion"`
		Checks  *ofChecks       `json:"checks,omitempty"`
	}{s.project, s.since, s.by, lines, viewOf(t.Total), map[string]view{"last_7_days": viewOf(trend.Last), "7_days_before": viewOf(trend.Before)}, s.perCriterion(), s.checks(t)}
}

func (s *sheet) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{string(s.by), "input", "output", "cache_read", "cache_write", "tokens", "cost_usd", "unknown_cost_tokens"})
	for _, l := range s.table().Lines {
		usd := ""
		if d := costUSD(l); d != nil {
			usd = strconv.FormatFloat(*d, 'f', -1, 64)
		}
		_ = out.Write([]string{l.Name, fmt.Sprint(l.Input), fmt.Sprint(l.Output), fmt.Sprint(l.CacheRead), fmt.Sprint(l.CacheWrite), fmt.Sprint(l.Sum()), usd, fmt.Sprint(l.Unknown)})
	}
	out.Flush()
	if err := out.Error(); err != nil { // the first error
		return fmt.Errorf("printing the result: %w", err)
	}
	return nil
}
