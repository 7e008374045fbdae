//go:build unix

package leak

import "syscall"

// nonBlocking opens a pipe that nobody writes to without waiting.
const nonBlocking = syscall.O_NONBLOCK
