package live

import (
	"unicode"

	"warp/internal/core/text"
)

func flat(s string) string { return text.Flat(s) }

// wide are characters that take two cells: East Asian ones and emoji. Where terminals disagree
// they count as wide, since a short line does no harm.
var wide = [...][2]rune{
	{0x1100, 0x115f}, {0x231a, 0x231b}, {0x23e9, 0x23f3}, {0x25fd, 0x25fe}, {0x2614, 0x2615}, {0x2648, 0x2653}, {0x267f, 0x267f}, {0x2693, 0x2693},
	{0x26a1, 0x26a1}, {0x26aa, 0x26ab}, {0x26bd, 0x26be}, {0x26c4, 0x26c5}, {0x26ce, 0x26ce}, {0x26d4, 0x26d4}, {0x26ea, 0x26ea}, {0x26f2, 0x26f5},
	{0x26fa, 0x26fd}, {0x2705, 0x2705}, {0x270a, 0x270b}, {0x2728, 0x2728}, {0x274c, 0x274e}, {0x2753, 0x2757}, {0x2795, 0x2797}, {0x27b0, 0x27bf},
	{0x2b1b, 0x2b1c}, {0x2b50, 0x2b55}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xa960, 0xa97c}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f},
	{0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x16fe0, 0x18dff}, {0x1aff0, 0x1b2ff}, {0x1f000, 0x1faff}, {0x20000, 0x3fffd},
}

// cell returns the number of cells a character takes.
func cell(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	}
	for _, w := range wide {
		if r <= w[1] {
			if r >= w[0] {
				return 2
			}
			break
		}
	}
	return 1
}

func cells(s string) (n int) {
	for _, r := range s {
		n += cell(r)
	}
	return n
}

// truncate returns as much of a text as fits in width cells.
func truncate(s string, width int) string {
	for i, r := range s {
		if width -= cell(r); width < 0 {
			return s[:i]
		}
	}
	return s
}
