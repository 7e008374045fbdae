package workflowcmd

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/notify"
	"warp/internal/engine/policy/workflow"
)

// messageKinds are the notes that people who are away are told of.
var messageKinds = map[string]string{
	workflow.Phased: notify.Phase, workflow.TaskBegan: notify.Phase, workflow.TaskEnded: notify.Phase, workflow.Committed: notify.Commit,
	workflow.Intervened: notify.Remark, workflow.Warned: notify.Remark, workflow.Paused: notify.Person,
}

// message is what they are told of a note; false: nothing.
func message(n workflow.Note) (notify.Message, bool) {
	kind, ok := messageKinds[n.Kind]
	about := "workflow"
	if n.Task != "" {
		about += " " + n.Task
	}
	return notify.Message{Kind: kind, Text: fmt.Sprintf("%s%s: %s", notify.Prefix, about, text.OneLine(n.Text))}, ok
}

// ended is what they are told of its end; false: a person has stopped it, it is paused,
// which was told, or it did not begin.
func ended(s *workflowstate.State, err error) (notify.Message, bool) {
	var paused *workflow.PausedError
	var nothing *workflow.NothingError
	var edited *workflow.EditedError
	var locked *durable.LockedError
	switch {
	case errors.As(err, &paused), errors.As(err, &nothing), errors.As(err, &edited), errors.As(err, &locked), errors.Is(err, context.Canceled):
		return notify.Message{}, false
	case err != nil:
		return notify.Message{Kind: notify.Failed, Text: notify.Prefix + "workflow: " + err.Error()}, true
	case s == nil:
		return notify.Message{}, false
	case s.Orchestrator.Status == workflowstate.Failed:
		return notify.Message{Kind: notify.Failed, Text: notify.Prefix + "workflow " + endLine(s)}, true
	}
	return notify.Message{Kind: notify.End, Text: notify.Prefix + "workflow " + endLine(s)}, true
}
