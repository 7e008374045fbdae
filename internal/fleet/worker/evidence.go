package worker

import (
	"context"
	"encoding/json"
	"errors"
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
		w.tell(fmt.Sprintf("the evidence of %s#%s could not be read: %v", work.Repository.Name, work.Issue, err))
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
	res, err := proc.Run(ctx, proc.Cmd{Argv: []string{w.Warp, "evidence", "--json", "--", work.Issue}, Dir: w.cloneFolder(work), Env: withoutFleet(w.Environ), Timeout: evidenceTime, Keep: evidenceKeep})
	switch {
	case err != nil:
		return nil, err
	case res.TimedOut:
		return nil, errors.New("warp evidence took too long")
	case res.Exit != 0:
		return nil, fmt.Errorf("warp evidence %s: %s", work.Issue, lastLine(string(res.Stderr)))
	}
	var a evidence.Account
	if err := json.Unmarshal(res.Stdout, &a); err != nil {
		return nil, fmt.Errorf("reading what warp evidence printed: %w", err)
	}
	return a.Within(most)
}
