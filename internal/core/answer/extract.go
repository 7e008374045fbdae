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
	wrong, sure := "", append([]string{words}, blocks(words)...)
	for i, found := range slices.Concat(sure, objects(words)) {
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
		if i < len(sure) || names(r, v) {
			return v, ""
		}
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

// blocks returns the fenced blocks of a text, the last one first.
func blocks(words string) (list []string) {
	for rest := words; ; {
		_, after, open := strings.Cut(rest, fence)
		block, next, shut := strings.Cut(after, fence)
		if !open || !shut {
			slices.Reverse(list)
			return list
		}
		if _, body, has := strings.Cut(block, "\n"); has { // after the language
			list = append(list, body)
		}
		rest = next
	}
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
