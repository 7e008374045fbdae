//go:build unix

package dev

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// leave makes this process the leader of a new session, so that it is in no other group, and no
// terminal's end affects it. A shell makes background processes ignore some signals; the server,
// which would inherit that, must not.
func leave() error {
	if _, err := syscall.Setsid(); err != nil {
		return fmt.Errorf("leaving the session: %w", err)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGQUIT)
	return nil
}
