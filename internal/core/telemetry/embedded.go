package telemetry

import (
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// maxMessage bounds how much of a message is searched.
const maxMessage = 1 << 20

// eachJSON gives the JSON values between balanced brackets of a message to a function,
// the outer ones first; what is inside a value that it takes is not tried. Only values
// that can hold findings are parsed. Brackets that never close are searched to the end
// each time, so there is a bound on the work as a whole.
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
		if part := message[from : from+n]; closed && (!promising(part) || try(part)) {
			from += n
		} else {
			from++
		}
	}
}

// promising tells a text that may hold findings.
func promising(text string) bool {
	return strings.Contains(text, `"severity"`) || strings.Contains(text, `"findings"`)
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
