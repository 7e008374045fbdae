package telemetry

import (
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// AskForFindings tells a new subagent in which form to report findings. Findings reads that form.
const AskForFindings = "if you are asked to review, audit, analyse or look for something, end your last message with what you found, as one JSON block of this form:\n" +
	"```json\n" +
	`{"findings":[{"severity":"S1","category":"security","title":"what is wrong, in one line","details":"where and why","recommendation":"what to do"}],"recommendations":["what to do beyond single findings"],"files_analyzed":["src/a.go"]}` + "\n" +
	"```\n" +
	"Severities: S0 critical, S1 high, S2 medium, S3 low. Leave findings empty when there are none. Any other task needs no such block."

// maxFindings limits the findings of one message.
const maxFindings = 200

// findingList reads an agent's findings from its last message, if they are in JSON: an object with
// the member findings, an array of findings, or one finding. A finding is an object with a title
// and a severity. The last report counts: earlier ones may be examples.
func findingList(lastMessage string) (findings []Finding, recommendations, filesAnalyzed []string) {
	eachJSON(lastMessage, func(v *lossless.Value) bool {
		list, ok := reported(v)
		if !ok {
			return false
		}
		findings = list
		recommendations = texts(v.Get("recommendations"), maxFindings)
		filesAnalyzed = texts(v.Get("files_analyzed"), MaxFiles)
		return true
	})
	return findings, recommendations, filesAnalyzed
}

// reported reads a report and tells whether the value is one. A report with an empty list has no
// findings.
func reported(v *lossless.Value) (list []Finding, ok bool) {
	elems := v.Elems
	switch under := v.Get("findings"); {
	case under != nil && under.Kind == lossless.Array:
		elems, ok = under.Elems, true
	case v.Kind == lossless.Object:
		elems = []*lossless.Value{v}
	}
	for _, e := range elems {
		if f, is := finding(e); is && len(list) < maxFindings {
			list, ok = append(list, f), true
		}
	}
	return list, ok
}

// finding reads one finding: the members of the schema in its order, then all others in theirs.
func finding(v *lossless.Value) (f Finding, ok bool) {
	f.Severity = severity(prose(v.Get("severity")))
	for _, name := range [...]string{"title", "name", "issue", "message", "description", "details"} {
		if f.Title = oneLine(prose(v.Get(name)), 200); f.Title != "" {
			break
		}
	}
	if f.Severity == "" || f.Title == "" {
		return Finding{}, false
	}
	f.Category = prose(v.Get("category"))
	f.Details = prose(v.Get("details"))
	f.Recommendation = prose(v.Get("recommendation"))

	known := lossless.Encode(f, nil)
	rest := known.Members
	for _, m := range v.Members {
		if known.Get(m.Key) == nil {
			rest = append(rest, m)
		}
	}
	f.Remember(lossless.NewObject(rest...))
	return f, true
}

// severity returns one of S0 to S4, or "" for anything else. It ignores a word after it, as in "S1
// (high)".
func severity(s string) string {
	s = strings.TrimSpace(s)
	end := 0
	for end < len(s) && (text.IsLetter(s[end]) || text.IsDigit(s[end])) {
		end++
	}
	return severityNames.Get(strings.ToUpper(s[:end]))
}

var severityNames = lazy.Table[string, string]{{"S0", "S0"}, {"S1", "S1"}, {"S2", "S2"}, {"S3", "S3"}, {"S4", "S4"},
	{"CRITICAL", "S0"}, {"HIGH", "S1"}, {"MEDIUM", "S2"}, {"LOW", "S3"}}

// prose returns a value as text: agents give lists where the schema has texts.
func prose(v *lossless.Value) string {
	switch {
	case v == nil || v.Kind == lossless.Null:
		return ""
	case v.Kind == lossless.String:
		return v.Text()
	}
	return string(lossless.AppendCompact(nil, v))
}

// texts returns the distinct strings of an array.
func texts(v *lossless.Value, most int) (list []string) {
	seen := map[string]bool{}
	for _, e := range v.List() {
		if s := e.Text(); s != "" && !seen[s] && len(list) < most {
			seen[s] = true
			list = append(list, s)
		}
	}
	return list
}

// maxMessage limits how much of a message is searched.
const maxMessage = 1 << 20

// eachJSON passes the JSON values between balanced brackets of a message to take, outer ones first;
// it skips the inside of a value that was taken. It parses only values that can hold findings. An
// unclosed bracket makes it search to the end each time, so the total work is bounded.
func eachJSON(message string, take func(*lossless.Value) bool) {
	message = text.Prefix(message, maxMessage)
	try := func(part string) bool {
		v, err := lossless.Parse([]byte(part))
		return err == nil && take(v)
	}
	work := 16*len(message) + 1<<16
	last := max(strings.LastIndex(message, `"severity"`), strings.LastIndex(message, `"findings"`))
	for from := 0; from < last && work > 0; {
		at := strings.IndexAny(message[from:last], "{[")
		if at < 0 {
			return
		}
		from += at
		n, closed := balanced(message[from:])
		work -= n
		if part := message[from : from+n]; closed && (!mayHoldFindings(part) || try(part)) {
			from += n
		} else {
			from++
		}
	}
}

// mayHoldFindings reports whether a text may hold findings.
func mayHoldFindings(text string) bool {
	return strings.Contains(text, `"severity"`) || strings.Contains(text, `"findings"`)
}

// balanced returns the length of a text up to the bracket that closes its first one.
func balanced(text string) (n int, closed bool) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(text), false
}
