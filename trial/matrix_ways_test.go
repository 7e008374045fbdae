//go:build linux

package trial

import (
	"fmt"
	"strings"
)

// way is one way to have the work done.
type way struct {
	name    string
	prepare string // in the person's project
	file    string // what is written beside the project, as ../work
	argv    string
	account string // what else tells what happened
	done    string // a test of the result, for the tree that $1 checks out
	lands   bool   // on main, there and at the remote
	commits string // the same test, for what is to be on a branch
	claims  string // what is said of work that is done
}

// What is asked of loops and pipelines, and the test that the loop to gates has to
// make pass.
const (
	wish     = "Do these:\n- [ ] AC-01: the first thing\n- [ ] AC-02: the second thing\n"
	twoFiles = `grep -q '=> "AC-01"' demo_ac_01.js && grep -q '=> "AC-02"' demo_ac_02.js`
	demanded = `cat >> test.sh <<'END'
ls demo_work_*.js > /dev/null 2>&1 || { echo "FAIL: there is no demo_work"; exit 1; }
END
git commit -q -m 'test: what is wanted' test.sh && git push -q origin main`
)

const pipelineFile = `name: wide
max_time: %[1]s
%[2]s
commands: {test: "sh test.sh"}
stages:
  - id: draft
    needs: []
    runs: 1
    prompt: |
      Do this:
      - [ ] AC-01: the first thing
      ${OUTPUT}
    parallel: {agents: [{agent: %[3]s, id: one}, {agent: %[3]s, id: two}], judge: {agent: %[3]s}}
  - id: build
    needs: [draft]
    until: plateau
    runs: 5
    commit: true
    verify: [test]
    prompt: |
      ${TASK}
      ${OUTPUT}
`

const taskDocument = "# Two files\n\n## Goal\n\nBoth are there.\n\n## Success criteria\n- [ ] Both: `test -s demo_one.txt && test -s demo_two.txt`\n- [ ] They read well\n\n" +
	"## Safety bounds\n- max_iterations_per_task: 3\n- max_time: %[1]s\n%[2]s\n" +
	"### Phase 1: Both\n#### Task 1.1: First\nFiles: `demo_one.txt`, `?um.test.js`\n- [ ] There: `grep -q 'Task 1.1' demo_one.txt`\n- [ ] It reads well\n" +
	"#### Task 1.2: Second\nFiles: `demo_two.txt`, `*.sh`\n- [ ] There: `grep -q 'Task 1.2' demo_two.txt`\n- [ ] It reads well\n" +
	"\n## Outer loop\n- max_iterations: 1\n\n## Verification\n```sh\nsh test.sh\n```\n"

const bothTasks = `grep -q 'Task 1.1' demo_one.txt && grep -q 'Task 1.2' demo_two.txt`

var ways = []way{
	{name: "drive", argv: "drive 1 --level 3", account: "warp evidence 1", done: twoFiles, lands: true, claims: `2/2 done`},
	{name: "loop to plateau", argv: "loop night WISH --until plateau --commit --max 5", account: "warp sessions show night", done: twoFiles, commits: twoFiles, claims: `complete \(plateau\)`},
	{name: "loop to gates", prepare: demanded, argv: "loop night WISH --until gates --max 6", account: "warp sessions show night; warp queue list",
		done: `grep -q '=> "work-' demo_work_*.js`, claims: `complete \(gates-passed\)`},
	{name: "pipeline", file: pipelineFile, argv: "pipeline run ../work.yaml night WISH", account: "warp sessions show night", done: twoFiles, commits: `grep -q '=> "AC-02"' demo_ac_02.js`, claims: `night: complete`},
	{name: "workflow", file: taskDocument, argv: "workflow run ../work.md --level 3 --yes --parallel 1", account: "warp workflow status", done: bothTasks, lands: true, claims: `\bcompleted: `},
	{name: "workflow, two at once", file: taskDocument, argv: "workflow run ../work.md --level 3 --yes --parallel 2", account: "warp workflow status", done: bothTasks, lands: true, claims: `\bcompleted: `},
}

// bounds are those of a cell: time, and money where the agent tells what it costs.
type bounds struct{ time, cost string }

// args is the command line of a way, for an agent under bounds; it writes the
// files that go with it.
func (w way) args(p *project, agent string, b bounds) []string {
	if w.file != "" {
		name, cost := "../work.md", ""
		if b.cost != "" {
			cost = "- max_cost: $" + b.cost
		}
		if strings.HasPrefix(w.argv, "pipeline") {
			name, cost = "../work.yaml", ""
			if b.cost != "" {
				cost = "max_cost: " + b.cost
			}
		}
		p.write(name, fmt.Sprintf(w.file, b.time, cost, agent))
	}
	var argv []string
	for word := range strings.FieldsSeq(w.argv) {
		if word == "WISH" {
			word = wish
		}
		argv = append(argv, word)
	}
	switch argv[0] {
	case "loop":
		argv = append(argv, "--max-time", b.time)
		fallthrough
	case "drive":
		if b.cost != "" {
			argv = append(argv, "--max-cost", b.cost)
		}
	}
	return argv
}
