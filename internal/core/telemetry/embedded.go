package telemetry

import (
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// maxMessage bounds how much of a message is searched.
const maxMessage = 1 << 20

// eachJSON gives the JSON values that a message holds to a function, until it
// takes one: the whole message, then its fenced blocks, then what stands between
// balanced brackets. Only values that can hold findings are parsed.
func eachJSON(message string, take func(*lossless.Value) bool) {
	message = strings.TrimSpace(text.Prefix(message, maxMessage))
	try := func(text string) bool {
		if !promising(text) {
			return false
		}
		v, err := lossless.Parse([]byte(text))
		return err == nil && take(v)
	}
	if try(message) {
		return
	}
	for rest := message; ; {
		block, after, ok := fenced(rest)
		if !ok {
			break
		}
		if try(block) {
			return
		}
		rest = after
	}
	bracketed(message, try)
}

// promising tells a text that may hold findings.
func promising(text string) bool {
	return strings.Contains(text, `"severity"`) || strings.Contains(text, `"findings"`)
}

const fence = "```"

// fenced is the next block between fences whose language is json or not named.
func fenced(text string) (block, rest string, ok bool) {
	for {
		_, after, found := strings.Cut(text, fence)
		if !found {
			return "", "", false
		}
		block, rest, found = strings.Cut(after, fence)
		if !found {
			return "", "", false
		}
		language, body, lines := strings.Cut(block, "\n")
		switch strings.ToLower(strings.TrimSpace(language)) {
		case "json", "jsonc", "json5", "":
			if lines {
				return body, rest, true
			}
		}
		text = rest
	}
}

// bracketed tries what stands between brackets, the outer ones first. Brackets
// that never close are searched to the end each time, so there is a bound on the
// work as a whole.
func bracketed(text string, try func(string) bool) {
	work := 16*len(text) + 1<<16
	last := max(strings.LastIndex(text, `"severity"`), strings.LastIndex(text, `"findings"`))
	for from := 0; from < last && work > 0; {
		at := strings.IndexAny(text[from:last], "{[")
		if at < 0 {
			return
		}
		from += at
		n, closed := balanced(text[from:])
		work -= n
		switch {
		case closed && !promising(text[from:from+n]):
			from += n
			continue
		case closed && try(text[from:from+n]):
			return
		}
		from++
	}
}

// balanced is how far a text goes until its first bracket is closed.
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
