// Warp-hook is what coding agents, and git, run on each of their hook events.
// It starts on every tool call, so it links nothing heavy; what it does is in
// internal/hook.
package main

import (
	"os"

	"warp/internal/hook"
	"warp/internal/sys/stack"
	"warp/internal/turnstile"
)

func main() {
	stack.Grow()
	os.Exit(hook.Run(os.Args[1:], hook.Surroundings{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Dir: folder,
		Getenv: os.Getenv, Parent: os.Getppid(), System: turnstile.Bare(),
	}))
}

func folder() string {
	dir, err := os.Getwd()
	if err != nil {
		return "" // no project then, and nothing to guard
	}
	return dir
}
