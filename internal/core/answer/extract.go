package answer

import (
	"slices"
	"strings"

	"warp/internal/core/lossless"
)

// None is why there is no result where none was given.
const None = "there is none"

// Read reads the text of a result file: a result, or a text with one. why says why it is none.
func Read(r Role, text []byte) (v *lossless.Value, why string) {
	v, err := lossless.Parse(text)
	if err == nil {
		why = Valid(r, v)
	} else if v, why = Find(r, string(text)); why == None {
		why = "the result file is not valid JSON: " + err.Error()
	}
	if why != "" {
		v = nil
	}
	return v, why
}

// Find finds a result in an agent's text: the whole text, the last fenced block that is one, or the
// JSON object that the text ends with. It does not search prose: what an agent quotes is not its
// answer. why says why there is none.
func Find(r Role, words string) (v *lossless.Value, why string) {
	wrong, quoted := "", (*lossless.Value)(nil)
	for i, found := range slices.Concat([]string{words}, blocks(words), objects(words)) {
		v, err := lossless.Parse([]byte(strings.TrimSpace(found)))
		if err != nil || v.Kind != lossless.Object {
			continue
		}
		if why := Valid(r, v); why != "" {
			if wrong == "" && names(r, v) {
				wrong = why
			}
			continue
		}
		if i == 0 || names(r, v) {
			return v, ""
		}
		if quoted == nil && strings.Contains(words, fence) {
			quoted = v
		}
	}
	if quoted != nil && wrong == "" {
		return quoted, "" // a block that is no other role's result, such as a draft of an issue
	}
	if wrong == "" {
		wrong = None
	}
	return nil, wrong
}

// names reports whether an object has any member of a role. Code can end a text, too
// ("func f() {}"): an object without one is no result.
func names(r Role, v *lossless.Value) bool {
	return slices.ContainsFunc(membersOf(r), func(m member) bool { return v.Get(m.name) != nil })
}

// blocks returns the fenced blocks of a text, the last one first. A fence begins a line: one within a
// line is quoted.
func blocks(words string) (list []string) {
	var body []string
	open := false
	for line := range strings.Lines(words) {
		switch {
		case !strings.HasPrefix(strings.TrimSpace(line), fence):
			body = append(body, line)
		case open:
			list, open = append(list, strings.Join(body, "")), false
		default:
			body, open = nil, true
		}
	}
	slices.Reverse(list)
	return list
}

// mostBraces bounds where an object at the end of a text may begin, in braces from its end.
const mostBraces = 2_000

// objects returns what could be an object at the end of a text, the shortest first.
func objects(words string) (list []string) {
	words = strings.TrimSpace(words)
	if !strings.HasSuffix(words, "}") {
		return nil
	}
	at := len(words)
	for range mostBraces {
		if at = strings.LastIndexByte(words[:at], '{'); at < 0 {
			break
		}
		list = append(list, words[at:])
	}
	return list
}

const fence = "```"
