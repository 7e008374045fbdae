package filing

import (
	"context"
	"strconv"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
)

// With AsComment, reports, lessons, decisions and how a drive ended are one comment on the issue, which
// is kept up to date: filed as issues, they were 4 to 8 for each issue that was driven. Hidden marks in
// it say what was reported in the present session.

// inComment reports whether reports go into the comment. Without an issue there is none.
func inComment(d Desk) bool { return d.As == AsComment && d.Issue.Number > 0 }

func recordMark(d Desk) string { return mark("record", "#"+strconv.Itoa(d.Issue.Number)) }

// markOf returns the mark of what is reported.
func markOf(d Desk, what string) string {
	switch what {
	case "report":
		return d.chunkMark(what)
	case "summary":
		return mark(what, d.Epoch)
	}
	return d.mark(what)
}

// updateRecord brings the comment up to date. what is what is reported with it, or "".
func updateRecord(ctx context.Context, d Desk, what, status string) error {
	var marks []string
	for _, f := range d.Page.Filed {
		was := d
		if was.About.Chunk = f.Row.Chunk; f.Row.Epoch == d.Epoch && (f.Row.What == "report" || f.Row.What == "summary" || f.Row.What == "abort") {
			marks = append(marks, markOf(was, f.Row.What))
		}
	}
	if what != "" {
		marks = append(text.Without(marks, []string{markOf(d, what)}), markOf(d, what))
	}
	body := evidence.Progress(d.Whole, d.About, status) + "\n" + strings.Join(append(marks, recordMark(d)), "\n") + "\n"
	c := forge.NewComment{Body: d.Redact(body), Once: recordMark(d), Update: true}
	if err := d.Tracker.Comment(ctx, d.Issue.Number, c); err != nil || what == "" {
		return err
	}
	d.Passed("filed " + what)
	row := evidence.Filed{Issue: d.About.Issue, Chunk: d.About.Chunk, What: what, Number: d.Issue.Number, URL: d.Issue.URL, Title: d.Issue.Title}
	d.Record(row, what+": in a comment on the issue")
	return nil
}

// SayEnd brings the comment up to date, if there is one, when a drive waits for a person: it would say
// that the drive is at work.
func (d Desk) SayEnd(ctx context.Context) error {
	_, reported := evidence.Last(d.Whole.Filed, func(f evidence.Filed) bool { return f.What == "report" && f.Number == d.Issue.Number })
	if !inComment(d) || !reported {
		return nil
	}
	return updateRecord(ctx, d, "", describeEnd(d))
}

// describeEnd says how the requirement ended in this session; "" if it did not.
func describeEnd(d Desk) string {
	e, ended := evidence.Last(d.Page.Outcomes, func(o evidence.Outcome) bool { return o.Epoch == d.Epoch && o.Issue == d.About.Issue })
	if !ended {
		return ""
	}
	return evidence.DescribeEnd(e.Row)
}
