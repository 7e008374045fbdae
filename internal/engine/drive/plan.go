package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
)

// few is how many criteria need no approach.
const few = 3

// plan drafts an approach where the requirement is not simple, and keeps it in
// the issue. One that cannot be had is done without.
func (e *Engine) plan(ctx context.Context, s *drive.State) (move, error) {
	open := e.todo(s)
	if len(open) <= few && !architectural(e.issue) {
		return move{on: drive.PlanReady}, nil
	}
	p, known := evidence.Last(e.page(s).Plans, func(evidence.Plan) bool { return true })
	if !known {
		res, err := e.run(ctx, s, agent.Task{Role: agent.Plan, Prompt: planPrompt(e.issue, open, e.cfg.Limits.ACsPerCommit), Criteria: ids(open), ReadOnly: true})
		if err != nil {
			return move{}, err
		}
		if res.End != agent.Done || res.JSON == nil {
			e.remark("no approach was drafted (%s %s): the criteria are taken in order", res.End, res.Why)
			return move{on: drive.PlanReady}, nil
		}
		p.Row = evidence.Plan{Issue: e.issue.id, Approach: e.Redact(res.JSON.Get("approach").Text())}
		if chunks := res.JSON.Get("chunks"); chunks != nil {
			for _, c := range chunks.Elems {
				var ids []string
				for _, id := range c.Elems {
					ids = append(ids, id.Text())
				}
				p.Row.Chunks = append(p.Row.Chunks, ids)
			}
		}
		e.keep(s, event.Plan, p.Row)
		e.passed("planned")
	}
	if p.Row.Approach != "" {
		err := e.Tracker.Comment(ctx, e.issue.Number, forge.NewComment{Body: "## Approach\n\n" + evidence.Quoted(p.Row.Approach) + "\n", Once: e.marker("plan", s)})
		if err != nil {
			return move{}, err
		}
		e.passed("plan filed")
		e.filed(s, evidence.Filed{Issue: e.issue.id, What: "plan", Number: e.issue.Number})
	}
	return move{on: drive.PlanReady}, nil
}

// architectural tells whether an issue is about more than its criteria say.
func architectural(i *subject) bool {
	if slices.ContainsFunc(i.Labels, func(l string) bool { return strings.EqualFold(l, "architecture") }) {
		return true
	}
	text := strings.ToLower(i.Title + "\n" + i.Body)
	return slices.ContainsFunc([]string{"architecture decision", "architectural", "design decision"}, func(w string) bool { return strings.Contains(text, w) })
}

// todo are the criteria that nobody has done yet.
func (e *Engine) todo(s *drive.State) []drive.Criterion {
	var open []drive.Criterion
	now, err := criteria.Parse(e.issue.Body)
	for _, c := range e.issue.criteria {
		done := slices.Contains(s.Checked[s.Issue()], c.ID)
		if err == nil {
			done = done || slices.ContainsFunc(now, func(b criteria.Criterion) bool { return b.ID == c.ID && b.Done })
		}
		if !done {
			open = append(open, c)
		}
	}
	return open
}

func ids(list []drive.Criterion) (out []string) {
	for _, c := range list {
		out = append(out, c.ID)
	}
	return out
}

// chunk splits the requirement, after it was seen what its tests say before
// anything was changed.
func (e *Engine) chunk(ctx context.Context, s *drive.State) (move, error) {
	open := e.todo(s)
	if len(open) == 0 {
		return move{}, needsPerson("close the issue, then warp stop", "every criterion of #%s is checked off already", s.Issue())
	}
	if done := e.doneBefore(s); len(done) > 0 {
		if err := e.Drive.Criteria.CheckOff(s.Issue(), done, true); err != nil {
			return move{}, err
		}
	}
	if err := e.baseline(ctx, s); err != nil {
		return move{}, err
	}
	if _, err := e.look(); err != nil { // the chunk begins here
		return move{}, err
	}
	list := make([]criteria.Criterion, len(open))
	for i, c := range open {
		list[i] = criteria.Criterion{ID: c.ID, Text: c.Text}
	}
	p, _ := evidence.Last(e.page(s).Plans, func(evidence.Plan) bool { return true })
	chunks := criteria.Split(list, p.Row.Chunks, e.cfg.Limits.ACsPerCommit)
	return move{on: drive.ChunksDefined, data: data{Chunks: chunks}}, nil
}

// doneBefore are criteria that the issue shows as done and the drive does not
// know of: people did them.
func (e *Engine) doneBefore(s *drive.State) (done []string) {
	list, err := criteria.Parse(e.issue.Body)
	if err != nil {
		return nil
	}
	for _, c := range list {
		if c.Done && !slices.Contains(s.Checked[s.Issue()], c.ID) {
			done = append(done, c.ID)
		}
	}
	return done
}

// marker is what tells that something was filed already. It is no text that
// people see.
func (e *Engine) marker(what string, s *drive.State) string {
	return fmt.Sprintf("<!-- warp-drive %s #%s %d -->", what, s.Issue(), s.Session.StartedAtEpoch)
}

// takenMarker is the marker of an issue that is not the drive's yet.
func (e *Engine) takenMarker(issue string, s *drive.State) string {
	return fmt.Sprintf("<!-- warp-drive taken #%s %d -->", issue, s.Session.StartedAtEpoch)
}

// session is the marker of something that a whole session files.
func (e *Engine) session(what string, s *drive.State) string {
	return fmt.Sprintf("<!-- warp-drive %s %d -->", what, s.Session.StartedAtEpoch)
}

func (e *Engine) chunkMarker(what string, s *drive.State) string {
	return fmt.Sprintf("<!-- warp-drive %s #%s.%d %d -->", what, s.Issue(), s.Chunk.Index, s.Session.StartedAtEpoch)
}
