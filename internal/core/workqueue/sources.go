package workqueue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/errorclass"
	"warp/internal/core/lossless"
	"warp/internal/core/telemetry"
	"warp/internal/core/testoutput"
	"warp/internal/core/text"
)

// Who finds work.
const (
	FromAssess = "assess" // an agent that read the project
	FromError  = "error"  // a classified error
	FromPerson = "person" // warp queue add

	gatePrefix = "gate:"
)

// fromGate returns a gate's source.
func fromGate(name string) string { return gatePrefix + name }

// IsGate reports whether a source is a gate.
func IsGate(source string) bool { return strings.HasPrefix(source, gatePrefix) }

// maxFindings limits the findings of one assessment.
const maxFindings = 200

// Findings reads the result of an assessing agent (role scan): its findings, as objects with a
// title, a priority and files, or as plain titles. Another text replaces a missing title; findings
// without any text are dropped.
func Findings(result *lossless.Value) (list []Found) {
	for _, v := range result.Get("findings").List() {
		f := Found{Title: word(v, "title", "name", "issue", "summary", "message", "description", "details", "recommendation"), Source: FromAssess, Priority: S2}
		if v.Type() == lossless.String {
			f.Title = strings.TrimSpace(v.Text())
		}
		if f.Title == "" || len(list) == maxFindings {
			continue
		}
		if p, ok := ParsePriority(word(v, "priority", "severity")); ok {
			f.Priority = p
		}
		f.Description = word(v, "description", "details", "recommendation")
		for _, e := range v.Get("files").List() {
			if path := e.Text(); path != "" {
				f.Files = append(f.Files, path)
			}
		}
		list = append(list, f)
	}
	return list
}

// word returns the first of some members that is a non-empty text.
func word(v *lossless.Value, names ...string) string {
	for _, name := range names {
		if m := v.Get(name); m != nil && m.Kind == lossless.String && strings.TrimSpace(m.Text()) != "" {
			return m.Text()
		}
	}
	return ""
}

// Errors returns the classified errors that are work: those of the classes syntax and validation,
// which are not retried. All others are retried, escalated or logged.
func Errors(entries []telemetry.Entry) (list []Found) {
	for _, e := range entries {
		if e.Status == telemetry.Queued && (e.Classification == errorclass.Syntax || e.Classification == errorclass.Validation) {
			list = append(list, FromEntry(e))
		}
	}
	return list
}

// FromEntry turns an error into work; syntax errors come first.
func FromEntry(e telemetry.Entry) Found {
	priority := S1
	if e.Classification == errorclass.Syntax {
		priority = S0
	}
	return Found{
		Title:       fmt.Sprintf("%s: %s", e.Tool, telling(e.Message)),
		Description: strings.TrimSpace(e.Message),
		Priority:    priority, Source: FromError,
		Ref: e.ID + "#" + strconv.Itoa(e.RetryCount),
	}
}

// Recovered closes the items of an error once its call succeeds, and reports whether any were open.
func (q *Queue) Recovered(errorID string) (closed bool) {
	for i := range q.Items {
		it := &q.Items[i]
		if it.Source == FromError && it.Status != Done && strings.HasPrefix(it.Ref, errorID+"#") {
			q.finish(it)
			closed = true
		}
	}
	return closed
}

// telling returns the line of a message that names the problem.
func telling(message string) string {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	for _, l := range lines {
		low := strings.ToLower(l)
		for _, sign := range [...]string{"syntax", "parse error", "json", "indentation", "unexpected", "validation", "schema", "required property"} {
			if strings.Contains(low, sign) {
				return strings.TrimSpace(l)
			}
		}
	}
	return strings.TrimSpace(lines[0])
}

type GateRun struct {
	Name     string
	Status   string // Pass, Warn, Fail
	At       time.Time
	Output   string
	Issues   int      // for a gate that counts them itself
	Severity Priority // of the worst issue; "" means S1 if the run failed
}

// noteText limits what a note quotes of a run.
const noteText = 300

// String describes a run in one line.
func (r GateRun) String() string {
	head := r.Name + ": " + r.Status
	if r.Status == Pass {
		return head
	}
	said := quote(r.Output, noteText)
	if names := testoutput.FailingTests(r.Output); len(names) > 0 {
		said = text.List(names, 5)
	}
	return strings.TrimSuffix(head+": "+said, ": ")
}

// The most output that the items of one run quote together, and the least and most for each.
const (
	quoteAll   = 20000
	quoteLeast = 200
	quoteMost  = 2000
)

// Gate records a gate's answer: its result, and one item for each failing test it names, or one for
// the gate if it names none. It closes the gate's items that no longer fail. Recording the same run
// again changes nothing.
func (q *Queue) Gate(r GateRun) {
	names := []string{}
	if r.Status != Pass && r.Status != Warn {
		r.Severity = cmp.Or(r.Severity, S1)
		names = q.failed(r)
		r.Issues = max(r.Issues, len(names))
	}
	for i := range q.Items {
		it := &q.Items[i]
		if it.Source == fromGate(r.Name) && !slices.Contains(names, it.Title) {
			q.finish(it)
		}
	}
	result := q.GateResults.Get(r.Name)
	if result == nil {
		q.GateResults = append(q.GateResults, NamedResult{Name: r.Name})
		result = &q.GateResults[len(q.GateResults)-1].GateResult
	}
	result.Status, result.Timestamp, result.Iteration = r.Status, telemetry.Stamp(r.At), q.Iteration
	result.Issues, result.Severity = r.Issues, r.Severity
}

// failed adds the items of a failed run, and returns their titles.
func (q *Queue) failed(r GateRun) (titles []string) {
	tests := testoutput.FailingTests(r.Output)
	if len(tests) == 0 {
		title := "The gate " + r.Name + " fails"
		q.Add(Found{Title: title, Description: quote(r.Output, quoteMost), Priority: r.Severity, Source: fromGate(r.Name)})
		return []string{title}
	}
	most := min(max(quoteAll/len(tests), quoteLeast), quoteMost)
	for _, test := range tests {
		title := bounded("Failing: "+test, maxTitle)
		titles = append(titles, title)
		q.Add(Found{Title: title, Description: about(r.Output, test, most), Priority: r.Severity, Source: fromGate(r.Name)})
	}
	return titles
}

// about returns the part of an output about one test: from where it is named, or the failing part
// of the whole.
func about(output, test string, most int) string {
	leaf := test[strings.LastIndexAny(test, " >")+1:]
	lines := strings.SplitAfter(output, "\n")
	for i, l := range lines {
		if strings.Contains(l, leaf) && failing(l) {
			return quote(strings.Join(lines[i:min(len(lines), i+30)], ""), most)
		}
	}
	return quote(output, most)
}

func quote(output string, most int) string {
	return strings.TrimSpace(testoutput.Excerpt(output, most))
}

// failing reports whether a test runner reports a failure on the line.
func failing(line string) bool {
	for _, sign := range [...]string{"FAIL", "not ok", "✖", "✗", "●", "ERROR", "panicked", "____", "stdout ----"} {
		if strings.Contains(line, sign) {
			return true
		}
	}
	return false
}

// KeepGates forgets gates that no longer run: their results and their items.
func (q *Queue) KeepGates(gates []string) {
	q.GateResults = slices.DeleteFunc(q.GateResults, func(g NamedResult) bool { return !slices.Contains(gates, g.Name) })
	for i := range q.Items {
		name, is := strings.CutPrefix(q.Items[i].Source, gatePrefix)
		if is && !slices.Contains(gates, name) {
			q.finish(&q.Items[i])
		}
	}
}
