//go:build unix

package leak

import "syscall"

// nonBlocking keeps opening a pipe without a writer from blocking.
const nonBlocking = syscall.O_NONBLOCK
