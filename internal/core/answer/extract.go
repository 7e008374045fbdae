package answer

import (
	"slices"
	"strings"

	"warp/internal/core/lossless"
)

// Read reads the text of a result file: a result, or a text with one. why says why it is none.
func Read(r Role, text []byte) (v *lossless.Value, why string) {
	v, err := lossless.Parse(text)
	if err == nil {
		why = Valid(r, v)
	} else if v = Extract(r, string(text)); v == nil {
		why = "the result file is not valid JSON: " + err.Error()
	}
	if why != "" {
		v = nil
	}
	return v, why
}

// Extract finds a result in an agent's text: the whole text, the last fenced block that is one, or
// the JSON object that the text ends with. It does not search prose: what an agent quotes is not
// its answer.
func Extract(r Role, words string) *lossless.Value {
	if v := parse(r, words); v != nil {
		return v
	}
	if v := lastBlock(r, words); v != nil {
		return v
	}
	return lastObject(r, words)
}

// lastBlock returns the last fenced block that is a result.
func lastBlock(r Role, words string) (found *lossless.Value) {
	for rest := words; ; {
		_, after, open := strings.Cut(rest, fence)
		block, next, shut := strings.Cut(after, fence)
		if !open || !shut {
			return found
		}
		_, body, _ := strings.Cut(block, "\n") // the language
		if v := parse(r, body); v != nil {
			found = v
		}
		rest = next
	}
}

// mostBraces bounds where an object at the end of a text may begin, in braces from its end.
const mostBraces = 2_000

// lastObject returns the object at the end of a text, if it is a result. Code can end a text, too
// ("func f() {}"): an object without any member of the role is none.
func lastObject(r Role, words string) *lossless.Value {
	words = strings.TrimSpace(words)
	if !strings.HasSuffix(words, "}") {
		return nil
	}
	at := len(words)
	for range mostBraces {
		if at = strings.LastIndexByte(words[:at], '{'); at < 0 {
			return nil
		}
		v := parse(r, words[at:])
		if v != nil && slices.ContainsFunc(membersOf(r), func(m member) bool { return v.Get(m.name) != nil }) {
			return v
		}
	}
	return nil
}

const fence = "```"

func parse(r Role, s string) *lossless.Value {
	v, err := lossless.Parse([]byte(strings.TrimSpace(s)))
	if err != nil || Valid(r, v) != "" {
		return nil
	}
	return v
}
