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

// markPrefix starts every mark: warp wrote a text with one, even though the tracker attributes it
// to the person whose token warp uses.
const markPrefix = "<!-- warp-drive "

// questionMark returns the marker of a question of the issue, the same in every session.
func (d Desk) questionMark(question string) string {
	return mark("todo", "#"+d.About.Issue, hashWords(question))
}

// hashWords returns a short hash of a text, the same however its lines are broken.
func hashWords(words string) string {
	return fmt.Sprintf("%.6x", sha256.Sum256([]byte(strings.ToLower(text.OneLine(words)))))
}

// Said is a comment by a person with write access.
type Said struct {
	Text, By string
	From     string // identifies the comment
	At       time.Time
}

// PeopleSay returns the comments on an issue by people with write access, oldest first, without
// warp's own and approvals.
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

// OpenTodos returns the open todos with questions about the issue.
func (d Desk) OpenTodos(ctx context.Context) ([]forge.Issue, error) {
	return d.listMarked(ctx, Todo, "todo #"+d.About.Issue+" ")
}

// Asks reports whether a todo is about a question.
func (d Desk) Asks(todo forge.Issue, question string) bool {
	return strings.Contains(todo.Body, d.questionMark(question))
}

// CloseTodo closes a todo whose question was decided.
func (d Desk) CloseTodo(ctx context.Context, todo forge.Issue, q evidence.Decision) error {
	return d.settle(ctx, todo, evidence.TodoSettled(d.About, q))
}

// CloseSettled closes what a merge settles: reports of chunks, reports of earlier tries, deferred
// bugs whose criteria are met now, todos about stopped work, and summaries that wait for no other
// issue.
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

// waitsFor returns the issues that a summary waits for.
func waitsFor(i forge.Issue) (list []int) {
	for _, word := range strings.Fields(findMark(i, "waits ")) {
		if n, err := strconv.Atoi(strings.TrimPrefix(word, "#")); err == nil {
			list = append(list, n)
		}
	}
	return list
}

// findMark returns what follows the start of a mark, or "". A mark is on a separate line: others'
// texts are quoted.
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

// listMarked returns the open issues with a label that warp filed with a mark. Anyone can write a
// mark: only users with write access count.
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

// settle closes an issue that warp filed, and says why. It first records that it starts: a closed
// issue is not looked at again, so an engine that died right after closing would never record it.
// If closing fails, FinishSettling tries again.
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
