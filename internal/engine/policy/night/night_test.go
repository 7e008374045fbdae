package night_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/nightreport"
	"warp/internal/durable"
	"warp/internal/engine/forge"
	"warp/internal/engine/policy/night"
	"warp/internal/engine/step"
)

var began = time.Date(2026, 11, 16, 22, 0, 0, 0, time.UTC)

// clock advances by a minute with each look.
func clock() func() time.Time {
	now := began
	return func() time.Time { now = now.Add(time.Minute); return now }
}

func home(t *testing.T) *durable.Store {
	return openHome(filepath.Join(t.TempDir(), ".claude"), os.Getpid())
}

func openHome(dir string, pid int) *durable.Store {
	return durable.New(durable.Config{Dir: dir, Now: time.Now, PID: pid})
}

func begin(t *testing.T, store *durable.Store, pid int) *night.Night {
	t.Helper()
	n, err := night.Begin(store, step.Process{PID: pid}, false, clock())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func record(t *testing.T, store *durable.Store, kind string, rows ...any) {
	t.Helper()
	if err := store.AppendSynced(kind, rows...); err != nil {
		t.Fatal(err)
	}
}

func end(t *testing.T, n *night.Night, ends ...evidence.Outcome) nightreport.Report {
	t.Helper()
	a, err := n.Conclude(nightreport.Report{}, ends)
	if err := errors.Join(err, n.End(a)); err != nil {
		t.Fatal(err)
	}
	return a
}

func issues(a nightreport.Report) (list []string) {
	for _, e := range a.Ends {
		list = append(list, e.Outcome.Issue+" "+string(e.Outcome.Result))
	}
	return list
}

// gone is the number of a process that does not exist.
const gone = 1 << 22

// A night that was killed is a part of the next one's account; one that lives, or has
// ended, is not.
func TestAKilledNightIsAccountedFor(t *testing.T) {
	for _, c := range []struct {
		name  string
		pid   int
		ended bool
		want  string
	}{
		{"killed", gone, false, "1 merged,2 failed"},
		{"alive", os.Getpid(), false, "2 failed"},
		{"ended", gone, true, "2 failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := home(t)
			record(t, store, event.Outcome, evidence.Outcome{Issue: "0", Result: evidence.Merged}) // of long ago
			first := begin(t, store, c.pid)
			record(t, store, event.Run, evidence.Run{Issue: "1", MicroUSD: 100, Unpriced: true})
			record(t, store, event.Outcome, evidence.Outcome{Issue: "1", Result: evidence.Merged})
			if c.ended {
				end(t, first)
			}
			second := begin(t, store, os.Getpid())
			killed := c.want != "2 failed"
			if before, err := second.Ended(); err != nil || (strings.Join(before, ",") == "1") != killed {
				t.Errorf("ended before are %v, %v", before, err)
			}
			a := end(t, second, evidence.Outcome{Issue: "2", Result: evidence.Failed}, evidence.Outcome{Result: evidence.NoWork})
			if got := strings.Join(issues(a), ","); got != c.want {
				t.Errorf("the account has %s, want %s", got, c.want)
			}
			if killed != (a.MicroUSD == 100) || killed != a.Unpriced {
				t.Errorf("the money is %d, unpriced %v", a.MicroUSD, a.Unpriced)
			}
		})
	}
}

// nightRow is what the journal has of a night.
type nightRow struct {
	Began   string              `json:"began"`
	PID     int                 `json:"pid"`
	Account *nightreport.Report `json:"account,omitempty"`
}

// Two nights at once in one project are two: each is accounted for by itself, with what its
// own process did, whichever of them was killed.
func TestTwoNightsAtOnce(t *testing.T) {
	const first, second = "1 merged,3 failed", "2 merged"
	for _, c := range []struct {
		name  string
		ended bool // the second
		want  []string
	}{
		{"both killed", false, []string{first, second}},
		{"one killed", true, []string{first}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), ".claude")
			one, two, next := openHome(dir, gone), openHome(dir, gone+1), openHome(dir, os.Getpid())
			// A night that is begun while another lives has its own row.
			record(t, one, event.Night, nightRow{Began: event.Stamp(began), PID: gone})
			record(t, one, event.Outcome, evidence.Outcome{Issue: "1", Result: evidence.Merged})
			record(t, two, event.Night, nightRow{Began: event.Stamp(began.Add(time.Second)), PID: gone + 1})
			record(t, two, event.Outcome, evidence.Outcome{Issue: "2", Result: evidence.Merged})
			record(t, one, event.Run, evidence.Run{Issue: "3", MicroUSD: 100})
			record(t, one, event.Outcome, evidence.Outcome{Issue: "3", Result: evidence.Failed})
			if c.ended {
				record(t, two, event.Night, nightRow{event.Stamp(began.Add(time.Second)), gone + 1, &nightreport.Report{}})
			}
			for i, want := range c.want {
				if n, err := night.CountKilled(next); err != nil || n != len(c.want)-i {
					t.Errorf("before %d, %d were killed, %v", i, n, err)
				}
				a := end(t, begin(t, next, os.Getpid()))
				if got := strings.Join(issues(a), ","); got != want || (a.MicroUSD == 100) != (i == 0) {
					t.Errorf("account %d has %s and %d, want %s", i, got, a.MicroUSD, want)
				}
			}
			if n, err := night.CountKilled(next); err != nil || n != 0 {
				t.Errorf("in the end %d are left, %v", n, err)
			}
		})
	}
}

// A night of several issues that was killed is one of several, however few are left; once it
// has ended, the next is on its own. What continues it is not killed while it lives.
func TestAKilledNightOfSeveralIsContinued(t *testing.T) {
	store := home(t)
	steps := []struct {
		pid               int
		several, has, end bool
	}{
		{pid: gone, several: true, has: true},
		{pid: gone, has: true},
		{pid: os.Getpid(), has: true, end: true},
		{pid: gone},
		{pid: gone},
	}
	for i, c := range steps {
		killed, err := night.CountKilled(store)
		if want := i > 0 && i != 3; err != nil || (killed == 1) != want {
			t.Fatalf("before %d: killed %v, %v", i, killed, err)
		}
		n, err := night.Begin(store, step.Process{PID: c.pid}, c.several, clock())
		if err != nil || n.Several != c.has {
			t.Fatalf("%d: several %v, %v", i, n.Several, err)
		}
		if c.end {
			if killed, err := night.CountKilled(store); err != nil || killed > 0 {
				t.Fatalf("%d: killed while it lives: %v", i, err)
			}
			end(t, n)
		}
	}
	n, err := night.Begin(store, step.Process{PID: gone}, false, clock())
	if err != nil || n.HasSeveral() != nil {
		t.Fatal(err)
	}
	if n, err = night.Begin(store, step.Process{PID: gone}, false, clock()); err != nil || !n.Several {
		t.Errorf("it had several after all: %v, %v", n.Several, err)
	}
	record(t, store, event.Filed, evidence.Filed{What: "summary", Number: 4})
	if !n.HasFiled("summary", 4) || n.HasFiled("summary", 5) {
		t.Error("what was filed before the night was killed is not known")
	}
}

// Of an issue that ended twice the last counts: it was resumed.
func TestTheLastEndOfAnIssueCounts(t *testing.T) {
	store := home(t)
	n := begin(t, store, os.Getpid())
	record(t, store, event.Outcome, evidence.Outcome{Issue: "1", Result: evidence.Budget}, evidence.Outcome{Issue: "2", Result: evidence.Merged}, evidence.Outcome{Issue: "1", Result: evidence.Merged})
	if got := strings.Join(issues(end(t, n)), ","); got != "2 merged,1 merged" {
		t.Errorf("the account has %s", got)
	}
}

// What becomes of one issue is nothing to the others.
func TestTheNightGoesOn(t *testing.T) {
	left := []string{"1", "2", "3"}
	var mu sync.Mutex
	shift := night.Shift{Parallel: 2, Halted: func() string { return "" },
		Next: func() (string, error) {
			mu.Lock()
			defer mu.Unlock()
			if len(left) == 0 {
				return "", nil
			}
			issue := left[0]
			left = left[1:]
			return issue, nil
		},
		Drive: func(_ context.Context, issue string) ([]evidence.Outcome, error) {
			if issue == "2" {
				return nil, errors.New("broken")
			}
			return []evidence.Outcome{{Issue: issue, Result: evidence.Person}}, nil
		}}
	ends, err := shift.Work(t.Context())
	if len(ends) != 2 || err == nil || err.Error() != "broken" {
		t.Errorf("%v, %v", ends, err)
	}
	shift.Next = func() (string, error) { return "", errors.New("no tracker") }
	if _, err := shift.Work(t.Context()); err == nil || !strings.Contains(err.Error(), "no tracker") {
		t.Errorf("%v", err)
	}
	shift.Halted = func() string { return "it was 07:00" }
	if ends, err := shift.Work(t.Context()); len(ends) != 0 || err != nil {
		t.Errorf("it began although it was halted: %v, %v", ends, err)
	}
}

func TestWhatIsLeftHasAReason(t *testing.T) {
	plan := []nightreport.Issue{{Number: "1"}, {Number: "2", After: []string{"1"}}, {Number: "3", Passed: "no criteria", Do: "edit"}, {Number: "4"}}
	ends := []evidence.Outcome{{Issue: "1", Result: evidence.Failed}}
	reasons := func(halted string) (list []string) {
		for _, i := range night.Leftover(plan, ends, halted) {
			list = append(list, i.Number+": "+i.Passed+" ("+i.Do+")")
		}
		return list
	}
	want := []string{"2: it waits for #1 (warp evidence 1)", "3: no criteria (edit)", "4: not begun (warp drive 4)"}
	if got := reasons(""); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := reasons("it was 07:00"); got[0] != "2: it waits for #1 (warp evidence 1)" || got[2] != "4: not begun: it was 07:00 (warp drive 4)" {
		t.Errorf("%q", got)
	}
}

// tracker has the texts of issues.
type tracker struct {
	forge.Tracker
	texts map[int]string
}

func (t tracker) Get(_ context.Context, n int) (forge.Issue, error) {
	text, ok := t.texts[n]
	if !ok {
		return forge.Issue{}, errors.New("there is none")
	}
	return forge.Issue{Number: n, Body: text}, nil
}

// An issue waits for those of the line that it depends on, and for no others; a circle
// is broken at its first.
func TestALineKeepsToDependencies(t *testing.T) {
	next, done := night.Lineup(t.Context(), tracker{texts: map[int]string{1: "Depends on #2 and on #9", 2: ""}}, []string{"1", "2", "7"})
	var got []string
	for {
		issue, err := next()
		if err != nil || issue == "" {
			break
		}
		got = append(got, issue)
		done(issue)
	}
	if strings.Join(got, " ") != "2 1 7" {
		t.Errorf("the order is %v", got)
	}
	next, done = night.Lineup(t.Context(), tracker{texts: map[int]string{1: "Depends on #2", 2: "Depends on #1"}}, []string{"1", "2"})
	first, _ := next()
	waiting := make(chan string)
	go func() { issue, _ := next(); waiting <- issue }()
	done(first)
	if second := <-waiting; first != "1" || second != "2" {
		t.Errorf("a circle gives %q, then %q", first, second)
	}
}

// Processes in a container begin with the same numbers each time.
func TestAPidOfYesterdaysNightIsReused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".claude")
	end(t, begin(t, openHome(dir, 4194001), 4194001))
	n, err := night.Begin(openHome(dir, 4194002), step.Process{PID: 4194002}, false, func() time.Time { return began.Add(24 * time.Hour) })
	if err != nil {
		t.Fatal(err)
	}
	record(t, openHome(dir, 4194001), event.Run, evidence.Run{Issue: "7", MicroUSD: 5})
	if a := end(t, n); a.MicroUSD != 5 {
		t.Errorf("the night cost %d, want 5", a.MicroUSD)
	}
}
