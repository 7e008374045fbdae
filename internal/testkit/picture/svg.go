package main

import (
	"fmt"
	"html"
	"strings"
)

// The size of a character, the margin and the bar above, in pixels.
const (
	charWidth, lineHeight = 8.0, 18
	margin, bar           = 16, 32
)

const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="img" aria-label="warp drive in a terminal">
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #e6edf3; white-space: pre }
.b { font-weight: bold } .d { opacity: .6 }
%[3]s</style>
<rect width="%[1]d" height="%[2]d" rx="8" fill="#0d1117"/>
<circle cx="20" cy="17" r="5" fill="#484f58"/><circle cx="38" cy="17" r="5" fill="#484f58"/><circle cx="56" cy="17" r="5" fill="#484f58"/>
`

// drawSVG draws the screens, each as a group of its own.
func drawSVG(columns, rows int, screens []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, head, int(charWidth)*columns+2*margin, lineHeight*rows+margin+bar, animation(len(screens)))
	for i, screen := range screens {
		fmt.Fprintf(&b, "<g id=\"s%d\">\n", i)
		for row, spans := range readScreen(screen) {
			for _, s := range spans {
				b.WriteString(drawSpan(row, s))
			}
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawSpan fixes the width of the text, so that columns hold with any font.
func drawSpan(row int, s span) string {
	text := strings.TrimLeft(s.text, " ")
	column := s.column + len(s.text) - len(text)
	text = strings.TrimRight(text, " ")
	look := ""
	if s.style.colour != "" {
		look += fmt.Sprintf(` style="fill:%s"`, s.style.colour)
	}
	class := ""
	if s.style.bold {
		class += "b"
	}
	if s.style.dim {
		class += " d"
	}
	if class != "" {
		look += fmt.Sprintf(` class="%s"`, strings.TrimSpace(class))
	}
	return fmt.Sprintf("<text x=\"%g\" y=\"%d\" textLength=\"%g\"%s>%s</text>\n", margin+charWidth*float64(column), bar+lineHeight*(row+1)-5,
		charWidth*float64(len([]rune(text))), look, html.EscapeString(text))
}

// animation shows the screens in turn, a second and a half each, the last one six seconds.
func animation(screens int) string {
	const each, last = 1.5, 6.0
	whole := each*float64(screens-1) + last
	var b strings.Builder
	for i := range screens {
		from, to := 100*each*float64(i)/whole, 100*each*float64(i+1)/whole
		if i == screens-1 {
			to = 100
		} else {
			fmt.Fprintf(&b, "#s%d { visibility: hidden }\n", i)
		}
		fmt.Fprintf(&b, "@keyframes k%d { 0%% { visibility: hidden } %.2f%% { visibility: visible } %.2f%% { visibility: hidden } }\n", i, from, to)
		fmt.Fprintf(&b, "@media (prefers-reduced-motion: no-preference) { #s%d { animation: k%d %gs step-end infinite } }\n", i, i, whole)
	}
	return b.String()
}
