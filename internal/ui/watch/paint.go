package watch

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"warp/internal/core/text"
)

// style is how text is painted. Colours come from the terminal's sixteen, which its theme keeps
// readable.
type style int

const (
	plain style = iota
	bold
	dim
	red
	green
	yellow
	cyan
	heading
	chosen
)

var styles = map[style]lipgloss.Style{
	bold:    lipgloss.NewStyle().Bold(true),
	dim:     lipgloss.NewStyle().Faint(true),
	red:     lipgloss.NewStyle().Foreground(lipgloss.Red),
	green:   lipgloss.NewStyle().Foreground(lipgloss.Green),
	yellow:  lipgloss.NewStyle().Foreground(lipgloss.Yellow),
	cyan:    lipgloss.NewStyle().Foreground(lipgloss.Cyan),
	heading: lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Cyan),
	chosen:  lipgloss.NewStyle().Bold(true).Reverse(true),
}

// span is text in one style, free of control characters.
type span struct {
	style style
	text  string
}

// line is one row of the screen, or a part of it.
type line []span

// say returns untrusted text as a line in one style.
func say(s style, words string) line { return line{{s, text.Flat(words)}} }

func (l line) width() (n int) {
	for _, s := range l {
		n += lipgloss.Width(s.text)
	}
	return n
}

// fit cuts or pads a line to exactly this width.
func (l line) fit(width int) line {
	l = l.cut(width)
	if n := width - l.width(); n > 0 {
		l = append(slices.Clip(l), span{plain, strings.Repeat(" ", n)})
	}
	return l
}

// cut shortens a line to at most width cells.
func (l line) cut(width int) line {
	if l.width() <= width {
		return l
	}
	left := max(width-1, 0) // one cell for the ellipsis
	var out line
	for _, s := range l {
		n := lipgloss.Width(s.text)
		if n > left {
			return append(out, span{s.style, truncate(s.text, left) + text.Prefix("…", 3*min(width, 1))})
		}
		out, left = append(out, s), left-n
	}
	return out
}

// truncate returns as much of a text as fits in width cells.
func truncate(s string, width int) string {
	used := 0
	for i, r := range s {
		if used += lipgloss.Width(string(r)); used > width {
			return s[:i]
		}
	}
	return s
}

// spread puts two lines at the ends of a row, and drops the right one if both do not fit.
func spread(width int, left, right line) line {
	gap := width - left.width() - right.width()
	if gap < 1 {
		return left.fit(width)
	}
	return slices.Concat(left, line{{plain, strings.Repeat(" ", gap)}}, right)
}

// isBlank reports whether a row shows at most the line between the sides.
func (l line) isBlank() bool {
	for _, s := range l {
		if strings.Trim(s.text, " │") != "" {
			return false
		}
	}
	return true
}

func (l line) paint(color bool) string {
	var b strings.Builder
	for _, s := range l {
		if st, ok := styles[s.style]; ok && color && s.text != "" {
			b.WriteString(st.Render(s.text))
		} else {
			b.WriteString(s.text)
		}
	}
	return b.String()
}

// wrap breaks a text at spaces into at most most lines.
func wrap(words string, width, most int) (out []string) {
	width = max(width, 1)
	row := ""
	for _, w := range strings.Fields(words) {
		switch {
		case row == "":
			row = w
		case lipgloss.Width(row)+1+lipgloss.Width(w) <= width:
			row += " " + w
		default:
			out, row = append(out, row), w
		}
		for len(out) <= most && lipgloss.Width(row) > width && truncate(row, width) != "" {
			head := truncate(row, width)
			out, row = append(out, head), row[len(head):]
		}
		if len(out) > most {
			break
		}
	}
	if row != "" {
		out = append(out, row)
	}
	if len(out) > most {
		last := out[most-1]
		out = append(out[:most-1], truncate(last, width-1)+"…")
	}
	return out
}

// rule returns a horizontal line with a title in it.
func rule(width int, title line) line {
	l := line{{dim, "─"}}
	if len(title) > 0 {
		l = append(l, span{plain, " "})
		l = append(append(l, title...), span{plain, " "})
	}
	l = l.cut(width)
	return append(l, span{dim, strings.Repeat("─", max(width-l.width(), 0))})
}
