package workflow

import (
	"strings"
	"testing"
)

// A task of one file, or of documentation, that no other waits for is looked at once: when it is
// done. Two tiny tasks once took 14 runs of agents.
func TestATrivialTaskIsSupervisedOnce(t *testing.T) {
	t.Parallel()
	p := newScene(t, strings.Replace(one, "a.*", "a.txt", 1), nil)
	p.tests = "test -s a.txt || ! test -d .git/x"
	s := p.run()
	p.completed(s)
	p.wants(p.roles("1.1"), "[code supervise]")
	p.wants(s.Supervisor.ChecksPerformed, 1)
	if told := p.asked[len(p.asked)-1].Prompt; !strings.Contains(told, "the post_task check") {
		t.Error(told)
	}
}

// A verifier is told what was run on the work, and what the task is about.
func TestAVerifierOfATaskIsToldWhatRan(t *testing.T) {
	t.Parallel()
	p := newScene(t, two, nil)
	p.completed(p.run())
	for _, asked := range p.asked {
		if asked.Role != "verify" {
			continue
		}
		for _, want := range []string{"The task's description:\nDo it.", `warp ran this on exactly this work, and it passed: "test -s a.txt"`} {
			if !strings.Contains(asked.Prompt, want) {
				t.Errorf("%q is missing:\n%s", want, asked.Prompt)
			}
		}
		return
	}
	t.Error("no verifier was asked")
}
