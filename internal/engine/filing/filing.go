// Package filing files in the tracker what people should read about a piece of work: reports,
// summaries, lessons, decisions, bugs, questions, comments, the boxes of criteria, and pull
// requests.
//
// Each is filed once: it carries a mark that is searched for first, whatever died after filing. All
// secrets are removed. Callers decide when to file something, and what it leads to.
package filing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/commit"
	"warp/internal/core/criteria"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
)

// Labels of what is filed.
const (
	Drive    = "warp-drive"
	Summary  = "session-summary"
	Lesson   = "lesson"
	Decision = "decision"
	Bug      = "bug-deferred"
	Todo     = "todo"
	Risk     = "risk"
)

// Labels are created on first use.
var Labels = []forge.Label{
	{Name: Drive, Color: "5319e7", Description: "filed by warp drive"},
	{Name: Lesson, Color: "0e8a16", Description: "something learned"},
	{Name: Decision, Color: "1d76db", Description: "a decision that was made"},
	{Name: Risk, Color: "d93f0b", Description: "a risk that was noticed"},
	{Name: Bug, Color: "b60205", Description: "given up for now"},
	{Name: Todo, Color: "fbca04", Description: "waits for a person"},
	{Name: Summary, Color: "c5def5", Description: "what a session did"},
}

// labels maps each kind of issue to its labels.
var labels = map[string][]string{
	"report": {Drive}, "bug": {Bug, Drive}, "todo": {Todo, Drive}, "summary": {Summary, Drive},
	"abort": {Drive, Summary}, "lesson": {Lesson, Drive}, "decision": {Decision, Drive},
}

// Desk files what should be read about one requirement in one session.
type Desk struct {
	Tracker forge.Tracker
	Redact  func(string) string
	// Record records what was filed, if that is news; say is announced to people who watch, unless
	// "".
	Record func(row evidence.Filed, say string)
	Passed func(point string)

	Issue   forge.Issue // its number is 0 if there is none
	About   evidence.Subject
	Epoch   int64          // of the session
	As      string         // how to file reports: AsIssue, AsComment or Off; "" is AsIssue
	Page    *evidence.Book // the evidence about the issue, in this session
	Whole   *evidence.Book // the evidence about the issue, in all sessions
	Session *evidence.Book // the evidence of the whole session
}

// mark returns the marker of something filed. It is invisible to people.
func mark(parts ...any) string {
	return "<!-- warp-drive " + strings.TrimSpace(fmt.Sprintln(parts...)) + " -->"
}

func (d Desk) mark(what string) string { return mark(what, "#"+d.About.Issue, d.Epoch) }
func (d Desk) chunkMark(what string) string {
	return mark(what, fmt.Sprintf("#%s.%d", d.About.Issue, d.About.Chunk), d.Epoch)
}

type page struct{ title, body string }

func paged(title, body string) page { return page{title, body} }

// file files something once.
func (d Desk) file(ctx context.Context, what string, p page, once string, assignees ...string) error {
	_, err := d.create(ctx, what, p, once, assignees...)
	return err
}

func (d Desk) create(ctx context.Context, what string, p page, once string, assignees ...string) (forge.Issue, error) {
	i, err := d.Tracker.Create(ctx, forge.NewIssue{Title: d.Redact(p.title), Body: d.Redact(p.body), Labels: labels[what], Assignees: assignees, Once: once})
	if err != nil {
		return i, err
	}
	d.Passed("filed " + what)
	d.Record(evidence.Filed{Issue: d.About.Issue, Chunk: d.About.Chunk, What: what, Number: i.Number, URL: i.URL, Title: i.Title}, what+": "+i.Title)
	return i, nil
}

// note files something for the record that needs no answer, and closes it at once.
func (d Desk) note(ctx context.Context, what string, p page, once string) error {
	i, err := d.create(ctx, what, p, once)
	if err == nil && i.Open {
		err = d.Tracker.Close(ctx, i.Number)
	}
	return err
}

// FileBug files that a chunk was skipped, in one issue however often its criteria are tried.
func (d Desk) FileBug(ctx context.Context, given evidence.Skipped) error {
	p := paged(evidence.BugDeferred(d.Page, d.About, given))
	p.body += "\n" + mark(givenUp+"#"+d.About.Issue, strings.Join(given.Criteria, " ")) + "\n"
	open, err := d.listMarked(ctx, Bug, givenUp+"#"+d.About.Issue+" ")
	if err != nil {
		return err
	}
	for _, i := range open {
		ids := strings.Fields(findMark(i, givenUp))
		if slices.ContainsFunc(given.Criteria, func(id string) bool { return slices.Contains(ids, id) }) {
			return refile(ctx, d, "bug", i, p, d.chunkMark("bug"))
		}
	}
	return d.file(ctx, "bug", p, d.chunkMark("bug"))
}

// givenUp begins the mark of the criteria that a bug is about.
const givenUp = "given-up "

// refile brings an open issue up to date that an earlier try filed.
func refile(ctx context.Context, d Desk, what string, i forge.Issue, p page, once string) error {
	body := forge.AddMarker(d.Redact(p.body), once)
	if err := d.Tracker.Edit(ctx, i.Number, func(string) (string, error) { return body, nil }); err != nil {
		return err
	}
	if title := d.Redact(p.title); title != i.Title {
		if err := d.Tracker.Retitle(ctx, i.Number, title); err != nil {
			return err
		}
		i.Title = title
	}
	d.Passed("filed " + what)
	d.Record(evidence.Filed{Issue: d.About.Issue, Chunk: d.About.Chunk, What: what, Number: i.Number, URL: i.URL, Title: i.Title}, what+": "+i.Title)
	return nil
}

// FileAbort files what a drive that did not finish leaves behind.
func (d Desk) FileAbort(ctx context.Context, why, kept string) error {
	switch {
	case d.As == Off:
		return nil
	case inComment(d):
		return updateRecord(ctx, d, "abort", evidence.DescribeAbort(why, kept))
	}
	return d.file(ctx, "abort", paged(evidence.AbortReport(d.Page, d.About, why, kept)), d.mark("abort"))
}

// FileQuestion files an unanswered question. One that already waits for an answer, from any
// session, is not filed again.
func (d Desk) FileQuestion(ctx context.Context, q evidence.Decision) error {
	var who []string
	if d.About.User != "" {
		who = []string{d.About.User}
	}
	return d.file(ctx, "todo", paged(evidence.Todo(d.About, q)), d.questionMark(q.Question), who...)
}

// FileStopped files that nothing continues without a person: once per reason and night, which has a
// name, however many requirements it has, and in the issue of an earlier night if that is open.
func (d Desk) FileStopped(ctx context.Context, why, do, night string) error {
	reason := "stopped " + hashWords(why) + " "
	p, once := page{evidence.StoppedTitle, fmt.Sprintf("%s\n\n%s.\n", evidence.Quoted(why), do)}, mark(reason+night)
	open, err := d.listMarked(ctx, Todo, reason)
	if err != nil {
		return err
	}
	if len(open) > 0 {
		return refile(ctx, d, "todo", open[0], p, once)
	}
	return d.file(ctx, "todo", p, once)
}

// FileLearned files a session's lessons and decisions, however it ends. A comment has them already.
func (d Desk) FileLearned(ctx context.Context) error {
	if d.As == Off || inComment(d) {
		return nil
	}
	var known []string
	for _, r := range d.Session.Runs {
		for _, lesson := range text.Without(r.Row.Lessons, known) {
			if slices.Contains(known, lesson) { // twice in one run
				continue
			}
			known = append(known, lesson)
			if err := d.note(ctx, "lesson", paged(evidence.Lesson(d.About, lesson)), mark("lesson", len(known), d.Epoch)); err != nil {
				return err
			}
		}
	}
	for i, q := range d.Session.Decisions {
		if q.Row.Answer == "" || q.Row.Question == "" || q.Row.IsDefault() { // a todo has it, or the issue does
			continue
		}
		if err := d.note(ctx, "decision", paged(evidence.DecisionRecord(d.About, q.Row)), mark("decision", i+1, d.Epoch)); err != nil {
			return err
		}
	}
	return nil
}

// comment comments on the issue, once.
func (d Desk) comment(ctx context.Context, what, body string) error {
	return d.Tracker.Comment(ctx, d.Issue.Number, forge.NewComment{Body: d.Redact(body), Once: d.mark(what)})
}

// CommentPlan posts an approach to the issue.
func (d Desk) CommentPlan(ctx context.Context, approach string) error {
	if err := d.comment(ctx, "plan", "## Approach\n\n"+evidence.Quoted(approach)+"\n"); err != nil {
		return err
	}
	d.Passed("plan filed")
	d.Record(evidence.Filed{Issue: d.About.Issue, What: "plan", Number: d.Issue.Number}, "")
	return nil
}

// CloseMerged closes the issue of what was merged.
func (d Desk) CloseMerged(ctx context.Context, commit string) error {
	words := evidence.ClosingComment(d.Page, d.About, commit)
	if inComment(d) {
		if err := updateRecord(ctx, d, "", evidence.DescribeEnd(evidence.Outcome{Result: evidence.Merged, Commit: commit})); err != nil {
			return err
		}
		words = evidence.MergedComment(d.Page, d.About, commit)
	}
	if err := d.comment(ctx, "merged", words); err != nil {
		return err
	}
	d.Passed("closing comment")
	if err := d.Tracker.Close(ctx, d.Issue.Number); err != nil {
		return err
	}
	d.Passed("closed")
	d.Record(evidence.Filed{Issue: d.About.Issue, What: "closed", Number: d.Issue.Number, URL: d.Issue.URL, Title: d.Issue.Title}, "")
	return nil
}

// OpenPull opens the pull request that a person merges.
func (d Desk) OpenPull(ctx context.Context, head, base string) (forge.Pull, error) {
	about := d.About
	bugs, err := d.listMarked(ctx, Bug, "bug #"+d.About.Issue+".") // about chunks that earlier drives skipped
	for _, b := range bugs {
		about.Settles = append(about.Settles, b.Number)
	}
	if err != nil {
		return forge.Pull{}, err
	}
	pull, err := d.Tracker.OpenPull(ctx, forge.NewPull{Title: d.Redact(fmt.Sprintf("%s (#%s)", commit.Clean(d.Issue.Title), d.About.Issue)),
		Body: d.Redact(evidence.PullBody(d.Page, about)), Head: head, Base: base, Once: d.mark("pull")})
	if err != nil {
		return forge.Pull{}, err
	}
	d.Passed("pull opened")
	d.Record(evidence.Filed{Issue: d.About.Issue, What: "pull", Number: pull.Number, URL: pull.URL}, "pull request")
	if inComment(d) {
		err = updateRecord(ctx, d, "", evidence.DescribeEnd(evidence.Outcome{Result: evidence.Pull, Pull: pull.URL}))
	}
	return pull, err
}

// CommentFollowed comments on a pull request what was done about the feedback there.
func CommentFollowed(ctx context.Context, d Desk, pull int, commit, why string) error {
	return d.Tracker.Comment(ctx, pull, forge.NewComment{Body: d.Redact(fmt.Sprintf("Pushed %s, since %s.", commit, text.Visible(why))), Once: d.mark("followed")})
}

// SetBoxes sets the boxes of the issue's criteria, and returns those it cleared.
func (d Desk) SetBoxes(ctx context.Context, want func(id string, done bool) bool) (opened []string, err error) {
	err = d.Tracker.Edit(ctx, d.Issue.Number, func(body string) (string, error) {
		opened = nil
		list, err := criteria.Parse(body)
		if err != nil {
			return body, err
		}
		next := body
		for _, c := range list {
			is := want(c.ID, c.Done)
			if is == c.Done {
				continue
			}
			if !is {
				opened = append(opened, c.ID)
			}
			if next, err = criteria.Check(next, c.ID, is); err != nil {
				return body, err
			}
		}
		return next, nil
	})
	return opened, err
}
