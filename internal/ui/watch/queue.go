package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// nightLength is how long ended work stays in the queue.
const nightLength = 12 * time.Hour

// entry is one row of the queue.
type entry struct {
	feed    *feed.Feed
	item    feed.Item
	unbegun bool      // an approved issue that no drive has started
	passed  time.Time // when a drive last passed it over; zero if none did
}

// key identifies an entry across readings.
func (e entry) key() string {
	kind := string(e.item.Kind)
	switch {
	case e.item.Issue != "":
		kind = "issue"
	case e.item.Archived: // its successor may have the same name
		kind += e.item.Started.String()
	}
	return strings.Join([]string{e.feed.Root, kind, e.item.Name}, "\n")
}

// nightStart returns when the night began. Work under way belongs to it, however old.
func nightStart(feeds []*feed.Feed, now time.Time) time.Time {
	from := now.Add(-nightLength)
	for _, f := range feeds {
		for _, i := range f.Open() {
			if !i.Started.IsZero() && i.Started.Before(from) {
				from = i.Started
			}
		}
	}
	return from
}

// queue returns what ended tonight, what is under way, and what has not begun.
func queue(feeds []*feed.Feed, ready map[string][]feed.ApprovedIssue, now time.Time) (list []entry) {
	from := nightStart(feeds, now)
	for _, f := range feeds {
		known := map[string]bool{}
		for _, i := range slices.Concat(f.EndedSince(from), f.Open()) {
			known[i.Issue] = true
			list = append(list, entry{feed: f, item: i})
		}
		list = append(list, unbegunEntries(f, ready[f.Root], from, known)...)
	}
	slices.SortStableFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), a.time().Compare(b.time()))
	})
	return list
}

// rank sorts ended entries first, then those under way, then those not begun.
func (e entry) rank() int {
	switch {
	case e.unbegun:
		return 2
	case e.item.State.Over():
		return 0
	}
	return 1
}

func (e entry) time() time.Time {
	if e.item.State.Over() {
		return e.item.Ended
	}
	return e.item.Started
}

// unbegunEntries returns the approved issues that no drive has started, in the order of work and
// with the last reason they were passed over, then issues passed over that are no longer
// approved.
func unbegunEntries(f *feed.Feed, ready []feed.ApprovedIssue, from time.Time, known map[string]bool) (list []entry) {
	last := map[string]evidence.Entry[evidence.PassedOver]{}
	var passed []string
	for _, p := range slices.Backward(f.PassedOver) {
		if _, has := last[p.Row.Issue]; !has && !feed.ParseTime(p.At).Before(from) {
			last[p.Row.Issue] = p
			passed = append(passed, p.Row.Issue)
		}
	}
	add := func(issue, title, why string) {
		if known[issue] {
			return
		}
		known[issue] = true
		e := entry{feed: f, unbegun: true, item: feed.Item{Kind: feed.Drive, Name: issue, Issue: issue, Title: title, Why: why}}
		if p, was := last[issue]; was {
			e.passed, e.item.Why, e.item.Title = feed.ParseTime(p.At), p.Row.Why, cmp.Or(title, p.Row.Title)
		}
		list = append(list, e)
	}
	for _, i := range ready {
		add(i.Number, i.Title, i.Why)
	}
	for _, issue := range slices.Backward(passed) {
		add(issue, "", "")
	}
	return list
}

// marks show the states at a glance; they differ without colours too.
var marks = map[feed.State]span{
	feed.Running: {cyan, "▸"}, feed.Waiting: {yellow, "◦"}, feed.Parked: {yellow, "!"}, feed.Paused: {yellow, "‖"},
	feed.Interrupted: {red, "~"}, feed.Stopped: {dim, "■"}, feed.Done: {green, "✓"}, feed.Failed: {red, "✗"},
}

func (e entry) mark() span {
	i := e.item
	switch {
	case e.unbegun && i.Why == "":
		return span{plain, "·"}
	case e.unbegun:
		return span{dim, "–"}
	case i.Question != nil:
		return span{yellow, "?"}
	}
	return marks[i.State]
}

// note adds to the mark where it needs an explanation.
func (e entry) note(now time.Time) line {
	i := e.item
	switch {
	case e.unbegun && !e.passed.IsZero():
		return say(dim, "passed over: "+i.Why)
	case e.unbegun:
		return say(dim, i.Why)
	case i.Question != nil:
		return say(yellow, i.Question.Text)
	case i.State == feed.Failed:
		return say(red, cmp.Or(failedTest(e.feed, i), i.Why, i.Outcome()))
	case i.State == feed.Waiting && !i.Until.IsZero():
		return say(yellow, fmt.Sprintf("until %s: %s", render.Moment(i.Until, now), i.Why))
	case i.State == feed.Running:
		return say(dim, i.Doing)
	case i.State == feed.Done:
		return nil
	}
	return say(dim, cmp.Or(i.Why, string(i.State)))
}

// failedTest returns the names of the failing tests in an issue's last test run, or "".
func failedTest(f *feed.Feed, i feed.Item) string {
	last, ok := evidence.Last(f.Book.Tests, func(t evidence.Tested) bool { return i.Issue != "" && t.Issue == i.Issue })
	if !ok || last.Row.Passed {
		return ""
	}
	names := slices.Concat(last.Row.Broke, last.Row.Failing)
	slices.Sort(names)
	return text.List(slices.Compact(names), 2)
}

// rows returns the entry's rows in the queue.
func (e entry) rows(width int, now time.Time, chosen bool) []line {
	right := line{{dim, fmt.Sprintf("%s %5s", shortCost(itemCost(e.item)), render.Elapsed(elapsedTime(e.item, now)))}}
	if e.unbegun {
		right = nil
	}
	return entryRows(width, chosen, e.mark(), itemLabel(e.item)+" "+text.Flat(titleOf(e.item)), right, e.note(now))
}

// titleOf returns an item's title; kinds without one return their kind.
func titleOf(i feed.Item) string {
	if i.IsDrive() {
		return i.Title
	}
	return string(i.Kind)
}

// tally counts the entries by state.
func tally(list []entry) line {
	counts := map[string]int{}
	for _, e := range list {
		switch {
		case e.unbegun && e.passed.IsZero():
			counts["ready"]++
		case e.unbegun:
			counts["passed over"]++
		case e.item.Question != nil, e.item.State == feed.Waiting, e.item.State == feed.Parked, e.item.State == feed.Paused, e.item.State == feed.Interrupted:
			counts["waiting"]++
		case e.item.Result == string(evidence.Merged):
			counts["merged"]++
		default:
			counts[string(e.item.State)]++
		}
	}
	var parts []line
	for _, c := range []struct {
		style style
		word  string
	}{{green, "merged"}, {green, "done"}, {cyan, "running"}, {yellow, "waiting"}, {red, "failed"}, {dim, "stopped"}, {plain, "ready"}, {dim, "passed over"}} {
		if n := counts[c.word]; n > 0 {
			parts = append(parts, line{{c.style, fmt.Sprintf("%d %s", n, c.word)}})
		}
	}
	return join(parts...)
}
