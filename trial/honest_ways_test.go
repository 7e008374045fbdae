//go:build linux

package trial

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// engines are the ways in which honest models are run.
var engines = []string{"drive", "guided", "loop", "pipeline", "workflow"}

const honestWish = "Do these:\n- [ ] AC-01: there is the file one.txt\n- [ ] AC-02: there is the file two.txt\n"

const honestProject = `git init -q -b main && git config user.name t && git config user.email t@example.invalid
printf 'node_modules/\n' > .gitignore
printf 'function a() {\n  b();\n  c();\n  d();\n}\n' > code.js
echo 'exit 0' > test.sh
git add -A && git commit -q -m 'chore: begin'
warp config set test_command 'sh test.sh'
warp config set agent command
warp config set agent_command '["sh", "../agent.sh"]'
warp config set max_idle_seconds 20
warp config set max_retries_per_chunk 2
warp config set decision_timeout_minutes 0
warp config set unattended give_up
warp config set level 3
warp config set report_as off
printf '%s\n' '- [ ] AC-01: there is the file one.txt' '- [ ] AC-02: there is the file two.txt' > body.md
warp issue new --title 'Two files' --body-file body.md --label req --label approved
rm body.md
echo mine > scratch.md`

const honestPipeline = `name: both
max_time: 60s
commands: {test: "TESTS"}
stages:
  - id: build
    until: judge
    runs: 6
    commit: true
    verify: [test]
    judge: {prompt: "Is it done? ${HISTORY} AC-01 AC-02"}
    prompt: |
      ${TASK}
`

const honestTasks = "# Two files\n\n## Goal\n\nBoth are there.\n\n## Success criteria\n- [ ] Both: `test -s one.txt && test -s two.txt`\n\n" +
	"## Safety bounds\n- max_iterations_per_task: 3\n- max_time: 60s\n\n" +
	"### Phase 1: Both\n#### Task 1.1: First\nFiles: `one.txt`, `sum*`, `test/*`, `package*.json`\nThere is the file one.txt, and sum.test.js expects that sum(1, 2) is 4.\n- [ ] There: `test -s one.txt`\n- [ ] It reads well\n" +
	"#### Task 1.2: Second\nFiles: `two.txt`\n- [ ] There: `test -s two.txt`\n- [ ] It reads well\n" +
	"\n## Outer loop\n- max_iterations: 1\n\n## Verification\n```sh\nTESTS\n```\n"

// honestCell is one behaviour in one engine.
type honestCell struct {
	*project
	engine string
	exit   int
	said   string
}

// play runs the engine to its end.
func (c *honestCell) play() {
	tests := c.sh("warp config get test_command")
	c.base = c.sh("git rev-parse main")
	switch c.engine {
	case "drive":
		c.exit, c.said = c.warp("drive", "1")
	case "guided":
		c.guide()
	case "loop":
		c.exit, c.said = c.warp("loop", "night", honestWish, "--until", "plateau", "--commit", "--max", "5", "--max-time", "60s")
	case "pipeline":
		c.write("../work.yaml", strings.Replace(honestPipeline, "TESTS", tests, 1))
		c.exit, c.said = c.warp("pipeline", "run", "../work.yaml", "night", honestWish)
	case "workflow":
		c.write("../work.md", strings.Replace(honestTasks, "TESTS", tests, 1))
		c.exit, c.said = c.warp("workflow", "run", "../work.md", "--level", "3", "--yes", "--parallel", "1")
	}
}

// account returns what tells a person later what happened.
func (c *honestCell) account() string {
	how := map[string]string{"drive": "warp evidence 1", "guided": "warp evidence 1", "workflow": "warp workflow status"}[c.engine]
	if how == "" {
		how = "warp sessions show night"
	}
	return c.tell(how + "; warp status; warp inbox; warp log; warp issue list")
}

var wantedRole = regexp.MustCompile(`WANTED from you, for #1 [^:]*: (draft|write|fix|have)`)

// guide plays a session of an agent that works on the drive with warp next: the script is its model.
func (c *honestCell) guide() {
	c.env = append(c.env, "CLAUDE_CODE_SESSION_ID=s1")
	args := []string{"next", "1"}
	for range 12 {
		exit, said := c.warp(args...)
		c.exit, c.said = exit, c.said+said
		found := wantedRole.FindAllStringSubmatch(said, -1)
		if found == nil && exit != 2 {
			return
		}
		role := "code"
		if found != nil {
			role = map[string]string{"draft": "plan", "write": "code", "fix": "fix", "have": "verify"}[found[len(found)-1][1]]
		}
		result := c.beside("result.json")
		_ = os.Remove(result)
		words := c.act(role, said, result)
		args = []string{"next"}
		if _, err := os.Stat(result); err != nil && strings.Contains(words, "{") { // it passes on the result that it has told
			if err := os.WriteFile(result, []byte(between(words)), 0o644); err != nil {
				c.t.Fatal(err)
			}
		}
		text, err := os.ReadFile(result)
		switch object := between(string(text)); {
		case err != nil:
		case json.Valid(text):
			args = append(args, "--result", "@"+result)
		case json.Valid([]byte(object)): // refused, and it reads why
			if exit, said := c.warp("next", "--result", string(text)); exit != 2 {
				c.t.Errorf("exit %d: %s", exit, said)
			}
			args = append(args, "--result", object)
		}
	}
	c.said += "\n" + c.tell("warp stop")
	c.exit = 1
}

// between returns what is between the first brace of a text and the last.
func between(words string) string {
	from, to := strings.Index(words, "{"), strings.LastIndex(words, "}")
	if from < 0 || to < from {
		return words
	}
	return words[from : to+1]
}

// act has the session's model do what is wanted, and returns what it says.
func (c *honestCell) act(role, prompt, result string) string {
	cmd := c.command("sh", filepath.Join(filepath.Dir(c.root), "agent.sh"))
	cmd.Env = append(cmd.Env, "WARP_ROLE="+role, "WARP_RESULT="+result)
	cmd.Stdin = strings.NewReader(prompt)
	out, err := cmd.Output()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		c.t.Fatal(err)
	}
	return string(out)
}

// runs returns how often the coder was asked.
func (c *honestCell) runs() (n int) {
	for role := range strings.FieldsSeq(c.read("../asked")) {
		if role == "code" || role == "fix" || role == "iterate" {
			n++
		}
	}
	return n
}
