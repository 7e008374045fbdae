// Claude stands in for Claude Code in tests: it is the demo agent in its dialect.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"warp/internal/adapter/agent/demo"
	"warp/internal/testkit/standin"
)

func main() {
	demo.More = standin.Answer
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	self, err := exec.LookPath("warp") // which checks off criteria, and is left behind
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(standin.Main(context.Background(), demo.World{In: os.Stdin, Out: os.Stdout, Stdout: os.Stdout, Dir: dir, Getenv: os.Getenv, Self: self}, os.Args[1:]))
}
