package next

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/mind"
	"warp/internal/ui/render"
)

// mostLines is the most lines of the engine's log to print.
const mostLines = 60

// newOutput returns what the engine printed since the last call.
func (c *client) newOutput(seen *mind.Seen) string {
	f, err := os.Open(c.desk.Log())
	if err != nil {
		return ""
	}
	defer f.Close()
	if _, err := f.Seek(seen.Read, io.SeekStart); err != nil {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(f, maxResult))
	if err != nil {
		return ""
	}
	if i := strings.LastIndexByte(string(text), '\n'); i >= 0 {
		text = text[:i+1]
	}
	seen.Read += int64(len(text))
	lines := strings.SplitAfter(string(text), "\n")
	if cut := len(lines) - mostLines; cut > 0 {
		lines = append([]string{fmt.Sprintf("(%d earlier lines)\n", cut)}, lines[cut:]...)
	}
	for i, l := range lines {
		lines[i] = render.Printable(strings.TrimSuffix(l, "\n"))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// tell returns the news followed by say, and records that they were shown.
func (c *client) tell(b mind.Board, say string) Said {
	seen := c.desk.LastSeen()
	if seen.Engine != b.Engine.PID {
		seen = mind.Seen{Engine: b.Engine.PID, Question: seen.Question, Session: seen.Session, Shown: seen.Shown}
	}
	text := c.newOutput(&seen)
	if text != "" {
		text = "What warp did:\n" + text + "\n"
	}
	if text != "" && say != "" {
		text += "\n"
	}
	if b.Standing == mind.Wanting {
		seen.Turn = b.Turn
	}
	if b.Question != nil {
		seen.Question = b.Question.ID
	}
	if c.shown != nil {
		seen.Session, seen.Shown = c.who.Session, strings.Join(c.shown, " ")
	}
	if err := c.desk.Show(seen); err != nil {
		c.app.Note("%v", err) // the same output is shown again next time
	}
	return Said{Text: text + say, Code: app.Done}
}

var tasks = map[agent.Role]string{
	agent.Plan: "draft an approach", agent.Code: "write the code", agent.Fix: "fix what was found", agent.Verify: "have the work judged",
}

// taskText describes what the mind is to do.
func (c *client) taskText(b mind.Board) string {
	w := b.Wanted
	var t strings.Builder
	fmt.Fprintf(&t, "WANTED from you, for #%s %s: %s", b.Issue, render.Printable(b.Title), tasks[w.Role])
	if b.Where != "" {
		fmt.Fprintf(&t, " (%s)", b.Where)
	}
	t.WriteString(".\n")
	if w.Note != "" {
		fmt.Fprintf(&t, "This was wanted before, and your reply was not accepted: %s.\n", render.Printable(w.Note))
	}
	prompt := strings.TrimRight(w.Prompt, "\n") + "\n"
	file := c.desk.Prompt()
	switch {
	case w.Role == agent.Verify && durable.WriteNote(file, []byte(prompt)) == nil:
		fmt.Fprintf(&t, "Have a read-only subagent judge the work. Its prompt is the file\n  %s\nTell it to read that file and to do what it says, and nothing else: you wrote the code, so do not judge it, and add no word of yours.\n", file)
	default:
		fmt.Fprintf(&t, "%s\n%s%s\n", line, c.shortenPrompt(c.withoutRepeats(prompt)), line)
	}
	t.WriteString(c.replyHint(w.Role))
	return t.String()
}

// withoutRepeats leaves out what this session was shown before: the rules and the issue were a third
// of what a session read.
func (c *client) withoutRepeats(prompt string) string {
	if c.who.Session == "" || c.Show { // a person, or all of it is wanted
		return prompt
	}
	var before []string
	if seen := c.desk.LastSeen(); seen.Session == c.who.Session {
		before = strings.Fields(seen.Shown)
	}
	text, shown := printOnce(prompt, before)
	if c.shown = shown; len(text) < len(prompt) {
		text += "(warp next --show prints all of it again)\n"
	}
	return text
}

// mostPrompt is the most bytes of a prompt to print: Claude Code truncates a command's output.
const mostPrompt = 20_000

// shortenPrompt shortens a prompt that is too long, and adds where the whole is.
func (c *client) shortenPrompt(prompt string) string {
	if len(prompt) <= mostPrompt {
		return prompt
	}
	file := c.desk.Prompt()
	if err := durable.WriteNote(file, []byte(prompt)); err != nil {
		return prompt
	}
	return text.Clip(prompt, mostPrompt) + "\n(cut here: the full text is in " + file + ")\n"
}

func (c *client) replyHint(role agent.Role) string {
	how, hint := "run\n  warp next --result '"+example[role]+"'", "--result - reads it from standard input"
	if c.Tool {
		how, hint = "call the tool next, with the result\n  "+example[role], "an object"
	}
	if role == agent.Code || role == agent.Fix {
		hint = "the result is optional; " + hint + "). warp does tests, commit, report and merge: do not do them."
	} else {
		hint += ")."
	}
	return "When it is done, " + how + "\n(" + hint + "\n"
}

const line = "----------------------------------------------------------------"

var example = map[agent.Role]string{
	agent.Plan:   `{"approach":"…","chunks":[["AC-01"],["AC-02"]]}`,
	agent.Code:   `{"summary":"…"}`,
	agent.Fix:    `{"summary":"…"}`,
	agent.Verify: `{"criteria":[{"id":"AC-01","met":true,"reason":"…"}]}`,
}

// questionText formats a question for the person at the session.
func questionText(b mind.Board) string {
	q := b.Question
	var t strings.Builder
	about := ""
	if b.Issue != "" { // a question about errors of a session has none
		about = ", for #" + b.Issue
	}
	fmt.Fprintf(&t, "A PERSON has to decide (%s)%s: %s\n", q.ID, about, render.Printable(q.Text))
	if q.Context != "" {
		fmt.Fprintf(&t, "%s\n", render.Printable(text.Clip(strings.TrimSpace(q.Context), mostContext)))
	}
	for i, o := range q.Options {
		fmt.Fprintf(&t, "  %d  %s\n", i+1, render.Printable(o))
	}
	if q.Default != "" {
		fmt.Fprintf(&t, "Suggested: %s\n", render.Printable(q.Default))
	}
	if len(q.Options) > 0 {
		fmt.Fprintf(&t, "Ask the person now (AskUserQuestion). Label each option with its command, such as `warp answer %s 1`: you may run what the person chooses, once. You may not answer it yourself.\n", q.ID)
	} else {
		fmt.Fprintf(&t, "Ask the person now. The answer is given with `warp answer %s WORDS`. You may not answer it yourself.\n", q.ID)
	}
	switch {
	case q.Aside:
		t.WriteString("An agent asks this; the drive does not wait for it. The agent gets the answer when it comes.\n")
	case !q.Until.IsZero() && q.Taken:
		fmt.Fprintf(&t, "Without an answer by %s, warp takes what is suggested, and files a todo.\n", q.Until.Local().Format("2006-01-02 15:04 MST"))
	case !q.Until.IsZero():
		fmt.Fprintf(&t, "Without an answer by %s, warp files a todo and continues with something else.\n", q.Until.Local().Format("2006-01-02 15:04 MST"))
	}
	t.WriteString("Then run warp next.\n")
	return t.String()
}

const mostContext = 1500 // bytes of a question's context to print

// askedAside returns the open question that the work does not wait for, if any.
func (c *client) askedAside(b mind.Board) string {
	if b.Question == nil || !b.Question.Aside || c.isAnswered(b.Question.ID) {
		return ""
	}
	return "\n" + questionText(b)
}

// offerText asks whether to continue with the next approved issue.
func (c *client) offerText(issue string) string {
	said := fmt.Sprintf("\nThis one is done. Continue to next task? %s is approved: ", render.Printable(issue))
	switch {
	case c.who.Session == "":
		return said + "warp next --more takes it.\n"
	case c.person:
		return said + "ask the person now (AskUserQuestion). On yes run warp next --more, on no stop.\n"
	}
	return said + "warp next --more takes it. No person is here to ask: stop, unless you were told to work on several issues.\n"
}

func (c *client) runningText(b mind.Board) string {
	doing := cmp.Or(b.Doing, "working")
	todo := "There is nothing for you to do yet; run warp next again.\n"
	aside := c.askedAside(b)
	if aside != "" {
		todo = "Meanwhile:\n"
	}
	return fmt.Sprintf("STILL RUNNING: %s, since %s (%v). %s%s",
		render.Printable(doing), b.Since.Local().Format("15:04:05 MST"), c.app.Env.Now().Sub(b.Since).Round(time.Second), todo, strings.TrimPrefix(aside, "\n"))
}
