package taskdoc

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/budget"
)

// The largest accepted bounds.
const (
	maxIterations = 1_000_000
	maxDollars    = 1_000_000
	maxTime       = 365 * 24 * time.Hour
)

// parseIterations reads a number of iterations: 30, 30 iterations.
func parseIterations(s string) (int, error) {
	t := strings.ToLower(strings.TrimSpace(s))
	for _, word := range []string{"per task", "iterations", "iteration"} {
		t = strings.TrimSpace(strings.TrimSuffix(t, word))
	}
	n, err := strconv.Atoi(strings.ReplaceAll(t, ",", ""))
	if err != nil || n < 1 || n > maxIterations {
		return 0, errors.New("it must be a whole number from 1 to 1000000, such as 30")
	}
	return n, nil
}

// ParseCost reads a cost limit into micro-dollars: $10, 10 USD, 2.50.
func ParseCost(s string) (int64, error) {
	micro, err := budget.ParseDollars(s)
	if err != nil || micro == 0 || micro > maxDollars*1e6 {
		return 0, errors.New("it must be an amount of dollars above 0 and up to 1000000, such as $10, 10 USD or $2.50")
	}
	return micro, nil
}

// ParseTime reads a time limit: 2h, 90 minutes, 1h 30m.
func ParseTime(s string) (time.Duration, error) {
	d, err := budget.ParseTime(s)
	if err != nil || d < time.Second || d > maxTime {
		return 0, errors.New("it must be a time from one second to 365 days with its unit, such as 2h, 90 minutes or 1h 30m")
	}
	return d, nil
}
