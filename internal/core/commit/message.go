package commit

import (
	"strings"
	"unicode/utf8"

	"warp/internal/core/lazy"
)

// ownTrailer matches words that warp would take for its own trailers.
var ownTrailer = lazy.Pattern{Text: `(?i)\b(warp-[a-z]+|ac-\d+|refs):`}

// Limits of a message's text: its width, and its length in characters.
const (
	width   = 72
	maxBody = 1500
)

// Message returns a commit's message: its subject, what the agent says of the change, wrapped, and
// the trailers.
func Message(subject, said string, trailers ...string) string {
	var b strings.Builder
	b.WriteString(subject + "\n\n")
	if words := body(said); words != "" {
		b.WriteString(words + "\n")
	}
	b.WriteString(strings.Join(trailers, "\n") + "\n")
	return b.String()
}

// maxTrailer limits a trailer, in characters.
const maxTrailer = 200

// Trailer returns a line behind a message, for a text of others.
func Trailer(name, said string) string { return name + ": " + shorten(Clean(said), maxTrailer) }

// item matches the start of an item of a list.
var item = lazy.Pattern{Text: `^(?:[-*+•]|\d{1,2}[.)]) +`}

// structure matches the marks of headings and quotes at the start of a line.
var structure = lazy.Pattern{Text: `^(?:(?:#{1,6}(?:\s+|$)|>\s*))+`}

// body wraps a text for a commit's message: paragraphs and lists stay, headings and fences do not.
// What it says mentions no user, closes no issue and has no trailer of warp's.
func body(said string) string {
	var b strings.Builder
	left := maxBody
	for _, part := range Parts(said) {
		if left <= 0 {
			break
		}
		part = ownTrailer.Get().ReplaceAllString(Clean(part), "$1")
		part = shorten(part, left)
		left -= utf8.RuneCountInString(part)
		b.WriteString(wrap(part, len(ItemMark(part))) + "\n")
	}
	if body := strings.TrimSpace(b.String()); body != "" {
		return body + "\n"
	}
	return ""
}

// ItemMark returns the mark of a list's item at the start of a line, with the space behind it, or "".
func ItemMark(line string) string { return item.Get().FindString(line) }

// Parts returns the paragraphs and list items of a text, each on one line, with "" between paragraphs.
func Parts(said string) (parts []string) {
	joins := false
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		lead := structure.Get().FindString(line)
		mark, heading := ItemMark(line), strings.Contains(lead, "#")
		switch line = line[len(lead):]; {
		case line == "" || strings.HasPrefix(line, "```"):
			if len(parts) > 0 && parts[len(parts)-1] != "" {
				parts = append(parts, "")
			}
			joins = false
		case mark != "" || !joins:
			parts, joins = append(parts, line), !heading
		default:
			parts[len(parts)-1] += " " + line
		}
	}
	return parts
}

// trailer matches a line of a message's last paragraph that is for programs.
var trailer = lazy.Pattern{Text: `^[A-Za-z][\w-]*: \S`}

// Split returns the subject of a message and what its author says, without trailers.
func Split(message string) (subject, said string) {
	subject, said, _ = strings.Cut(strings.TrimSpace(message), "\n")
	said = strings.TrimSpace(said)
	at := strings.LastIndex(said, "\n\n") + 1
	for line := range strings.Lines(strings.TrimSpace(said[at:])) {
		if !trailer.Get().MatchString(line) {
			return subject, said
		}
	}
	return subject, strings.TrimSpace(said[:at])
}

// wrap breaks a line between words; later lines are indented.
func wrap(line string, indent int) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(line) {
		size := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+size > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += size
	}
	return b.String()
}
