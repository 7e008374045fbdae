package forge

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOrder(t *testing.T) {
	issue := func(n int, body string, labels ...string) Issue {
		return Issue{Number: n, Open: true, Body: body, Labels: labels}
	}
	done := issue(20, "")
	done.Open = false
	ready, held := Order([]Issue{
		issue(9, "", "p3"), issue(8, ""), issue(7, "", "p2"), issue(6, "", "P1", "p3"), issue(5, "depends on #6", "p0"),
		issue(4, "Depends on #3"), issue(3, "blocked by #4"), issue(2, "depends on #2 and #20", "p0"), issue(1, "depends on #99", "p0"),
		issue(10, "depends on #98"), issue(11, "", "p10"), done,
	}, func(n int) bool { return n == 99 })
	var order []int
	for _, i := range ready {
		order = append(order, i.Number)
	}
	if want := []int{2, 6, 7, 8, 10, 11, 9}; !slices.Equal(order, want) {
		t.Errorf("ready: %v, want %v", order, want)
	}
	waits := map[int][]int{}
	order = nil
	for _, h := range held {
		order, waits[h.Number] = append(order, h.Number), h.By
	}
	if want := []int{1, 5, 3, 4}; !slices.Equal(order, want) {
		t.Errorf("held: %v, want %v", order, want)
	}
	if diff := cmp.Diff(map[int][]int{5: {6}, 4: {3}, 3: {4}, 1: {99}}, waits); diff != "" {
		t.Error(diff)
	}
	if ready, _ := Order([]Issue{issue(1, "depends on #99")}, nil); len(ready) != 1 {
		t.Error("what nobody knows holds nothing back")
	}
}

func TestDependencies(t *testing.T) {
	for text, want := range map[string][]int{
		"depends on #3":                              {3},
		"This Depends On: #3, #4 and #5. See #6":     {3, 4, 5},
		"> - [ ] blocked by #12 & #3\r\n":            {3, 12},
		"blocked by #1\ndepends on #1 depends on #2": {1, 2},
		"independs on #3, not blocked by nothing":    nil,
		"depends on 3, depends on #x, depends on o/r#4, depends on #5a, depends on #1234567890": nil,
		"`depends on #3` and ``blocked by ` #4``":                                               nil,
		"a ` tick, depends on #3":                                                               {3},
		"```\ndepends on #3\n```\n    blocked by #4\n\n<!-- depends on #5 -->":                  nil,
		"text\n\n    blocked by #4":                                                             nil,
	} {
		if got := Dependencies(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestOutsideDependencies(t *testing.T) {
	for text, want := range map[string][]string{
		"Depends on Acme/Shop#7, #3 and acme/other.js#12.": {"acme/other.js#12", "acme/shop#7"},
		"depends on #3":                          nil,
		"depends on a/b/c#3, blocked by o/r #4":  nil,
		"blocked by [o/r#4](https://x/o/r/4), a": {"o/r#4"},
		"`depends on o/r#4`":                     nil,
	} {
		if got := OutsideDependencies(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestParseRemote(t *testing.T) {
	for address, want := range map[string]Remote{
		"https://github.com/octo/widgets.git":         {"github.com", "https://github.com", "octo", "widgets"},
		"https://GitHub.com/octo/widgets/":            {"github.com", "https://github.com", "octo", "widgets"},
		"https://ada:s3cr3t@git.example:3000/o/w.x":   {"git.example", "https://git.example:3000", "o", "w.x"},
		"http://127.0.0.1:3000/sub/path/octo/widgets": {"127.0.0.1", "http://127.0.0.1:3000", "octo", "widgets"},
		"git@github.com:octo/widgets.git\n":           {"github.com", "https://github.com", "octo", "widgets"},
		"ssh://git@git.example:2222/octo/widgets.git": {"git.example", "https://git.example", "octo", "widgets"},
		"ssh.github.com:octo/widgets":                 {"ssh.github.com", "https://ssh.github.com", "octo", "widgets"},
	} {
		if got, err := ParseRemote(address); err != nil || got != want {
			t.Errorf("%q: %+v, %v", address, got, err)
		}
	}
	for _, address := range []string{"", "/srv/git/x.git", "../x", `C:\x\y`, "file:///srv/x/y", "https://s3cr3t@host", "https://s3cr3t@host/only", "https://s3cr3t@%zz/o/w", "https://host/../w", "https://host/o/w%20x", "s3cr3t://host/o/w x"} {
		got, err := ParseRemote(address)
		if err == nil || got != (Remote{}) || strings.Contains(err.Error(), "s3cr3t@") {
			t.Errorf("%q: %+v, %v", address, got, err)
		}
	}
}

// serverText is a server's text, which others change at the given moments.
type serverText struct {
	now    string
	reads  int
	theirs map[int]string // before the n-th reading
}

func (x *serverText) read() (string, error) {
	x.reads++
	if s, ok := x.theirs[x.reads]; ok {
		x.now = s
	}
	return x.now, nil
}

func TestRewrite(t *testing.T) {
	add := func(s string) (string, error) { return s + "+", nil }
	down := &Error{Reason: Unreachable}
	for _, test := range []struct {
		name   string
		theirs map[int]string
		lost   []bool // each write: it was carried out, but is told as failed; false: it was not even that
		want   string
		err    error
	}{
		{name: "alone", want: "a+"},
		{name: "changed once", theirs: map[int]string{2: "b"}, want: "b+"},
		{name: "changed and changed back", theirs: map[int]string{2: "b", 3: "a"}, want: "a+"},
		{name: "an answer is lost", lost: []bool{true}, want: "a+"},
		{name: "a write is lost", lost: []bool{false, false}, want: "a+"},
		{name: "every write is lost", lost: []bool{false, false, false, false, false, false}, want: "a", err: down},
		{name: "a write is lost and it was changed", lost: []bool{false}, theirs: map[int]string{3: "b"}, want: "b+"},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := &serverText{now: "a", theirs: test.theirs}
			writes := 0
			err := Rewrite(x.read, func(s string) error {
				writes++
				if writes > len(test.lost) {
					x.now = s
					return nil
				}
				if test.lost[writes-1] {
					x.now = s
				}
				return down
			}, add)
			if x.now != test.want || !errors.Is(err, test.err) {
				t.Errorf("%q, %v", x.now, err)
			}
		})
	}
	no := errors.New("no")
	write := func(string) error { t.Error("written"); return nil }
	if err := Rewrite((&serverText{}).read, write, func(string) (string, error) { return "x", no }); !errors.Is(err, no) {
		t.Error(err)
	}
	if err := Rewrite((&serverText{}).read, write, func(s string) (string, error) { return s, nil }); err != nil {
		t.Error(err)
	}
	busy := &serverText{theirs: map[int]string{}}
	for n := range 20 {
		busy.theirs[n] = strings.Repeat("x", n)
	}
	if err := Rewrite(busy.read, write, add); !errors.Is(err, ErrChanging) {
		t.Error(err)
	}
}
