package workflow

import (
	"context"
	"fmt"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/workflowstate/supervise"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
)

// askReadable asks an agent whose answer decides something, and again if the answer cannot be read.
// An answer that stays unreadable decides nothing; the caller handles that.
func (j *job) askReadable(ctx context.Context, q question, reads func(*step.Answer) bool) (a step.Answer, readable bool, err error) {
	name, prompt := q.name, q.Prompt
	for n := range judge.MaxVerifierAsks {
		if n > 0 {
			q.name = fmt.Sprintf("%s-again-%d", name, n)
			q.Prompt = prompt + "\nYour previous answer could not be read (" + unreadableFor(a) + "). Answer with the JSON object and nothing else.\n"
		}
		if a, err = j.ask(ctx, q); err != nil || reads(&a) {
			return a, err == nil, err
		}
	}
	j.run.remark("no readable answer (%s) after asking %d times: %s", q.Role, judge.MaxVerifierAsks, unreadableFor(a))
	return a, false, nil
}

// unreadableFor returns why an answer is unreadable.
func unreadableFor(a step.Answer) string {
	why := text.Opening(a.Why + " " + a.Invalid)
	if a.Failed() {
		why = string(a.End) + " " + why
	}
	if why = strings.TrimSpace(why); why == "" {
		return "it does not have the form that was asked for"
	}
	return why
}

// unheardConflict is the result of a check whose supervisor could not be read: not a pass, but
// something to look at.
func unheardConflict(when string, a step.Answer) supervise.Conflict {
	return supervise.Conflict{Type: supervise.Architecture, Severity: supervise.High,
		Detail: fmt.Sprintf("the supervisor's answer to the %s check could not be read (%s), so its objections are unknown: review the work, and change only what is wrong", when, unreadableFor(a))}
}
