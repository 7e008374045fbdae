package faultfs

import (
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
)

// Fault is one way for an operation to misbehave: an Errno, ShortWrite,
// LyingSync, Crash or CrashAfter.
type Fault interface {
	fmt.Stringer
	// touches tells whether the fault means anything to an operation, so
	// that a sweep may try one fault on every number.
	touches(verb string) bool
}

// Errno makes the operation return this error without being carried out. Only
// a close is carried out all the same.
type Errno syscall.Errno

func (e Errno) String() string      { return syscall.Errno(e).Error() }
func (e Errno) touches(string) bool { return true }

type oddity int

const (
	// ShortWrite writes the first half of the bytes and returns ENOSPC.
	ShortWrite oddity = iota + 1
	// LyingSync lets Sync and SyncDir return nil and make nothing durable.
	LyingSync
	// Crash ends the system before the operation: this one and every later
	// one return ErrCrashed.
	Crash
	// CrashAfter ends the system after the operation was carried out. Its
	// caller gets ErrCrashed nevertheless.
	CrashAfter
)

func (o oddity) String() string {
	switch o {
	case ShortWrite:
		return "short write"
	case LyingSync:
		return "lying sync"
	case Crash:
		return "crash"
	case CrashAfter:
		return "crash after"
	}
	return fmt.Sprintf("oddity %d", int(o))
}

func (o oddity) touches(verb string) bool {
	switch o {
	case ShortWrite:
		return verb == "write"
	case LyingSync:
		return verb == "sync" || verb == "syncdir"
	}
	return true
}

// Fail makes operation n misbehave, counted from 1 since New or AfterPowerCut.
// A fault that means nothing to that operation (a short write of a rename)
// leaves it alone. Fail panics when n has already passed: such a test would
// prove nothing.
func (f *FS) Fail(n int, how Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n <= len(f.trace) {
		panic(fmt.Sprintf("faultfs: Fail(%d, %v) after %d operations", n, how, len(f.trace)))
	}
	f.faults[n] = how
}

// Ops counts the operations so far. Those refused because of an earlier crash
// did not happen and do not count.
func (f *FS) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.trace)
}

// Hits counts the faults that took effect, so that a test can tell that it
// tested something.
func (f *FS) Hits() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hits
}

// Trace lists the operations so far, operation n at index n-1. A fault that
// took effect is named behind an exclamation mark.
func (f *FS) Trace() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.trace)
}

// number counts and traces an operation and returns the fault that it is to
// suffer, nil for none.
func (f *FS) number(verb, name, detail string) Fault {
	line := verb + " " + filepath.ToSlash(name)
	if detail != "" {
		line += " " + detail
	}
	how := f.faults[len(f.trace)+1]
	if how != nil && how.touches(verb) {
		f.hits++
		line += " ! " + how.String()
	} else {
		how = nil
	}
	f.trace = append(f.trace, line)
	return how
}
