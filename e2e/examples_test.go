//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"warp/internal/testkit/need"
)

// setUp is what the test adds to the commands of an example's README: the scripted agent, and
// the compiler's cache of this machine, since a new home has none.
const setUp = `
warp config set agent demo
warp config set sandbox_env '["GOCACHE"]'
warp config set sandbox_write "[\"$GOCACHE\"]"
`

// inTerminal runs commands in a terminal of a person who has just made a home folder.
func inTerminal(t *testing.T, dir, home, script string, env ...string) (string, error) {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\nname = t\nemail = t@example.invalid\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-eo", "pipefail", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(clean(os.Environ()), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "GOCACHE="+strings.TrimSpace(string(cache)))
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The README of each example is followed to the letter, from the root of the repository: an
// issue, a pipeline and a task document, each until it is merged. Without WARP_MATRIX, only the
// language whose tests start fastest goes on after the issue.
func TestExamplesDoWhatTheirReadmesSay(t *testing.T) {
	for _, c := range []struct {
		name, folder, tool, test string
		merged                   []string
	}{
		{"go", "wordcount", "go", "go test ./...", []string{"feat: Count words, not spellings (#1)", "feat: Count from a reader (task 1.1)", "feat: A command that prints the counts (task 2.1)"}},
		{"node", "slug", "npm", "npm test --silent", []string{"feat: Letters with accents (#1)", "feat: Number what occurs twice (task 1.1)", "feat: A command that reads titles from standard input (task 2.1)"}},
		{"python", "prices", "python3", "python3 -m unittest discover", []string{"feat: Prices with a currency (#1)", "feat: Read lines of a receipt (task 1.1)", "feat: A command that prints the total (task 2.1)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			need.Tool(t, c.tool)
			text, err := os.ReadFile(filepath.Join("../examples", c.name, "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindSubmatch(text)
			const committed = "-m \"chore: begin\"\n"
			if block == nil || !strings.Contains(string(block[1]), committed) {
				t.Fatalf("the README has no commands: %s", text)
			}
			home := real(t)
			commands, merged := strings.Replace(string(block[1]), committed, committed+setUp, 1), append(c.merged, "chore: pass 1 refined demo_refined.md")
			if c.name != "python" && !wholeMatrix() {
				commands, _, _ = strings.Cut(commands, "warp trust ")
				merged = merged[:1]
			}
			out, err := inTerminal(t, "..", home, commands)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if !strings.Contains(out, c.test) {
				t.Errorf("%q is not what tests it:\n%s", c.test, out)
			}
			log, err := inTerminal(t, filepath.Join(home, c.folder), home, "git log --format=%s main && grep state: .claude/issues/1.md")
			if err != nil {
				t.Fatal(err, log)
			}
			for _, part := range append(merged, "state: closed") {
				if !strings.Contains(log, part+"\n") {
					t.Errorf("%q is not there:\n%s\n%s", part, log, out)
				}
			}
		})
	}
}
