package budget

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// Caps are the limits of a command line. They hold for that command alone, so what advises to go on,
// or does so, repeats them.
type Caps struct {
	MicroUSD int64         `json:"micro_usd,omitempty"`
	Tokens   int64         `json:"tokens,omitempty"`
	Time     time.Duration `json:"time,omitempty"`
	Until    string        `json:"until,omitempty"` // the time of day at which it ends
}

// Or fills in limits that were not given from those of another command line.
func (c Caps) Or(b Caps) Caps {
	return Caps{cmp.Or(c.MicroUSD, b.MicroUSD), cmp.Or(c.Tokens, b.Tokens), cmp.Or(c.Time, b.Time), cmp.Or(c.Until, b.Until)}
}

// Flags returns the flags that give these limits, each followed by its value.
func (c Caps) Flags() (flags []string) {
	if c.MicroUSD > 0 {
		flags = append(flags, "--max-cost", strconv.FormatFloat(float64(c.MicroUSD)/1e6, 'f', -1, 64))
	}
	if c.Tokens > 0 {
		flags = append(flags, "--max-tokens", strconv.FormatInt(c.Tokens, 10))
	}
	if c.Time > 0 {
		flags = append(flags, "--max-time", writeTime(c.Time))
	}
	if at, err := time.Parse("15:04", c.Until); err == nil {
		flags = append(flags, "--until", at.Format("15:04"))
	}
	return flags
}

// writeTime writes a duration as a person would: 2h, not 2h0m0s.
func writeTime(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
