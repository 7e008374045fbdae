// Package agenttest is the suite that every agent's adapter passes. It runs the
// agent, the real program where there is one, under the runner that the engines
// use, and looks at what comes of each way to behave: well, badly and not at all.
//
// A Case sets its agent up to behave in a given way, against a stand-in for its
// API. What an agent cannot be made to show is said by name in the output, with
// the reason: a suite that silently left it out would prove less than it says.
package agenttest

import (
	"os"
	"slices"
	"testing"
	"time"

	"warp/internal/engine/agent"
)

// Behaviour is a way for an agent to behave.
type Behaviour string

// The behaviours, in the order they are shown.
const (
	Success    Behaviour = "success"           // says Words and ends
	Refusal    Behaviour = "refusal"           // the model will not
	ToolUse    Behaviour = "tool use"          // writes Made, then says Words
	ReadOnly   Behaviour = "read only"         // tries to write Made, and may not
	Structured Behaviour = "structured result" // answers with Verdict
	Invalid    Behaviour = "invalid result"    // answers with NoVerdict
	Limit      Behaviour = "rate limit"        // a usage limit until Scene.Reset, then Words
	Quoted     Behaviour = "quoted limit"      // says Quote, which is no limit
	E401       Behaviour = "401"
	E429       Behaviour = "429" // as the others, until Scene.Recover; then Words
	E529       Behaviour = "529"
	E402       Behaviour = "no credit" // the account cannot pay
	E404       Behaviour = "no model"  // the model does not exist
	E500       Behaviour = "500"
	Broken     Behaviour = "broken stream" // the API hangs up in the middle
	Hang       Behaviour = "hang"          // falls silent
	Crash      Behaviour = "crash"         // is waiting when it is killed
	LongLine   Behaviour = "5 MB line"
	Many       Behaviour = "100,000 events"
	Leaves     Behaviour = "a child that leaves the group" // it writes Made
	Holds      Behaviour = "a child that holds stdout"
	Cancel     Behaviour = "cancel"     // is waiting when it is stopped
	Budget     Behaviour = "budget cap" // would spend 1,000 tokens a message, for ever
	Resume     Behaviour = "resume"     // says Words, and Words again when resumed
	Incomplete Behaviour = "incomplete" // answers with OneVerdict, and with TheOther when asked again
)

var all = []Behaviour{
	Success, Refusal, ToolUse, ReadOnly, Structured, Invalid, Limit, Quoted, E401, E429, E529, E402, E404, E500, Broken,
	Hang, Crash, LongLine, Many, Leaves, Holds, Cancel, Budget, Resume, Incomplete,
}

// What agents say and do.
const (
	Words     = "All is well."
	Quote     = "The log says: You've hit your usage limit · resets 3pm. HTTP 429 Too Many Requests. try again at 10:53 AM."
	Verdict   = `{"stop":true,"reason":"it is done","confidence":0.9}`
	NoVerdict = `{"reason":"I would rather not say"}`
	// OneVerdict leaves AC-02 out.
	OneVerdict = `{"criteria":[{"id":"AC-01","met":true,"reason":"seen"}],"unasked":[]}`
	TheOther   = `{"criteria":[{"id":"AC-02","met":false,"reason":"not seen"}],"unasked":[]}`
	Made       = "made.txt" // in Scene.Dir
	// Secret is in the environment of every agent, and to be its key where it
	// has one. It must not turn up in anything that is written.
	Secret = "agenttest-secret-5f0c1b"
)

// LeaveScript leaves the process group and stays, with Made as its sign.
const LeaveScript = `setsid sh -c 'echo here > made.txt; exec sleep 1000' >/dev/null 2>&1 </dev/null & while [ ! -s made.txt ]; do sleep 0.01; done`

// Scene is an agent that is about to behave in some way.
type Scene struct {
	Adapter agent.Adapter
	Environ []string
	Dir     string
	Prompt  string // "": any
	Model   string
	// Idle is how long the agent is silent at most while it is well, its start
	// included.
	Idle time.Duration
	// Underway returns when the agent is in the middle of its work; nil: when
	// it has said something.
	Underway func()
	// Recover ends what is wrong.
	Recover func()
	// Reset is when the limit ends; zero when the agent does not tell.
	Reset time.Time
	// Remembers tells, after Resume, whether the agent was given what had been
	// said before.
	Remembers func() bool
}

// Case is an agent.
type Case struct {
	Name string
	Show func(t *testing.T, b Behaviour) Scene
	// Not says why the agent cannot show a behaviour.
	Not map[Behaviour]string
	// Sample is what an agent that takes seconds to start shows in make test, one of each
	// kind; nil: all. Set WARP_MATRIX, as make agents does, to have it show the rest.
	Sample []Behaviour
}

// Run runs the suite.
func Run(t *testing.T, c Case) {
	for _, b := range all {
		if why, not := c.Not[b]; not {
			t.Logf("not shown by %s: %s: %s", c.Name, b, why)
			continue
		}
		if c.Sample != nil && !slices.Contains(c.Sample, b) && os.Getenv("WARP_MATRIX") == "" {
			t.Logf("left to make agents: %s", b)
			continue
		}
		t.Run(string(b), func(t *testing.T) {
			h := newHarness(t, c.Show(t, b))
			checks[b](h)
			h.nothingLeft()
			h.noSecret()
		})
	}
	for b := range c.Not {
		if !slices.Contains(all, b) || slices.Contains(c.Sample, b) {
			t.Errorf("%q is no behaviour, or is to be shown", b)
		}
	}
}

var checks map[Behaviour]func(*harness)

func init() {
	checks = map[Behaviour]func(*harness){
		Success: success, Refusal: refusal, ToolUse: toolUse, ReadOnly: readOnly, Structured: structured, Invalid: invalid,
		Limit: limit, Quoted: quoted, E401: noLogin, E429: retried("rate_limit"), E529: retried("rate_limit"), E402: hopeless(agent.NoCredit), E404: hopeless(agent.NoModel), E500: retried("network"),
		Broken: retried("network"), Hang: hang, Crash: crash, LongLine: longLine, Many: many, Leaves: leaves, Holds: holds,
		Cancel: cancelled, Budget: budget, Resume: resume, Incomplete: incomplete,
	}
}
