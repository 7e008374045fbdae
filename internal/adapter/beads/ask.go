package beads

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/sys/proc"
)

// Limits of one call.
const (
	patience  = 60 * time.Second
	maxAnswer = 16 << 20
)

// Errors that a user must fix before bd is usable.
var (
	errNotInstalled = errors.New("bd is not installed: install Beads (npm install -g @beads/bd, or brew install beads), or choose another queue")
	errNoDatabase   = errors.New("there is no Beads database here: run bd init in the project, or choose another queue")
)

// commandError is bd's message for a call that it refused.
type commandError struct{ Doing, Said string }

func (e *commandError) Error() string { return fmt.Sprintf("bd %s: %s", e.Doing, e.Said) }

// IsGone reports whether an error means that an issue, or the whole database, is gone.
func IsGone(err error) bool {
	var said *commandError
	return errors.Is(err, errNoDatabase) || errors.As(err, &said) && (said.Said == noIssue || strings.Contains(said.Said, "no issue found"))
}

const noIssue = "there is no such issue"

// ClaimedError means that an issue is already claimed.
type ClaimedError struct{ ID, By string }

func (e *ClaimedError) Error() string {
	return fmt.Sprintf("%s is already claimed by %s", e.ID, e.By)
}

// ask runs bd and returns the issues in its answer.
func (b *Beads) ask(ctx context.Context, args ...string) ([]Item, error) {
	doing := strings.Join(args[:min(len(args), 2)], " ")
	env := append(os.Environ(), "BEADS_NO_DAEMON=1", "NO_COLOR=1")
	if b.actor != "" {
		env = append(env, "BEADS_ACTOR="+b.actor, "BD_ACTOR="+b.actor)
	}
	res, err := proc.Run(ctx, proc.Cmd{
		Argv: append(append([]string{b.path}, args...), "--json"), Dir: b.dir,
		Env: env, Timeout: patience, Keep: maxAnswer,
	})
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, errNotInstalled
	case err != nil:
		return nil, fmt.Errorf("asking Beads: %w", err)
	case res.TimedOut:
		return nil, &commandError{doing, fmt.Sprintf("no answer in %s; run the command by hand to see why", patience)}
	case res.StdoutSize > int64(len(res.Stdout)):
		return nil, &commandError{doing, fmt.Sprintf("an answer of %d bytes is too long", res.StdoutSize)}
	}
	list, said, ok := read(res.Stdout)
	if ok && said == "" && res.Exit == 0 {
		return list, nil
	}
	if said == "" {
		said = string(res.Stderr)
	}
	return nil, refusal(doing, args, said, res.Exit)
}

// answer covers every form of an answer that is an object.
type answer struct {
	Item
	Data  json.RawMessage `json:"data"`
	Error string          `json:"error"`
}

// read parses an answer; said is an error message in it, ok is false if there is no answer at all.
func read(out []byte) (list []Item, said string, ok bool) {
	out = bytes.TrimSpace(out)
	if len(out) == 0 {
		return nil, "", false
	}
	if out[0] != '{' {
		err := json.Unmarshal(out, &list)
		return list, "", err == nil
	}
	var a answer
	if err := json.Unmarshal(out, &a); err != nil {
		return nil, "", false
	}
	switch {
	case a.Error != "":
		return nil, a.Error, true
	case a.Data != nil:
		return read(a.Data)
	case a.ID != "":
		return []Item{a.Item}, "", true
	}
	return nil, "", false
}

// refusal turns bd's message into a helpful error.
func refusal(doing string, args []string, said string, exit int) error {
	low := strings.ToLower(said)
	if strings.Contains(low, "no beads database found") {
		return errNoDatabase
	}
	if _, by, ok := strings.Cut(said, "already claimed by "); ok && len(args) > 1 {
		by, _, _ = strings.Cut(strings.TrimSpace(by), "\n")
		return &ClaimedError{ID: args[1], By: visibleLine(by, 100)}
	}
	said, _, _ = strings.Cut(strings.TrimSpace(said), "\n")
	if said == "" {
		said = fmt.Sprintf("it gave no answer that could be read (exit %d); is it version 0.47 or later?", exit)
	}
	return &commandError{doing, strings.TrimPrefix(visibleLine(said, 300), "Error: ")}
}

// visibleLine returns others' text as one visible line of bounded length.
func visibleLine(s string, n int) string {
	return text.Clip(text.VisibleLine(strings.TrimSpace(s)), n)
}
