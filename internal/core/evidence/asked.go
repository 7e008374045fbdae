package evidence

import "strings"

// Todo is what is filed about a decision that nobody made.
func Todo(s Subject, d Decision) (title, body string) {
	p := &paper{}
	p.put(s.about("A decision is needed for the work"))
	p.question(d)
	p.put("Nobody answered, so what depends on it was left undone.")
	if d.Default != "" {
		p.put("The agent proposes " + code(d.Default) + ".")
	}
	p.put("To decide: say it in " + reference(s.Issue) + ", then `warp drive " + command(s.Issue) + "`.")
	return "todo: " + orA("decision", d.Question), p.body(s.Issue)
}

// DecisionRecord is what is filed about a decision that was made.
func DecisionRecord(s Subject, d Decision) (title, body string) {
	p := &paper{}
	p.put(s.about("Decided during the work"))
	p.question(d)
	p.put("Answer: " + answer(d) + ".")
	return "decision: " + orA("decision", d.Question), p.body(s.Issue)
}

func (p *paper) question(d Decision) {
	p.put(block(d.Question))
	var options []string
	for _, o := range d.Options {
		options = append(options, code(o))
	}
	p.section("Options", options)
}

// Lesson is what is filed about something that was learned.
func Lesson(s Subject, text string) (title, body string) {
	p := &paper{}
	p.put(s.about("Learned during the work"))
	p.put(block(text))
	return "lesson: " + orA("lesson", text), p.body(s.Issue)
}

// orA is the beginning of a text, for a title.
func orA(what, text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if first = plain(first); first == "" {
		return "a " + what
	}
	return first
}
