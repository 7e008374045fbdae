package feed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/questions"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/inbox"
	"warp/internal/turnstile/documents"
	"warp/internal/ui/feed"
)

func (p *project) beginWorkflow() {
	p.Helper()
	_, err := documents.OpenWorkflow(p.drive.Store()).Update(func(tx *durable.Tx[workflowstate.State]) error {
		tx.Doc = workflowstate.Begin(workflowstate.Plan{ID: "w1", TaskDoc: "/tasks/auth.md", Phases: 1, Tasks: []workflowstate.Planned{{Task: "1.1"}}}, p.now)
		return nil
	})
	p.must(err)
}

// A workflow whose engine waits for a person's word about its plan waits, and says for what.
func TestAPlanThatWaitsForApproval(t *testing.T) {
	p := newProject(t)
	p.beginWorkflow()
	_, _, err := p.drive.Store().Acquire(workflowstate.Lease, durable.Process{PID: os.Getpid()}, func(int) (string, bool) { return "", true })
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

// The state of the system before this one is told of and left alone, also where the journal
// knows a workflow that it could be replaced by.
func TestAStateInTheOldFormatStays(t *testing.T) {
	p := newProject(t)
	p.beginWorkflow()
	file := filepath.Join(p.drive.Store().Dir(), workflowstate.File)
	const old = `{"status":"executing","current_step":5,"total_steps":10}`
	p.must(os.WriteFile(file, []byte(old), 0o644))
	f := p.read(feed.Open(p.drive, p.env))
	if len(f.Items) > 0 || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "old format of automated-workflow") {
		t.Errorf("%+v %q", f.Items, f.Notes)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != old {
		t.Errorf("%s %v", now, err)
	}
}
