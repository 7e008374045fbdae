package filing

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
)

// markPrefix begins every mark: a text that has one was written by warp, though the
// tracker takes warp for the person whose token it has.
const markPrefix = "<!-- warp-drive "

// questionMark names a question of the issue, in whichever session it is asked.
func (d Desk) questionMark(question string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(text.OneLine(question))))
	return mark("todo", "#"+d.About.Issue, fmt.Sprintf("%.6x", sum))
}

// Said is what a person with write access said in the tracker.
type Said struct {
	Text, By string
	From     string // names the comment
	At       time.Time
}

// PeopleSay are the comments on an issue by those who have write access, the oldest
// first. What warp itself said there, and approvals, are none.
func (d Desk) PeopleSay(ctx context.Context, number int) (list []Said, err error) {
	i, err := d.Tracker.Get(ctx, number)
	if err != nil {
		return nil, err
	}
	for _, c := range i.Comments {
		words := strings.TrimSpace(c.Body)
		if words == "" || strings.Contains(words, markPrefix) || forge.IsSeal(words) {
			continue
		}
		may, err := d.Tracker.MayWrite(ctx, c.Author)
		if err != nil {
			return nil, err
		}
		if may {
			list = append(list, Said{d.Redact(words), c.Author, fmt.Sprintf("#%d %s %s", number, c.At.UTC().Format(time.RFC3339Nano), c.Author), c.At})
		}
	}
	return list, nil
}

// OpenTodos are the questions about the issue that are filed and not closed.
func (d Desk) OpenTodos(ctx context.Context) ([]forge.Issue, error) {
	return d.listMarked(ctx, Todo, "todo #"+d.About.Issue+" ")
}

// Asks tells whether a todo is about a question.
func (d Desk) Asks(todo forge.Issue, question string) bool {
	return strings.Contains(todo.Body, d.questionMark(question))
}

// CloseTodo closes a todo whose question was decided.
func (d Desk) CloseTodo(ctx context.Context, todo forge.Issue, q evidence.Decision) error {
	return d.settle(ctx, todo, evidence.TodoSettled(d.About, q))
}

// listDeferredBugs are the chunks of the issue that earlier drives gave up.
func listDeferredBugs(ctx context.Context, d Desk) ([]forge.Issue, error) {
	return d.listMarked(ctx, Bug, "bug #"+d.About.Issue+".")
}

// CloseSettled closes what is settled by a merge: the reports of chunks, the accounts of
// earlier tries and the bugs that were deferred, whose criteria are met now; what had
// stopped all work; and the summaries that wait for no other issue.
func (d Desk) CloseSettled(ctx context.Context, commit string) error {
	merged := fmt.Sprintf("#%s was merged as %s.", d.About.Issue, text.Hash(commit))
	settled := []struct{ begins, why string }{
		{"report #" + d.About.Issue + ".", merged},
		{"abort #" + d.About.Issue + " ", merged},
		{"bug #" + d.About.Issue + ".", evidence.BugSettled(d.About, commit)},
		{"stopped ", "The work continues: #" + d.About.Issue + " was merged."},
	}
	all, err := d.listMarked(ctx, Drive, "")
	errs := []error{err}
	for _, i := range all {
		for _, s := range settled {
			if findMark(i, s.begins) != "" {
				errs = append(errs, d.settle(ctx, i, s.why))
			}
		}
		if waiting := waitsFor(i); len(waiting) > 0 {
			errs = append(errs, closeSummary(ctx, d, i, waiting, merged))
		}
	}
	return errors.Join(errs...)
}

// waitsFor are the issues that a summary waits for.
func waitsFor(i forge.Issue) (list []int) {
	for _, word := range strings.Fields(findMark(i, "waits ")) {
		if n, err := strconv.Atoi(strings.TrimPrefix(word, "#")); err == nil {
			list = append(list, n)
		}
	}
	return list
}

// findMark is what follows the beginning of a mark, "" when there is none. A mark has a
// line of its own: what others have written is quoted.
func findMark(i forge.Issue, begins string) (rest string) {
	for line := range strings.Lines(i.Body) {
		if found, ok := strings.CutPrefix(strings.TrimSpace(line), markPrefix+begins); ok {
			rest = found
		}
	}
	return rest
}

// closeSummary closes a summary when none of its issues is open.
func closeSummary(ctx context.Context, d Desk, i forge.Issue, waiting []int, why string) error {
	for _, n := range waiting {
		if on, err := d.Tracker.Get(ctx, n); err != nil || on.Open {
			return err
		}
	}
	return d.settle(ctx, i, why+" Nothing in this summary is open.")
}

// listMarked are the open issues with a label that warp has filed with such a mark.
// Anybody can write a mark: those who may not write are not believed.
func (d Desk) listMarked(ctx context.Context, label, begins string) (list []forge.Issue, err error) {
	all, err := d.Tracker.List(ctx, forge.Query{Labels: []string{label}})
	for _, i := range all {
		if findMark(i, begins) == "" {
			continue
		}
		may, bad := d.Tracker.MayWrite(ctx, i.Author)
		if err = errors.Join(err, bad); may {
			list = append(list, i)
		}
	}
	return list, err
}

// settle closes an issue that warp has filed, and says why. That it begins is recorded first:
// what is closed is not looked at again, and an engine that died right after would never
// record it. Where closing fails, FinishSettling tries again.
func (d Desk) settle(ctx context.Context, i forge.Issue, why string) error {
	if err := d.Tracker.Comment(ctx, i.Number, forge.NewComment{Body: d.Redact(why), Once: mark("settled", fmt.Sprintf("#%d", i.Number))}); err != nil {
		return err
	}
	row := evidence.Filed{Issue: d.About.Issue, What: evidence.FiledSettling, Number: i.Number, URL: i.URL, Title: i.Title}
	d.Record(row, "")
	if err := d.Tracker.Close(ctx, i.Number); err != nil {
		return err
	}
	d.Passed("settled")
	row.What = evidence.FiledSettled
	d.Record(row, "")
	return nil
}

// FinishSettling closes what an earlier engine began to settle: it was killed, or the tracker
// failed.
func FinishSettling(ctx context.Context, d Desk, book *evidence.Book) error {
	var errs []error
	isOpen := forge.StillOpen(ctx, d.Tracker)
	for _, f := range book.Filed {
		row := f.Row
		if row.What != evidence.FiledSettling {
			continue
		}
		if isOpen(row.Number) {
			i, err := d.Tracker.Get(ctx, row.Number)
			if err == nil && i.URL != row.URL {
				continue // the project has another tracker since, where this number is another issue
			}
			if err == nil {
				err = d.Tracker.Close(ctx, row.Number)
			}
			if err != nil {
				errs = append(errs, err)
				continue
			}
		}
		row.What = evidence.FiledSettled
		d.Record(row, "")
	}
	return errors.Join(errs...)
}
