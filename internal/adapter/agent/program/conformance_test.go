//go:build unix

package program_test

import (
	"os"
	"testing"
	"time"

	"warp/internal/adapter/agent/program"
	"warp/internal/testkit/agenttest"
)

// scripts are agents of one line each. Stdin is the prompt, and need not be read.
var scripts = map[agenttest.Behaviour]string{
	agenttest.Success:    `cat >/dev/null; echo "` + agenttest.Words + `"`,
	agenttest.Structured: `echo '` + agenttest.Verdict + `' > "$WARP_RESULT"`,
	agenttest.Incomplete: `case "$WARP_CRITERIA" in AC-02) echo '` + agenttest.TheOther + `';; *) echo '` + agenttest.OneVerdict + `';; esac > "$WARP_RESULT"`,
	agenttest.Invalid:    `echo '` + agenttest.NoVerdict + `' > "$WARP_RESULT"`,
	agenttest.Quoted:     `echo "` + agenttest.Quote + `"`,
	agenttest.Hang:       `echo begin; exec sleep 1000`,
	agenttest.Crash:      `echo begin; exec sleep 1000`,
	agenttest.LongLine:   `head -c 5242880 /dev/zero | tr '\0' x; echo; echo after`,
	agenttest.Many:       `seq 100000`,
	agenttest.Leaves:     agenttest.LeaveScript,
	agenttest.Holds:      `sleep 1000 & setsid sleep 1000 & echo "` + agenttest.Words + `"`,
	agenttest.Cancel:     `echo begin; exec sleep 1000`,
}

func TestConformance(t *testing.T) {
	const noAPI = "it has no API of its own that could fail"
	agenttest.Run(t, agenttest.Case{
		Name: "command",
		Show: func(t *testing.T, b agenttest.Behaviour) agenttest.Scene {
			return agenttest.Scene{
				Adapter: program.New(program.Options{Argv: []string{agenttest.Program(t, scripts[b])}}),
				Environ: []string{"PATH=" + os.Getenv("PATH")}, Dir: t.TempDir(), Idle: 200 * time.Millisecond,
			}
		},
		Not: map[agenttest.Behaviour]string{
			agenttest.Refusal: "it says nothing of why it gave up", agenttest.ToolUse: "its calls of tools are not told",
			agenttest.ReadOnly: "what it may do is its own business",
			agenttest.Limit:    noAPI, agenttest.E401: noAPI, agenttest.E402: noAPI, agenttest.E404: noAPI, agenttest.E429: noAPI, agenttest.E529: noAPI, agenttest.E500: noAPI,
			agenttest.Broken: "its words have no form that could break",
			agenttest.Budget: "what it spends is not known", agenttest.Resume: "it has no sessions",
		},
	})
}
