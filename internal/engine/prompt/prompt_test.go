package prompt_test

import (
	"flag"
	"testing"

	"warp/internal/engine/prompt"
	"warp/internal/testkit/agenttest"
)

var update = flag.Bool("update", false, "write the golden files of prompts")

// The other prompts are compared by the engines that fill them in.
func TestASandboxIsToldInFewWords(t *testing.T) {
	said := prompt.Render("sandbox", map[string]any{"Git": true, "Limited": true, "Reach": "the agent's API, registry.test", "Decides": true})
	agenttest.CheckGolden(t, "sandbox", said, 0, *update)
	if len(said) > 400 { // what the prompts leave for it
		t.Errorf("%d characters", len(said))
	}
}
