package live_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// terminal is a small terminal that wraps what is too long, also when it is
// resized, and complains about what it does not know.
type terminal struct {
	t             *testing.T
	mu            sync.Mutex
	width, height int
	rows          []row // those that were scrolled out of sight come first
	x, y          int   // y counts from the first of all rows
	nowrap        bool
	writes        int
	styled        bool
}

// row is one row; a wide character is followed by an empty cell.
type row struct {
	cells []string
	goes  bool // on in the next row
}

func newTerminal(t *testing.T, width, height int) *terminal {
	return &terminal{t: t, width: width, height: height, rows: []row{{}}}
}

func (s *terminal) size() (int, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.width, s.height
}

var escape = regexp.MustCompile(`^\x1b\[(\??)([0-9;]*)([A-Za-z])`)

func (s *terminal) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	for text := string(p); text != ""; {
		if m := escape.FindStringSubmatch(text); m != nil {
			s.obey(m[1]+m[3], m[2])
			text = text[len(m[0]):]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case r == '\r':
			s.x = 0
		case r == '\n':
			s.down()
		case r < ' ' || r >= 0x7f && r < 0xa0:
			s.t.Errorf("the terminal got the control character %U", r)
		default:
			s.put(r)
		}
	}
	return len(p), nil
}

func (s *terminal) obey(what, arg string) {
	n := 1
	_, _ = fmt.Sscan(arg, &n)
	switch {
	case what == "A":
		s.y = max(s.y-n, s.top())
	case what == "B":
		s.y = min(s.y+n, s.top()+s.height-1)
		for len(s.rows) <= s.y {
			s.rows = append(s.rows, row{})
		}
	case what == "K" && arg == "":
		s.erase(s.y, s.x)
	case what == "K" && arg == "2":
		s.erase(s.y, 0)
	case what == "J" && arg == "":
		s.erase(s.y, s.x)
		s.rows = s.rows[:s.y+1]
	case what == "?l" && arg == "7", what == "?h" && arg == "7":
		s.nowrap = what == "?l"
	case what == "m":
		s.styled = true
	default:
		s.t.Errorf("the terminal does not know %q %q", arg, what)
	}
}

func (s *terminal) top() int { return max(0, len(s.rows)-s.height) }

func (s *terminal) erase(y, x int) {
	r := &s.rows[y]
	r.cells, r.goes = r.cells[:min(x, len(r.cells))], false
}

func (s *terminal) down() {
	if s.y++; s.y == len(s.rows) {
		s.rows = append(s.rows, row{})
	}
}

func (s *terminal) put(r rune) {
	width := 1
	if r >= 0x3000 && r <= 0x9fff || r >= 0x1f300 {
		width = 2
	}
	if s.x+width > s.width {
		if s.nowrap {
			s.t.Errorf("a line of the block is too long for %d columns: %q", s.width, strings.Join(s.rows[s.y].cells, ""))
			return
		}
		s.rows[s.y].goes = true
		s.x = 0
		s.down()
	}
	cells := s.rows[s.y].cells
	for len(cells) < s.x+width {
		cells = append(cells, " ")
	}
	cells[s.x] = string(r)
	if width == 2 {
		cells[s.x+1] = ""
	}
	s.rows[s.y].cells = cells
	s.x += width
}

// resize wraps every line anew, as terminals do.
func (s *terminal) resize(width, height int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.rows
	was := s.y
	s.rows, s.width, s.height = nil, width, height
	for i := 0; i < len(old); i++ {
		var cells []string
		here := false
		for {
			cells = append(cells, old[i].cells...)
			here = here || i == was
			if !old[i].goes {
				break
			}
			i++
		}
		if here { // the cursor is at the beginning of its line
			s.x, s.y = 0, len(s.rows)
		}
		for {
			n := min(width, len(cells))
			if n < len(cells) && cells[n] == "" {
				n--
			}
			s.rows = append(s.rows, row{cells: cells[:n:n], goes: n < len(cells)})
			if cells = cells[n:]; len(cells) == 0 {
				break
			}
		}
	}
}

// count is how often something was written.
func (s *terminal) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

// all is everything that the terminal has, row by row.
func (s *terminal) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text(0)
}

// seen is what can be seen of it.
func (s *terminal) seen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text(s.top())
}

func (s *terminal) text(from int) string {
	var b strings.Builder
	for _, r := range s.rows[from:] {
		b.WriteString(strings.TrimRight(strings.Join(r.cells, ""), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
