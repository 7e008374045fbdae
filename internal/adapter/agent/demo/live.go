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

	"warp/internal/core/text"
)

// live plays the whole run.
func (a *Run) live(ctx context.Context) error {
	a.print(Line{Type: typeText, Session: a.Session, Text: fmt.Sprintf("I am the demo agent, asked to %s %s.", a.Role, text.Count(len(a.Criteria), "criterion"))})
	switch {
	case a.Does(garbage):
		babble(a.World.Out)
		return nil
	case a.Does(hang):
		return a.World.Wait(ctx, forever)
	case a.Does(limit) && a.opts.resume == "": // a resumed run has waited; a sandbox keeps no other memory
		a.print(Line{Type: typeLimit, Session: a.Session, Text: "the usage limit of the demo is reached", RetryAfter: limitSeconds})
		return errLimited
	}
	if a.Does(quotes) {
		a.Say(`The log of the last run says: "You've hit your limit · resets 3pm". That is over; I go on.`)
	}
	if err := a.misbehave(ctx, misdeed{orphan, a.leaveBehind}, misdeed{destroy, a.destroy}); err != nil {
		return err
	}
	said, answer, err := a.answer(ctx)
	if err == nil {
		err = a.misbehave(ctx, misdeed{tamper, a.tamper}, misdeed{ticks, a.tick}, misdeed{commit, a.commit})
	}
	if errors.Is(err, errTurns) {
		a.print(Line{Type: typeResult, Session: a.Session, End: endMaxTurns, Usage: a.cost()})
		return nil
	}
	if err != nil {
		return err
	}
	return a.finish(said, answer)
}

type misdeed struct {
	name string
	do   func(context.Context) error
}

func (a *Run) misbehave(ctx context.Context, list ...misdeed) error {
	for _, m := range list {
		if !a.Does(m.name) {
			continue
		}
		if err := m.do(ctx); err != nil && !errors.Is(err, ErrDenied) && !errors.Is(err, syscall.EROFS) { // a sandbox denies with EROFS
			return err
		}
	}
	return nil
}

// finish gives the answer in a file and on stdout: the agent may have destroyed the file's folder.
func (a *Run) finish(said string, answer any) error {
	raw, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("encoding the result: %w", err)
	}
	if file := a.World.Getenv("WARP_RESULT"); file != "" {
		_ = os.WriteFile(file, append(raw, '\n'), 0o600)
	}
	a.spent.Output += int64(len(raw)) / 4
	a.print(Line{Type: typeResult, Session: a.Session, End: endDone, Text: said + ". All is well.", Result: raw, Usage: a.cost()})
	return nil
}

const (
	// forever is longer than a test waits, but ends: a forgotten run must not stay until the machine
	// is switched off.
	forever = time.Hour
	// limitSeconds is how long the limit lasts.
	limitSeconds = 3
	// fortune is the cost of overspending, in dollars.
	fortune = 50
	// thinking is how long a run idles after that, so that there is time to stop it.
	thinking = 5 * time.Second
)

// Halfway marks the middle of a run, where crash and overspend strike. Every run that does
// something passes it once.
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

// babble prints output that no parser accepts: random bytes, half lines, and text that looks like an
// answer.
func babble(out io.Writer) {
	noise := make([]byte, 4096)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	for _, part := range []string{string(noise), "\n{\"type\":\"text\",\"text\":\n", "\x1b[2J\x1b]0;owned\x07\n", "null\n[]\n{}\n7\n",
		`{"type":"result","end":"done","result":{"stop":true,"criteria":[{"id":"AC-01","met":true}`, "\n",
		`{"type":"usage","usage":{"cost_usd":-1e300,"input_tokens":-5}}`, "\n", `All is done: {"stop": true}`, "\n", `{"type":"resu`} {
		_, _ = io.WriteString(out, part)
	}
}
