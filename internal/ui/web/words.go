package web

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"text/template/parse"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// Bounds of shown text: agents may print megabytes.
const (
	maxWords = 4_000
	maxLong  = 64_000
)

// longText is shown up to maxLong, for example the output of tests.
type longText string

// functions are available in templates.
var functions = template.FuncMap{
	"words": showWords, "short": func(n int, s string) string { return text.ClipRunes(text.OneLine(text.Prefix(s, 8*n)), n) },
	"money": evidence.Dollars, "span": text.Span, "count": text.Count, "thousands": text.Thousands, "hash": text.Hash,
	"moment": render.Moment, "seconds": render.Seconds, "stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"clock": func(t time.Time) string { return t.Local().Format("Jan 2 15:04") }, // for browsers without JavaScript
	"path":  url.PathEscape, "query": url.QueryEscape, "percent": percent, "dict": dict,
	"called": feed.IssueLabel, "logID": logID, "testClass": testClass, "settled": evidence.Settled, "commas": func(list []string) string { return strings.Join(list, ", ") },
	"joined": text.JoinNonEmpty, "began": stampOf, "statusWords": func(s evidence.Status) string { return s.String() },
}

// showWords returns a value as shown to the reader: bounded, and without control characters.
// boundWords appends it to everything templates print.
func showWords(v any) any {
	switch v := v.(type) {
	case template.HTML, template.URL, nil:
		return v
	case longText:
		return text.Visible(text.Clip(string(v), maxLong))
	case int, int64, float64, bool, json.Number:
		return v
	}
	return text.Visible(text.Clip(fmt.Sprint(v), maxWords))
}

// boundWords pipes every value a template prints through showWords.
func boundWords(t *template.Template) {
	for _, one := range t.Templates() {
		if one.Tree != nil {
			boundNode(one.Tree.Root)
		}
	}
}

func boundNode(n parse.Node) {
	var branch *parse.BranchNode
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, one := range n.Nodes {
				boundNode(one)
			}
		}
	case *parse.ActionNode:
		if len(n.Pipe.Decl) == 0 {
			name := parse.NewIdentifier("words").SetPos(n.Pos)
			n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{name}})
		}
	case *parse.IfNode:
		branch = &n.BranchNode
	case *parse.RangeNode:
		branch = &n.BranchNode
	case *parse.WithNode:
		branch = &n.BranchNode
	}
	if branch != nil {
		boundNode(branch.List)
		boundNode(branch.ElseList)
	}
}

func percent(part, whole int64) int {
	if whole <= 0 {
		return 0
	}
	return int(min(100, max(0, 100*float64(part)/float64(whole))))
}

// dict lets a shared template take several values.
func dict(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return m
}
