package evidence

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"warp/internal/core/text"
)

// Pages quote issues and agents as code: there, trackers see no mentions, references or closing
// keywords, and Markdown no structure. Only the links written in this file are links.

// Limits of quotes, in characters.
const (
	maxLine  = 300
	maxTitle = 120
	maxBlock = 4000
)

// oneLine returns the beginning of a text, without line breaks, tabs or hidden characters, and how
// many characters it cut.
func oneLine(words string, atMost int) (line string, cut int) {
	line, cut = text.FirstRunes(text.OneLine(words), atMost)
	if cut > 0 {
		line += "…"
	}
	return visible(line), cut
}

// visible shows hidden characters and breaks the markers that identify warp's pages, as a quoted
// marker must not count.
func visible(words string) string {
	return strings.ReplaceAll(text.Visible(words), "<!--", "<!- -")
}

// code quotes one line, with more backticks than any run of them inside.
func code(quoted string) string {
	quoted, cut := oneLine(quoted, maxLine)
	if quoted == "" {
		return "(nothing)"
	}
	marks := "`"
	for strings.Contains(quoted, marks) {
		marks += "`"
	}
	if strings.HasPrefix(quoted, "`") || strings.HasSuffix(quoted, "`") {
		quoted = " " + quoted + " "
	}
	quoted = marks + quoted + marks
	if cut > 0 {
		quoted += fmt.Sprintf(" (%s more characters)", text.Thousands(int64(cut)))
	}
	return quoted
}

func codes(list []string) string {
	var out []string
	for i, s := range list {
		if i == maxItems/4 {
			out = append(out, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		out = append(out, code(s))
	}
	return strings.Join(out, ", ")
}

// Quoted returns a text of many lines as a code block, so that it contains no heading, mention,
// reference or checkbox. A long text keeps only its end.
func Quoted(quoted string) string {
	quoted = strings.Trim(quoted, "\r\n")
	if strings.TrimSpace(quoted) == "" {
		return ""
	}
	head := ""
	if r := []rune(quoted); len(r) > maxBlock {
		quoted = string(r[len(r)-maxBlock:])
		if _, rest, ok := strings.Cut(quoted, "\n"); ok && rest != "" {
			quoted = rest
		}
		head = fmt.Sprintf("(%s characters before this are left out)\n\n", text.Thousands(int64(len(r)-utf8.RuneCountInString(quoted))))
	}
	return head + strings.TrimRight(text.Fence(visible(quoted)), "\n")
}

// plain makes untrusted words fit for a title, where nothing can be quoted: a space breaks
// mentions, references and links.
func plain(text string) string {
	text, _ = oneLine(text, maxTitle)
	text = strings.ReplaceAll(text, "://", ": //")
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		b.WriteRune(r)
		if i+1 == len(runes) {
			break
		}
		next := runes[i+1]
		digit := unicode.IsDigit(next)
		if r == '@' && (digit || unicode.IsLetter(next)) || (r == '#' || r == '!') && digit ||
			r == '-' && digit && strings.HasSuffix(strings.ToLower(string(runes[:i])), "gh") {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// number reports whether an issue is a number.
func number(issue string) bool {
	return issue != "" && len(issue) < 12 && strings.Trim(issue, "0123456789") == ""
}

func reference(issue string) string {
	if number(issue) {
		return "#" + issue
	}
	return code(issue)
}

// hash returns a commit hash, which trackers turn into a link.
func hash(h string) string {
	if len(h) < 7 || len(h) > 64 || strings.Trim(h, "0123456789abcdef") != "" {
		return code(h)
	}
	return text.Hash(h)
}

// link returns a URL from a tracker as a link.
func link(url string) string {
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") || strings.ContainsAny(url, "<>\\`\"' ") || visible(url) != url {
		return code(url)
	}
	return "<" + url + ">"
}

const userNameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

// mention returns an @mention; "" if the user name is invalid.
func mention(user string) string {
	if user == "" || len(user) > 60 || strings.Trim(user, userNameLetters) != "" {
		return ""
	}
	return "@" + user
}
