package demo

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/engine/agent"
)

// maxPrompt limits how much of a prompt is read.
const maxPrompt = 16 << 20

// Prices in micro-dollars per token.
const (
	inputPrice  = 3
	outputPrice = 15
)

// ErrDenied is the error of a call that is not permitted.
var (
	ErrDenied  = errors.New("not permitted")
	errTurns   = errors.New("the turns are used up")
	errLimited = errors.New("a usage limit was reached")
)

// Run is one run of the agent.
type Run struct {
	World    World
	Prompt   string
	Role     agent.Role
	Issue    string
	Criteria []string // ids
	Session  string
	Switches string // the list of switches

	opts  options
	on    switches
	spent Usage
	half  bool // it has passed Halfway
}

// More answers prompts that the roles of a drive do not need: those of loops and workflows, and what
// a test wants answered. Test programs set it (testkit/standin); an installed warp has none. It
// reports whether it has answered.
var More func(ctx context.Context, a *Run) (text string, result any, answered bool, err error)

func newRun(w World, o options) (*Run, error) {
	a := &Run{World: w, opts: o, Role: agent.Role(cmp.Or(w.Getenv("WARP_ROLE"), string(agent.Code))), Issue: w.Getenv("WARP_ISSUE"), Session: o.resume,
		Switches: w.Getenv("WARP_DEMO") + "," + o.misbehave}
	prompt, err := io.ReadAll(io.LimitReader(w.In, maxPrompt))
	if err != nil {
		return a, fmt.Errorf("reading the prompt: %w", err)
	}
	a.Prompt = string(prompt)
	for id := range strings.SplitSeq(w.Getenv("WARP_CRITERIA"), ",") {
		if id = strings.TrimSpace(id); id != "" {
			a.Criteria = append(a.Criteria, id)
		}
	}
	if a.Criteria == nil {
		boxes, _ := criteria.Parse(a.Prompt) // the prompt may contain anything
		for _, c := range boxes {
			a.Criteria = append(a.Criteria, c.ID)
		}
	}
	if a.Session == "" {
		a.Session = SessionOf(string(a.Role), a.Issue, w.Getenv("WARP_CHUNK"), strings.Join(a.Criteria, ","), a.Prompt)
	}
	a.spent.Input = 100 + int64(len(prompt))/4
	a.on, err = parseSwitches(a.Switches)
	return a, err
}

// SessionOf derives a session's id from all of its inputs.
func SessionOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "demo-" + hex.EncodeToString(sum[:6])
}

func (a *Run) print(l Line) { write(a.World.Out, l) }

// Say prints a text line.
func (a *Run) Say(format string, args ...any) {
	a.print(Line{Type: typeText, Text: fmt.Sprintf(format, args...)})
}

// Tool announces a call, makes it, and reports its cost.
func (a *Run) Tool(ctx context.Context, tool, input string, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if a.opts.maxTurns > 0 && a.spent.Turns >= a.opts.maxTurns {
		return errTurns
	}
	denied := a.opts.readOnly && tool != "read"
	a.print(Line{Type: typeTool, Tool: tool, Input: input, Denied: denied})
	a.spent.Turns++
	a.spent.Input += 200
	a.spent.Output += 50 + int64(len(input))
	defer a.tally()
	if denied {
		return ErrDenied
	}
	return do()
}

// tally reports the cost so far.
func (a *Run) tally() {
	a.print(Line{Type: typeUsage, Usage: a.cost()})
}

func (a *Run) cost() *Usage {
	u := a.spent
	u.CostUSD += float64(u.Input*inputPrice+u.Output*outputPrice) / 1e6
	return &u
}

// Does reports whether a switch is on for this run.
func (a *Run) Does(name string) bool { return a.on.on(name, a.Role) }

// Path returns the full path of a file in the work tree.
func (a *Run) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.World.Dir, filepath.FromSlash(name))
}
