package prompt_test

import (
	"flag"
	"strings"
	"testing"

	"warp/internal/engine/agent"
	"warp/internal/engine/prompt"
	"warp/internal/testkit/agenttest"
)

var update = flag.Bool("update", false, "write the golden files of prompts")

func TestWorkThatLandsIsTidied(t *testing.T) {
	said := prompt.Render("take-back", map[string]any{"Points": "NOTES.md: a new file that no one named", "Base": "1a2b3c4d5e", "Task": "Add a colour"})
	agenttest.CheckPrompt(t, agent.Fix, said)
	agenttest.CheckGolden(t, "loop-take-back", said, 0, *update)
}

func TestAStageIsToldWhatWarpChecks(t *testing.T) {
	said := prompt.Render("stage", map[string]any{"Checks": []string{"go test ./..."}, "Commit": true})
	agenttest.CheckGolden(t, "loop-stage", said, 0, *update)
}

// The other prompts are compared by the engines that fill them in.
func TestASandboxIsToldInFewWords(t *testing.T) {
	said := prompt.Render("sandbox", map[string]any{"Git": true, "Limited": true, "Reach": "the agent's API, registry.test", "Decides": true})
	agenttest.CheckGolden(t, "sandbox", said, 0, *update)
	if len(said) > 400 { // what the prompts leave for it
		t.Errorf("%d characters", len(said))
	}
}

// A text by others is cut, and nothing in it can steer a terminal.
func TestTheWordsOfOthersAreHarmless(t *testing.T) {
	if have := prompt.Clip(12, "\x1b[2Jred\u202e and long"); strings.ContainsAny(have, "\x1b\u202e") || len(have) > 12 {
		t.Errorf("%q", have)
	}
	defer func() {
		if recover() == nil {
			t.Error("a template that is not there renders")
		}
	}()
	prompt.Render("none", nil)
}
