// Package nightcopy renders a night as one HTML file to send around: it needs no script, loads
// nothing, and can be printed. Text from issues, agents and tests is bounded, made visible and
// escaped.
package nightcopy

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/money"
	"warp/internal/ui/plot"
)

//go:embed night.html
var page string

//go:embed night.css
var style string

// Night is the input: the digest, work other than issues, and the feed.
type Night struct {
	From, Now time.Time
	Digest    evidence.Digest
	Work      []feed.Item
	Feed      *feed.Feed
}

// night is the data of the page.
type night struct {
	Night
	Style   template.CSS
	Title   string
	Met     int // criteria met
	Asked   int // criteria in total
	Issues  []issue
	Money   money.Sheet
	Spent   template.HTML
	ByDay   template.HTML
	Kinds   template.HTML
	Gantt   template.HTML
	Decided []evidence.Decision
}

// issue is the outcome of an issue, with its proof.
type issue struct {
	evidence.Item
	Good     bool
	Criteria []evidence.Proof
	Runs     []run
	Left     int // runs not listed
}

// run is an agent run or a test run.
type run struct {
	Role, Who, End string
	From, To       time.Time
	Cost           string
	Bad            bool
}

// maxRuns is the most runs listed per issue.
const maxRuns = 100

// Render returns the file.
func Render(n Night) ([]byte, error) {
	v := night{Night: n, Style: template.CSS(plot.Style + style), Title: shorten(80, n.Feed.Project)}
	v.Money = money.Count(n.Feed.Book, n.From, n.Feed.WorkName)
	since := n.Feed.Book.Since(n.From)
	for _, list := range [][]evidence.Item{n.Digest.Done, n.Digest.NotDone} {
		for _, i := range list {
			one := newIssue(i, n.Feed.Book, since.Of(i.Issue, 0))
			v.Met, v.Asked = v.Met+i.Met, v.Asked+i.Criteria
			v.Issues = append(v.Issues, one)
		}
	}
	for _, e := range since.Decisions {
		v.Decided = append(v.Decided, e.Row)
	}
	if err := v.draw(); err != nil {
		return nil, err
	}
	t, err := template.New("night").Funcs(functions).Parse(page)
	if err != nil {
		return nil, fmt.Errorf("reading the page of a night: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return nil, fmt.Errorf("making the page of a night: %w", err)
	}
	return b.Bytes(), nil
}

func newIssue(i evidence.Item, all, since *evidence.Book) issue {
	one := issue{Item: i, Good: i.Result.Good(), Criteria: all.Account(i.Issue).Criteria}
	for _, e := range since.Runs {
		r := e.Row
		var c evidence.Cost
		c.Add(r)
		one.add(run{Role: r.Role, Who: text.JoinNonEmpty(" ", r.Agent, r.Model), End: strings.ReplaceAll(r.End, "_", " "), Cost: c.Sum(), Bad: r.End != "done"}, e.At, r.Seconds)
	}
	for _, e := range since.Tests {
		if t := e.Row; !t.NotRun {
			one.add(run{Role: "test", Who: t.Stage, End: t.Said(), Bad: !t.Passed}, e.At, t.Seconds)
		}
	}
	one.sort()
	return one
}

// functions are available on the page. All foreign text goes through words or a stricter
// function.
var functions = template.FuncMap{
	"words":  func(s string) string { return shorten(400, s) },
	"short":  shorten,
	"hash":   func(s string) string { return text.Hash(shorten(40, s)) },
	"waits":  func(what string) string { return shorten(40, cmp.Or(waits[what], what)) },
	"span":   text.Span,
	"count":  text.Count,
	"number": text.Thousands,
	"clock":  func(t time.Time) string { return t.Format("15:04") },
	"moment": func(t time.Time) string { return t.Format("2 January 2006, 15:04 MST") },
	"took":   func(r run) string { return text.Span(r.To.Sub(r.From).Seconds()) },
}

// waits describes what waits for a person.
var waits = map[string]string{"todo": "decision", "default": "default taken", "bug": "given up", "pull": "pull request"}

// shorten returns the visible beginning of a text.
func shorten(most int, words string) string {
	return text.ClipRunes(text.VisibleLine(text.OneLine(text.Prefix(words, 8*most))), most)
}
