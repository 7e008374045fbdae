package pipeline

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/text"
)

// value reads a value, and reports what is wrong with it.
func (d *decoder) value(n *node, what, format string) any {
	v, err := formats[format](n)
	if err != nil {
		d.report(n.place, "%s %v", what, err)
	}
	return v
}

// formats read values. With an error, what could be read of it.
var formats = map[string]func(*node) (any, error){
	"prose":   func(n *node) (any, error) { return readProse(n) },
	"text":    func(n *node) (any, error) { s, err := readProse(n); return strings.TrimSpace(s), err },
	"line":    func(n *node) (any, error) { return readLine(n) },
	"agent":   func(n *node) (any, error) { s, err := readLine(n); return agentName(s), err },
	"name":    readName,
	"path":    readPath,
	"choice":  func(n *node) (any, error) { return readWord(n, choices...) },
	"count":   func(n *node) (any, error) { return readCount(n) },
	"seconds": func(n *node) (any, error) { i, err := readCount(n); return time.Duration(i) * time.Second, err },
	"time":    func(n *node) (any, error) { return readTime(n, 0) },
	"span":    func(n *node) (any, error) { return readTime(n, 1) },
	"dollars": readDollars,
	"truth":   func(n *node) (any, error) { s, err := readWord(n, "true", "false"); return s == "true", err },
	"select": func(n *node) (any, error) {
		s, err := readWord(n, "latest", "all", "history")
		return s != "latest", err
	},
}

// readProse reads a text of any length. Numbers are texts too where texts are wanted.
func readProse(n *node) (string, error) {
	switch {
	case n.kind != textKind && n.kind != number:
		return "", fmt.Errorf("must be a text, not %s", n.kind)
	case strings.TrimSpace(n.text) == "":
		return "", errors.New("is empty")
	}
	return n.text, nil
}

func readLine(n *node) (string, error) {
	s, err := readProse(n)
	if s = strings.TrimSpace(s); strings.Contains(s, "\n") {
		return "", errors.New("must be one line")
	}
	return text.OneLine(s), err
}

func readName(n *node) (any, error) {
	s, err := readLine(n)
	if err == nil && !text.ValidName(s) {
		err = fmt.Errorf("%q is not a valid name: %s", s, text.NameRule)
	}
	return s, err
}

// readPath reads a path that agents may write. It is a template, so it is checked
// again when its variables are known.
func readPath(n *node) (any, error) {
	s, err := readLine(n)
	s = path.Clean(s)
	first, _, _ := strings.Cut(s, "/")
	if err == nil && slices.Contains([]string{"", ".", "..", ".git", ".claude"}, first) {
		err = errors.New("must be a path within the project, and not in .git or .claude")
	}
	return s, err
}

// readCount reads a whole number of at least 1.
func readCount(n *node) (int, error) {
	i, err := strconv.Atoi(n.text)
	if n.kind > number || err != nil || i < 1 || i > 1_000_000 {
		return 0, fmt.Errorf("must be a whole number from 1 to 1000000, not %s", n.quoted())
	}
	return i, nil
}

// readTime reads a time such as 90s, 5m or 1h30m, or a number of seconds.
func readTime(n *node, least time.Duration) (time.Duration, error) {
	s := n.text
	if n.kind == number || strings.Trim(s, "0123456789") == "" {
		s += "s"
	}
	d, err := budget.ParseTime(s)
	if n.kind > number || err != nil {
		return 0, fmt.Errorf("must be a time such as 90s, 5m or 1h30m, not %s", n.quoted())
	}
	if d < least {
		err = errors.New("must be more than zero")
	}
	return d, err
}

// readDollars reads 2, 2.50 or $2.50 as micro-dollars.
func readDollars(n *node) (any, error) {
	micro, err := budget.ParseDollars(n.text)
	if n.kind > number || err != nil || micro == 0 {
		err = fmt.Errorf("must be an amount of dollars such as 2.50, not %s", n.quoted())
	}
	return micro, err
}

// readWord reads one of some words.
func readWord(n *node, words ...string) (string, error) {
	if !slices.Contains(words, n.text) {
		return n.text, fmt.Errorf("must be %s, not %s", strings.Join(words[:len(words)-1], ", ")+" or "+words[len(words)-1], n.quoted())
	}
	return n.text, nil
}
