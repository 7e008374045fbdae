package feed_test

import (
	"os"
	"testing"
	"time"

	"warp/internal/core/questions"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/inbox"
	"warp/internal/turnstile/documents"
	"warp/internal/ui/feed"
)

// A workflow whose engine waits for a person's word about its plan waits, and says for what.
func TestAPlanThatWaitsForApproval(t *testing.T) {
	p := newProject(t)
	_, err := documents.OpenWorkflow(p.drive.Store()).Update(func(tx *durable.Tx[workflowstate.State]) error {
		tx.Doc = workflowstate.Begin(workflowstate.Plan{ID: "w1", TaskDoc: "/tasks/auth.md", Phases: 1, Tasks: []workflowstate.Planned{{Task: "1.1"}}}, p.now)
		return nil
	})
	p.must(err)
	_, _, err = p.drive.Store().Acquire(workflowstate.Lease, durable.Process{PID: os.Getpid()}, func(int) (string, bool) { return "", true })
	p.must(err)
	r := feed.Open(p.drive, p.env)
	if i := only(t, p.read(r)); i.State != feed.Running || i.Question != nil {
		t.Errorf("nothing is asked: %+v", i)
	}
	_, err = inbox.Open(p.drive.Project.Home(), p.env.Now, inbox.Hear{}).Put(questions.Question{By: questions.Engine, Title: questions.AboutWorkflow, Text: "Is the plan approved?", Root: p.drive.Root()}, time.Hour)
	p.must(err)
	if i := only(t, p.read(r)); i.State != feed.Waiting || i.Question == nil || i.Do != "warp answer q1" {
		t.Errorf("%+v", i)
	}
}
