package recovery

import (
	"context"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
)

// records writes into the journal what it did not know: criteria, commits and
// reports, so that what is filed from now on is about the whole drive.
func (r *Recovery) records(ctx context.Context, f facts, t trail, a account, picked map[string]string) error {
	store := r.Main.Store()
	page := r.book.Of(f.issue, f.session)
	if len(page.Written) == 0 {
		row := evidence.Written{Issue: f.issue, Epoch: f.session}
		for _, c := range f.written {
			row.Criteria = append(row.Criteria, evidence.Criterion{ID: c.ID, Text: c.Text})
		}
		if err := store.AppendSynced(event.Criteria, row); err != nil {
			return err
		}
	}
	var commits []any
	for _, m := range t.marks {
		if _, known := evidence.Last(page.Commits, func(c evidence.Commit) bool { return c.Hash == m.Hash }); known {
			continue
		}
		row := evidence.Commit{Issue: f.issue, Epoch: f.session, Chunk: m.Chunk, Hash: m.Hash, Subject: r.line(ctx, "log", "-1", "--format=%s", m.Hash), Criteria: m.Criteria, WIP: m.WIP, Was: picked[m.Hash]}
		if stat, err := r.Tree.Stat(ctx, r.line(ctx, "rev-parse", "--verify", "-q", m.Hash+"^"), m.Hash); err == nil {
			row.Files, row.Insertions, row.Deletions = stat.Files, stat.Insertions, stat.Deletions
		}
		commits = append(commits, row)
	}
	if err := store.AppendSynced(event.Commit, commits...); err != nil {
		return err
	}
	for k, i := range a.reports {
		if _, known := evidence.Last(page.Filed, func(x evidence.Filed) bool { return x.What == "report" && x.Number == i.Number }); known {
			continue
		}
		row := evidence.Filed{Issue: f.issue, Epoch: f.session, Chunk: k, What: "report", Number: i.Number, URL: i.URL, Title: i.Title}
		if err := store.Append(event.Filed, row); err != nil {
			return err
		}
	}
	return nil
}
