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

const oneLine = "one line of text"

// formats describe single values, by their name in the tags of structs.
var formats = map[string]yamltree.Format{
	"prose": yamltree.NewFormat("a text", (*yamltree.Node).AsText),
	"text": yamltree.NewFormat("a text", func(n *yamltree.Node) (string, bool) {
		s, ok := n.AsText()
		return strings.TrimSpace(s), ok
	}),
	"line": yamltree.NewFormat(oneLine, (*yamltree.Node).AsLine),
	"agent": yamltree.NewFormat(oneLine, func(n *yamltree.Node) (string, bool) {
		s, ok := n.AsLine()
		return agentName(s), ok
	}),
	"until": yamltree.NewFormat("one of "+sessionstate.Strategies, (*yamltree.Node).AsLine),
	"name": yamltree.NewFormat("a name ("+text.NameRule+")", func(n *yamltree.Node) (string, bool) {
		s, _ := n.AsLine()
		return s, text.ValidName(s)
	}),
	"path":  yamltree.NewFormat("a path within the project, outside of .git and .claude", readPath),
	"count": yamltree.NewFormat("a whole number from 1 to 1000000", readCount),
	"seconds": yamltree.NewFormat("a whole number from 1 to 1000000", func(n *yamltree.Node) (time.Duration, bool) {
		i, ok := readCount(n)
		return time.Duration(i) * time.Second, ok
	}),
	"delay": yamltree.NewFormat("a time such as 90s, 5m or 1h30m", readTime),
	"time": yamltree.NewFormat("a time above zero such as 90s, 5m or 1h30m", func(n *yamltree.Node) (time.Duration, bool) {
		d, ok := readTime(n)
		return d, ok && d > 0
	}),
	"dollars": yamltree.NewFormat("an amount of dollars such as 2.50", func(n *yamltree.Node) (int64, bool) {
		micro, err := budget.ParseDollars(n.Text)
		return micro, n.Kind != yamltree.Truth && err == nil && micro > 0
	}),
	"choice": yamltree.NewFormat("judge, best, first or all", func(n *yamltree.Node) (string, bool) {
		return n.Text, slices.Contains([]string{ByJudge, Best, First, All}, n.Text)
	}),
	"truth": yamltree.NewFormat("true or false", func(n *yamltree.Node) (bool, bool) {
		return n.Text == "true", n.Text == "true" || n.Text == "false"
	}),
	"select": yamltree.NewFormat("latest, all or history", func(n *yamltree.Node) (bool, bool) {
		return n.Text != "latest", slices.Contains([]string{"latest", "all", "history"}, n.Text)
	}),
}

// readPath reads a path that agents may write. It is a template, so it is checked again once its
// variables are known.
func readPath(n *yamltree.Node) (string, bool) {
	s, ok := n.AsLine()
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
