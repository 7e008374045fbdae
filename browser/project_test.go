//go:build linux

package browser

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/testkit/gittest"
	"warp/internal/testkit/programs"
)

var bin string // where the programs are

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "warp-browser-")
	if err == nil {
		bin = dir
		err = programs.Build(dir)
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// project is a repository with three approved issues: the agent asks about the first, and
// works on the second until it is ended; the third is merged already.
type project struct {
	*testing.T
	dir string
	env []string
}

const agentScript = `cat > "$WARP_RESULT.prompt"
if [ "$WARP_ROLE" = verify ]; then
	echo '{"criteria":[{"id":"AC-01","met":true,"reason":"colour.txt says it"},{"id":"AC-02","met":true,"reason":"README.md does"}]}' > "$WARP_RESULT"
elif [ "$WARP_ISSUE" = 2 ]; then
	echo 'Reading the whole history of the project, which takes a while.'
	while :; do sleep 1; done
elif grep -q '^→ ' "$WARP_RESULT.prompt"; then
	sed -n 's/^→ /→ /p' "$WARP_RESULT.prompt" > colour.txt
	printf 'package colour\n\n// Name is what people call it.\nfunc Name(warm bool) string {\n\tif warm {\n\t\treturn "red"\n\t}\n\treturn "blue"\n}\n' > colour.go
	echo "It has a colour." >> README.md
	echo '{"summary":"It has a colour, and says so."}' > "$WARP_RESULT"
else
	echo '{"decision":{"question":"Red or blue?","options":["red","blue"],"default":"red"}}' > "$WARP_RESULT"
fi
`

const spec = "- [ ] AC-01: it has a colour that a person chose\n- [ ] AC-02: the README says so\n"

func newProject(t *testing.T) *project {
	t.Helper()
	p := &project{T: t, dir: filepath.Join(gittest.Dir(t), "colours")}
	gittest.Must(t, os.Mkdir(p.dir, 0o755))
	home := gittest.Dir(t)
	p.env = append(programs.Environ(home, bin), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid")
	script := filepath.Join(home, "agent.sh")
	gittest.Must(t, os.WriteFile(script, []byte(agentScript), 0o600))
	issue := filepath.Join(home, "spec.md")
	gittest.Must(t, os.WriteFile(issue, []byte(spec), 0o600))
	p.sh("git init -q -b main && echo '# Colours' > README.md && echo 'test -e README.md' > test.sh && git add . && git commit -q -m 'chore: begin'")
	p.sh("warp config set test_command 'sh test.sh' && warp config set agent command && warp config set level 3 && warp config set sandbox off && warp config set unattended wait")
	p.sh(`warp config set agent_command '["sh", "` + script + `"]'`)
	for _, title := range []string{"Give it a colour", "Read the history", "Greet people by name"} {
		p.sh("warp issue new --title '" + title + "' --body-file " + issue + " --label req --label approved")
	}
	p.env = append(p.env, "WARP_TOKEN="+p.sh("warp token"))
	p.sh("warp drive 3 --agent demo --max-cost 0.10 >&2") // it tells what it costs, so the night has a sum
	return p
}

func (p *project) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir, c.Env = p.dir, p.env
	return c
}

func (p *project) sh(script string) string {
	p.Helper()
	c := p.command("sh", "-ec", script)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		p.Fatalf("%s: %v\n%s%s", script, err, out, said.String())
	}
	return strings.TrimSpace(string(out))
}

// serve starts warp web, and returns its first address.
func (p *project) serve(args ...string) string {
	p.Helper()
	c := p.command(filepath.Join(bin, "warp"), append([]string{"web", "--no-open", "--allow-control"}, args...)...)
	out, err := c.StdoutPipe()
	gittest.Must(p.T, err)
	c.Stderr = os.Stderr
	gittest.Must(p.T, c.Start())
	p.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	gittest.Must(p.T, err)
	return strings.TrimSpace(line)
}

// drive starts warp drive for an issue; the function waits for its end.
func (p *project) drive(issue string, flags ...string) (wait func()) {
	p.Helper()
	var said strings.Builder
	c := p.command(filepath.Join(bin, "warp"), append([]string{"drive", issue}, flags...)...)
	c.Stdout, c.Stderr = &said, &said
	gittest.Must(p.T, c.Start())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = c.Wait() // what became of it is on the page
	}()
	p.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		<-done
		if p.Failed() {
			p.Logf("warp drive %s said:\n%s", issue, said.String())
		}
	})
	return func() { <-done }
}
