package pipeline

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// format describes how a value is written, and reads it. An invalid value still returns what could
// be read.
type format struct {
	mustBe string
	read   func(*yamltree.Node) (value any, ok bool)
}

const (
	someTime = "a time such as 90s, 5m or 1h30m"
	oneLine  = "one line of text"
)

// formats describe single values, by their name in the tags of structs.
var formats = map[string]format{
	"prose":   {"a text", func(n *yamltree.Node) (any, bool) { return readText(n) }},
	"text":    {"a text", func(n *yamltree.Node) (any, bool) { s, ok := readText(n); return strings.TrimSpace(s), ok }},
	"line":    {oneLine, func(n *yamltree.Node) (any, bool) { return readLine(n) }},
	"agent":   {oneLine, func(n *yamltree.Node) (any, bool) { s, ok := readLine(n); return agentName(s), ok }},
	"until":   {"one of " + sessionstate.Strategies, func(n *yamltree.Node) (any, bool) { return readLine(n) }},
	"name":    {"a name (" + text.NameRule + ")", func(n *yamltree.Node) (any, bool) { s, _ := readLine(n); return s, text.ValidName(s) }},
	"path":    {"a path within the project, outside of .git and .claude", readPath},
	"count":   {"a whole number from 1 to 1000000", func(n *yamltree.Node) (any, bool) { return readCount(n) }},
	"seconds": {"a whole number from 1 to 1000000", func(n *yamltree.Node) (any, bool) { i, ok := readCount(n); return time.Duration(i) * time.Second, ok }},
	"delay":   {someTime, func(n *yamltree.Node) (any, bool) { return readTime(n) }},
	"time":    {"a time above zero such as 90s, 5m or 1h30m", func(n *yamltree.Node) (any, bool) { d, ok := readTime(n); return d, ok && d > 0 }},
	"dollars": {"an amount of dollars such as 2.50", func(n *yamltree.Node) (any, bool) {
		micro, err := budget.ParseDollars(n.Text)
		return micro, n.Kind != yamltree.Truth && err == nil && micro > 0
	}},
	"choice": {"judge, best, first or all", func(n *yamltree.Node) (any, bool) {
		return n.Text, slices.Contains([]string{ByJudge, Best, First, All}, n.Text)
	}},
	"truth": {"true or false", func(n *yamltree.Node) (any, bool) { return n.Text == "true", n.Text == "true" || n.Text == "false" }},
	"select": {"latest, all or history", func(n *yamltree.Node) (any, bool) {
		return n.Text != "latest", slices.Contains([]string{"latest", "all", "history"}, n.Text)
	}},
}

// readText reads a text of any length; a number also counts as text.
func readText(n *yamltree.Node) (string, bool) {
	if n.Kind != yamltree.Text && n.Kind != yamltree.Number || strings.TrimSpace(n.Text) == "" {
		return "", false
	}
	return n.Text, true
}

func readLine(n *yamltree.Node) (string, bool) {
	s, ok := readText(n)
	if s = strings.TrimSpace(s); strings.Contains(s, "\n") {
		return "", false
	}
	return text.OneLine(s), ok
}

// readPath reads a path that agents may write. It is a template, so it is checked again once its
// variables are known.
func readPath(n *yamltree.Node) (any, bool) {
	s, ok := readLine(n)
	s = path.Clean(s)
	first, _, _ := strings.Cut(s, "/")
	return s, ok && !slices.Contains([]string{"", ".", "..", ".git", ".claude"}, first)
}

func readCount(n *yamltree.Node) (int, bool) {
	i, err := strconv.Atoi(n.Text)
	if n.Kind == yamltree.Truth || err != nil || i < 1 || i > 1_000_000 {
		return 0, false
	}
	return i, true
}

// readTime reads a duration, or a number of seconds.
func readTime(n *yamltree.Node) (time.Duration, bool) {
	s := n.Text
	if n.Kind == yamltree.Number || strings.Trim(s, "0123456789") == "" {
		s += "s"
	}
	d, err := budget.ParseTime(s)
	return d, n.Kind != yamltree.Truth && err == nil
}
