package app

import (
	"errors"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"warp/internal/core/budget"
)

// DollarsFlag adds a flag for an amount of money, in millionths of a dollar: 2.50, $10, 10 USD. It
// refuses zero, which would mean no limit: a person who types 0 wants to spend nothing.
func DollarsFlag(f *pflag.FlagSet, to *int64, name, usage string) {
	f.Var((*dollars)(to), name, usage)
}

// TimeFlag adds a flag for an amount of time above zero: 90m, 2h, 1h 30m, 90 minutes.
func TimeFlag(f *pflag.FlagSet, to *time.Duration, name, usage string) {
	f.Var((*span)(to), name, usage)
}

const (
	mostDollars = 1_000_000
	mostTime    = 365 * 24 * time.Hour
)

// errAmount only says that a value is refused: the command line says what the flag takes.
var errAmount = errors.New("the amount cannot be used")

type dollars int64

func (d *dollars) Set(s string) error {
	micro, err := budget.ParseDollars(s)
	if err != nil || micro == 0 || micro > mostDollars*1e6 {
		return errAmount
	}
	*d = dollars(micro)
	return nil
}

func (d *dollars) Type() string { return "dollars" }

func (d *dollars) String() string {
	if *d == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*d)/1e6, 'f', -1, 64)
}

type span time.Duration

func (t *span) Set(s string) error {
	d, err := budget.ParseTime(s)
	if err != nil || d <= 0 || d > mostTime {
		return errAmount
	}
	*t = span(d)
	return nil
}

func (t *span) Type() string { return "time" }

func (t *span) String() string {
	if *t == 0 {
		return ""
	}
	return time.Duration(*t).String()
}
