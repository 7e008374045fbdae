package feed

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/scope"
	"warp/internal/core/text"
)

// Entry is one event in the project.
type Entry struct {
	At    time.Time        `json:"at"`
	Name  string           `json:"name"` // of the item: "#7", or a session's or workflow's name
	Issue string           `json:"issue,omitempty"`
	What  string           `json:"what"` // phase, run, test, commit, filed, question, undone, skipped, passed over, began, end
	Text  string           `json:"text"`
	Phase drivestate.Phase `json:"phase,omitempty"`
	From  drivestate.Phase `json:"from,omitempty"`
	Event drivestate.Event `json:"event,omitempty"`
	Root  string           `json:"root,omitempty"`
}

// Log returns everything that happened, in order of time.
func (f *Feed) Log() []Entry {
	list := []Entry{}
	for _, m := range f.Moves {
		list = append(list, Entry{At: m.Time, Name: IssueLabel(m.Issue), Issue: m.Issue, What: "phase", Text: moveText(m), Phase: m.Phase, From: m.From, Event: m.Event, Root: m.Root})
	}
	b := f.Book
	addRows(&list, "run", append(slices.Clip(b.Runs), b.Others...), func(r evidence.Run) (string, string) {
		if r.Work != "" {
			_, name, _ := strings.Cut(f.WorkName(r.Work), " ")
			return name, runText(r)
		}
		return r.Issue, runText(r)
	})
	addRows(&list, "test", b.Tests, func(t evidence.Tested) (string, string) { return t.Issue, testText(t) })
	addRows(&list, "commit", b.Commits, func(c evidence.Commit) (string, string) { return c.Issue, text.Hash(c.Hash) + " " + c.Subject })
	addRows(&list, "filed", b.Filed, func(x evidence.Filed) (string, string) { return x.Issue, filedText(x) })
	addRows(&list, "question", b.Decisions, func(d evidence.Decision) (string, string) { return d.Issue, decisionText(d) })
	addRows(&list, "undone", b.Interventions, func(i evidence.Intervened) (string, string) { return i.Issue, i.What + ": " + i.Text })
	addRows(&list, "skipped", b.Skips, func(k evidence.Skipped) (string, string) {
		return k.Issue, fmt.Sprintf("chunk %d: %s", k.Chunk, text.FirstLine(k.Why))
	})
	addRows(&list, "unasked", b.Unasked, func(u evidence.Unasked) (string, string) { return u.Issue, unaskedText(u) })
	addRows(&list, "passed over", b.PassedOver, func(p evidence.PassedOver) (string, string) { return p.Issue, p.Why })
	addRows(&list, "end", b.Outcomes, func(o evidence.Outcome) (string, string) {
		return o.Issue, text.JoinNonEmpty(": ", o.Result.Words(), o.Why)
	})
	for _, i := range f.Items {
		if i.IsDrive() {
			continue
		}
		list = append(list, Entry{At: i.Started, Name: i.Name, What: "began", Text: string(i.Kind), Root: i.Root})
		if i.State.Over() {
			list = append(list, Entry{At: i.Ended, Name: i.Name, What: "end", Text: text.JoinNonEmpty(": ", string(i.State), i.Result, i.Why), Root: i.Root})
		}
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return a.At.Compare(b.At) })
	return list
}

// unaskedText says what was done about what no one asked for.
func unaskedText(u evidence.Unasked) string {
	what := map[string]string{evidence.UnaskedTold: "to be taken back", evidence.UnaskedJudged: "the verifier names", evidence.UnaskedStands: "left"}[u.Stage]
	if len(u.Points) == 0 {
		return what + ": nothing"
	}
	return what + ": " + text.OneLine(scope.Describe(u.Points))
}

// WorkName returns what people call the work of runs without a requirement: evidence refers to a
// workflow by its ID.
func (f *Feed) WorkName(work string) string {
	for _, i := range f.Items {
		if i.work == work && work != "" {
			return string(i.Kind) + " " + i.Name
		}
	}
	return work
}

// addRows adds the rows that have a time; the others come from a document.
func addRows[T any](list *[]Entry, what string, rows []evidence.Entry[T], say func(T) (name, words string)) {
	for _, e := range rows {
		if e.At == "" {
			continue
		}
		name, words := say(e.Row)
		entry := Entry{At: ParseTime(e.At), Name: IssueLabel(name), What: what, Text: text.OneLine(words)}
		if entry.Name != name {
			entry.Issue = name
		}
		*list = append(*list, entry)
	}
}

// IssueLabel puts "#" before an issue number and returns other names unchanged.
func IssueLabel(name string) string {
	if name != "" && strings.Trim(name, "0123456789") == "" {
		return "#" + name
	}
	return name
}

func moveText(m Move) string {
	words := string(m.Phase)
	if m.From != "" {
		words = fmt.Sprintf("%s -> %s (%s)", m.From, m.Phase, m.Event)
	}
	if len(m.Reasons) > 0 {
		words += " [" + strings.Join(m.Reasons, ", ") + "]"
	}
	return words
}

func runText(r evidence.Run) string {
	var c evidence.Cost
	c.Add(r)
	return text.JoinNonEmpty(": ", fmt.Sprintf("%s as %s: %s, %s, %s", r.Agent, r.Role, strings.ReplaceAll(r.End, "_", " "), c.Sum(), text.Span(r.Seconds)), r.Why, r.Unused())
}

func testText(t evidence.Tested) string {
	words := t.Stage + ": " + t.Said()
	if names := slices.Concat(t.Broke, t.Failing); len(names) > 0 && !t.Passed {
		words += ": " + text.List(slices.Compact(names), 3)
	}
	return words
}

func filedText(x evidence.Filed) string {
	words := x.What
	if x.Number > 0 {
		words += fmt.Sprintf(" #%d", x.Number)
	}
	return strings.TrimSpace(words + " " + x.Title)
}

func decisionText(d evidence.Decision) string {
	if d.Answer == "" {
		return d.Question + ": no answer"
	}
	return text.JoinNonEmpty(": ", d.Question, d.Answer) + map[bool]string{true: " (" + d.By + ")"}[d.By != ""]
}
