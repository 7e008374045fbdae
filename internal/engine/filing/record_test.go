package filing_test

import (
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/filing"
	"warp/internal/engine/forge"
)

// What is reported is one comment, which says how the work stands; nothing is an issue.
func TestOneCommentIsKeptUpToDate(t *testing.T) {
	o := newOffice(t)
	o.As = filing.AsComment
	read := func() string {
		t.Helper()
		i, err := o.Tracker.Get(t.Context(), 1)
		o.must(err)
		if len(i.Comments) != 1 || len(o.issues()) > 0 {
			t.Fatalf("%v, %+v", o.issues(), i.Comments)
		}
		return i.Comments[0].Body
	}
	o.must(o.FileReport(t.Context()))
	if text := read(); !strings.HasPrefix(text, "**At work.**") || !strings.Contains(text, "## Lessons\n\n- a lesson\n- another\n") || !strings.Contains(text, "`How?`: `So.`") {
		t.Error(text)
	}
	o.About.Chunk = 2
	for _, row := range o.filed {
		row.Epoch = o.Epoch
		o.Page.Filed = append(o.Page.Filed, evidence.Entry[evidence.Filed]{Row: row})
	}
	o.must(o.FileReport(t.Context()))
	o.must(o.FileAbort(t.Context(), "hunter2", ""))
	o.must(o.FileLearned(t.Context()))
	if text := read(); !strings.HasPrefix(text, "**Not done: ***.**") || !strings.Contains(text, "report #1.1 5") || strings.Contains(text, "hunter2") {
		t.Error(text)
	}
	o.Epoch = 6 // another session goes on with the same comment
	o.must(o.FileReport(t.Context()))
	if text := read(); !strings.HasPrefix(text, "**At work.**") || !strings.Contains(text, "report #1.2 6") {
		t.Error(text)
	}
}

// What a person has to do is one issue for each subject, however often it is tried.
func TestOneIssueForEachSubject(t *testing.T) {
	o := newOffice(t)
	for epoch := range int64(3) {
		o.Epoch, o.About.Chunk = epoch+5, 1
		o.must(o.FileBug(t.Context(), evidence.Skipped{Issue: "1", Chunk: 1, Criteria: []string{"AC-01", "AC-02"}, Why: "first"}))
		o.About.Chunk = 2
		o.must(o.FileBug(t.Context(), evidence.Skipped{Issue: "1", Chunk: 2, Criteria: []string{"AC-03"}, Why: "second"}))
		o.must(o.FileStopped(t.Context(), "no agent", "install one", strings.Repeat("night ", int(epoch)+1)))
		o.must(o.FileStopped(t.Context(), "no login", "log in", strings.Repeat("night ", int(epoch)+1)))
	}
	o.About.Chunk = 1
	o.must(o.FileBug(t.Context(), evidence.Skipped{Issue: "1", Chunk: 1, Criteria: []string{"AC-02"}, Why: "third"}))
	if list := o.issues(); len(list) != 4 {
		t.Errorf("%q", list)
	}
	bugs, err := o.Tracker.List(t.Context(), forge.Query{Labels: []string{filing.Bug}})
	o.must(err)
	for _, b := range bugs {
		if strings.Contains(b.Body, "first") {
			t.Errorf("it says what an earlier try found:\n%s", b.Body)
		}
	}
	o.must(o.CloseSettled(t.Context(), strings.Repeat("a", 40)))
	if open := o.openKinds(); len(open) > 0 {
		t.Errorf("open: %v", open)
	}
}
