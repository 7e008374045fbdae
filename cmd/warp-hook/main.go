// Warp-hook is what coding agents, and git, run on each of their hook events.
// It starts on every tool call, so it links nothing heavy; what it does is in
// internal/hook.
package main

import (
	"os"
	"runtime/debug"

	"warp/internal/hook"
	"warp/internal/turnstile"
)

func main() {
	debug.SetGCPercent(-1) // it ends before there is anything to collect
	debug.SetMemoryLimit(512 << 20)
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // the payload names one
	}
	os.Exit(hook.Run(os.Args[1:], hook.Surroundings{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Dir: dir,
		Getenv: os.Getenv, Parent: os.Getppid(), System: turnstile.Bare(),
	}))
}
