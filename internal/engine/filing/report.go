package filing

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/nightreport"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
)

// How reports, summaries, lessons and decisions are filed. The evidence has them in any case.
const (
	AsIssue   = "issue"
	AsComment = "comment" // one on the issue they are about
	Off       = "off"
)

// IsFiled reports whether the tracker has the chunk's report, or the session's summary, as
// configured.
func (d Desk) IsFiled(ctx context.Context, what string) (bool, error) {
	once := markOf(d, what)
	switch {
	case d.As == Off || d.As == AsComment && d.Issue.Number == 0: // each issue has its comment
		return true, nil
	case inComment(d):
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
	switch {
	case d.As == Off:
		return nil
	case inComment(d):
		return updateRecord(ctx, d, "report", "")
	}
	return d.file(ctx, "report", paged(evidence.ChunkReport(d.Page, d.About)), markOf(d, "report"))
}

// FileSummary files the summary of a session.
func (d Desk) FileSummary(ctx context.Context) error {
	if inComment(d) {
		return updateRecord(ctx, d, "summary", describeEnd(d))
	}
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
	return d.fileSummary(ctx, paged(evidence.SessionSummary(d.Session, d.About)), markOf(d, "summary"), waiting)
}

// FileNight files one summary for all drives of a night, unless the comments on its issues have it.
func (d Desk) FileNight(ctx context.Context, a nightreport.Report) error {
	var waiting []string
	for _, e := range a.Ends {
		if _, err := strconv.Atoi(e.Outcome.Issue); err != nil {
			continue
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
	return d.fileSummary(ctx, page{"warp-drive: session summary: " + a.Headline(), text.Fence(a.Text())}, mark("night", a.Began), waiting)
}

// fileSummary files a summary. If nothing in it waits for a person, it is closed at once; otherwise
// it names the issues that it waits for (CloseSettled).
func (d Desk) fileSummary(ctx context.Context, p page, once string, waiting []string) error {
	switch {
	case d.As == Off || d.As == AsComment:
		return nil
	case len(waiting) == 0:
		return d.note(ctx, "summary", p, once)
	}
	slices.Sort(waiting)
	p.body += "\n" + mark("waits", "#"+strings.Join(slices.Compact(waiting), " #")) + "\n"
	return d.file(ctx, "summary", p, once)
}
