package watch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// totals are the night's costs.
type totals struct {
	from, to   time.Time // of the counted runs
	cost       evidence.Cost
	cap        int64 // of the only running engine; 0 with none or several
	moneyParts []int64
	tokenParts []int64
	windows    []livestate.Window
}

// sparkParts is the most bars of a sparkline.
const sparkParts = 24

// countTotals sums up the night. The usage of agents at work counts as of now.
func countTotals(feeds []*feed.Feed, now time.Time) totals {
	from := nightStart(feeds, now)
	t := totals{to: now, moneyParts: make([]int64, sparkParts), tokenParts: make([]int64, sparkParts)}
	type use struct {
		at   time.Time
		cost evidence.Cost
	}
	var uses []use
	engines, merged := map[int]int64{}, livestate.State{}
	for _, f := range feeds {
		for _, e := range slices.Concat(f.Book.Runs, f.Book.Others) {
			if at := feed.ParseTime(e.At); !at.Before(from) {
				var c evidence.Cost
				c.Add(e.Row)
				uses = append(uses, use{at, c})
			}
		}
		for _, i := range f.Open() {
			if i.Live == nil {
				continue
			}
			engines[i.PID] = max(engines[i.PID], i.Live.Caps.MicroUSD)
			for _, w := range i.Live.Windows {
				merged.Set(w)
			}
			for _, a := range i.Live.Agents {
				uses = append(uses, use{now, evidence.Cost{MicroUSD: a.MicroUSD, Tokens: a.Tokens}})
			}
		}
	}
	t.windows = merged.Windows
	ended, open := time.Time{}, false
	for _, f := range feeds {
		open = open || len(f.Open()) > 0
		for _, i := range f.Items {
			if i.Later || i.Started.IsZero() || i.Started.Before(from) {
				continue
			}
			if t.from.IsZero() || i.Started.Before(t.from) {
				t.from = i.Started
			}
			if i.Ended.After(ended) {
				ended = i.Ended
			}
		}
	}
	if !open && !ended.IsZero() {
		t.to = ended // the night is over: its time stands still
	}
	for _, u := range uses {
		t.cost.MicroUSD, t.cost.Tokens, t.cost.Unpriced = t.cost.MicroUSD+u.cost.MicroUSD, t.cost.Tokens+u.cost.Tokens, t.cost.Unpriced+u.cost.Unpriced
		if n := sparkPart(u.at, t.from, t.to); n >= 0 {
			t.moneyParts[n], t.tokenParts[n] = t.moneyParts[n]+u.cost.MicroUSD, t.tokenParts[n]+u.cost.Tokens
		}
	}
	if len(engines) == 1 {
		for _, most := range engines {
			t.cap = most
		}
	}
	return t
}

// sparkPart returns the part of the night that contains a time, or -1.
func sparkPart(at, from, to time.Time) int {
	if from.IsZero() || at.Before(from) || !to.After(from) {
		return -1
	}
	return min(int(timeShare(at, from, to)*sparkParts), sparkParts-1)
}

// timeShare returns the fraction of a time span that has passed. Multiplying a duration instead
// would overflow after some years.
func timeShare(at, from, to time.Time) float64 {
	return float64(at.Sub(from)) / float64(to.Sub(from))
}

// ticks are the bar heights of a sparkline.
var ticks = []rune("▁▂▃▄▅▆▇█")

// sparkline draws amounts as a row of bars; only zero gets the lowest bar.
func sparkline(values []int64, width int) string {
	width = min(width, len(values))
	if width < 4 {
		return ""
	}
	sums := make([]int64, width)
	most := int64(0)
	for i, v := range values {
		n := i * width / len(values)
		sums[n] += v
		most = max(most, sums[n])
	}
	if most == 0 {
		return ""
	}
	var b strings.Builder
	for _, v := range sums {
		n := 0
		if v > 0 {
			n = 1 + int(float64(v)/float64(most)*float64(len(ticks)-2))
		}
		b.WriteRune(ticks[n])
	}
	return b.String()
}

// windowNames abbreviates the usage windows of a subscription.
var windowNames = strings.NewReplacer("five_hour", "5 h", "seven_day", "7 d", "_", " ")

func window(w livestate.Window, now time.Time) line {
	st := plain
	if w.Percent >= 80 {
		st = yellow
	}
	words := fmt.Sprintf("%s window %.0f%%", windowNames.Replace(w.Name), w.Percent)
	if w.Reset.After(now) {
		words += ", new at " + render.Moment(w.Reset, now)
	}
	return say(st, words)
}

// header returns two rows: what the night has cost and how long it has run.
func header(feeds []*feed.Feed, entries []entry, width int, now time.Time) []line {
	t := countTotals(feeds, now)
	name := "warp"
	if len(feeds) == 1 {
		name = text.Flat(feeds[0].Project)
	} else if len(feeds) > 1 {
		name = fmt.Sprintf("%d projects", len(feeds))
	}
	clock := line{{dim, now.Format("15:04:05")}}
	left := join(line{{heading, name}}, tally(entries))
	top := spread(width, left.cut(max(width-clock.width()-1, 1)), clock)

	size := 0
	if width >= 100 {
		size = min(sparkParts, (width-76)/2)
	}
	used := line{{bold, formatCost(t.cost, t.cap)}}
	tokens := line{{bold, render.Tokens(t.cost.Tokens)}, {dim, " tokens"}}
	if s := sparkline(t.moneyParts, size); s != "" {
		used = append(used, span{green, " " + s})
	}
	if s := sparkline(t.tokenParts, size); s != "" {
		tokens = append(tokens, span{cyan, " " + s})
	}
	parts := []line{used, tokens}
	if !t.from.IsZero() {
		parts = append(parts, line{{bold, render.Elapsed(t.to.Sub(t.from))}})
	}
	for _, w := range t.windows {
		parts = append(parts, window(w, now))
	}
	second := line{}
	for _, p := range parts { // parts that do not fit are left out
		if next := join(second, p); next.width() <= width {
			second = next
		}
	}
	return []line{top.fit(width), second.fit(width)}
}
