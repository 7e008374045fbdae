// Package night drives issue after issue, some in parallel, until none is left, and accounts for
// all of them. One issue does not affect the others: one that needs a person is parked, and the
// night continues.
package night

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/nightreport"
	"warp/internal/durable"
	"warp/internal/engine/forge"
	"warp/internal/engine/step"
)

// Night is one run over issues. Its start is journalled, so that a killed one is accounted for by
// the next.
type Night struct {
	Several bool // several issues share one account

	began string
	turn  int // how often it was continued
	home  *durable.Store
	me    step.Process
	now   func() time.Time
	rows  int // rows of the journal before it began
}

// HasSeveral records that the night has several issues after all.
func (n *Night) HasSeveral() error {
	n.Several = true
	return n.record(nil)
}

// record writes the night to the journal, with its account at the end.
func (n *Night) record(a *nightreport.Report) error {
	r := n.row()
	r.Account = a
	return n.home.AppendSynced(event.Night, r)
}

func (n *Night) row() row {
	holder := n.me.Holder()
	return row{Began: n.began, Several: n.Several, Turn: n.turn, PID: holder.PID, Stamp: holder.Stamp}
}

// Conclude returns the account of the night: from the journal, including what was before it was
// killed, and from what never reached the journal.
func (n *Night) Conclude(a nightreport.Report, ends []evidence.Outcome) (nightreport.Report, error) {
	whole, recent, err := n.read()
	if err != nil {
		return a, err
	}
	a.Began, a.Ended = n.began, event.Stamp(n.now())
	a.Ends = nightreport.Conclude(whole, collect(recent, ends), a.Ended)
	for _, r := range recent.Runs {
		a.MicroUSD += r.Row.MicroUSD
		a.Unpriced = a.Unpriced || r.Row.Unpriced
	}
	return a, nil
}

// End ends the night with its account. The account must be used before: a night killed in between
// would never do it.
func (n *Night) End(a nightreport.Report) error { return n.record(&a) }

// HasFiled reports whether the night filed something with a number before it was killed.
func (n *Night) HasFiled(what string, number int) bool {
	_, recent, _ := n.read() // if unreadable, it is filed again, which the tracker recognizes
	_, filed := evidence.Last(recent.Filed, func(f evidence.Filed) bool { return f.What == what && f.Number == number })
	return filed
}

// Ended returns the night's issues that have ended so far, including before it was killed.
func (n *Night) Ended() (issues []string, err error) {
	_, recent, err := n.read()
	for _, o := range recent.Outcomes {
		if o.Row.Issue != "" && !slices.Contains(issues, o.Row.Issue) {
			issues = append(issues, o.Row.Issue)
		}
	}
	return issues, err
}

// read reads the whole journal, and the part that is the night's: without what the process of
// another night did at the same time.
func (n *Night) read() (whole, recent *evidence.Book, err error) {
	whole, recent = &evidence.Book{}, &evidence.Book{}
	rows, nights := 0, map[int]string{} // maps processes to the start of their night
	_, err = n.home.Events(func(r event.Row) bool {
		rows++
		got, ok := readRow(r)
		if ok {
			nights[got.PID] = got.Began
		}
		whole.Take(r)
		if of := nights[r.PID]; rows > n.rows && (of == "" || of == n.began) {
			recent.Take(r)
		}
		if ok && got.Account != nil {
			delete(nights, got.PID) // its pid may be reused
		}
		return true
	})
	if err != nil && !durable.IsMissing(err) {
		return whole, recent, fmt.Errorf("reading what the night did: %w", err)
	}
	return whole, recent, nil
}

// collect returns how the night's drives ended, oldest first.
func collect(book *evidence.Book, told []evidence.Outcome) (all []evidence.Outcome) {
	for _, o := range book.Outcomes {
		all = append(all, o.Row)
	}
	return slices.DeleteFunc(append(all, told...), func(o evidence.Outcome) bool { return o.Result == evidence.NoWork })
}

// Shift is how a night works through its issues.
type Shift struct {
	Parallel int
	// Next returns the next issue, or "".
	Next func() (string, error)
	// Drive drives one issue to its end.
	Drive func(context.Context, string) ([]evidence.Outcome, error)
	// Halted returns why no further issue starts, or "".
	Halted func() string
}

// Work drives until nothing is left, or nothing more may start.
func (s Shift) Work(ctx context.Context) ([]evidence.Outcome, error) {
	var mu sync.Mutex
	var ends []evidence.Outcome
	var errs []error
	var wait sync.WaitGroup
	for range max(1, s.Parallel) {
		wait.Go(func() {
			for ctx.Err() == nil && s.Halted() == "" {
				issue, err := s.Next()
				if err == nil && issue == "" {
					return
				}
				var got []evidence.Outcome
				if err == nil {
					got, err = s.Drive(ctx, issue)
				}
				mu.Lock()
				ends = append(ends, got...)
				if err != nil {
					errs = append(errs, err)
				}
				mu.Unlock()
				if err != nil && issue == "" {
					return
				}
			}
		})
	}
	wait.Wait()
	return ends, errors.Join(errs...)
}

// Leftover returns the planned issues that were not driven, with the reason.
func Leftover(plan []nightreport.Issue, ends []evidence.Outcome, halted string) (list []nightreport.Issue) {
	for _, i := range plan {
		if slices.ContainsFunc(ends, func(o evidence.Outcome) bool { return o.Issue == i.Number }) {
			continue
		}
		if i.Passed == "" {
			i.Passed, i.Do = explainLeft(i, ends, halted)
		}
		list = append(list, i)
	}
	return list
}

func explainLeft(i nightreport.Issue, ends []evidence.Outcome, halted string) (why, do string) {
	for _, before := range i.After {
		ended := slices.ContainsFunc(ends, func(o evidence.Outcome) bool { return o.Issue == before })
		if (ended || halted == "") && !slices.ContainsFunc(ends, func(o evidence.Outcome) bool { return o.Issue == before && o.Result == evidence.Merged }) {
			return "it waits for #" + before, "warp evidence " + before
		}
	}
	if halted != "" {
		return "not begun: " + halted, "warp drive " + i.Number
	}
	return "not begun", "warp drive " + i.Number
}

// lineup hands out the named issues in order, but none before those among them that it depends on
// are finished.
type lineup struct {
	mu      sync.Mutex
	changed *sync.Cond
	waiting []string
	running []string
	needs   func(issue string, named []string) []string
}

// Lineup returns functions that hand out the named issues one by one, and mark them as finished.
func Lineup(ctx context.Context, tracker forge.Tracker, issues []string) (next func() (string, error), done func(string)) {
	l := newLineup(issues, dependencies(ctx, tracker))
	return l.next, l.markDone
}

func newLineup(issues []string, needs func(issue string, named []string) []string) *lineup {
	l := &lineup{waiting: slices.Clone(issues), needs: needs}
	l.changed = sync.NewCond(&l.mu)
	return l
}

// next waits until an issue can start; "" if none is left. If all remaining ones wait for each
// other, it returns the first: its drive reports what is wrong.
func (l *lineup) next() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) > 0 {
		named := slices.Concat(l.waiting, l.running)
		free := slices.IndexFunc(l.waiting, func(issue string) bool { return len(l.needs(issue, named)) == 0 })
		if free < 0 && len(l.running) == 0 {
			free = 0
		}
		if free >= 0 {
			issue := l.waiting[free]
			l.waiting = slices.Delete(l.waiting, free, free+1)
			l.running = append(l.running, issue)
			return issue, nil
		}
		l.changed.Wait()
	}
	return "", nil
}

// markDone marks an issue as finished, however it ended.
func (l *lineup) markDone(issue string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = slices.DeleteFunc(l.running, func(i string) bool { return i == issue })
	l.changed.Broadcast()
}

// dependencies returns a function that finds which of the named issues another depends on.
func dependencies(ctx context.Context, tracker forge.Tracker) func(string, []string) []string {
	known := map[string][]string{}
	return func(issue string, named []string) []string {
		by, ok := known[issue]
		if n, err := strconv.Atoi(issue); !ok && err == nil {
			if i, err := tracker.Get(ctx, n); err == nil {
				for _, d := range forge.Dependencies(i.Body) {
					by = append(by, strconv.Itoa(d))
				}
			}
			known[issue] = by // an unreadable one is reported when it starts
		}
		return slices.DeleteFunc(slices.Clone(by), func(b string) bool { return b == issue || !slices.Contains(named, b) })
	}
}
