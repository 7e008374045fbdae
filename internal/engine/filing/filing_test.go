package filing_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/adapter/forge/local"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/engine/filing"
	"warp/internal/engine/forge"
)

// office is a tracker with one issue, and a desk for it.
type office struct {
	*testing.T
	filing.Desk
	said   []string
	points []string
	filed  []evidence.Filed
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{T: t}
	tracker := local.New(local.Config{Store: durable.New(durable.Config{Dir: filepath.Join(t.TempDir(), ".claude"), Now: time.Now, PID: os.Getpid()}), User: "t"})
	i, err := tracker.Create(t.Context(), forge.NewIssue{Title: "Thing", Body: "- [x] AC-01: one\n- [x] AC-02: two\n- [ ] AC-03: three\n"})
	o.must(err)
	book := &evidence.Book{}
	for kind, rows := range map[string][]any{
		event.Run:      {evidence.Run{Issue: "1", Chunk: 1, Lessons: []string{"a lesson", "a lesson", "another"}}, evidence.Run{Issue: "1", Chunk: 1, Lessons: []string{"another"}}},
		event.Decision: {evidence.Decision{Issue: "1", Question: "Which?"}, evidence.Decision{Issue: "1", Question: "How?", Answer: "So."}},
	} {
		for _, row := range rows {
			book.Take(event.Row{At: event.Stamp(time.Now()), Kind: kind, Data: lossless.Encode(row, nil).With("epoch", lossless.NewInt(5))})
		}
	}
	o.Desk = filing.Desk{Tracker: tracker, Issue: i, Epoch: 5, Page: book, Session: book, Whole: book, About: evidence.Subject{Issue: "1", Title: "Thing", User: "ann", Chunk: 1, Total: 2},
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") },
		Passed: func(point string) { o.points = append(o.points, point) },
		Record: func(row evidence.Filed, say string) { o.filed, o.said = append(o.filed, row), append(o.said, say) }}
	return o
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// issues are the titles and labels of what was filed.
func (o *office) issues() (list []string) {
	o.Helper()
	all, err := o.Tracker.List(o.Context(), forge.Query{Labels: []string{filing.Drive}, Closed: true})
	o.must(err)
	for _, i := range all {
		list = append(list, i.Title+" "+strings.Join(i.Labels, ","))
		if strings.Contains(i.Title+i.Body, "hunter2") {
			o.Errorf("a secret is filed: %s", i.Body)
		}
	}
	return list
}

// Whatever died after it: what is filed again is not there twice.
func TestEachIsFiledOnce(t *testing.T) {
	for name, c := range map[string]struct {
		file  func(context.Context, *office) error
		label string // of what is filed
		count int
		point string
	}{
		"a report": {func(ctx context.Context, o *office) error { return o.FileReport(ctx) }, filing.Drive, 1, "filed report"},
		"a bug": {func(ctx context.Context, o *office) error {
			return o.FileBug(ctx, evidence.Skipped{Chunk: 1, Why: "hunter2"})
		}, filing.Bug, 1, "filed bug"},
		"an abort": {func(ctx context.Context, o *office) error { return o.FileAbort(ctx, "hunter2", "") }, filing.Summary, 1, "filed abort"},
		"a question": {func(ctx context.Context, o *office) error {
			return o.FileQuestion(ctx, evidence.Decision{Question: "hunter2?"})
		}, filing.Todo, 1, "filed todo"},
		"a stop":    {func(ctx context.Context, o *office) error { return o.FileStopped(ctx, "hunter2", "log in", "tonight") }, filing.Todo, 1, "filed todo"},
		"a summary": {func(ctx context.Context, o *office) error { return o.FileSummary(ctx) }, filing.Summary, 1, "filed summary"},
		"lessons":   {func(ctx context.Context, o *office) error { return o.FileLearned(ctx) }, filing.Lesson, 2, "filed lesson"},
		"decisions": {func(ctx context.Context, o *office) error { return o.FileLearned(ctx) }, filing.Decision, 1, "filed decision"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			for range 2 {
				o.must(c.file(t.Context(), o))
			}
			n := 0
			for _, i := range o.issues() {
				if strings.Contains(i, c.label) {
					n++
				}
			}
			if n != c.count || !slices.Contains(o.points, c.point) {
				t.Errorf("filed %v, passed %v", o.issues(), o.points)
			}
			if f := o.filed[0]; f.Issue != "1" || f.Chunk != 1 || f.Number == 0 || !strings.HasPrefix(o.said[0], f.What+": ") {
				t.Errorf("recorded %+v, said %q", f, o.said)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := c.file(ctx, o); !errors.Is(err, context.Canceled) {
				t.Errorf("a tracker that is away: %v", err)
			}
		})
	}
}

// A question that waits for its answer is the same in another session; a report is not.
func TestWhatIsTheSameInAnotherSession(t *testing.T) {
	o := newOffice(t)
	for _, epoch := range []int64{5, 6} {
		o.Epoch = epoch
		o.must(o.FileQuestion(t.Context(), evidence.Decision{Question: "Which  one?"}))
		o.must(o.FileReport(t.Context()))
	}
	if list := o.issues(); len(list) != 3 {
		t.Errorf("%v", list)
	}
}

func TestCommentsAndTheEnd(t *testing.T) {
	o := newOffice(t)
	for range 2 {
		o.must(o.CommentTaken(t.Context()))
		o.must(o.CommentPlan(t.Context(), "hunter2 first"))
		o.must(o.CloseMerged(t.Context(), strings.Repeat("a", 40)))
	}
	i, err := o.Tracker.Get(t.Context(), 1)
	o.must(err)
	if len(i.Comments) != 3 || i.Open || strings.Contains(i.Comments[1].Body, "hunter2") || !strings.Contains(i.Comments[0].Body, "Taken up by warp drive") {
		t.Errorf("%+v", i)
	}
	if want := "taken, plan filed, closing comment, closed"; strings.Join(o.points[:4], ", ") != want {
		t.Errorf("%v", o.points)
	}
	if o.filed[0].What != "plan" || o.filed[1].What != "closed" || o.said[0]+o.said[1] != "" {
		t.Errorf("%+v, %q", o.filed, o.said)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := errors.Join(o.CommentPlan(ctx, "x"), o.CloseMerged(ctx, "")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Which boxes were checked before the work is told by warp's own comment of this session.
func TestBoxesThatWereCheckedBefore(t *testing.T) {
	o := newOffice(t)
	o.must(o.Tracker.Edit(t.Context(), 1, func(string) (string, error) { return "- [x] AC-01: one\n- [ ] AC-02: two\n- [x] AC-03: three\n", nil }))
	read := func() string {
		t.Helper()
		var err error
		o.Issue, err = o.Tracker.Get(t.Context(), 1)
		o.must(err)
		ids, known, err := filing.CheckedBefore(t.Context(), o.Desk)
		o.must(err)
		return fmt.Sprint(known, ids)
	}
	if have := read(); have != "false []" {
		t.Error(have)
	}
	o.must(o.CommentTaken(t.Context()))
	o.must(o.Tracker.Edit(t.Context(), 1, func(string) (string, error) { return "- [x] AC-01: one\n- [x] AC-02: two\n- [x] AC-03: three\n", nil }))
	if have := read(); have != "true [AC-01 AC-03]" {
		t.Error(have)
	}
	o.Issue.Comments[0].Author = "mallory"
	if _, known, err := filing.CheckedBefore(t.Context(), o.Desk); known || err != nil {
		t.Error("a comment of another counts", err)
	}
	o.Epoch++
	if have := read(); have != "false []" {
		t.Errorf("another session: %s", have)
	}
}

func TestAPullRequest(t *testing.T) {
	o := newOffice(t)
	first, err := o.OpenPull(t.Context(), "feature", "main")
	o.must(err)
	again, err := o.OpenPull(t.Context(), "feature", "main")
	if err != nil || again != first || o.filed[0].What != "pull" || o.said[0] != "pull request" || o.points[0] != "pull opened" {
		t.Errorf("%+v, %+v, %v, %+v", first, again, err, o.filed)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.OpenPull(ctx, "feature", "main"); err == nil {
		t.Error("a tracker that is away opens a pull request")
	}
}

func TestBoxes(t *testing.T) {
	o := newOffice(t)
	opened, err := o.SetBoxes(t.Context(), func(id string, _ bool) bool { return id != "AC-01" })
	o.must(err)
	i, err := o.Tracker.Get(t.Context(), 1)
	if err != nil || strings.Join(opened, " ") != "AC-01" || i.Body != "- [ ] AC-01: one\n- [x] AC-02: two\n- [x] AC-03: three\n" {
		t.Errorf("%v, %q, %v", opened, i.Body, err)
	}
	o.must(o.Tracker.Edit(t.Context(), 1, func(string) (string, error) { return "- [ ] AC-01: one\n- [ ] AC-01: two\n", nil }))
	if _, err := o.SetBoxes(t.Context(), func(string, bool) bool { return true }); err == nil {
		t.Error("two criteria of one name were checked")
	}
}

// listless is a tracker whose issues cannot be listed.
type listless struct{ forge.Tracker }

func (listless) List(context.Context, forge.Query) ([]forge.Issue, error) {
	return nil, errors.New("listed")
}

// A requirement of many chunks has as many reports: only the recorded one is looked at, but what
// it says in the tracker counts, not the record.
func TestARecordedReportIsLookedAtAlone(t *testing.T) {
	o := newOffice(t)
	o.must(o.FileReport(t.Context()))
	o.Session = &evidence.Book{}
	for _, row := range o.filed {
		o.Session.Filed = append(o.Session.Filed, evidence.Entry[evidence.Filed]{Row: row})
	}
	filed := o.filed[0].Number
	o.Tracker = listless{o.Tracker}
	if there, err := o.IsFiled(t.Context(), "report"); !there || err != nil {
		t.Errorf("filed: %v, %v", there, err)
	}
	o.About.Chunk = 2
	if there, err := o.IsFiled(t.Context(), "report"); there || err == nil {
		t.Errorf("the next chunk: %v, %v", there, err)
	}
	o.About.Chunk = 1
	o.must(o.Tracker.Edit(t.Context(), filed, func(string) (string, error) { return "something else", nil }))
	if there, err := o.IsFiled(t.Context(), "report"); there || err == nil {
		t.Errorf("edited: %v, %v", there, err)
	}
}
