// Package program is an agent that can be any program: it gets the prompt on stdin, prints
// anything to stdout, and writes its result into the file named by WARP_RESULT. It succeeds with
// exit code 0. Its cost is unknown, so no budget applies, and one in dollars is refused; timeouts
// apply.
package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/engine/agent"
)

// Options are the user's settings.
type Options struct {
	Argv []string // the program and its arguments; no shell is involved
	Root string   // base of relative paths
}

type adapter struct{ argv []string }

// New returns the adapter. An agent may work in a folder other than the project's, so relative
// paths on the command line, the program and files such as ../agent.sh, are made absolute.
func New(o Options) agent.Adapter {
	argv := slices.Clone(o.Argv)
	for i, arg := range argv {
		switch file := filepath.Join(o.Root, arg); {
		case o.Root == "" || filepath.IsAbs(arg):
		case i == 0 && filepath.Base(arg) != arg:
			argv[i] = file
		case i > 0 && (strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../")):
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				argv[i] = file
			}
		}
	}
	return adapter{argv}
}

// Name implements agent.Adapter.
func (a adapter) Name() string { return "command" }

var errNone = errors.New("no command is set; set agent_command, such as [\"my-agent\", \"--quiet\"]")

// Invoke implements agent.Adapter. There are no sessions to resume.
func (a adapter) Invoke(t agent.Task, _ string, _ []byte) (agent.Invocation, error) {
	if len(a.argv) == 0 || a.argv[0] == "" {
		return agent.Invocation{}, errNone
	}
	return agent.Invocation{Argv: a.argv, Stdin: t.Prompt}, nil
}

// Tells implements agent.Frugal.
func (a adapter) Tells() agent.Tells { return agent.Tells{} }

// Check implements agent.Adapter.
func (a adapter) Check(context.Context) agent.Health {
	if len(a.argv) == 0 || a.argv[0] == "" {
		return agent.Health{Advice: errNone.Error()}
	}
	path, err := exec.LookPath(a.argv[0])
	if err != nil {
		return agent.Health{Advice: a.argv[0] + " cannot be found or cannot be run; correct the setting agent_command"}
	}
	return agent.Health{Installed: true, Path: path}
}

// Parser implements agent.Adapter.
func (a adapter) Parser(agent.Task) agent.Parser { return &parser{} }

// lastBytes limits how much of the output is kept.
const lastBytes = 256 << 10

// parser keeps the last lines.
type parser struct{ words []byte }

// Line implements agent.Parser. Of a line longer than the limit it keeps the end.
func (p *parser) Line(raw []byte) []agent.Event {
	raw = raw[max(0, len(raw)-lastBytes):]
	p.words = append(append(p.words, raw...), '\n')
	if len(p.words) > 4*lastBytes {
		p.words = append([]byte(nil), p.last()...)
	}
	if text := strings.TrimSpace(string(raw)); text != "" {
		return []agent.Event{{Kind: "text", Text: string(raw)}}
	}
	return nil
}

// last returns the kept output, from the beginning of a line if possible.
func (p *parser) last() []byte {
	if len(p.words) <= lastBytes+1 {
		return p.words
	}
	end := p.words[len(p.words)-lastBytes-1:]
	if at := bytes.IndexByte(end[:len(end)-1], '\n'); at >= 0 {
		end = end[at+1:]
	}
	return end
}

// End implements agent.Parser.
func (p *parser) End(exit int, stderr string) agent.Result {
	r := agent.Result{End: agent.Done, Text: strings.ToValidUTF8(strings.TrimSpace(string(p.last())), "\uFFFD"), Usage: agent.Usage{Turns: 1}}
	if exit != 0 {
		r.End, r.Why = agent.Crashed, fmt.Sprintf("it exited with code %d%s", exit, agent.LastWords(stderr))
	}
	return r
}
