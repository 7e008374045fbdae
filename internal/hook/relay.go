package hook

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"warp/internal/sys/git"
)

// RelayVariable names the engine's socket inside a sandbox, where the drive's state cannot be
// written and only partly seen.
const RelayVariable = "WARP_HOOK_SOCKET"

// Relayed is a hook call that the engine answers outside the sandbox.
type Relayed struct {
	Args  []string          `json:"args"`
	Dir   string            `json:"dir"`
	Env   map[string]string `json:"env"`
	Input string            `json:"input"` // hex, because it may be any bytes
}

// Origin describes the run that relayed hooks come from, as the engine knows it.
type Origin struct {
	Dir  string // its first folder
	Home string // its home folder, the only place where its transcripts are
	Role string
	Work string // what it is part of
}

// RelayedAnswer is the engine's answer to a relayed hook.
type RelayedAnswer struct {
	Code int    `json:"code"`
	Out  string `json:"out"` // hex
	Err  string `json:"err"`
}

// relayedEnv lists the variables that hooks read.
var relayedEnv = []string{"CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", pluginVariable, "GIT_DIR", "WARP_ROLE"}

// relayToEngine lets the engine answer and repeats its answer. If the engine does not answer, a
// guard denies: the run may be over and must not go on unwatched.
func relayToEngine(path string, args []string, env Env) int {
	input, err := readInput(env.In)
	q := Relayed{Args: args, Dir: env.Dir(), Env: map[string]string{}, Input: hex.EncodeToString(input)}
	for _, name := range relayedEnv {
		if v := env.Getenv(name); v != "" {
			q.Env[name] = v
		}
	}
	var a RelayedAnswer
	if err == nil {
		a, err = sendRelayed(path, q)
	}
	if err != nil {
		return reportPanic(args, fmt.Errorf("the engine outside the sandbox does not answer: %w", err), env)
	}
	said, _ := hex.DecodeString(a.Out)
	_, _ = env.Out.Write(said) // the reader may be gone
	said, _ = hex.DecodeString(a.Err)
	_, _ = env.Err.Write(said)
	return a.Code
}

// otherEvent stands for the event of a relayed hook that names no known one.
const otherEvent = "other"

// Event returns "git", "other" or a known event of the agent. Metrics are labelled with it, so
// text from inside the sandbox must not add values.
func (q Relayed) Event() string {
	speak, args, err := chooseDialect(q.Args)
	switch {
	case err != nil || len(args) == 0:
		return otherEvent
	case args[0] == "git":
		return args[0]
	}
	if name := speak.event(args[0]); concerns.Get(name) != nil {
		return name
	}
	return otherEvent
}

// Answer answers a relayed hook as if it had been called here. It reads only the listed variables
// of the hook's environment. The engine sets project, role and work: the hook could claim another's.
func (q Relayed) Answer(env Env) RelayedAnswer {
	var out, said bytes.Buffer
	from := env.Origin
	input, _ := hex.DecodeString(q.Input) // broken input counts as garbled, and guards deny it
	env.In, env.Out, env.Err = bytes.NewReader(input), &out, &said
	env.Dir, env.Relayed = func() string { return from.Dir }, true
	outside := env.Getenv
	env.Getenv = func(name string) string {
		switch {
		case name == RelayVariable:
			return ""
		case name == "CLAUDE_PROJECT_DIR":
			return from.Dir
		case name == "GIT_DIR":
			place, _ := git.Locate(from.Dir)
			return place.GitDir()
		case name == "WARP_ROLE":
			return from.Role
		case name == workVariable:
			return from.Work
		case slices.Contains(relayedEnv, name):
			return q.Env[name]
		}
		return outside(name)
	}
	if !filepath.IsAbs(from.Dir) {
		return RelayedAnswer{Code: reportPanic(q.Args, errors.New("its run is unknown"), env), Err: encodeBounded(&said)}
	}
	code := Run(q.Args, env)
	return RelayedAnswer{code, encodeBounded(&out), encodeBounded(&said)}
}

func encodeBounded(r io.Reader) string {
	text, _ := io.ReadAll(io.LimitReader(r, 1<<20))
	return hex.EncodeToString(text)
}
