//go:build unix

package agent_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/lossless"
	"warp/internal/core/redact"
	"warp/internal/engine/agent"
)

const secret = `s3cret"value`

// Whatever way an agent lets a secret out, it is not in what is kept or told.
func TestSecretsAreNotKept(t *testing.T) {
	for name, script := range map[string]string{
		"words":  `printf '%s\n' "it is $A_TOKEN"`,
		"result": `printf '%s' '{"summary":"it is s3cret\"value","items":["s3cret\"value"],"learnings":[]}' > $WARP_RESULT; echo done`,
		"stderr": `printf '%s\n' "it is $A_TOKEN" >&2; exit 1`,
		"broken": `printf '%s' '{"summary": s3cret\"value' > $WARP_RESULT; echo done`,
		"json":   `printf '%s\n' '{"summary":"it is s3cret\"value"}'`,
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, teller{"a", script})
			p.Environ = append(p.Environ, "A_TOKEN="+secret)
			var told []string
			p.Watch = func(_ string, e agent.Event) { told = append(told, e.Text+e.Tool) }
			r := p.run(t, p.task())
			all := strings.Join(append(told, r.Text, r.Why, r.Invalid, string(lossless.AppendCompact(nil, orNull(r.JSON)))), "\n")
			if name != "broken" && !strings.Contains(all, redact.Mark) {
				t.Errorf("the secret was not said: %s", all)
			}
			for _, spelling := range []string{secret, `s3cret\"value`} {
				if strings.Contains(all, spelling) {
					t.Errorf("told: %s", all)
				}
				if found := grep(t, p.Store.Dir(), spelling); len(found) > 0 {
					t.Errorf("the secret is in %q", found)
				}
			}
		})
	}
}

// What people are asked through is not the agent's: it could answer itself.
func TestTheBridgeIsNotTheAgents(t *testing.T) {
	p := newPlace(t, teller{"a", `echo "$USER_SETTING,$TELEGRAM_BOT_TOKEN,$TELEGRAM_BOT_TOKEN_FILE,$WARP_WEBHOOK_SECRET,$NTFY_TOKEN,$GITHUB_TOKEN,$GITEA_TOKEN,$GH_TOKEN,$ANTHROPIC_API_KEY."`})
	p.Environ = append(p.Environ, "USER_SETTING=kept", "TELEGRAM_BOT_TOKEN=a", "TELEGRAM_BOT_TOKEN_FILE=b", "WARP_WEBHOOK_SECRET=c", "NTFY_TOKEN=d", "GITHUB_TOKEN=e", "GITEA_TOKEN=f", "GH_TOKEN=g", "ANTHROPIC_API_KEY=its")
	if r := p.run(t, p.task()); !strings.Contains(r.Text, "kept,,,,,,,,its.") {
		t.Errorf("the agent saw %q", r.Text)
	}
}

func orNull(v *lossless.Value) *lossless.Value {
	if v == nil {
		return &lossless.Value{Kind: lossless.Null, Raw: "null"}
	}
	return v
}

// What an agent is resumed by is no text, whatever it looks like.
func TestASessionIsNotHidden(t *testing.T) {
	p := newPlace(t, teller{"a", once("echo session s3ssion-of-mine; echo limit 0", `echo "session $SESSION"; echo "[$SESSION]"`)})
	p.Environ = append(p.Environ, "SESSION_TOKEN=s3ssion-of-mine")
	if r := p.run(t, p.task()); r.Session != "s3ssion-of-mine" || r.Text != "["+redact.Mark+"]" {
		t.Errorf("%+v", r)
	}
}

func TestADetectorOfSecrets(t *testing.T) {
	p := newPlace(t, teller{"a", "echo it is sk-live-1"})
	p.Redact = redact.New(nil)
	p.Redact.Find = func(s string) []string {
		if strings.Contains(s, "sk-live-1") {
			return []string{"sk-live-1"}
		}
		return nil
	}
	if r := p.run(t, p.task()); r.Text != "it is "+redact.Mark {
		t.Errorf("%+v", r)
	}
	if found := grep(t, p.Store.Dir(), "sk-live-1"); len(found) > 0 {
		t.Errorf("it is in %q", found)
	}
}

// A result file that has no secret is left as the agent wrote it.
func TestAResultWithoutSecretsStaysAsItIs(t *testing.T) {
	p := newPlace(t, teller{"a", `printf '{ "summary":\t"x" }' > $WARP_RESULT`})
	r := p.run(t, p.task())
	text, err := os.ReadFile(filepath.Join(filepath.Dir(r.Log), "answer", "result.json"))
	if err != nil || !slices.Equal(text, []byte("{ \"summary\":\t\"x\" }")) {
		t.Errorf("%v, %q", err, text)
	}
}
