//go:build unix

package leak

import "syscall"

// nonBlocking opens a pipe without a writer without waiting.
const nonBlocking = syscall.O_NONBLOCK
