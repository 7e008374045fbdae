package filing

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/nightreport"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
)

// How chunk reports and summaries are filed. The evidence has them in any case.
const (
	AsIssue   = "issue"
	AsComment = "comment" // on the issue they are about
	Off       = "off"
)

// IsFiled reports whether the tracker has the chunk's report, or the session's summary, as
// configured.
func (d Desk) IsFiled(ctx context.Context, what string) (bool, error) {
	once := map[string]string{"report": d.chunkMark("report"), "summary": mark("summary", d.Epoch)}[what]
	switch {
	case d.As == Off:
		return true, nil
	case once == "":
		return false, nil
	case d.As == AsComment:
		i, err := d.Tracker.Get(ctx, d.Issue.Number)
		if err != nil {
			return false, err
		}
		return forge.HasMarker(ctx, i.Comments, once, d.Tracker.MayWrite)
	}
	for _, number := range recordedIssues(d.Session, what, d.About.Chunk) {
		if i, err := d.Tracker.Get(ctx, number); err == nil && strings.Contains(i.Body, once) {
			return true, nil
		}
	}
	list, err := d.Tracker.List(ctx, forge.Query{Labels: labels[what], Closed: true})
	if slices.ContainsFunc(list, func(i forge.Issue) bool { return strings.Contains(i.Body, once) }) {
		return true, nil
	}
	return false, err
}

// recordedIssues returns the issues that the evidence names as the chunk's report, or as the
// session's summary. A long requirement has a report for each of its chunks, and listing all of
// them for each chunk made the last ones slow.
func recordedIssues(book *evidence.Book, what string, chunk int) (numbers []int) {
	for _, f := range slices.Backward(book.Filed) {
		if f.Row.What == what && (what != "report" || f.Row.Chunk == chunk) {
			numbers = append(numbers, f.Row.Number)
		}
	}
	return numbers
}

// FileReport files the report of a chunk.
func (d Desk) FileReport(ctx context.Context) error {
	p, once := paged(evidence.ChunkReport(d.Page, d.About)), d.chunkMark("report")
	switch d.As {
	case Off:
		return nil
	case AsComment:
		return d.remark(ctx, "report", p, once, d.Issue)
	}
	return d.file(ctx, "report", p, once)
}

// FileSummary files the summary of a session.
func (d Desk) FileSummary(ctx context.Context) error {
	last := map[string]evidence.Result{}
	for _, o := range d.Session.Outcomes {
		last[o.Row.Issue] = o.Row.Result
	}
	var waiting []string
	for issue, result := range last {
		if issue != "" && result != evidence.Merged && result != evidence.NoWork {
			waiting = append(waiting, issue)
		}
	}
	return d.fileSummary(ctx, paged(evidence.SessionSummary(d.Session, d.About)), mark("summary", d.Epoch), waiting, d.Issue)
}

// FileNight files one summary for all drives of a night.
func (d Desk) FileNight(ctx context.Context, a nightreport.Report) error {
	var waiting []string
	var on []forge.Issue
	for _, e := range a.Ends {
		n, err := strconv.Atoi(e.Outcome.Issue)
		if err != nil {
			continue
		}
		if e.Outcome.Epoch != 0 {
			on = append(on, forge.Issue{Number: n, Title: e.Outcome.Title})
		}
		if e.Outcome.Result != evidence.Merged {
			waiting = append(waiting, e.Outcome.Issue)
		}
	}
	for _, i := range a.Passed {
		if !i.Settled {
			waiting = append(waiting, i.Number)
		}
	}
	for _, q := range a.Asks {
		if q.Taken == "" && q.Issue != "" {
			waiting = append(waiting, q.Issue)
		}
	}
	return d.fileSummary(ctx, page{"warp-drive: session summary: " + a.Headline(), text.Fence(a.Text())}, mark("night", a.Began), waiting, on...)
}

// fileSummary files a summary. If nothing in it waits for a person, it is closed at once; otherwise
// it names the issues that it waits for (CloseSettled).
func (d Desk) fileSummary(ctx context.Context, p page, once string, waiting []string, on ...forge.Issue) error {
	switch d.As {
	case Off:
		return nil
	case AsComment:
		return d.remark(ctx, "summary", p, once, on...)
	}
	if len(waiting) == 0 {
		return d.note(ctx, "summary", p, once)
	}
	slices.Sort(waiting)
	p.body += "\n" + mark("waits", "#"+strings.Join(slices.Compact(waiting), " #")) + "\n"
	return d.file(ctx, "summary", p, once)
}

// remark files something as a comment on each issue that it is about.
func (d Desk) remark(ctx context.Context, what string, p page, once string, on ...forge.Issue) error {
	for _, i := range on {
		if i.Number == 0 {
			continue
		}
		body := fmt.Sprintf("## %s\n\n%s", p.title, p.body)
		if err := d.Tracker.Comment(ctx, i.Number, forge.NewComment{Body: d.Redact(body), Once: once}); err != nil {
			return err
		}
		d.Passed("filed " + what)
		d.Record(evidence.Filed{Issue: strconv.Itoa(i.Number), Chunk: d.About.Chunk, What: what, Number: i.Number, URL: i.URL, Title: p.title}, what+": "+p.title)
	}
	return nil
}
