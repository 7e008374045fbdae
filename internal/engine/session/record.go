package session

import (
	"fmt"
	"os"
	"strings"

	"warp/internal/core/session"
	"warp/internal/core/session/progress"
)

// mostProgress bounds the progress file, which every agent reads.
const mostProgress = 16 << 10

// record keeps an iteration: for the next agent in the progress file, then in the
// document, which counts. Doing it again after a crash adds nothing.
func (r *run) record(i, number int, out Outcome) error {
	if err := r.putBack(); err != nil {
		return err
	}
	if r.units[i].gathers == nil {
		file := r.progressFile(i)
		if err := r.note(i, file, progress.Section{
			Iteration: number, At: r.Now(), Items: out.Row.Items, Summary: summary(out.Row), Files: out.Files, Learnings: out.Learnings,
		}); err != nil {
			return err
		}
		r.passed("progress_written")
	}
	out.Row.Iteration = number
	err := r.update("iteration_completed", func(s *session.State) error {
		return s.CompleteIteration(i, out.Row, out.Spent, r.Now())
	})
	if err != nil {
		return err
	}
	r.passed("iteration_completed")
	row := out.Row
	r.tell(Note{Kind: Ran, Stage: r.shown(i), Iteration: number, Agent: row.Agent, Row: &row})
	return nil
}

// note adds a section to a progress file. One that an agent has removed is there
// again as it was.
func (r *run) note(i int, file string, s progress.Section) error {
	return r.edit(file, func(was []byte) ([]byte, error) {
		if len(was) == 0 {
			was = []byte(progress.New(r.title(i, file), r.Engine.Verify))
			if text, ok := r.written.Load(file); ok {
				was = text.([]byte)
			}
		}
		text, err := r.added(file, was, s)
		if err == nil {
			r.written.Store(file, text)
		}
		return text, err
	})
}

func (r *run) title(i int, file string) string {
	if file == session.ProgressFile(r.Name) {
		return r.Name
	}
	return r.Name + " " + r.units[i].name
}

// added adds a section to a progress file and keeps it bounded; what it has no
// room for goes to the full text beside it.
func (r *run) added(file string, was []byte, s progress.Section) ([]byte, error) {
	text, dropped := progress.Condense(progress.Add(string(was), s), mostProgress)
	if dropped == "" {
		return []byte(text), nil
	}
	full := r.path(strings.TrimSuffix(file, ".md") + ".full.md")
	f, err := os.OpenFile(full, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("keeping what the progress file has no room for: %w", err)
	}
	_, err = f.WriteString(dropped)
	if closing := f.Close(); err == nil {
		err = closing
	}
	return []byte(text), err
}

// summary is what the progress file says of an iteration.
func summary(row session.Row) string {
	switch {
	case row.End != "":
		return strings.TrimSpace("The agent's run came to nothing (" + row.End + "). " + row.Summary)
	case row.Gates == session.Fail:
		return strings.TrimSpace(row.Summary + " (The checks failed afterwards.)")
	}
	return row.Summary
}
