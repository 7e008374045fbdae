package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// live plays the run from its first line to its last.
func (a *Run) live(ctx context.Context) error {
	asked := fmt.Sprintf("%s %d criteria", a.Role, len(a.Criteria))
	if len(a.Criteria) == 1 {
		asked = string(a.Role) + " 1 criterion"
	}
	a.print(Line{Type: typeText, Session: a.Session, Text: "I am the demo agent, asked to " + asked + "."})
	switch {
	case a.Does(garbage):
		return babble(a.World.Out)
	case a.Does(hang):
		return a.World.Wait(ctx, forever)
	case a.Does(limit) && a.opts.resume == "": // who comes back has waited; a sandbox keeps no other memory
		a.print(Line{Type: typeLimit, Session: a.Session, Text: "the usage limit of the demo is reached", RetryAfter: limitSeconds})
		return errLimited
	}
	if a.Does(quotes) {
		a.Say(`The log of the last run says: "You've hit your limit · resets 3pm". That is over; I go on.`)
	}
	if err := a.misdeed(ctx, orphan, a.leaveBehind); err != nil {
		return err
	}
	if err := a.misdeed(ctx, destroy, a.destroy); err != nil {
		return err
	}
	text, answer, err := a.answer(ctx)
	for _, m := range []struct {
		name string
		do   func(context.Context) error
	}{{tamper, a.tamper}, {ticks, a.tick}, {commit, a.commit}} {
		if err == nil {
			err = a.misdeed(ctx, m.name, m.do)
		}
	}
	if errors.Is(err, errTurns) {
		a.print(Line{Type: typeResult, Session: a.Session, End: endMaxTurns, Usage: a.cost()})
		return nil
	}
	if err != nil {
		return err
	}
	return a.finish(text, answer)
}

func (a *Run) misdeed(ctx context.Context, name string, do func(context.Context) error) error {
	if !a.Does(name) {
		return nil
	}
	if err := do(ctx); !errors.Is(err, ErrDenied) && !errors.Is(err, syscall.EROFS) { // a sandbox denies like this
		return err
	}
	return nil
}

// finish gives the answer both ways: the file may be gone by now, with its
// folder, if the agent has destroyed it.
func (a *Run) finish(text string, answer any) error {
	raw, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("spelling the result: %w", err)
	}
	if file := a.World.Getenv("WARP_RESULT"); file != "" {
		_ = os.WriteFile(file, append(raw, '\n'), 0o600)
	}
	a.spent.Output += int64(len(raw)) / 4
	a.print(Line{Type: typeResult, Session: a.Session, End: endDone, Text: text + ". All is well.", Result: raw, Usage: a.cost()})
	return nil
}

const (
	// forever is longer than a test waits, and yet ends: a run that was
	// forgotten must not stay until the machine is switched off.
	forever = time.Hour
	// limitSeconds is how long the limit lasts.
	limitSeconds = 3
	// fortune is what overspending costs, in dollars.
	fortune = 50
	// thinking is how long a run goes on after that without doing anything,
	// so that who wants to stop it in time can.
	thinking = 5 * time.Second
)

// Halfway is passed once by every run that does something.
func (a *Run) Halfway(ctx context.Context) error {
	if a.half {
		return nil
	}
	a.half = true
	if a.Does(crash) {
		die()
	}
	if !a.Does(overspend) {
		return nil
	}
	a.spent.CostUSD = fortune
	a.Say("This needs a great deal of thought.")
	a.tally()
	return a.World.Wait(ctx, thinking)
}

// babble prints what no parser can like: bytes of all kinds, halves of lines,
// and words that look like an answer.
func babble(out io.Writer) error {
	noise := make([]byte, 4096)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	for _, part := range []string{string(noise), "\n{\"type\":\"text\",\"text\":\n", "\x1b[2J\x1b]0;owned\x07\n", "null\n[]\n{}\n7\n",
		`{"type":"result","end":"done","result":{"stop":true,"criteria":[{"id":"AC-01","met":true}`, "\n",
		`{"type":"usage","usage":{"cost_usd":-1e300,"input_tokens":-5}}`, "\n", `All is done: {"stop": true}`, "\n", `{"type":"resu`} {
		if _, err := out.Write([]byte(part)); err != nil {
			return nil // the output was closed
		}
	}
	return nil
}
