package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/fleet/flow"
	"warp/internal/sys/proc"
)

// Limits of the evidence that a fleet keeps of a requirement.
const (
	mostEvidence  = 64 << 10        // it becomes part of the workflow's history
	someEvidence  = 16 << 10        // for a drive that goes on, which sends it again and again
	evidencePause = 2 * time.Minute // minimum interval: reading it costs as much as a short step
	evidenceTime  = time.Minute
	evidenceKeep  = 16 << 20 // limit of warp's output before it is shortened
)

// readEvidence returns the evidence in a drive's clone, in brief unless the drive has ended. If it
// cannot be read, only the evidence is missing: the outcome counts, and the clone still has it.
func (w *Worker) readEvidence(ctx context.Context, work flow.Work, ended bool) json.RawMessage {
	most := someEvidence
	if ended {
		most = mostEvidence
	}
	words, err := w.askEvidence(ctx, work, most)
	if err != nil {
		w.tell(fmt.Sprintf("the evidence of %s could not be read: %v", work.ID(), err))
		return nil
	}
	return words
}

func (w *Worker) tell(line string) {
	if w.Warn != nil {
		w.Warn(line)
	}
}

func (w *Worker) askEvidence(ctx context.Context, work flow.Work, most int) (json.RawMessage, error) {
	said, err := w.runWarp(ctx, w.cloneFolder(work), proc.Cmd{Timeout: evidenceTime, Keep: evidenceKeep}, "evidence", "--json", "--", work.Issue)
	if err != nil {
		return nil, err
	}
	var a evidence.Account
	if err := json.Unmarshal(said, &a); err != nil {
		return nil, fmt.Errorf("reading what warp evidence printed: %w", err)
	}
	return a.Within(most)
}
