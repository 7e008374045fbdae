package filing

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
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

// deferredBugs are the chunks of the issue that earlier drives gave up.
func (d Desk) deferredBugs(ctx context.Context) ([]forge.Issue, error) {
	return d.listMarked(ctx, Bug, "bug #"+d.About.Issue+".")
}

// CloseSettled closes what is settled by a merge: the bugs that were deferred, whose
// criteria are done now, and the notes that nothing could continue.
func (d Desk) CloseSettled(ctx context.Context, commit string) error {
	bugs, err := d.deferredBugs(ctx)
	errs := []error{err}
	for _, b := range bugs {
		errs = append(errs, d.settle(ctx, b, evidence.BugSettled(d.About, commit)))
	}
	stops, err := d.listMarked(ctx, Todo, "stopped ")
	errs = append(errs, err)
	for _, s := range stops {
		errs = append(errs, d.settle(ctx, s, "The work continues: #"+d.About.Issue+" was merged."))
	}
	return errors.Join(errs...)
}

// listMarked are the open issues with a label that warp has filed with such a mark.
// Anybody can write a mark: those who may not write are not believed.
func (d Desk) listMarked(ctx context.Context, label, begins string) (list []forge.Issue, err error) {
	all, err := d.Tracker.List(ctx, forge.Query{Labels: []string{label}})
	for _, i := range all {
		if !strings.Contains(i.Body, markPrefix+begins) {
			continue
		}
		may, bad := d.Tracker.MayWrite(ctx, i.Author)
		if err = errors.Join(err, bad); may {
			list = append(list, i)
		}
	}
	return list, err
}

// settle closes an issue that warp has filed, and says why.
func (d Desk) settle(ctx context.Context, i forge.Issue, why string) error {
	if err := d.Tracker.Comment(ctx, i.Number, forge.NewComment{Body: d.Redact(why), Once: mark("settled", fmt.Sprintf("#%d", i.Number))}); err != nil {
		return err
	}
	if err := d.Tracker.Close(ctx, i.Number); err != nil {
		return err
	}
	d.Passed("settled")
	d.Record(evidence.Filed{Issue: d.About.Issue, What: "settled", Number: i.Number, URL: i.URL, Title: i.Title}, "")
	return nil
}
