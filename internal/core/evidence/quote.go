package evidence

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"warp/internal/core/text"
)

// Words of issues and agents go into pages as code: trackers look for no
// mentions, references or closing keywords there, and Markdown has no structure
// in it. Only what is written out here as a link is one.

// Bounds of what is quoted, in characters.
const (
	maxLine  = 300
	maxTitle = 120
	maxBlock = 4000
)

// oneLine is the beginning of a text, without line ends, tabs or anything hidden,
// and by how many characters it was cut.
func oneLine(words string, atMost int) (line string, cut int) {
	line, cut = text.FirstRunes(text.OneLine(words), atMost)
	if cut > 0 {
		line += "…"
	}
	return visible(line), cut
}

// visible shows what is hidden. Markers by which pages are known again are
// broken: a quoted one must not count.
func visible(words string) string {
	return strings.ReplaceAll(text.Visible(words), "<!--", "<!- -")
}

// code quotes a text of one line. Its marks are longer than any run of backticks
// in it.
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

// codes quotes each of a list.
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

// Quoted is a text of many lines, of a long one the end, as code: nothing in it is a
// heading, a mention, a reference or a checkbox.
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

// plain makes words of others fit for a title, where nothing can be quoted: what
// would be a mention, a reference or a link is taken apart by a space.
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

// number reports whether an issue is named by a number.
func number(issue string) bool {
	return issue != "" && len(issue) < 12 && strings.Trim(issue, "0123456789") == ""
}

// reference is a link to an issue.
func reference(issue string) string {
	if number(issue) {
		return "#" + issue
	}
	return code(issue)
}

// hash is a commit's; trackers make a link of it.
func hash(h string) string {
	if len(h) < 7 || len(h) > 64 || strings.Trim(h, "0123456789abcdef") != "" {
		return code(h)
	}
	return text.Hash(h)
}

// link is an address that a tracker gave us.
func link(url string) string {
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") || strings.ContainsAny(url, "<>\\`\"' ") || visible(url) != url {
		return code(url)
	}
	return "<" + url + ">"
}

// isUserName is written out: compiling an expression for it is a quarter of a hook's start.
func isUserName(s string) bool {
	return s != "" && len(s) <= 60 && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("_.-", c)
	})
}

// mention calls a person; "" when it is not a valid user name.
func mention(user string) string {
	if !isUserName(user) {
		return ""
	}
	return "@" + user
}
