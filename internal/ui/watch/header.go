package watch

import (
	"fmt"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// totals are what the night has come to.
type totals struct {
	from, to time.Time // of the runs that were counted
	micro    int64
	tokens   int64
	cap      int64 // of the one engine that runs; 0: none, or several
	money    []int64
	tokened  []int64
	windows  []livestate.Window
}

// beats is how many parts of the night a sparkline tells apart at most.
const beats = 24

// count adds up the night. What an agent at work has used counts as of now.
func count(feeds []*feed.Feed, now time.Time) totals {
	from := began(feeds, now)
	t := totals{to: now, money: make([]int64, beats), tokened: make([]int64, beats)}
	type use struct {
		at            time.Time
		micro, tokens int64
	}
	var uses []use
	engines := map[int]int64{}
	for _, f := range feeds {
		for _, rows := range [][]evidence.Entry[evidence.Run]{f.Book.Runs, f.Book.Others} {
			for _, e := range rows {
				if at := moment(e.At); !at.Before(from) {
					var c evidence.Cost
					c.Add(e.Row)
					uses = append(uses, use{at, c.MicroUSD, c.Tokens})
				}
			}
		}
		for _, i := range f.Open() {
			if i.Live == nil {
				continue
			}
			engines[i.PID] = max(engines[i.PID], i.Live.Caps.MicroUSD)
			t.windows = mergeWindows(t.windows, i.Live.Windows)
			for _, a := range i.Live.Agents {
				uses = append(uses, use{now, a.MicroUSD, a.Tokens})
			}
		}
	}
	for _, f := range feeds {
		for _, i := range f.Items {
			if !i.Later && !i.Started.IsZero() && !i.Started.Before(from) && (t.from.IsZero() || i.Started.Before(t.from)) {
				t.from = i.Started
			}
		}
	}
	for _, u := range uses {
		t.micro, t.tokens = t.micro+u.micro, t.tokens+u.tokens
		if n := beat(u.at, t.from, now); n >= 0 {
			t.money[n], t.tokened[n] = t.money[n]+u.micro, t.tokened[n]+u.tokens
		}
	}
	if len(engines) == 1 {
		for _, most := range engines {
			t.cap = most
		}
	}
	return t
}

func mergeWindows(all, more []livestate.Window) []livestate.Window {
	s := livestate.State{Windows: all}
	for _, w := range more {
		s.Set(w)
	}
	return s.Windows
}

// beat is the part of the night that a moment is in; -1: in none.
func beat(at, from, to time.Time) int {
	if from.IsZero() || at.Before(from) || !to.After(from) {
		return -1
	}
	return min(int(share(at, from, to)*beats), beats-1)
}

// share is how much of a time has passed at a moment. Years would overflow a duration that
// is multiplied.
func share(at, from, to time.Time) float64 {
	return float64(at.Sub(from)) / float64(to.Sub(from))
}

// ticks are the heights of a sparkline.
var ticks = []rune("▁▂▃▄▅▆▇█")

// spark draws amounts as a row of bars; nothing used is the lowest.
func spark(values []int64, width int) string {
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

// windowNames are those of a subscription in few letters.
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

// header is what the whole costs and how long it has gone on: two rows.
func header(feeds []*feed.Feed, entries []entry, width int, now time.Time) []line {
	t := count(feeds, now)
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
		size = min(beats, (width-76)/2)
	}
	used := line{{bold, ofCap(t.micro, t.cap)}}
	tokens := line{{bold, render.Tokens(t.tokens)}, {dim, " tokens"}}
	if s := spark(t.money, size); s != "" {
		used = append(used, span{green, " " + s})
	}
	if s := spark(t.tokened, size); s != "" {
		tokens = append(tokens, span{cyan, " " + s})
	}
	parts := []line{used, tokens}
	if !t.from.IsZero() {
		parts = append(parts, line{{bold, short(t.to.Sub(t.from))}})
	}
	for _, w := range t.windows {
		parts = append(parts, window(w, now))
	}
	second := line{}
	for _, p := range parts { // what does not fit is left out whole
		if next := join(second, p); next.width() <= width {
			second = next
		}
	}
	return []line{top.fit(width), second.fit(width)}
}
