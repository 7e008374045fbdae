package telemetry

import (
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

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
