package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// live plays the run from its first line to its last.
func (a *act) live(ctx context.Context) error {
	a.print(line{Type: typeText, Session: a.session, Text: fmt.Sprintf("I am the demo agent, asked to %s %d criteria.", a.role, len(a.ids))})
	switch {
	case a.does(garbage):
		return a.babble()
	case a.does(hang):
		return a.world.Wait(ctx, forever)
	case a.does(limit) && !a.waited():
		a.print(line{Type: typeLimit, Session: a.session, Text: "the usage limit of the demo is reached", RetryAfter: limitSeconds})
		return errLimited
	}
	if a.does(quotes) {
		a.say(`The log of the last run says: "You've hit your limit · resets 3pm". That is over; I go on.`)
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
		a.print(line{Type: typeResult, Session: a.session, End: endMaxTurns, Usage: a.cost()})
		return nil
	}
	if err != nil {
		return err
	}
	return a.finish(text, answer)
}

func (a *act) misdeed(ctx context.Context, name string, do func(context.Context) error) error {
	if !a.does(name) {
		return nil
	}
	if err := do(ctx); !errors.Is(err, errDenied) {
		return err
	}
	return nil
}

// finish gives the answer both ways: the file may be gone by now, with its
// folder, if the agent has destroyed it.
func (a *act) finish(text string, answer any) error {
	raw, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("spelling the result: %w", err)
	}
	if file := a.world.Getenv("WARP_RESULT"); file != "" {
		_ = os.WriteFile(file, append(raw, '\n'), 0o600)
	}
	a.spent.Output += int64(len(raw)) / 4
	a.print(line{Type: typeResult, Session: a.session, End: endDone, Text: text + ". All is well.", Result: raw, Usage: a.cost()})
	return nil
}

const (
	// forever is longer than anybody waits, and yet ends: a run that was
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

// halfway is passed once by every run that does something.
func (a *act) halfway(ctx context.Context) error {
	if a.half {
		return nil
	}
	a.half = true
	if a.does(crash) {
		die()
	}
	if !a.does(overspend) {
		return nil
	}
	a.spent.CostUSD = fortune
	a.say("This needs a great deal of thought.")
	a.tally()
	return a.world.Wait(ctx, thinking)
}

// babble prints what no parser can like: bytes of all kinds, halves of lines,
// and words that look like an answer.
func (a *act) babble() error {
	noise := make([]byte, 4096)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	for _, part := range []string{string(noise), "\n{\"type\":\"text\",\"text\":\n", "\x1b[2J\x1b]0;owned\x07\n", "null\n[]\n{}\n7\n",
		`{"type":"result","end":"done","result":{"stop":true,"criteria":[{"id":"AC-01","met":true}`, "\n",
		`{"type":"usage","usage":{"cost_usd":-1e300,"input_tokens":-5}}`, "\n", `All is done: {"stop": true}`, "\n", `{"type":"resu`} {
		if _, err := a.world.Out.Write([]byte(part)); err != nil {
			return nil // nobody listens any more
		}
	}
	return nil
}
