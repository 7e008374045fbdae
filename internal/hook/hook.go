// Package hook answers the hooks of coding agents: one process per event, which runs all concerns
// of that event in order. Guards hold the session that owns a drive to its table. They fail
// closed, with a reason and a way out. Observers record what happens and never disturb the agent,
// even if their input or their files are broken. A session that does not own the drive is never
// blocked or advised about it; every session gets advice on its own failed calls and the findings
// of its own subagents. Package core/drivestate decides what a phase allows, and the turnstile moves
// the drive from phase to phase.
package hook

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/hook/logbook"
	"warp/internal/turnstile"
)

// Env holds what a hook gets from outside.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Dir      func() string // the process's folder; called only if nothing else names one
	Getenv   func(string) string
	Parent   int  // the process that started the hook
	Relayed  bool // the call came out of a sandbox, and may be lying
	Origin   Origin
	Redact   func(string) string // removes secrets from recorded text; nil if there are none
	System   turnstile.Env
}

// concern is one task of an event. run is always called, log only if the project has a logbook.
type concern struct {
	name  string
	guard bool
	run   func(*call) error
	log   func(*call, logbook.Book) error
}

// call is one event as its concerns see it.
type call struct {
	hookPayload
	garbled     error // why the payload could not be parsed in full
	env         Env
	who         caller
	drive       *turnstile.Drive
	sight       sight
	files       fileNames
	transcripts transcripts
	answer      hookAnswer
}

// Run answers one hook and returns the exit code. The arguments are the event, or "git" with the
// name of a git hook and its arguments; --agent selects another agent's protocol.
func Run(args []string, env Env) (code int) {
	defer func() {
		if p := recover(); p != nil {
			code = reportPanic(args, p, env)
		}
	}()
	if path := env.Getenv(RelayVariable); path != "" {
		return relayToEngine(path, args, env)
	}
	return run(args, env)
}

// reportPanic answers after a panic: a guard denies, a git hook refuses, an observer lets the call
// pass. A panic's own exit code would mean a block to agents.
func reportPanic(args []string, p any, env Env) int {
	why := fmt.Sprintf("%swarp-hook crashed: %v; warp doctor may say why", prefix, p)
	guard := slices.Contains(args, "PreToolUse") || slices.Contains(args, "BeforeTool")
	switch {
	case len(args) > 0 && args[0] == "git":
		fmt.Fprintln(env.Err, why)
		return 1
	case guard:
		fmt.Fprintln(env.Err, why)
		return 2
	}
	return 0
}

func run(args []string, env Env) int {
	speak, args, err := chooseDialect(args)
	switch {
	case err != nil:
		fmt.Fprintf(env.Err, "warp-hook: %v\n", err)
		return 1
	case len(args) == 0 || args[0] == "--help" || args[0] == "-h":
		fmt.Fprintln(env.Err, "usage: warp-hook [--agent claude|codex|gemini] EVENT < payload.json\n       warp-hook git reference-transaction STATE | pre-push REMOTE URL\nwarp init registers it; you do not need to run it.")
		return 1
	case args[0] == "git":
		return runGitHook(args[1:], env)
	}
	if env.Redact == nil {
		env.Redact = keepText
	}
	c := &call{env: env, transcripts: transcripts{env.Relayed, env.Origin.Home}}
	raw, err := readInput(env.In)
	c.hookPayload, c.garbled = speak.read(raw)
	if err != nil {
		c.garbled = err
	}
	// A call registered as a guard stays one, whatever event the payload names.
	if named := speak.event(args[0]); named == "PreToolUse" || concerns.Get(c.Event) == nil {
		c.Event = named
	}
	if c.Session == "" {
		c.Session = env.Getenv("CLAUDE_CODE_SESSION_ID")
	}
	dir := speak.folder(&c.env, c.Dir)
	if !filepath.IsAbs(dir) {
		return 0
	}
	root, found := turnstile.Find(filepath.Clean(dir), env.Getenv("HOME"))
	if !found || c.runsTwice(dir, env.Getenv) {
		return 0
	}
	c.who = caller{c.Session, env.Parent, env.Getenv, env.Getenv("WARP_ROLE") != "", env.Relayed, c.Source == "clear" || c.Source == "fork"}
	c.drive = turnstile.Open(root, env.System)
	c.sight, c.files = sight{drive: c.drive, who: c.who}, newFileNames(root, c.Dir)
	for _, one := range concerns.Get(c.Event) {
		c.runConcern(one)
	}
	return speak.answer(c.answer, c.Event, env)
}

// runConcern runs one concern. An error in a guard denies the call; an error in an observer is
// journalled. It recovers from panics, whose exit code would mean a block to the agent.
func (c *call) runConcern(one concern) {
	defer func() {
		if p := recover(); p != nil {
			c.reportBroken(one, fmt.Errorf("it broke: %v", p))
		}
	}()
	var err error
	if one.run != nil {
		err = one.run(c)
	} else if c.Session != "" && c.drive.Store().Exists() {
		err = one.log(c, logbook.Open(c.drive.Store(), c.env.System.Now))
	}
	if err != nil {
		c.reportBroken(one, err)
	}
}

func (c *call) reportBroken(one concern, err error) {
	if one.guard {
		c.answer.deny(fmt.Sprintf("the guard %q failed, so this call is denied: %v. A person can check with warp doctor; warp stop --hard ends the drive.", one.name, err))
		return
	}
	if c.drive.Store().Exists() {
		_ = c.drive.Store().Append(event.Disturbed, lossless.Record("session", c.Session, "event", c.Event, "concern", one.name, "why", err.Error())) // an observer never disturbs
	}
}
