package command

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestWordsAreWhatWasWritten(t *testing.T) {
	for _, c := range []struct{ command, want string }{
		{"ls; FOO=1 git commit -m 'a  b' > x; pwd", "FOO=1 git commit -m 'a  b'"},
		{"git ci -m x", "git ci -m x"},
		{"sh -c 'ls; git commit'", "git commit"},
		{"git commit -m '" + strings.Repeat("é", 200) + "'", "git commit -m '" + strings.Repeat("é", 92)},
	} {
		got := without(Read(c.command, world), Touch)
		if len(got) != 1 || got[0].Words != c.want {
			t.Errorf("%s\ngot  %+v\nwant %q", c.command, got, c.want)
		}
	}
}

// towers nest what the parser, or the walk, calls itself for.
func towers(n int) map[string]string {
	rep := strings.Repeat
	return map[string]string{
		"subshells":     rep("( ", n) + "git commit" + rep(")", n),
		"open":          rep("(", n) + "git",
		"blocks":        rep("{ ", n) + "git commit" + rep(";}", n),
		"substitutions": rep("$(", n) + "git commit" + rep(")", n),
		"quotes":        rep("\"$(", n) + "git commit" + rep(")\"", n),
		"ifs":           rep("if ", n) + "git commit",
		"functions":     rep("f() ", n) + "{ :; }; git commit",
		"arithmetic":    "echo $((" + rep("-(", n) + "1" + rep(")", n) + ")); git commit",
		"sum":           "echo $((" + rep("1+", n) + "1)); git commit",
		"pipes":         rep("a|", n) + "git commit",
		"lists":         rep("a&&", n) + "git commit",
		"times":         rep("time ", n) + "git commit",
		"bangs":         "[[ " + rep("! ", n) + "x ]]; git commit",
		"tests":         "[[ " + rep("a && ", n) + "x ]]; git commit",
		"params":        "echo " + rep("${a:-", n) + "x" + rep("}", n) + "; git commit",
		"envs":          rep("env ", n) + "git commit",
		"braces":        rep("{a,", n) + "b" + rep("}", n) + "; git commit",
		"brace product": rep("{a,b}", min(n, 40)) + "; git commit",
		"loops":         rep("for i in 1 2 3; do ", min(n, 60)) + "git commit" + rep(";done", min(n, 60)),
		"evals":         rep("eval ", n) + "git commit",
		"aliases":       "alias a='a;b' b='a;b;git commit'; a",
		"calls":         "f() { g; g; g; g; }; g() { f; f; f; f; git commit; }; f",
		"elifs":         "if a; then b; " + rep("elif a; then b; ", n) + "fi; git commit",
		"cases":         rep("case x in x) ", n) + "git commit",
		"heredocs":      rep("cat <<A\n$(", n) + "git commit",
	}
}

func TestNestingIsBounded(t *testing.T) {
	for _, n := range []int{50, 5000, 100000} {
		for name, text := range towers(n) {
			if len(Read(text, world)) == 0 { // it comes to an end
				t.Errorf("%s of %d: nothing was seen", name, n)
			}
		}
	}
}

// TestEachBoundHolds: what stays below a bound is read, and what goes over it is
// said not to be.
func TestEachBoundHolds(t *testing.T) {
	rep := strings.Repeat
	fan := "f0() { :; }; "
	for i := 1; i < 10; i++ {
		fan += fmt.Sprintf("f%d() { %s}; ", i, rep(fmt.Sprintf("f%d; ", i-1), 20))
	}
	runRows(t, []row{
		{"few texts", rep("eval ", 5) + "git commit", "commit"},
		{"many texts", rep("eval ", 50) + "git commit", "unknown"},
		{"few programs", rep("env ", 50) + "git commit", "commit"},
		{"many programs", rep("env ", 5000) + "git commit", "unknown"},
		{"little depth", rep("( ", 50) + "git commit" + rep(")", 50), "commit"},
		{"much depth", rep("( ", 5000) + "git commit" + rep(")", 5000), "unknown"},
		{"a full stack", rep("(", maxText-10) + "git commit", "unknown"},
		{"little work", rep("ls; ", 500) + "git commit", "commit"},
		{"much work", fan + "f9; git commit", "unknown"},
		{"a value that grows", "x=aaaa; " + rep("x=$x$x; ", 10) + "git commit", "commit"},
		{"a value that grows too much", "x=aaaa; " + rep("x=$x$x; ", 20) + "git commit", "unknown"},
		{"a short text", rep("#", 1000) + "\ngit commit", "commit"},
		{"a long text", rep("#", maxText) + "\ngit commit", "unknown"},
	})
}

func TestSizeIsBounded(t *testing.T) {
	big := strings.Repeat("ls;\n", maxText/4+1)
	if got := Read(big, world); len(got) > 0 {
		t.Errorf("a long text without git: %v", got)
	}
	if got := Read(big+"git commit", world); kinds(got) != "unknown" {
		t.Errorf("a long text with git: %v", got)
	}
	long := "cat > x <<'EOF'\n" + strings.Repeat("for a text ((( about git\n", 20000) + "EOF\ngit commit"
	if got := Read(long, world); kinds(got) != "touch commit" {
		t.Errorf("a long here-document: %v", got)
	}
	deep := Env{Dir: "/w", Script: func(string) (string, bool) { return "sh x$RANDOM.sh; sh y.sh; git commit", true }}
	if got := Read("./a.sh", deep); len(got) == 0 || len(got) > maxWork {
		t.Errorf("scripts that call scripts: %d acts", len(got))
	}
}

// Scripts that are too large to be read leave the work to what follows them.
func TestLargeScriptsAreNotRead(t *testing.T) {
	env := Env{Dir: "/w", Script: func(string) (string, bool) { return strings.Repeat("git push\n", maxScript/9+1), true }}
	if got := Read(strings.Repeat("./a.sh; ", 50)+"git commit", env); kinds(got) != "commit" {
		t.Errorf("got %s", kinds(got))
	}
}

func TestAPanicIsCaught(t *testing.T) {
	env := Env{Dir: "/w", Script: func(string) (string, bool) { panic("broken") }}
	if got := Read("git status; ./x.sh", env); kinds(got) != "unknown" {
		t.Errorf("got %v", got)
	}
}

func TestEmptySurroundings(t *testing.T) {
	got := Read("git ci; ./x.sh; rm a; git commit", Env{})
	if kinds(got) != "commit" || got[0].Dir != "" {
		t.Errorf("got %+v", got)
	}
	if got := Read("git commit", Env{Dir: "relative"}); kinds(got) != "commit" || got[0].Dir != "" {
		t.Errorf("got %+v", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range harmlessCommands {
		f.Add(c)
	}
	for _, c := range towers(3) {
		f.Add(c)
	}
	for _, c := range []string{`a=(git {commit,x}); "${a[@]}" <<< x > y`, "${x:=git}${y//a/b} $'\\u41' <(x) >&2", "printf '%s%%' a b | sh"} {
		f.Add(c)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Read(text, world)
		if again := Read(text, world); !reflect.DeepEqual(got, again) {
			t.Errorf("got %v, then %v", got, again)
		}
		for _, a := range got {
			if a.Kind < Commit || a.Kind > Unknown || len(a.Words) > maxWords {
				t.Errorf("not an act: %+v", a)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	const command = `cd /w/sub && go build ./... && go test -count=1 ./internal/... 2>&1 | tail -n 40; ` +
		`git -C /w status --short && git add -A && git commit -m "fix: the parser of commands" && git log --oneline -n 3`
	b.ReportAllocs()
	for b.Loop() {
		if len(Read(command, world)) != 1 {
			b.Fatal("one commit")
		}
	}
}
