package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/engine/filing"
	"warp/internal/engine/forge"
	"warp/internal/engine/step"
)

// decision is a question that an agent wants a person to decide.
type decision struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Default  string   `json:"default"`
}

// wantedDecision returns the question in an agent's answer, or nil.
func wantedDecision(a step.Answer) *decision {
	var said struct {
		Decision *decision `json:"decision"`
	}
	if !a.Read(&said) || said.Decision == nil || said.Decision.Question == "" {
		return nil
	}
	return said.Decision
}

// askForDecision asks a person the agent's question. Without an answer it files a todo, and the
// chunk uses the question's default or is skipped for now, as the settings say.
func askForDecision(ctx context.Context, t *turn, d *decision) (move, error) {
	row := evidence.Decision{Issue: t.s.Issue(), Chunk: t.s.Chunk.Index, Question: t.Redact(d.Question), Default: t.Redact(d.Default)}
	for _, o := range d.Options {
		row.Options = append(row.Options, t.Redact(o))
	}
	answered := false
	if t.Ask != nil {
		var a Answer
		a, answered = askPerson(ctx, t, Question{Issue: row.Issue, Title: t.issue.Title, Chunk: row.Chunk, Criteria: t.s.Chunk.Present(),
			Text: row.Question, Options: row.Options, Default: row.Default, Context: fmt.Sprintf("chunk %d of %d", row.Chunk, t.s.Chunk.Total)})
		row.Answer, row.By, row.Asked = a.Text, a.By, a.ID
	}
	if err := t.Conductor.Refused(); err != nil { // the question stays open
		return move{}, err
	}
	if row.IsDefault() && enoughDefaults(t, row.Question) {
		answered = false
	} else if row.IsDefault() { // filed first: once the answer is recorded, the drive does not return here
		if err := t.desk().FileQuestion(ctx, row); err != nil {
			return move{}, err
		}
	}
	if answered {
		t.recordEvidence(t.s, event.Decision, row)
		t.tell(Note{Kind: Asked, Text: row.Question + " → " + row.FormatAnswer()})
		return move{}, nil // coding continues with the answer in its prompt
	}
	if err := ctx.Err(); err != nil {
		return move{}, err
	}
	row.Answer, row.By = "", ""
	t.recordEvidence(t.s, event.Decision, row)
	t.pass("asked")
	t.tell(Note{Kind: Asked, Text: row.Question + " (no answer)"})
	return move{}, fileUnanswered(ctx, t, row)
}

// askPerson waits for a person's answer. No budget is charged for the wait: with unattended: wait,
// a question may stay open overnight.
func askPerson(ctx context.Context, t *turn, q Question) (a Answer, answered bool) {
	began := t.awake()
	a, answered = t.Ask(ctx, q)
	took := max(0, t.awake().Sub(began))
	t.waited += took
	if took < time.Second {
		return a, answered
	}
	if err := t.Drive.Sleep.CountWait(took); err != nil {
		t.remark("could not exclude the wait for an answer from the budget: %v", err)
	}
	return a, answered
}

// mostDefaults is how many defaults one chunk may take.
const mostDefaults = 3

// enoughDefaults reports whether an agent keeps asking: it was already told to use its default for
// this question, or for several others of the chunk. No person is there to stop it.
func enoughDefaults(t *turn, question string) bool {
	n := 0
	for _, d := range t.evidenceOfIssue(t.s).Decisions {
		if d.Row.Chunk != t.s.Chunk.Index || !d.Row.IsDefault() {
			continue
		}
		if n++; n == mostDefaults || d.Row.Question == question {
			return true
		}
	}
	return false
}

// fileUnanswered files a question without an answer, and skips the chunk.
func fileUnanswered(ctx context.Context, t *turn, row evidence.Decision) error {
	if err := t.desk().FileQuestion(ctx, row); err != nil {
		return err
	}
	return skipChunk(ctx, t, "a decision is needed: "+row.Question)
}

// listDecisions returns the decisions about the requirement from all sessions, so that a person
// never has to repeat one.
func listDecisions(t *turn) []evidence.Entry[evidence.Decision] {
	return t.book.Page(t.s.Issue(), 0).Decisions
}

// takeDecisions records what people decided since the last run: comments on the issue by people
// with write access and, when a chunk begins, late answers to its questions, given here or in a
// todo.
func takeDecisions(ctx context.Context, t *turn) error {
	desk, begins := t.desk(), len(codingRuns(t.evidenceOfIssue(t.s), t.s)) == 0
	if begins && t.Late != nil {
		for _, d := range t.Late(t.s.Issue(), t.s.Chunk.Index, t.s.Chunk.Present()) {
			keepDecision(t, evidence.Decision{Question: d.Question, Answer: d.Answer, By: d.By})
		}
	}
	var todos []forge.Issue
	if begins {
		var err error
		if todos, err = desk.OpenTodos(ctx); err != nil {
			return err
		}
	}
	for _, todo := range todos {
		question := questionOf(t, desk, todo)
		if err := takeComments(ctx, t, desk, todo.Number, func(time.Time) string { return question }); err != nil {
			return err
		}
	}
	if err := takeComments(ctx, t, desk, t.issue.Number, func(at time.Time) string { return questionBefore(t, at) }); err != nil {
		return err
	}
	return closeAnswered(ctx, t, desk, todos)
}

// closeAnswered closes the todos whose question was answered, no matter where.
func closeAnswered(ctx context.Context, t *turn, desk filing.Desk, todos []forge.Issue) error {
	for _, todo := range todos {
		question := questionOf(t, desk, todo)
		d, ok := evidence.Last(listDecisions(t), func(d evidence.Decision) bool { return d.Answer != "" && !d.IsDefault() && d.Question == question })
		if !ok {
			continue
		}
		if err := desk.CloseTodo(ctx, todo, d.Row); err != nil {
			return err
		}
	}
	return nil
}

// takeComments records people's comments on an issue as answers to the questions asked before them.
func takeComments(ctx context.Context, t *turn, desk filing.Desk, number int, asked func(at time.Time) string) error {
	said, err := desk.PeopleSay(ctx, number)
	for _, c := range said {
		takeComment(t, asked(c.At), c)
	}
	return err
}

// takeComment records a comment once across all sessions. question is what it answers, or "".
func takeComment(t *turn, question string, c filing.Said) {
	if _, known := evidence.Last(listDecisions(t), func(d evidence.Decision) bool { return d.From == c.From }); known {
		return
	}
	keepDecision(t, evidence.Decision{Question: question, Answer: c.Text, By: c.By, From: c.From})
	if question != "" && t.Settle != nil {
		t.Settle(t.s.Issue(), Decided{Question: question, Answer: c.Text, By: c.By})
	}
}

// keepDecision records a person's decision, unless it is known already.
func keepDecision(t *turn, d evidence.Decision) {
	if slices.ContainsFunc(listDecisions(t), func(e evidence.Entry[evidence.Decision]) bool {
		return d.Question != "" && e.Row.Question == d.Question && e.Row.Answer == d.Answer && !e.Row.IsDefault()
	}) {
		return
	}
	d.Issue, d.Chunk = t.s.Issue(), t.s.Chunk.Index
	t.recordEvidence(t.s, event.Decision, d)
	said := d.Answer
	if d.Question != "" {
		said = d.Question + " → " + d.Answer
	}
	t.tell(Note{Kind: Asked, Text: said})
}

// questionBefore returns the question that was open at a time; "" if there was none, or several
// that a comment could mean.
func questionBefore(t *turn, at time.Time) string {
	waiting := map[string]bool{}
	for _, d := range listDecisions(t) {
		asked, err := time.Parse(time.RFC3339, d.At)
		switch {
		case d.Row.Answer != "" && !d.Row.IsDefault():
			delete(waiting, d.Row.Question)
		case err == nil && asked.Before(at.Add(time.Second)): // trackers truncate fractions
			waiting[d.Row.Question] = true
		}
	}
	if len(waiting) != 1 {
		return ""
	}
	for question := range waiting {
		return question
	}
	return ""
}

// questionOf returns the question of a todo: as asked here, or else from its title.
func questionOf(t *turn, desk filing.Desk, todo forge.Issue) string {
	d, known := evidence.Last(listDecisions(t), func(d evidence.Decision) bool { return desk.Asks(todo, d.Question) })
	if known {
		return d.Row.Question
	}
	return strings.TrimPrefix(todo.Title, "todo: ")
}

// Waited returns how long the engine has waited for people.
func (e *Engine) Waited() time.Duration { return e.waited }

// withdrawOfChunk withdraws the questions about the present chunk, which is done: an engine that
// was killed while it asked cannot do so, and its agent may ask nothing, or something else, the
// next time.
func withdrawOfChunk(t *turn) {
	if slices.Contains(t.s.Chunk.Skipped, t.s.Chunk.Index) {
		return
	}
	withdrawQuestions(t, func(chunk int, criteria []string) bool {
		return isAbout(chunk, criteria, []int{t.s.Chunk.Index}, t.s.Chunk.Present())
	})
}

// withdrawOfIssue withdraws the questions about an issue that has ended. The answer to a question
// about a skipped chunk counts when the issue is picked up again.
func withdrawOfIssue(t *turn) {
	withdrawQuestions(t, func(chunk int, criteria []string) bool {
		return !isAbout(chunk, criteria, t.s.Chunk.Skipped, t.s.Chunk.SkippedCriteria())
	})
}

func withdrawQuestions(t *turn, over func(chunk int, criteria []string) bool) {
	if t.Withdraw != nil && t.s.Issue() != "" {
		t.Withdraw(t.s.Issue(), over)
	}
}

// isAbout reports whether a question is about one of some chunks: by its criteria, if it names
// them.
func isAbout(chunk int, criteria []string, chunks []int, of []string) bool {
	if len(criteria) == 0 {
		return slices.Contains(chunks, chunk)
	}
	return slices.ContainsFunc(criteria, func(id string) bool { return slices.Contains(of, id) })
}
