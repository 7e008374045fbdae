package hook

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// RelayVariable names the socket of the engine, inside of a sandbox: the state of
// the drive can be neither written nor wholly seen there.
const RelayVariable = "WARP_HOOK_SOCKET"

// Relayed is a hook that is answered outside of the sandbox it was called in.
type Relayed struct {
	Args  []string          `json:"args"`
	Dir   string            `json:"dir"`
	Env   map[string]string `json:"env"`
	Input []byte            `json:"input"`
}

// RelayedAnswer is what it says.
type RelayedAnswer struct {
	Code int    `json:"code"`
	Out  []byte `json:"out"`
	Err  []byte `json:"err"`
}

// relayedEnv are the variables that hooks read.
var relayedEnv = []string{"CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "GEMINI_SESSION_ID", "GIT_DIR", "WARP_ROLE", "WARP_ISSUE", "WARP_CHUNK"}

// relay has the engine answer, and says what it says. Where it does not answer, a
// guard denies: the run may be over, and is not to go on unwatched.
func relay(path string, args []string, around Surroundings) int {
	input, err := slurp(around.In)
	q := Relayed{Args: args, Dir: around.Dir(), Env: map[string]string{}, Input: input}
	for _, name := range relayedEnv {
		if v := around.Getenv(name); v != "" {
			q.Env[name] = v
		}
	}
	var a RelayedAnswer
	if err == nil {
		a, err = sendRelayed(path, q)
	}
	if err != nil {
		return panicked(args, fmt.Errorf("the engine outside of the sandbox does not answer: %w", err), around)
	}
	_, _ = around.Out.Write(a.Out) // a reader that is gone need not be told
	_, _ = around.Err.Write(a.Err)
	return a.Code
}

// Answer answers a relayed hook as if it had been called here. Only what is on the
// list is read of its environment.
func (q Relayed) Answer(around Surroundings) RelayedAnswer {
	var out, said bytes.Buffer
	around.In, around.Out, around.Err = bytes.NewReader(q.Input), &out, &said
	around.Dir, around.Relayed = func() string { return q.Dir }, true
	outside := around.Getenv
	around.Getenv = func(name string) string {
		if slices.Contains(relayedEnv, name) {
			return q.Env[name]
		}
		if name == RelayVariable {
			return ""
		}
		return outside(name)
	}
	code := Run(q.Args, around)
	return RelayedAnswer{code, bounded(&out), bounded(&said)}
}

func bounded(r io.Reader) []byte {
	text, _ := io.ReadAll(io.LimitReader(r, 1<<20))
	return text
}
