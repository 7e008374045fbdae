//go:build unix

package durable

import "syscall"

// nonBlocking opens without waiting; reading a regular file is the same with it.
const nonBlocking = syscall.O_NONBLOCK
