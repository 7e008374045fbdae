package app

import (
	"errors"
	"strings"
	"testing"
)

// Of several errors one gives the exit code, as warp drive documents it; what the others say is
// not lost.
func TestTheWorstOfSeveralErrors(t *testing.T) {
	for _, c := range []struct {
		errs []error
		code int
		said string
	}{
		{nil, Done, ""},
		{[]error{nil, nil}, Done, ""},
		{[]error{&Silent{Human}, &Silent{Budget}, nil}, Budget, ""},
		{[]error{&Silent{Failed}, &Silent{Human}, &Silent{Partly}}, Partly, ""},
		{[]error{WrongUsage("no such name"), &Silent{Interrupt}, errors.New("broken")}, Interrupt, "warp: broken\nwarp: no such name\n"},
		{[]error{WrongUsage("no such name")}, Usage, ""},
	} {
		var out strings.Builder
		a := &App{Err: &out}
		if err := a.Worst(c.errs); Code(err) != c.code || out.String() != c.said {
			t.Errorf("%v: %v (%d), said %q", c.errs, err, Code(err), out.String())
		}
	}
}
