package gate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
	"warp/internal/sys/gitwrite"
)

const (
	maxDiff   = 40_000 // characters of a diff in a prompt
	maxReason = 2_000
)

// Verifier has another, read-only agent with a new context judge each criterion from the diff.
type Verifier struct {
	Work   gitwrite.Tree
	Ask    func(ctx context.Context, dir string, t agent.Task) (step.Answer, error)
	Prompt func(diff string, cut bool) string
}

// VerifierInput is what a verifier judges: criteria, and the difference between two trees.
type VerifierInput struct {
	Dir, Base, Tree string
	Criteria        []string
}

// UnheardError reports that no verdict could be had: that says nothing about the work.
type UnheardError struct{ Agent, Why string }

func (e *UnheardError) Error() string {
	return fmt.Sprintf("%s gave no verdict that can be used, although it was asked again: %s", e.Agent, e.Why)
}

// JudgeCriteria returns the verdict on each criterion. The error is an *UnheardError if the verifier
// gave none that can be used.
func (v Verifier) JudgeCriteria(ctx context.Context, w VerifierInput) (verdicts []evidence.Verdict, err error) {
	diff, cut, err := v.Work.Diff(ctx, w.Base, w.Tree, maxDiff)
	if err != nil {
		return nil, err
	}
	task := agent.Task{Role: agent.Verify, ReadOnly: true, Criteria: w.Criteria, Prompt: v.Prompt(diff, cut)}
	res, err := v.Ask(ctx, w.Dir, task)
	if err != nil {
		return nil, err
	}
	var said judge.VerifierAnswer
	if res.Unread != "" || !res.Read(&said) {
		return nil, &UnheardError{res.Agent, cmp.Or(res.Unread, res.Why, res.Invalid)}
	}
	for _, c := range said.Verdicts(w.Criteria) {
		verdicts = append(verdicts, evidence.Verdict{ID: c.ID, Met: c.Met, Reason: text.Clip(c.Reason, maxReason), Agent: res.Agent, Tree: w.Tree})
	}
	return verdicts, nil
}

// ListUnmet lists the criteria that are not met, with reasons.
func ListUnmet(verdicts []evidence.Verdict) string {
	var list []string
	for _, v := range verdicts {
		if !v.Met {
			list = append(list, fmt.Sprintf("%s is not met: %s", v.ID, v.Reason))
		}
	}
	return strings.Join(list, "\n")
}

// WasJudged reports whether every criterion was met in exactly this tree.
func WasJudged(verdicts []evidence.Entry[evidence.Verdict], chunk int, w VerifierInput) bool {
	return !slices.ContainsFunc(w.Criteria, func(id string) bool {
		v, ok := evidence.Last(verdicts, func(v evidence.Verdict) bool { return v.ID == id && v.Chunk == chunk })
		return !ok || !v.Row.Met || v.Row.Tree != w.Tree
	})
}
