// Package hook answers the hooks of coding agents: one process per event, which
// runs all concerns of that event in order. Guarding concerns hold the session
// that owns a drive to its table and fail closed, with a reason and the way
// out; observing concerns record what happens and never disturb, whatever is
// wrong with their input or their files. A session that does not own the drive
// is never blocked, advised or spoken to about it; every session is told what to do
// about its own failed calls, and what its own subagents found. Deciding what a phase allows is left
// to core/drive, and moving from phase to phase to the turnstile.
package hook

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"warp/internal/core/event"
	"warp/internal/hook/logbook"
	"warp/internal/turnstile"
)

// Env is what a hook gets from outside.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Dir      func() string // the process's folder; asked only where nothing else tells
	Getenv   func(string) string
	Parent   int  // the process that started it
	Relayed  bool // it was called in a sandbox, and may be lying
	Origin   Origin
	Redact   func(string) string // takes secrets out of what is written down; nil: there are none
	System   turnstile.Env
}

// concern is one thing that is done on an event: run always, log only where the
// project has a logbook.
type concern struct {
	name  string
	guard bool
	run   func(*call) error
	log   func(*call, logbook.Book) error
}

// call is one event on its way through its concerns.
type call struct {
	hookPayload
	garbled     error // why the payload is not whole
	env         Env
	who         caller
	drive       *turnstile.Drive
	sight       sight // of the drive
	files       fileNames
	transcripts transcripts
	answer      hookAnswer
}

// Run answers one hook and returns the exit code. Arguments: the event, or git
// and the name of a git hook with its arguments; --agent names another agent's
// protocol.
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

// reportPanic answers what nothing else could: a guard denies, git is refused, and
// an observer lets pass. The exit code of a panic would mean a block to agents.
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
	// A guard is asked as a guard, whatever the payload calls itself.
	if named := speak.event(args[0]); named == "PreToolUse" || findConcerns(c.Event) == nil {
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
	for _, one := range findConcerns(c.Event) {
		c.runConcern(one)
	}
	return speak.answer(c.answer, c.Event, env)
}

// runConcern runs one concern. What goes wrong in a guard denies the call; what
// goes wrong in an observer is journalled. A panic is no exception: its exit
// code would mean a block to the agent.
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
		_ = c.drive.Store().Append(event.Disturbed, disturbed{c.Session, c.Event, one.name, err.Error()}) // an observer never disturbs
	}
}

type disturbed struct {
	Session string `json:"session"`
	Event   string `json:"event"`
	Concern string `json:"concern"`
	Why     string `json:"why"`
}
