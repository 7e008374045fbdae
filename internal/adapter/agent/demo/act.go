package demo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/name"
	"warp/internal/engine/agent"
)

// maxPrompt is how much of a prompt is read.
const maxPrompt = 16 << 20

// Prices, in micro-dollars a token.
const (
	inputPrice  = 3
	outputPrice = 15
)

// errTurns ends a run whose turns are used up; errLimited one that ran into a
// limit; errDenied is what came of a call that was not permitted.
var (
	errDenied  = errors.New("not permitted")
	errTurns   = errors.New("the turns are used up")
	errLimited = errors.New("a usage limit was reached")
)

// act is one run of the agent.
type act struct {
	world   World
	opts    options
	on      switches
	scripts []script
	prompt  string
	tasks   []brief // of a workflow, that the prompt is about
	role    agent.Role
	issue   string
	ids     []string // of the criteria
	session string
	spent   usage
	half    bool // it has come halfway
}

func newAct(w World, o options) (*act, error) {
	prompt, err := io.ReadAll(io.LimitReader(w.In, maxPrompt))
	if err != nil {
		return &act{world: w, opts: o}, fmt.Errorf("reading the prompt: %w", err)
	}
	a := &act{world: w, opts: o, role: agent.Role(w.Getenv("WARP_ROLE")), issue: w.Getenv("WARP_ISSUE"), session: o.resume, prompt: string(prompt), tasks: briefs(string(prompt))}
	if a.role == "" {
		a.role = agent.Code
	}
	if a.ids, err = a.wanted(w.Getenv("WARP_CRITERIA")); err != nil {
		return a, err
	}
	if a.session == "" {
		a.session = sessionOf(string(a.role), a.issue, w.Getenv("WARP_CHUNK"), strings.Join(a.ids, ","), string(prompt))
	}
	a.spent.Input = 100 + int64(len(prompt))/4
	a.on, a.scripts, err = parseSwitches(w.Getenv("WARP_DEMO") + "," + o.misbehave)
	return a, err
}

// wanted are the criteria of the run: those it was given, or those of its tasks,
// or the boxes that its prompt shows.
func (a *act) wanted(list string) ([]string, error) {
	var ids []string
	for id := range strings.SplitSeq(list, ",") {
		if id = strings.TrimSpace(id); id == "" {
			continue
		}
		if len(a.tasks) == 0 && !name.Valid(id) { // it becomes a file's name
			return nil, fmt.Errorf("WARP_CRITERIA has %q: it must be %s", id, name.Rule)
		}
		ids = append(ids, id)
	}
	for _, b := range a.tasks {
		if list == "" {
			ids = append(ids, b.keys...)
		}
	}
	if ids != nil {
		return ids, nil
	}
	boxes, _ := criteria.Parse(a.prompt) // a prompt may say what it likes
	for _, c := range boxes {
		ids = append(ids, c.ID)
	}
	return ids, nil
}

// sessionOf names a session by all that goes into it.
func sessionOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "demo-" + hex.EncodeToString(sum[:6])
}

func (a *act) print(l line) {
	if a.opts.claude != nil {
		a.opts.claude.print(l)
		return
	}
	write(a.world.Out, l)
}

func (a *act) say(format string, args ...any) {
	a.print(line{Type: typeText, Text: fmt.Sprintf(format, args...)})
}

// tool does something, tells it first, and what it cost afterwards.
func (a *act) tool(ctx context.Context, tool, input string, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if a.opts.maxTurns > 0 && a.spent.Turns >= a.opts.maxTurns {
		return errTurns
	}
	denied := a.opts.readOnly && tool != "read"
	a.print(line{Type: typeTool, Tool: tool, Input: input, Denied: denied})
	a.spent.Turns++
	a.spent.Input += 200
	a.spent.Output += 50 + int64(len(input))
	defer a.tally()
	if denied {
		return errDenied
	}
	return do()
}

// tally tells what the run has cost so far.
func (a *act) tally() {
	a.print(line{Type: typeUsage, Usage: a.cost()})
}

func (a *act) cost() *usage {
	u := a.spent
	u.CostUSD += float64(u.Input*inputPrice+u.Output*outputPrice) / 1e6
	return &u
}

// does tells whether a switch is on for this run.
func (a *act) does(name string) bool { return a.on.on(name, a.role) }
