package cost

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"warp/internal/cli/app"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/core/tokens"
	"warp/internal/engine/agent"
	"warp/internal/ui/render"
)

// sheet is the report to print.
type sheet struct {
	by       tokens.By
	since    string
	project  string // "": all projects
	entries  []tokens.Entry
	from     time.Time
	now      time.Time
	prices   tokens.PriceTable
	columns  int
	terminal bool
	merged   []string // issues
	met      int      // number of their criteria
}

// columns returns the width available.
func columns(a *app.App) int {
	if f, ok := a.Out.(*os.File); ok && a.Screen {
		width, _ := render.Size(f)
		return width
	}
	return 80
}

func (s *sheet) table() tokens.Table {
	return tokens.TabulateOnly(s.entries, s.by, s.prices, s.now.Location(), func(e tokens.Entry) bool { return !e.At.Before(s.from) })
}

// perCriterion is the cost of a merged criterion.
type perCriterion struct {
	Criteria int      `json:"criteria"`
	Issues   []string `json:"issues"`
	Cost     *float64 `json:"cost_usd"`      // of the merged issues
	AllIn    *float64 `json:"cost_usd_full"` // of everything
}

func (s *sheet) perCriterion() *perCriterion {
	if s.met == 0 {
		return nil
	}
	each := func(fits func(tokens.Entry) bool) *float64 {
		usd := costUSD(tokens.TabulateOnly(s.entries, tokens.ByModel, s.prices, time.UTC, fits).Total)
		if usd != nil {
			*usd /= float64(s.met)
		}
		return usd
	}
	own := func(e tokens.Entry) bool { return slices.Contains(s.merged, e.Issue) }
	return &perCriterion{s.met, s.merged, each(own), each(func(tokens.Entry) bool { return true })}
}

// ofChecks is what the role check cost.
type ofChecks struct {
	Runs  int      `json:"runs"`
	Cost  *float64 `json:"cost_usd"`
	Share *float64 `json:"share"` // of all cost; null: unknown
}

// checks returns what the role check cost, or nil if it had no run.
func (s *sheet) checks(t tokens.Table) *ofChecks {
	of, isCheck := &ofChecks{}, func(e tokens.Entry) bool {
		return e.Role == string(agent.Check) && !e.At.Before(s.from)
	}
	for _, e := range s.entries {
		if isCheck(e) {
			of.Runs++
		}
	}
	if of.Runs == 0 {
		return nil
	}
	of.Cost = costUSD(tokens.TabulateOnly(s.entries, tokens.ByModel, s.prices, time.UTC, isCheck).Total)
	if all := costUSD(t.Total); of.Cost != nil && all != nil && *all > 0 {
		of.Share = new(*of.Cost / *all)
	}
	return of
}

func (c *ofChecks) percent() string {
	if c.Share == nil {
		return ""
	}
	return fmt.Sprintf(" (%.0f%%)", 100**c.Share)
}

// costUSD returns the cost of a line, or nil if unknown.
func costUSD(l tokens.Line) *float64 {
	if !l.Known() {
		return nil
	}
	usd := float64(l.MicroUSD) / 1e6
	return &usd
}

func (s *sheet) print(w io.Writer) {
	t := s.table()
	if len(t.Lines) == 0 {
		fmt.Fprintln(w, "No usage recorded.")
		return
	}
	rows := [][]string{{strings.ToUpper(string(s.by)), "INPUT", "OUTPUT", "CACHE READ", "CACHE WRITE", "COST"}}
	for _, l := range append(t.Lines, t.Total) {
		rows = append(rows, []string{l.Name, text.Thousands(l.Input), text.Thousands(l.Output), text.Thousands(l.CacheRead), text.Thousands(l.CacheWrite), formatCost(l)})
	}
	align(rows, s.columns)
	used := 0
	for i, r := range rows {
		line := strings.Join(r, "  ")
		used = max(used, utf8.RuneCountInString(line))
		if i > 0 && i <= len(t.Lines) {
			line += "  " + s.bar(t, t.Lines[i-1], s.columns-used-2)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	s.printSummary(w, t)
}

func (s *sheet) printSummary(w io.Writer, t tokens.Table) {
	trend := tokens.TrendOf(s.entries, s.now, s.prices)
	fmt.Fprintf(w, "\nLast 7 days: %s; the 7 days before: %s%s.\n", formatCost(trend.Last), formatCost(trend.Before), formatChange(trend))
	if each := s.perCriterion(); each != nil {
		fmt.Fprintf(w, "Per merged criterion: %s (%s); %s including unmerged work.\n", orUnknown(each.Cost),
			text.Count(each.Criteria, "criterion")+" of "+text.Count(len(each.Issues), "issue"), orUnknown(each.AllIn))
	}
	if c := s.checks(t); c != nil {
		fmt.Fprintf(w, "Tests that coders do not see (role check): %s of %s%s.\n", orUnknown(c.Cost), formatCost(t.Total), c.percent())
	}
	if t.Total.Unknown > 0 {
		fmt.Fprintf(w, "Cost unknown: %s tokens of %s have no known price; add it to ~/.claude/prices.json.\n",
			text.Thousands(t.Total.Unknown), render.Printable(strings.Join(named(t.Total.Models), ", ")))
	}
	if t.Total.Untold > 0 {
		fmt.Fprintf(w, "Cost unknown: %s reported neither tokens nor cost.\n", text.Count(t.Total.Untold, "run"))
	}
}

func named(models []string) (list []string) {
	for _, m := range models {
		list = append(list, cmp.Or(m, "an unnamed model"))
	}
	return list
}

func orUnknown(usd *float64) string {
	if usd == nil {
		return "unknown"
	}
	return evidence.Dollars(int64(*usd * 1e6))
}

// formatChange formats the difference between the two weeks.
func formatChange(t tokens.Trend) string {
	if t.Before.MicroUSD == 0 || !t.Before.Known() || !t.Last.Known() {
		return ""
	}
	return fmt.Sprintf(" (%+.0f%%)", 100*float64(t.Last.MicroUSD-t.Before.MicroUSD)/float64(t.Before.MicroUSD))
}

// formatCost formats a cost, and never shows an unknown one as zero.
func formatCost(l tokens.Line) string {
	switch {
	case l.Known():
		return evidence.Dollars(l.MicroUSD)
	case l.MicroUSD == 0:
		return "unknown"
	}
	return "at least " + evidence.Dollars(l.MicroUSD)
}

const (
	shortestBar = 5
	longestBar  = 40
)

// bar draws a line's share of the largest one, by cost if any is known, else by tokens. It is
// empty if there is no room.
func (s *sheet) bar(t tokens.Table, l tokens.Line, room int) string {
	if room < shortestBar {
		return ""
	}
	size := func(l tokens.Line) int64 {
		if t.Total.MicroUSD > 0 {
			return l.MicroUSD
		}
		return l.Sum()
	}
	var largest int64
	for _, x := range t.Lines {
		largest = max(largest, size(x))
	}
	if largest == 0 {
		return ""
	}
	eighths := int(float64(size(l)) / float64(largest) * float64(min(room, longestBar)*8))
	if !s.terminal {
		return strings.Repeat("#", (eighths+4)/8)
	}
	bar := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		bar += string([]rune(" ▏▎▍▌▋▊▉")[part])
	}
	return "\x1b[36m" + bar + "\x1b[0m"
}

// align pads cells: names on the right, numbers on the left. It shortens names in the middle if
// the numbers would not fit.
func align(rows [][]string, columns int) {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		r[0] = render.Printable(r[0])
		for i, cell := range r {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	rest := 0
	for _, w := range widths[1:] {
		rest += w + 2
	}
	widths[0] = min(widths[0], max(columns-rest, 12))
	for _, r := range rows {
		r[0] = text.ClipMiddle(r[0], widths[0])
		for i, cell := range r {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				r[i] = cell + pad
			} else {
				r[i] = pad + cell
			}
		}
	}
}
