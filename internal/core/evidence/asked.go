package evidence

import (
	"strings"

	"warp/internal/core/questions"
)

// IsDefault reports whether the answer is the question's default, taken because no one answered in
// time.
func (d Decision) IsDefault() bool { return d.By == questions.ByDefault }

// FormatAnswer formats the answer for people who watch.
func (d Decision) FormatAnswer() string {
	if d.IsDefault() {
		return d.Answer + " (the default: no answer came in time)"
	}
	return d.Answer
}

// Todo returns the issue to file about a decision that no person made.
func Todo(s Subject, d Decision) (title, body string) {
	p := &paper{}
	p.put(s.about("A decision is needed for the work"))
	p.question(d)
	switch {
	case d.IsDefault():
		p.put("There was no answer in time, so the work continued with the default, " + code(d.Answer) + ". If that is right, close this issue.")
	case d.Default != "":
		p.put("There was no answer, so what depends on it was not done.")
		p.put("The agent proposes " + code(d.Default) + ".")
	default:
		p.put("There was no answer, so what depends on it was not done.")
	}
	how := "comment here or in " + reference(s.Issue) + ", with write access to this repository"
	if d.Asked != "" {
		how += ", or `warp answer q" + command(strings.TrimPrefix(d.Asked, "q")) + " ANSWER`"
	}
	if d.IsDefault() {
		p.put("To change it: " + how + "; then `warp drive " + command(s.Issue) + "`. Once " + reference(s.Issue) + " is merged, ask for the change in a new issue.")
	} else {
		p.put("To decide: " + how + "; then `warp drive " + command(s.Issue) + "`.")
	}
	return "todo: " + titleFrom("decision", d.Question), p.body(s.Issue)
}

// DecisionRecord returns the issue to file about a decision that was made.
func DecisionRecord(s Subject, d Decision) (title, body string) {
	p := &paper{}
	p.put(s.about("Decided during the work"))
	p.question(d)
	p.put("Answer: " + answer(d) + ".")
	return "decision: " + titleFrom("decision", d.Question), p.body(s.Issue)
}

func (p *paper) question(d Decision) {
	p.put(Quoted(d.Question))
	var options []string
	for _, o := range d.Options {
		options = append(options, code(o))
	}
	p.section("Options", options)
}

// TodoSettled returns the comment that closes a todo.
func TodoSettled(s Subject, d Decision) string {
	return "Decided: " + answer(d) + ". The work on " + reference(s.Issue) + " continues with it."
}

// BugSettled returns the comment that closes a deferred bug; commit is the head of the merge
// target.
func BugSettled(s Subject, commit string) string {
	text := "Done with " + reference(s.Issue)
	if commit != "" {
		text += ", merged as " + hash(commit)
	}
	var ids []string
	for _, c := range s.Criteria {
		ids = append(ids, c.ID)
	}
	return text + ": " + codes(ids) + "."
}

// Lesson returns the issue to file about a lesson learned.
func Lesson(s Subject, text string) (title, body string) {
	p := &paper{}
	p.put(s.about("Learned during the work"))
	p.put(Quoted(text))
	return "lesson: " + titleFrom("lesson", text), p.body(s.Issue)
}

// titleFrom returns the first line of a text for a title, or "a" and its kind if it is empty.
func titleFrom(what, text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if first = plain(first); first == "" {
		return "a " + what
	}
	return first
}
