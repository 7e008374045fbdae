//go:build unix

package agent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/internal/core/errorclass"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
)

// teller is an agent that is a shell script, and tells what real ones tell:
//
//	session ID · model NAME · usage TOKENS · spent TOKENS (with the result) · limit UNIX · api CLASS · anything else: words
//
// The script finds the session that it is to continue, and its budget, in the
// environment, and what it likes in its folder.
type teller struct{ name, script string }

func (a teller) Name() string { return a.name }

func (a teller) Invoke(t agent.Task, _ string, _ []byte) (agent.Invocation, error) {
	return agent.Invocation{
		Argv: []string{"sh", "-c", a.script}, Stdin: t.Prompt,
		Env: []string{"SESSION=" + t.Session, "TOKENS=" + strconv.FormatInt(t.Budget.Tokens, 10), "MODEL=" + t.Model, "EFFORT=" + t.Effort},
	}, nil
}

func (a teller) Check(context.Context) agent.Health { return agent.Health{Installed: true} }
func (a teller) Parser(agent.Task) agent.Parser     { return &told{} }

type told struct{ r agent.Result }

func (p *told) Line(raw []byte) []agent.Event {
	word, rest, _ := strings.Cut(string(raw), " ")
	n, _ := strconv.ParseInt(rest, 10, 64)
	switch word {
	case "session":
		p.r.Session = rest
		return []agent.Event{{Kind: "note", Session: rest}}
	case "model":
		return []agent.Event{{Kind: "note", Model: rest}}
	case "usage", "spent":
		p.r.Usage.Input = n
		u := p.r.Usage
		return []agent.Event{{Kind: map[string]string{"usage": "usage", "spent": "result"}[word], Usage: &u}}
	case "limit":
		p.r.End = agent.Limited
		if n > 0 {
			p.r.Reset = time.Unix(n, 0)
		}
	case "budget":
		p.r.End = agent.Budgeted
	case "api":
		p.r.End, p.r.Class = agent.APIError, errorclass.Class(rest)
	default:
		p.r.Text = string(raw)
		return []agent.Event{{Kind: "text", Text: p.r.Text}}
	}
	return nil
}

func (p *told) End(exit int, stderr string) agent.Result {
	switch {
	case p.r.End != "":
	case exit == 0:
		p.r.End = agent.Done
	default:
		p.r.End, p.r.Why = agent.Crashed, strings.TrimSpace(stderr)
	}
	return p.r
}

// place is a runner with a clock that only waiting moves.
type place struct {
	*agent.Runner
	dir   string // where agents work
	now   time.Time
	waits []string // how long, and what for
}

var begin = time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)

func newPlace(t *testing.T, chain ...agent.Adapter) *place {
	t.Helper()
	p := &place{dir: t.TempDir(), now: begin}
	p.Runner = newRunner(t.TempDir(), chain...)
	p.Now = func() time.Time { return p.now }
	p.Wait = func(ctx context.Context, until time.Time, why string) error {
		p.waits = append(p.waits, fmt.Sprintf("%v %s", until.Sub(p.now), why))
		p.now = until
		return ctx.Err()
	}
	return p
}

func newRunner(store string, chain ...agent.Adapter) *agent.Runner {
	return &agent.Runner{
		Adapters: chain,
		Store:    durable.New(durable.Config{Dir: store, Now: time.Now, PID: os.Getpid()}),
		Now:      time.Now, Started: proc.Started, PID: os.Getpid(), Host: "here",
		Environ: []string{"PATH=" + os.Getenv("PATH")},
	}
}

func (p *place) task() agent.Task {
	return agent.Task{Role: agent.Code, Prompt: "work", Dir: p.dir, Timeout: time.Minute}
}

// run runs a task to an end that is no error.
func (p *place) run(t *testing.T, task agent.Task) agent.Result {
	t.Helper()
	r, err := p.Run(t.Context(), task)
	if err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	return r
}

// once makes a script that does one thing the first time and another after it.
func once(first, then string) string {
	return `if [ -e again ]; then ` + then + `; else touch again; ` + first + `; fi`
}

func touch(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
		t.Error(err)
	}
}

// counted is what a script has appended to a file, line by line.
func (p *place) counted(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// grep looks for a word in every file below a folder.
func grep(t *testing.T, dir, word string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a file that an update had beside it
		}
		if bytes.Contains(text, []byte(word)) || strings.Contains(path, word) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
