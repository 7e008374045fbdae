// Warp-hook is what coding agents, and git, run on each of their hook events.
// It starts on every tool call, so it links nothing heavy; what it does is in
// internal/hook.
package main

import (
	"os"

	"warp/internal/hook"
	"warp/internal/turnstile"
)

// roomy makes the stack as large as the work will need, in one step: the
// runtime would double it again and again, and each time touch fresh memory.
// Its frame does that; it does nothing.
//
//go:noinline
func roomy(use bool) byte {
	if !use {
		return 0
	}
	var frame [48 << 10]byte
	for i := range frame {
		frame[i] = byte(i)
	}
	return frame[len(os.Args)]
}

func main() {
	roomy(false)
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
