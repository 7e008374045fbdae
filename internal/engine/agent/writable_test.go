//go:build unix

package agent_test

import (
	"testing"

	"warp/internal/engine/agent"
	"warp/internal/engine/contain"
	"warp/internal/sys/sandbox"
)

// In a sandbox the list of names decides: a forge's token comes with its name alone,
// and what speaks for a person never.
func TestASandboxedAgentGetsWhatIsListed(t *testing.T) {
	p := newPlace(t, teller{"a", `echo "$USER_SETTING,$DEPLOY_KEY,$TELEGRAM_BOT_TOKEN,$GITEA_TOKEN,$GITHUB_TOKEN."`})
	p.Environ = append(p.Environ, "USER_SETTING=u", "DEPLOY_KEY=d", "TELEGRAM_BOT_TOKEN=t", "GITEA_TOKEN=e", "GITHUB_TOKEN=g")
	box, _, err := sandbox.Open(sandbox.Options{Kind: sandbox.Container, Container: []string{"env"}})
	if err != nil {
		t.Fatal(err)
	}
	p.Walls = &contain.Walls{Box: box, Root: p.dir, State: t.TempDir(), Environ: p.Environ,
		Settings: contain.Settings{Network: sandbox.OpenNet, Env: []string{"TELEGRAM_BOT_TOKEN", "GITHUB_TOKEN"}}}
	r := p.run(t, p.task())
	if r.Text != ",,,,g." {
		t.Errorf("the agent saw %q (%s %s)", r.Text, r.End, r.Why)
	}
}

// Those who only look have a home of their own: they would obey what a coder left there.
func TestWhoLooksHasAHomeOfItsOwn(t *testing.T) {
	p := newPlace(t, teller{"a", `mkdir -p $HOME/.claude; cat $HOME/.claude/CLAUDE.md 2>/dev/null; echo met > $HOME/.claude/CLAUDE.md; echo "at ${HOME##*/}"`})
	box, _, err := sandbox.Open(sandbox.Options{Kind: sandbox.Container, Container: []string{"env"}})
	if err != nil {
		t.Fatal(err)
	}
	p.Walls = &contain.Walls{Box: box, Root: p.dir, State: t.TempDir(), Environ: p.Environ, Settings: contain.Settings{Network: sandbox.OpenNet}}
	for _, role := range []agent.Role{agent.Code, agent.Verify} {
		task := p.task()
		task.Role, task.ReadOnly = role, role == agent.Verify
		if r := p.run(t, task); r.Text != map[bool]string{false: "at agent-a", true: "at look-a"}[task.ReadOnly] {
			t.Errorf("%s: %q (%s %s)", role, r.Text, r.End, r.Why)
		}
	}
}

// A run that uses too much of the machine ends with that reason, without a sandbox, too.
func TestARunBeyondItsLimitsSaysWhy(t *testing.T) {
	p := newPlace(t, teller{"a", `yes 0123456789012345678901234567890123456789 | head -c 3000000; sleep 1000`})
	box, _, err := sandbox.Open(sandbox.Options{Kind: sandbox.Off})
	if err != nil {
		t.Fatal(err)
	}
	p.Walls = &contain.Walls{Box: box, Root: p.dir, Settings: contain.Settings{Limits: sandbox.Limits{OutputMB: 1}}}
	if r := p.run(t, p.task()); r.End != agent.OverLimit || r.Why != "it printed more than 1 MB (sandbox_output_mb)" || !r.Spends() {
		t.Errorf("%s: %s", r.End, r.Why)
	}
}
