//go:build unix

package e2e

import (
	goflag "flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/testkit/need"
)

// update rewrites the screens that tests have kept: go test ./e2e -run TestQuickstart -update
var update = goflag.Bool("update", false, "rewrite the screens of testdata")

// stranger has a folder with a few files, an agent and warp, and nothing else: no
// repository, no settings.
func stranger(t *testing.T) (*project, *terminal) {
	t.Helper()
	need.Tool(t, "tmux")
	p := &project{t: t, home: real(t)}
	p.root = filepath.Join(p.home, "shop")
	p.write("price.sh", "price() { echo \"$1 EUR\"; }\n")
	p.write("test.sh", ". ./price.sh\n[ \"$(price 3)\" = '3 EUR' ] || { echo 'FAIL: price 3'; exit 1; }\n")
	p.write("../editor.sh", `sed -i -e '1s/.*/# Prices in euros/' -e 's/^- \[ \] .*/- [ ] AC-01: a price has two decimals/' "$1"`+"\n")
	if out, err := exec.Command("go", "build", "-o", p.home+"/agents/", "warp/internal/testkit/standin/claude").CombinedOutput(); err != nil {
		t.Fatalf("building the stand-in for claude: %v\n%s", err, out)
	}
	x := &terminal{t, filepath.Join(p.home, "tmux")}
	x.tmux("-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "60", "-c", p.root, fmt.Sprintf(
		"env -i TERM=tmux-256color LANG=C.UTF-8 TZ=UTC HISTFILE= WARP_SANDBOX=off HOME=%[1]s PATH=%[1]s/agents:%[2]s:/usr/bin:/bin EDITOR='sh %[1]s/editor.sh' "+
			"GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.org GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.org PS1='$ ' bash --norc --noprofile", p.home, bin))
	t.Cleanup(func() { x.tmux("kill-server") })
	return p, x
}

// changing is what differs from run to run, and what a kept screen has in its place.
var changing = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\b([0-9a-f]{10}|[0-9a-f]{40})\b`), "HASH"},
	{regexp.MustCompile(`\b[0-9a-f]{7}\b( (feat|chore):)`), "HASH$1"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?`), "TIME"},
	{regexp.MustCompile(`\b\d\d:\d\d(:\d\d)?\b`), "TIME"},
	{regexp.MustCompile(`\b\d+(\.\d+)?( s\b|s\b)`), "N$2"},
	{regexp.MustCompile(`\$\d+\.\d+`), "$$N"},
	{regexp.MustCompile(`[\d,]+ tokens`), "N tokens"},
}

// keep compares the screen with the one that was kept.
func (x *terminal) keep(name, home string) {
	x.t.Helper()
	screen := strings.TrimRight(strings.ReplaceAll(x.tmux("capture-pane", "-p"), home, "/home/ada"), "\n")
	screen = strings.TrimSuffix(screen, "\n$") + "\n" // the prompt may not be there yet
	for _, c := range changing {
		screen = c.what.ReplaceAllString(screen, c.with)
	}
	path := filepath.Join("testdata", "quickstart", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			x.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(screen), 0o644); err != nil {
			x.t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		x.t.Fatal(err)
	}
	if diff := cmp.Diff(string(kept), screen); diff != "" {
		x.t.Errorf("the screen %s (-kept +now; -update keeps it):\n%s", name, diff)
	}
}

// clear empties the screen, so that the next one stands alone.
func (x *terminal) clear() {
	x.t.Helper()
	x.tmux("send-keys", "-R", ";", "clear-history")
	x.tmux("send-keys", "C-l")
}

// From a folder to the first merged change, by what quickstart says alone: three commands,
// and answers that a person would give.
func TestQuickstartLeadsToAFirstMerge(t *testing.T) {
	t.Parallel()
	p, x := stranger(t)
	answer := func(question, with string) {
		x.see(question)
		if with != "" {
			x.tmux("send-keys", "-l", with)
		}
		x.tmux("send-keys", "Enter")
	}
	x.see("$")
	x.say("warp quickstart")
	answer("Run git init here? [Y/n]", "")
	answer("Commit these files now? [Y/n]", "")
	answer("Which command runs the tests?", "sh test.sh")
	answer("Which level?", "")
	answer("What should be built first?", "e")
	answer("Approve", "")
	x.see("warp drive --detach")
	x.keep("1-quickstart", p.home)

	x.clear()
	x.say("warp drive; echo ended with $?")
	x.see("ended with 0")
	x.keep("2-drive", p.home)

	x.clear()
	x.say("warp report; echo ended with $?")
	x.see("ended with 0")
	x.keep("3-report", p.home)
	if log := p.sh("git log --format=%s; git status --porcelain"); !strings.HasPrefix(log, "feat: Prices in euros (#1)\nchore: begin") {
		t.Errorf("main is\n%s", log)
	}
}
