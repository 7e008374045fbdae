// Warp-hook is what coding agents, and git, run on each of their hook events.
// It starts on every tool call, so it links nothing heavy; what it does is in
// internal/hook.
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

// redacted makes its table when it is first wanted: few calls fail.
func redacted(text string) string { return redact.New(os.Environ()).String(text) }

func folder() string {
	dir, err := os.Getwd()
	if err != nil {
		return "" // no project then, and nothing to guard
	}
	return dir
}
