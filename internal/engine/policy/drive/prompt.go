package drive

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/prompt"
)

// Limits of what goes into a prompt, in characters. What the engine adds stays within maxAdded: the
// failure and the lessons get what is left. What belongs to the issue does not count: its text, its
// criteria, the approach and what people decided.
const (
	maxAdded     = 3_100 // what is said of the sandbox comes to it
	maxFault     = 2_000
	enoughFault  = 1_000
	fewOfLine    = 80 // what each line of a failure gets, if there are few
	maxApproach  = 1_500
	maxLessons   = 2_000
	maxSummary   = 180
	maxCommand   = 150
	maxDecision  = 800
	maxDecisions = 3 // of each kind
	maxBody      = 30_000
	maxTestsSaid = 600
	fewLessons   = 300 // what lessons get in any case
	mostParts    = 3   // committed parts that are shown
	mostSubjects = 3
)

// issueText returns the whole issue. What is committed is checked off there, too: the tracker says
// so only later.
func issueText(i *subject, done ...string) string {
	return text.Fence(fmt.Sprintf("#%s %s\n\n%s", i.id, i.Title, text.Clip(criteria.CheckThese(i.Body, done), maxBody)))
}

func criteriaText(list []drivestate.Criterion) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%s: %s\n", c.ID, c.Text)
	}
	return text.Fence(b.String())
}

// planPrompt is the prompt of a planning agent.
type planPrompt struct {
	subject   *subject
	open      []criteria.Criterion
	done      []string
	most      int // criteria in a chunk
	decisions []evidence.Decision
	lessons   []string
	// tests is the test command, took how long it takes.
	tests, took string
}

func (p planPrompt) String() string {
	values := map[string]any{"Tests": prompt.Clip(maxCommand, p.tests), "Took": p.took, "Most": p.most, "Limit": maxApproach, "Open": criteriaText(newSubject(p.subject.Issue, p.open).criteria), "Issue": issueText(p.subject, p.done...),
		"Done": strings.Join(p.done, ", "), "Lessons": fitLines(p.lessons, maxLessons)}
	addDecisions(values, p.decisions)
	return prompt.Render("plan", values)
}

// verification is what a verifier is told besides the issue.
type verification struct {
	judged           []drivestate.Criterion
	diff             string
	cut              bool
	ignored, changed []string
	tests            string // what the tests said
	decisions        []evidence.Decision
	objection        string   // of the work's author to the last verdict
	verdict          string   // that one
	done             []string // what its author says was met before it
	whole            bool     // the diff is that of the whole branch
	contracts        []string
	proven           []string // criteria whose checks are green on the work
	unasked, claim   string   // what warp sees that no one asked for, and why the author keeps it
}

func (v verification) prompt(i *subject) string {
	values := map[string]any{"Criteria": criteriaText(v.judged), "Example": firstID(v.judged), "Diff": v.diff, "Cut": v.cut, "Ignored": strings.Join(v.ignored, "\n"), "Changed": strings.Join(v.changed, "\n"),
		"Tests": prompt.Clip(maxTestsSaid, v.tests), "Objection": prompt.Clip(maxFault, v.objection), "Verdict": prompt.Clip(enoughFault, v.verdict), "Done": v.done, "Whole": v.whole,
		"Unasked": prompt.Clip(maxFault, v.unasked), "Claim": prompt.Clip(maxFault, v.claim), "Contracts": contractsText(v.contracts), "Proven": v.proven, "Issue": issueText(i)}
	addDecisions(values, v.decisions)
	return prompt.Render("verify", values)
}

// contractsText returns the contracts as a block; "" if there are none.
func contractsText(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return text.Fence(strings.Join(list, "\n"))
}

func firstID(list []drivestate.Criterion) string {
	if len(list) == 0 {
		return "AC-01"
	}
	return list[0].ID
}

func conflictPrompt(i *subject, target string, files []string) string {
	return prompt.Render("conflict", map[string]any{"Target": text.Visible(target), "Files": strings.Join(files, "\n"), "Issue": issueText(i)})
}

// codePrompt is the prompt of a coding agent.
type codePrompt struct {
	subject      *subject
	chunk        []drivestate.Criterion
	index, total int
	tests, took  string // the test command, and how long it takes
	approach     string
	contracts    []string
	decisions    []evidence.Decision
	fault        *fault
	attempt      int
	advice       string // hints about work that is not wrong
	seeds        bool   // seed data is checked
	resumed      bool   // sent in the conversation that has the issue already
	work         standing
}

// standing is where the work on an issue stands.
type standing struct {
	committed []string // parts, oldest first, in words
	done      []string // criteria that are committed
	later     []string // criteria of later parts
	left      []string // changed files that are not committed
	leftSaid  string   // what their author said of them
	lessons   []string // most important first
	subjects  []string // of recent commits
}

func (p codePrompt) String() string {
	values := p.values()
	const issue = "\nThe whole issue:\n"
	words := func(fault, lessons int) string {
		if p.fault != nil {
			values["Fault"] = text.Fence(clipLines(fault, text.Visible(p.fault.text)))
		}
		values["Lessons"] = fitLines(p.work.lessons, lessons)
		return prompt.Render("code", values)
	}
	fault := 0
	if p.fault != nil {
		fault = min(len(text.Visible(p.fault.text)), maxFault)
	}
	free := maxAdded + p.ofIssue(values) - len(words(0, 0)+issue)
	if free < min(fault, enoughFault) { // what is wrong comes before what was done
		values["Committed"], values["Subjects"] = shownParts(p.work.committed, 1), nil
		free = maxAdded + p.ofIssue(values) - len(words(0, 0)+issue)
	}
	if free < min(fault, enoughFault/2) { // who fixes it says what the whole part does: so it is told what was said
		values["LeftSaid"] = ""
		free = maxAdded + p.ofIssue(values) - len(words(0, 0)+issue)
	}
	lessons := min(len(fitLines(p.work.lessons, maxLessons)), maxLessons)
	fault = max(min(fault, free-min(lessons, fewLessons, free/3)), len("…"))
	said := words(fault, max(0, min(lessons, free-fault)))
	if !p.resumed {
		said += issue + issueText(p.subject, p.work.done...)
	}
	return said
}

// ofIssue returns the size of what the issue itself says in a prompt.
func (p codePrompt) ofIssue(values map[string]any) int {
	size := len(criteriaText(p.chunk)) + len(values["Contracts"].(string)) + len(text.Fence(values["Approach"].(string)))
	for _, name := range []string{"Decided", "Defaults", "Said"} {
		list, _ := values[name].([]string)
		for _, words := range list {
			size += len(text.Fence(words))
		}
	}
	return size
}

// values returns what the prompt says besides the failure and the lessons.
func (p codePrompt) values() map[string]any {
	values := map[string]any{"Issue": true, "Criteria": criteriaText(p.chunk), "Index": p.index, "Total": p.total, "Attempt": p.attempt, "Fault": "",
		"Tests": prompt.Clip(maxCommand, p.tests), "Took": p.took, "Approach": prompt.Clip(maxApproach, p.approach), "Contracts": contractsText(p.contracts), "Seeds": p.seeds, "Advice": prompt.Clip(maxApproach, p.advice),
		"Example": "fix: limit login to five attempts"}
	if p.fault != nil {
		values["By"], values["Check"], values["Repeated"] = prompt.Clip(maxCommand, text.FirstLine(p.fault.by)), p.fault.gate, p.fault.repeated
		if p.fault.by == p.tests && p.tests != "" {
			values["By"] = "tests"
		}
	}
	addDecisions(values, p.decisions)
	w := p.work
	if len(w.subjects) > 0 && !slices.ContainsFunc(w.subjects, isConventional) {
		values["Example"] = "Limit login to five attempts"
	}
	if p.resumed { // the conversation has the rest already
		return values
	}
	values["Committed"], values["Later"], values["Subjects"] = shownParts(w.committed, mostParts), text.List(w.later, 10), w.subjects
	values["Left"], values["LeftSaid"] = text.Quote(w.left, 5), prompt.Clip(maxSummary, w.leftSaid)
	return values
}

// shownParts lists the last committed parts.
func shownParts(parts []string, most int) string {
	var lines []string
	if cut := len(parts) - most; cut > 0 {
		lines, parts = append(lines, fmt.Sprintf("(%s before)", text.Count(cut, "part"))), parts[cut:]
	}
	for _, part := range parts {
		lines = append(lines, prompt.Clip(maxSummary, part))
	}
	return strings.Join(lines, "\n")
}

// clipLines shortens a text: each line gets the same room, and what short ones leave goes to the
// others. Text that is mostly lines, such as the output of tests, loses its end.
func clipLines(size int, words string) string {
	lines := strings.Split(strings.TrimSpace(words), "\n")
	if len(words) <= size || size < len(lines)*fewOfLine {
		return text.Clip(words, size)
	}
	free, left := size-len(lines)+1, len(lines)
	share := make([]int, len(lines))
	for _, i := range byLength(lines) {
		share[i] = min(len(lines[i]), free/left)
		free, left = free-share[i], left-1
	}
	for i, l := range lines {
		if lines[i] = text.Clip(l, share[i]); lines[i] != l && share[i] >= fewOfLine {
			lines[i] = clipWords(l, share[i])
		}
	}
	return strings.Join(lines, "\n")
}

// clipWords shortens a line in its middle, between words if it has spaces: what is missing is often
// said last, behind what is there.
func clipWords(line string, size int) string {
	const mark = " … "
	size -= len(mark)
	front, back := text.Prefix(line, size/3), strings.ToValidUTF8(line[len(line)-(size-size/3):], "")
	if at := strings.LastIndexByte(front, ' '); at > len(front)/2 {
		front = front[:at]
	}
	if at := strings.IndexByte(back, ' '); at >= 0 && at < len(back)/2 {
		back = back[at+1:]
	}
	return front + mark + back
}

// byLength returns the indexes of lines, the shortest first.
func byLength(lines []string) []int {
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(lines[a]) - len(lines[b]) })
	return order
}

// isConventional reports whether a subject is a conventional commit's, such as "fix(parser): …".
func isConventional(subject string) bool {
	kind, _, found := strings.Cut(subject, ": ")
	kind, _, _ = strings.Cut(strings.TrimSuffix(kind, "!"), "(")
	return found && kind != "" && !strings.ContainsFunc(kind, func(r rune) bool { return r < 'a' || r > 'z' })
}

// addDecisions adds what people decided and said, and which defaults were taken.
func addDecisions(values map[string]any, decisions []evidence.Decision) {
	for _, d := range decisions {
		name, words := "Decided", prompt.Clip(maxDecision, d.Question)+"\n→ "+prompt.Clip(maxDecision, d.Answer)
		switch {
		case d.Question == "":
			name, words = "Said", prompt.Clip(maxDecision, d.Answer)
		case d.IsDefault():
			name = "Defaults"
		}
		list, _ := values[name].([]string)
		values[name] = lastOf(append(list, words), maxDecisions)
	}
}

func lastOf(list []string, most int) []string { return list[max(0, len(list)-most):] }

// fitLines returns the first lines that fit, each as an item.
func fitLines(list []string, size int) string {
	var b strings.Builder
	for _, l := range list {
		if l = "- " + text.VisibleLine(l) + "\n"; b.Len()+len(l) <= size {
			b.WriteString(l)
		}
	}
	return b.String()
}
