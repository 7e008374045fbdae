//go:build unix

package dev

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// leave makes this process the leader of a new session: it is in no other
// group, and no terminal's end is its own. A shell lets what it starts in the
// background ignore some signals; the server, which inherits that, shall not.
func leave() error {
	if _, err := syscall.Setsid(); err != nil {
		return fmt.Errorf("leaving the session: %w", err)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGQUIT)
	return nil
}
