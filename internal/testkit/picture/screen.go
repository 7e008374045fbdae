package main

import (
	"regexp"
	"strings"
)

// style is how a run of characters looks.
type style struct {
	colour    string // "": the terminal's own
	bold, dim bool
}

// span is a run of characters in one style.
type span struct {
	column int
	text   string
	style  style
}

var (
	escape  = regexp.MustCompile("\x1b\\[([0-9;]*)m")
	colours = map[string]string{
		"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "35": "#d2a8ff", "36": "#76e3ea", "37": "#c9d1d9",
		"90": "#8b949e", "39": "",
	}
)

// with is the style after the parameters of an escape sequence.
func (s style) with(parameters string) style {
	for _, p := range strings.Split(parameters, ";") {
		switch colour, known := colours[p]; {
		case known:
			s.colour = colour
		case p == "" || p == "0":
			s = style{}
		case p == "1":
			s.bold = true
		case p == "2":
			s.dim = true
		case p == "22":
			s.bold, s.dim = false, false
		}
	}
	return s
}

// readScreen are the spans of each row. A style lasts until it is changed, over the ends of
// lines: that is how tmux prints it.
func readScreen(text string) (rows [][]span) {
	var now style
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		var row []span
		column, from := 0, 0
		add := func(text string) {
			if strings.TrimSpace(text) != "" {
				row = append(row, span{column, text, now})
			}
			column += len([]rune(text))
		}
		for _, at := range escape.FindAllStringSubmatchIndex(line, -1) {
			add(line[from:at[0]])
			now, from = now.with(line[at[2]:at[3]]), at[1]
		}
		add(strings.TrimRight(line[from:], " "))
		rows = append(rows, row)
	}
	return rows
}
