package workflowcmd

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"warp/internal/cli/people"
	"warp/internal/core/questions"
	"warp/internal/engine/inbox"
	"warp/internal/turnstile"
)

// approver asks a person about the plan.
func approver(d *turnstile.Drive, line *people.Line) func(context.Context, string) (bool, error) {
	return func(ctx context.Context, plan string) (bool, error) {
		sum := sha256.Sum256([]byte(plan)) // an answer is for the plan that was shown
		title, _, _ := strings.Cut(plan, "\n")
		asks := fmt.Sprintf("Approve the plan of the workflow %q? (%x)", title, sum[:4])
		if err := withdrawPlans(d, line.Desk, asks); err != nil {
			return false, err
		}
		it, ok, err := line.Ask(ctx, questions.Question{By: questions.Engine, Title: questions.AboutWorkflow, Text: asks,
			Context: plan, Options: []string{"approve", "reject"}, Root: d.Root()})
		switch {
		case err != nil:
			return false, err
		case !ok:
			return false, errors.New("no answer yet (warp inbox)")
		}
		return it.Answer == "approve", nil
	}
}

// withdrawQuestions withdraws the questions of a workflow that has ended: those about its plan, and
// those of its runs.
func withdrawQuestions(d *turnstile.Drive, desk *inbox.Inbox, id string) error {
	return errors.Join(people.WithdrawRuns(desk, d, "workflow "+id), withdrawPlans(d, desk, ""))
}

// withdrawPlans withdraws the questions about plans of workflows in this work tree, except the one
// being asked now (but): those workflows have ended or have another plan.
func withdrawPlans(d *turnstile.Drive, desk *inbox.Inbox, but string) error {
	return desk.Withdraw(func(i questions.Item) bool {
		return i.AskedBy == questions.Engine && i.Title == questions.AboutWorkflow && i.Issue == "" && i.Root == d.Root() && i.Question != but
	})
}
