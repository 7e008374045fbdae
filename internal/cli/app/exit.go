package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/internal/core/trustledger"
	"warp/internal/durable"
	"warp/internal/engine/forge"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// The exit codes of warp.
const (
	Done      = 0
	Failed    = 1
	Usage     = 2 // or no session
	Partly    = 3 // partly done
	Denied    = 4 // not authorised
	NoProject = 10
	Locked    = 11
	Budget    = 12
	Human     = 13 // only a person can continue
	Damaged   = 14
	Interrupt = 130

	Unread     = 141 // the reader of stdout is gone
	Terminated = 143
)

// UsageError is an invalid command line.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *UsageError) Unwrap() error { return e.Err }

// WrongUsage returns a UsageError.
func WrongUsage(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Silent is an exit code whose reason has been printed.
type Silent struct{ Code int }

func (e *Silent) Error() string { return "" }

// Code returns the exit code for an error.
func Code(err error) int {
	if silent, is := errors.AsType[*Silent](err); is {
		return silent.Code
	}
	for _, c := range []struct {
		is   func(error) bool
		code int
	}{
		{func(err error) bool { return err == nil }, Done},
		{IsA[*UsageError], Usage},
		{IsA[*turnstile.DataError], Usage},
		{IsA[*durable.MissingError], Usage},
		{func(err error) bool { return errors.Is(err, turnstile.ErrLevel) }, Usage},
		{func(err error) bool { return errors.Is(err, ErrNoProject) }, NoProject},
		{notAuthorised, Denied},
		{IsA[*refusal], Denied},
		{IsA[*turnstile.ActiveError], Locked},
		{IsA[*durable.LockedError], Locked},
		{IsA[*budgetError], Budget},
		{IsA[*trustledger.Untrusted], Human},
		{IsA[*durable.DamagedError], Damaged},
		{IsA[*durable.TooNewError], Damaged},
		{func(err error) bool { return errors.Is(err, context.Canceled) }, Interrupt},
	} {
		if c.is(err) {
			return c.code
		}
	}
	return Failed
}

// weights are the exit codes of several pieces of work, the one that counts most first.
var weights = []int{Interrupt, Budget, Partly, Human, Failed}

// Worst returns the error whose exit code counts most, as for the drives of a night, or nil. It
// prints the others, so that none is lost.
func (a *App) Worst(errs []error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 0 {
		return nil
	}
	slices.SortStableFunc(errs, func(x, y error) int { return weigh(x) - weigh(y) })
	for _, err := range errs[1:] {
		if text := Message(err); text != "" {
			a.Note("%s", text)
		}
	}
	return errs[0]
}

// weigh returns the rank of an error's exit code in weights; other codes come last.
func weigh(err error) int {
	if n := slices.Index(weights, Code(err)); n >= 0 {
		return n
	}
	return len(weights)
}

func notAuthorised(err error) bool {
	e, is := errors.AsType[*forge.Error](err)
	return is && (e.Reason == forge.NoLogin || e.Reason == forge.NotAllowed)
}

// IsA reports whether an error is, or wraps, one of type E.
func IsA[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}

// Message returns an error as the user reads it.
func Message(err error) string {
	if IsA[*durable.MissingError](err) {
		return "there is no warp-drive session here: warp drive starts one, warp report shows what happened before (if a state file was lost, warp doctor --rebuild brings it back)"
	}
	if errors.Is(err, context.Canceled) {
		return "interrupted, nothing was changed: " + render.Printable(err.Error())
	}
	return render.Printable(err.Error())
}
