package watch

import (
	"fmt"
	"slices"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// bar is a time span of one run.
type bar struct {
	what     string
	from, to time.Time
	bad      bool
}

// bars returns the agent and test runs of an item, including those at work.
func bars(e entry, now time.Time) (list []bar) {
	for _, r := range e.feed.RunsOf(e.item) {
		at := feed.ParseTime(r.At)
		list = append(list, bar{r.Row.Role, at.Add(-seconds(r.Row.Seconds)), at, r.Row.End != "done"})
	}
	for _, t := range e.feed.Book.Tests {
		if at := feed.ParseTime(t.At); e.item.Issue != "" && t.Row.Issue == e.item.Issue && !at.Before(e.item.Started) && !t.Row.NotRun {
			list = append(list, bar{"test", at.Add(-seconds(t.Row.Seconds)), at, !t.Row.Passed})
		}
	}
	if e.item.Live != nil {
		for _, a := range e.item.Live.Agents {
			list = append(list, bar{a.Role, a.Since, now, false})
		}
	}
	return list
}

// seconds converts a duration from evidence, which may hold any number.
func seconds(n float64) time.Duration {
	const most = 365 * 24 * time.Hour
	return time.Duration(min(max(n, 0), most.Seconds()) * float64(time.Second))
}

// roleOrder is the order of a drive's roles.
var roleOrder = []string{"plan", "code", "fix", "verify", "test"}

// mostRoles is the most roles in a timeline; no engine has more.
const mostRoles = 20

// timeline draws when runs took place, one row per role.
func timeline(e entry, width int, now time.Time) (out []line) {
	list := bars(e, now)
	if len(list) == 0 {
		return nil
	}
	from := slices.MinFunc(list, func(a, b bar) int { return a.from.Compare(b.from) }).from
	to := now
	if e.item.State.Over() {
		to = slices.MaxFunc(list, func(a, b bar) int { return a.to.Compare(b.to) }).to
	}
	kinds := []string{}
	for _, b := range list {
		if !slices.Contains(kinds, b.what) && len(kinds) < mostRoles {
			kinds = append(kinds, b.what)
		}
	}
	slices.SortStableFunc(kinds, func(a, b string) int { return rankRole(a) - rankRole(b) })
	room := width - 28
	for _, k := range kinds {
		out = append(out, roleRow(list, k, from, to, room))
	}
	if room < 12 {
		return out
	}
	left, right := render.Moment(from, now), render.Moment(to, now)
	if !e.item.State.Over() {
		right = "now"
	}
	axis := spread(room, line{{dim, left}}, line{{dim, right}})
	return append(out, slices.Concat(line{{plain, "           "}}, axis))
}

func rankRole(role string) int {
	if n := slices.Index(roleOrder, role); n >= 0 {
		return n
	}
	return len(roleOrder)
}

// roleRow returns a role's bars, with the number of runs and their total time.
func roleRow(list []bar, kind string, from, to time.Time, room int) line {
	cells := slices.Repeat([]rune{'·'}, max(room, 0))
	bad := make([]bool, len(cells))
	var sum time.Duration
	runs, failed := 0, 0
	for _, b := range list {
		if b.what != kind {
			continue
		}
		runs++
		sum += b.to.Sub(b.from)
		if b.bad {
			failed++
		}
		first, last := column(b.from, from, to, room), column(b.to, from, to, room)
		for i := first; i <= last && i < len(cells); i++ {
			cells[i], bad[i] = '━', b.bad
		}
	}
	l := line{{plain, fmt.Sprintf(" %-10s", truncate(text.Flat(kind), 9))}}
	for i := 0; i < len(cells); {
		n := i
		for n < len(cells) && cells[n] == cells[i] && bad[n] == bad[i] {
			n++
		}
		st := green
		switch {
		case cells[i] == '·':
			st = dim
		case bad[i]:
			st = red
		}
		l = append(l, span{st, string(cells[i:n])})
		i = n
	}
	words := fmt.Sprintf(" %d× %s", runs, render.Elapsed(sum))
	if failed > 0 {
		words += fmt.Sprintf(", %d failed", failed)
	}
	return append(l, span{dim, words})
}

func column(at, from, to time.Time, room int) int {
	if !to.After(from) || room < 1 {
		return 0
	}
	return max(0, min(room-1, int(timeShare(at, from, to)*float64(room))))
}

// interventionLines lists what the engine undid of the agent's work.
func interventionLines(b *evidence.Book, i feed.Item) (out []line) {
	for _, x := range b.Interventions {
		if i.Issue != "" && x.Row.Issue == i.Issue && !feed.ParseTime(x.At).Before(i.Started) {
			out = append(out, line{{yellow, " ↶ "}, {plain, text.Flat(x.Row.What + ": " + x.Row.Text)}})
		}
	}
	return out
}
