// Warp-hook answers the hook events of coding agents and git. It starts on every tool call, so it
// links nothing heavy; the work is in internal/hook.
package main

import (
	"os"

	"warp/internal/core/redact"
	"warp/internal/hook"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

func main() {
	proc.GrowStack()
	system := turnstile.Bare()
	system.UserSettings = turnstile.UserSettingsFile(os.Getenv)
	os.Exit(hook.Run(os.Args[1:], hook.Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Dir: folder,
		Getenv: os.Getenv, Parent: os.Getppid(), Redact: redacted, System: system,
	}))
}

// redacted builds its table on demand: few calls fail.
func redacted(text string) string { return redact.New(os.Environ()).String(text) }

func folder() string {
	dir, err := os.Getwd()
	if err != nil {
		return "" // no project, so nothing to guard
	}
	return dir
}
