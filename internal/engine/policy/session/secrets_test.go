package session

import (
	"os"
	"strings"
	"testing"

	"warp/internal/engine/agent"
	"warp/internal/engine/leak"
)

// An iteration that adds a secret is like one whose checks fail: it is not committed,
// and the next is told the file and the rule.
func TestASecretIsInNoCommitOfASession(t *testing.T) {
	const value = "v4lue-of-the-deploy-key"
	p := newYard(t, nil)
	told := false
	p.does = func(n int, t agent.Task) any {
		switch n {
		case 1:
			p.make(t, "conf.ini", "a\nkey="+value+"\n")
		case 2:
			told = strings.Contains(t.Prompt, "conf.ini:2: value of DEPLOY_KEY") && !strings.Contains(t.Prompt, value)
			if err := os.Remove(t.Dir + "/conf.ini"); err != nil {
				p.Error(err)
			}
			p.make(t, "good.txt", "good\n")
		}
		return map[string]any{"summary": "did it"}
	}
	p.leaks = leak.New(leak.Options{Environ: []string{"DEPLOY_KEY=" + value}, Root: p.root})
	p.run(p.stages("stages: [{id: a, prompt: x, runs: 2, commit: true}]"))
	if log := p.git("log", "-p", "--all"); strings.Contains(log, value) || !strings.Contains(log, "good.txt") {
		t.Error(log)
	}
	if !told {
		t.Errorf("the agent was not told: %s", p.asked[1].Prompt)
	}
	if said := strings.Join(p.said, "\n"); !strings.Contains(said, "secrets: conf.ini:2: value of DEPLOY_KEY") || strings.Contains(said, value) {
		t.Error(said)
	}
}

func TestSummariesAreCleaned(t *testing.T) {
	p := newYard(t, nil)
	p.does = func(_ int, a agent.Task) any {
		p.make(a, "good.txt", "good\n")
		return map[string]any{"summary": "Fixes #99 for @ada\x1b[2J"}
	}
	p.run(p.stages("stages: [{id: a, prompt: x, runs: 1, commit: true}]"))
	if got := p.git("log", "-1", "--format=%s", "session/s"); got != "chore: Fixes no. 99 for (at)ada\\u001b[2J\n" {
		t.Errorf("%q", got)
	}
}
