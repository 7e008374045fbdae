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

// A run that uses too much of the machine ends with that reason, without a sandbox, too.
func TestARunBeyondItsLimitsSaysWhy(t *testing.T) {
	p := newPlace(t, teller{"a", `head -c 3000000 /dev/zero | tr '\0' '\n'; sleep 1000`})
	box, _, err := sandbox.Open(sandbox.Options{Kind: sandbox.Off})
	if err != nil {
		t.Fatal(err)
	}
	p.Walls = &contain.Walls{Box: box, Root: p.dir, Settings: contain.Settings{Limits: sandbox.Limits{OutputMB: 1}}}
	if r := p.run(t, p.task()); r.End != agent.OverLimit || r.Why != "it said more than 1 MB (sandbox_output_mb)" || !r.Spends() {
		t.Errorf("%s: %s", r.End, r.Why)
	}
}
