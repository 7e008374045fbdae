package workflowstate

import (
	"fmt"
	"slices"
	"time"

	"warp/internal/core/lossless"
)

// OldFormatError means that agent-state.json belongs to automated-workflow.
type OldFormatError struct {
	Status      string
	Step, Steps int64
}

func (e *OldFormatError) Error() string {
	return fmt.Sprintf("%s is in the old format of automated-workflow (status %q, step %d of %d). Migration is not automatic: old workflows must complete under the old system, "+
		"new workflows use the new format. warp workflow migrate converts what can be converted", File, e.Status, e.Step, e.Steps)
}

// Recognise returns an *OldFormatError for a document in the old format, and nil for any other.
// Call it before opening the document as a State: a store would set it aside as damaged.
func Recognise(v *lossless.Value) error {
	if v == nil || v.Kind != lossless.Object || v.Get("orchestrator") != nil {
		return nil
	}
	step, has := v.Get("current_step").Int()
	steps, too := v.Get("total_steps").Int()
	if !has && !too {
		return nil
	}
	return &OldFormatError{v.Get("status").Text(), step, steps}
}

// Migrate converts what it can of a document in the old format, and lists what it could not. The
// result is paused unless it has ended: its steps are unknown, so a person must start the remaining
// work from a task document. The result keeps the old document.
func Migrate(old *lossless.Value, taskDoc string, at time.Time) (*State, []string) {
	step, _ := old.Get("current_step").Int()
	steps, _ := old.Get("total_steps").Int()
	s := Begin(Plan{TaskDoc: taskDoc, Phases: 1, Limits: DefaultLimits, Supervised: true}, at)
	s.Migrated = old
	s.Orchestrator.CurrentTask = fmt.Sprintf("%d/%d", step, steps)
	notes := []string{
		fmt.Sprintf("step %d of %d became task %d of %d of the one phase", step, steps, step, steps),
		"the old format has no list of steps: completed_tasks and pending_tasks are empty",
		"costs and times start at 0, with the default safety bounds",
		"the old document is kept as migrated_from",
	}
	said := Status(old.Get("status").Text())
	switch {
	case slices.Contains([]Status{Planning, Executing, Reviewing, Completed, Failed}, said):
		s.Orchestrator.Status = said
	case slices.Contains([]Status{"done", "complete", "finished", "success"}, said):
		s.Orchestrator.Status = Completed
	case slices.Contains([]Status{"error", "aborted", "cancelled", "canceled"}, said):
		s.Orchestrator.Status = Failed
	default:
		s.Orchestrator.Status = Executing
		notes = append(notes, fmt.Sprintf("unknown status %q became %q", said, Executing))
	}
	s.Orchestrator.OuterRalph = s.Orchestrator.Status == Reviewing
	if began := stampIn(old, "start_time", "started_at", "started"); began != "" {
		s.Orchestrator.StartTime = began
	} else {
		notes = append(notes, "the start is unknown: start_time is now")
	}
	if s.Orchestrator.Status.Ended() {
		end := stampIn(old, "end_time", "completed_at", "ended_at")
		if end == "" {
			end = Stamp(at)
			notes = append(notes, "the end is unknown: end_time is now")
		}
		s.Orchestrator.EndTime = &end
	} else {
		s.Pause(PausedMigrated, "converted from the old format; start the rest of the work with warp workflow run", "", at)
	}
	return s, notes
}

// stampIn returns the first of some members that is a time, in our format.
func stampIn(v *lossless.Value, names ...string) string {
	for _, name := range names {
		if t, err := time.Parse(time.RFC3339, v.Get(name).Text()); err == nil {
			return Stamp(t)
		}
	}
	return ""
}
