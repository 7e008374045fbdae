// Package prompt holds every prompt that warp writes for an agent, whatever the engine: what a role
// is told is written once, so that a rule that holds in one engine is told in all.
//
// It renders what it is given. What the work needs, and what an answer means, the engines decide.
package prompt

import (
	"embed"
	"strings"
	"sync"
	"text/template"

	"warp/internal/core/text"
	"warp/internal/core/workqueue"
)

//go:embed *.tmpl
var files embed.FS

// templates are parsed when the first prompt is needed: most commands need none. Texts by others
// enter only through fence, quoted, line and clip, which mark them as such or make them harmless.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"fence":  text.Fence,
		"quoted": func(words string) string { return strings.TrimSuffix(text.Fence(words), "\n") },
		"line":   text.VisibleLine,
		"clip":   Clip,
		"hash":   text.Hash,
		"join":   strings.Join,
		"lines":  func(first string, rest []string) string { return first + "\n" + strings.Join(rest, "\n") },
		"isGate": workqueue.IsGate,
	}).ParseFS(files, "*.tmpl"))
})

// Clip shortens a text by others, and removes terminal control characters.
func Clip(size int, words string) string { return text.Clip(text.Visible(words), size) }

// Render returns the prompt of an engine's role.
func Render(name string, values any) string {
	var b strings.Builder
	if err := templates().ExecuteTemplate(&b, name, values); err != nil {
		panic(err) // the templates are ours, and tests render each
	}
	return b.String()
}
