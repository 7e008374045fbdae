package taskdoc

import (
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"warp/internal/core/budget"
	"warp/internal/core/text"
)

// words normalises a heading, label or key for comparison: lower case, single spaces.
func words(s string) string {
	s = strings.Map(func(c rune) rune {
		if c == '_' || c == '-' {
			return ' '
		}
		return unicode.ToLower(c)
	}, s)
	return strings.Trim(text.OneLine(s), ":*` ")
}

// token is one value of a list, with its offset.
type token struct {
	text string
	at   int
	code bool // was in backticks
}

// tokens splits values at commas, semicolons and spaces, but not inside backticks or braces.
func tokens(text string, at int) []token {
	var all []token
	begin, depth := -1, 0
	end := func(i int) {
		if begin >= 0 {
			all = append(all, token{text: text[begin:i], at: at + begin})
		}
		begin = -1
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '`':
			end(i)
			if n := strings.IndexByte(text[i+1:], '`'); n >= 0 {
				all = append(all, token{text: strings.TrimSpace(text[i+1 : i+1+n]), at: at + i + 1, code: true})
				i += n + 1
			}
		case depth == 0 && strings.IndexByte(",; \t\n", c) >= 0:
			end(i)
		default:
			if c == '{' && strings.IndexByte(text[i:], '}') > 0 {
				depth++
			} else if c == '}' && depth > 0 {
				depth--
			}
			if begin < 0 {
				begin = i
			}
		}
	}
	end(len(text))
	return slices.DeleteFunc(all, func(t token) bool { return t.text == "" || !t.code && strings.EqualFold(t.text, "and") })
}

// labelled splits "**Depends on:** 1.1" into its label, its value and the value's offset in the
// line.
func labelled(line string) (label, value string, at int, ok bool) {
	begin := len(line) - len(strings.TrimLeft(line, " \t"))
	mark := line[begin : len(line)-len(strings.TrimLeft(line[begin:], "*_"))]
	colon := strings.IndexByte(line, ':')
	if colon < begin+len(mark) {
		return "", "", 0, false
	}
	label, at = line[begin+len(mark):colon], colon+1
	if mark != "" && !strings.HasSuffix(label, mark) && strings.HasPrefix(line[at:], mark) {
		at += len(mark)
	}
	at += len(line[at:]) - len(strings.TrimLeft(line[at:], " \t"))
	return words(label), strings.TrimRight(line[at:], " \t\n"), at, true
}

// maxPattern limits a pattern, in bytes.
const maxPattern = 500

// normal validates a path or pattern and normalises its spelling.
func normal(pattern string) (string, error) {
	switch {
	case pattern == "" || len(pattern) > maxPattern:
		return "", errors.New("it must have from 1 to 500 bytes")
	case strings.ContainsFunc(pattern, hidden) || strings.ContainsAny(pattern, "\n\t"):
		return "", errors.New("control characters are not accepted")
	case strings.Contains(pattern, `\`):
		return "", errors.New("folders are separated by /")
	case strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "~") || len(pattern) > 1 && pattern[1] == ':':
		return "", errors.New("it must be relative to the project's folder")
	case strings.EqualFold(pattern, "none"):
		return "", errors.New("a task that names no files claims them all; leave the field out")
	}
	for _, part := range strings.FieldsFunc(pattern, func(c rune) bool { return strings.ContainsRune("/{,}", c) }) {
		if part == ".." {
			return "", errors.New("with .. it could lead out of the project's folder")
		}
	}
	if strings.Count(pattern, "{") != strings.Count(pattern, "}") {
		return "", errors.New("a brace is not closed")
	}
	if pattern = path.Clean(pattern); pattern == "." {
		return "**", nil
	}
	return pattern, nil
}

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

// parseCost reads a cost limit into micro-dollars: $10, 10 USD, 2.50.
func parseCost(s string) (int64, error) {
	micro, err := budget.ParseDollars(s)
	if err != nil || micro == 0 || micro > maxDollars*1e6 {
		return 0, errors.New("it must be an amount of dollars above 0 and up to 1000000, such as $10, 10 USD or $2.50")
	}
	return micro, nil
}

// parseTime reads a time limit: 2h, 90 minutes, 1h 30m.
func parseTime(s string) (time.Duration, error) {
	d, err := budget.ParseTime(s)
	if err != nil || d < time.Second || d > maxTime {
		return 0, errors.New("it must be a time from one second to 365 days with its unit, such as 2h, 90 minutes or 1h 30m")
	}
	return d, nil
}
