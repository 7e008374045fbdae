package filing_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
	"warp/internal/core/nightreport"
	"warp/internal/engine/filing"
	"warp/internal/engine/forge"
)

func TestWhatPeopleSay(t *testing.T) {
	o := newOffice(t)
	for _, body := range []string{"Use the **second** one, hunter2", "Filed by warp\n\n<!-- warp-drive report #1 5 -->"} {
		o.must(o.Tracker.Comment(t.Context(), 1, forge.NewComment{Body: body}))
	}
	said, err := o.PeopleSay(t.Context(), 1)
	if err != nil || len(said) != 1 || said[0].Text != "Use the **second** one, ***" || said[0].By != "t" || said[0].From == "" {
		t.Errorf("%+v, %v", said, err)
	}
	if _, err := o.PeopleSay(t.Context(), 99); err == nil {
		t.Error("an issue that is not there says nothing")
	}
}

func TestWhatIsSettledIsClosed(t *testing.T) {
	o := newOffice(t)
	asked := evidence.Decision{Issue: "1", Question: "Which?"}
	o.must(o.FileQuestion(t.Context(), asked))
	o.must(o.FileBug(t.Context(), evidence.Skipped{Issue: "1", Chunk: 1, Why: "no"}))
	o.must(o.FileStopped(t.Context(), "no agent", "install one", "night"))

	todos, err := o.OpenTodos(t.Context())
	if err != nil || len(todos) != 1 || !o.Asks(todos[0], "which?") || o.Asks(todos[0], "What else?") {
		t.Fatalf("%+v, %v", todos, err)
	}
	asked.Answer = "The first."
	o.must(o.CloseTodo(t.Context(), todos[0], asked))
	o.must(o.CloseSettled(t.Context(), "0123456789abcdef"))
	o.must(o.CloseSettled(t.Context(), "0123456789abcdef")) // nothing is left
	if todos, err = o.OpenTodos(t.Context()); err != nil || len(todos) != 0 {
		t.Errorf("%+v, %v", todos, err)
	}
	for _, label := range []string{filing.Todo, filing.Bug} {
		open, err := o.Tracker.List(t.Context(), forge.Query{Labels: []string{label}})
		if err != nil || len(open) != 0 {
			t.Errorf("%s: %+v, %v", label, open, err)
		}
	}
	var settled []int
	for _, f := range o.filed {
		if f.What == "settled" {
			settled = append(settled, f.Number)
		}
	}
	slices.Sort(settled)
	if !slices.Equal(settled, []int{2, 3, 4}) {
		t.Errorf("%v", settled)
	}
}

// deadly is a tracker whose engine dies when it closes something, before or after that.
type deadly struct {
	forge.Tracker
	after bool
}

var errDied = errors.New("the engine died")

func (d deadly) Close(ctx context.Context, number int) error {
	if d.after {
		if err := d.Tracker.Close(ctx, number); err != nil {
			return err
		}
	}
	return errDied
}

// recorded is a book of what was recorded.
func (o *office) recorded() *evidence.Book {
	b := &evidence.Book{}
	for _, f := range o.filed {
		b.Take(event.Row{At: event.Stamp(time.Now()), Kind: event.Filed, Data: lossless.Encode(f, nil)})
	}
	return b
}

func (o *office) hasSettled(number int) bool {
	return slices.ContainsFunc(o.filed, func(f evidence.Filed) bool { return f.What == "settled" && f.Number == number })
}

// What is closed is on record, and nothing else, whenever the engine dies or the tracker fails;
// the next one closes what is open.
func TestWhatIsSettledIsOnRecord(t *testing.T) {
	for _, after := range []bool{false, true} {
		o := newOffice(t)
		o.must(o.FileReport(t.Context()))
		report := o.filed[0].Number
		killed := o.Desk
		killed.Tracker = deadly{o.Tracker, after}
		if err := killed.CloseSettled(t.Context(), "0123456789abcdef"); !errors.Is(err, errDied) {
			t.Fatal(err)
		}
		if o.hasSettled(report) {
			t.Errorf("killed after it was closed: %v: it is on record as settled", after)
		}
		if err := filing.FinishSettling(t.Context(), killed, o.recorded()); after == (err != nil) {
			t.Errorf("killed after it was closed: %v: %v", after, err)
		}
		o.must(filing.FinishSettling(t.Context(), o.Desk, o.recorded()))
		if i, err := o.Tracker.Get(t.Context(), report); err != nil || i.Open || len(i.Comments) != 1 {
			t.Errorf("killed after it was closed: %v: %+v, %v", after, i, err)
		}
		if !o.hasSettled(report) {
			t.Errorf("killed after it was closed: %v: it is not on record: %+v", after, o.filed)
		}
		had := len(o.filed)
		o.must(filing.FinishSettling(t.Context(), o.Desk, o.recorded()))
		if len(o.filed) != had {
			t.Errorf("it is settled twice: %+v", o.filed)
		}
	}
}

// An issue that was deleted meanwhile needs no closing.
func TestWhatIsGoneIsSettled(t *testing.T) {
	o := newOffice(t)
	o.filed = append(o.filed, evidence.Filed{Issue: "1", What: "settling", Number: 99})
	o.must(filing.FinishSettling(t.Context(), o.Desk, o.recorded()))
	if !o.hasSettled(99) {
		t.Errorf("%+v", o.filed)
	}
}

// The same number of another tracker is another issue, and stays as it is.
func TestAnIssueOfAnotherTrackerIsNotSettled(t *testing.T) {
	o := newOffice(t)
	o.must(o.FileReport(t.Context()))
	report := o.filed[0].Number
	o.filed = append(o.filed, evidence.Filed{Issue: "1", What: "settling", Number: report, URL: "https://elsewhere.example/1"})
	o.must(filing.FinishSettling(t.Context(), o.Desk, o.recorded()))
	if i, err := o.Tracker.Get(t.Context(), report); err != nil || !i.Open || o.hasSettled(report) {
		t.Errorf("%+v, %v, on record: %v", i, err, o.hasSettled(report))
	}
}

// openKinds tells which of what was filed is open, by its kind.
func (o *office) openKinds() (list []string) {
	o.Helper()
	for _, f := range o.filed {
		i, err := o.Tracker.Get(o.Context(), f.Number)
		o.must(err)
		if i.Open && f.What != "settled" {
			list = append(list, f.What)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// book has one outcome for each issue.
func book(results ...evidence.Result) *evidence.Book {
	b := &evidence.Book{}
	for n, r := range results {
		row := evidence.Outcome{Issue: strconv.Itoa(n + 1), Epoch: 5, Result: r}
		b.Take(event.Row{At: event.Stamp(time.Now()), Kind: event.Outcome, Data: lossless.Encode(row, nil)})
	}
	return b
}

func TestAMergeTidiesTheTracker(t *testing.T) {
	o := newOffice(t)
	_, err := o.Tracker.Create(t.Context(), forge.NewIssue{Title: "Another", Body: "- [ ] AC-01: one\n"})
	o.must(err)
	o.Session = book(evidence.Failed, evidence.Merged)
	o.must(o.FileReport(t.Context()))
	o.must(o.FileBug(t.Context(), evidence.Skipped{Issue: "1", Chunk: 1, Why: "no"}))
	o.must(o.FileAbort(t.Context(), "stopped", ""))
	o.must(o.FileSummary(t.Context()))
	o.must(o.FileQuestion(t.Context(), evidence.Decision{Question: "Which?"}))

	other := o.Desk
	other.About.Issue = "2"
	o.must(other.CloseSettled(t.Context(), "fedcba9876543210"))
	if open := o.openKinds(); !slices.Equal(open, []string{"abort", "bug", "report", "summary", "todo"}) {
		t.Fatalf("what tells of #1 after #2 was merged: %v", open)
	}
	o.must(o.Tracker.Close(t.Context(), 1))
	o.must(o.CloseSettled(t.Context(), "0123456789abcdef"))
	if open := o.openKinds(); !slices.Equal(open, []string{"todo"}) {
		t.Errorf("open after the merge: %v", open)
	}
	report, err := o.Tracker.Get(t.Context(), o.filed[0].Number)
	if err != nil || len(report.Comments) != 1 || !strings.Contains(report.Comments[0].Body, "#1 was merged as 012345") {
		t.Errorf("%+v, %v", report.Comments, err)
	}
}

func TestASummaryStaysOpenWhileItWaits(t *testing.T) {
	for name, c := range map[string]struct {
		file func(*office) error
		open bool
	}{
		"all merged": {func(o *office) error { o.Session = book(evidence.Merged); return o.FileSummary(o.Context()) }, false},
		"merged at last": {func(o *office) error {
			o.Session = book(evidence.Person)
			o.Session.Outcomes = append(o.Session.Outcomes, book(evidence.Merged).Outcomes...)
			return o.FileSummary(o.Context())
		}, false},
		"a pull request": {func(o *office) error { o.Session = book(evidence.Pull); return o.FileSummary(o.Context()) }, true},
		"a good night": {func(o *office) error {
			return o.FileNight(o.Context(), nightreport.Report{Ends: []nightreport.End{{Outcome: evidence.Outcome{Issue: "1", Result: evidence.Merged}}}, Passed: []nightreport.Issue{{Number: "2", Settled: true}}})
		}, false},
		"one passed over": {func(o *office) error {
			return o.FileNight(o.Context(), nightreport.Report{Passed: []nightreport.Issue{{Number: "1"}}})
		}, true},
		"a question": {func(o *office) error {
			return o.FileNight(o.Context(), nightreport.Report{Asks: []nightreport.Question{{Issue: "1"}}})
		}, true},
		"a default was taken": {func(o *office) error {
			return o.FileNight(o.Context(), nightreport.Report{Asks: []nightreport.Question{{Issue: "1", Taken: "yes"}}})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			for range 2 {
				o.must(c.file(o))
			}
			if open := len(o.openKinds()) > 0; open != c.open {
				t.Errorf("open: %t", open)
			}
		})
	}
}

func TestLessonsWaitForNobody(t *testing.T) {
	o := newOffice(t)
	o.must(o.FileLearned(t.Context()))
	if open := o.openKinds(); len(o.filed) != 3 || len(open) > 0 {
		t.Errorf("%+v, open: %v", o.filed, open)
	}
}

func TestReportsAsTheSettingsWantThem(t *testing.T) {
	for as, want := range map[string]struct{ issues, comments int }{filing.AsIssue: {3, 0}, filing.AsComment: {0, 1}, filing.Off: {0, 0}} {
		t.Run(as, func(t *testing.T) {
			o := newOffice(t)
			o.As = as
			night := nightreport.Report{Began: "tonight", Ends: []nightreport.End{{Outcome: evidence.Outcome{Issue: "1", Epoch: 5, Result: evidence.Merged}}}}
			for what, file := range map[string]func() error{"report": func() error { return o.FileReport(t.Context()) }, "summary": func() error { return o.FileSummary(t.Context()) }} {
				if there, err := o.IsFiled(t.Context(), what); there != (as == filing.Off) || err != nil {
					t.Errorf("before %s: %v, %v", what, there, err)
				}
				for range 2 {
					o.must(file())
					o.must(o.FileNight(t.Context(), night))
				}
				if there, err := o.IsFiled(t.Context(), what); !there || err != nil {
					t.Errorf("after %s: %v, %v", what, there, err)
				}
			}
			i, err := o.Tracker.Get(t.Context(), 1)
			if err != nil || len(o.issues()) != want.issues || len(i.Comments) != want.comments {
				t.Errorf("issues %v, comments %+v, %v", o.issues(), i.Comments, err)
			}
		})
	}
}
