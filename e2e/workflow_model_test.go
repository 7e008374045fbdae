//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"warp/internal/testkit/messages"
)

// words is a workflow of three phases and six tasks. 2.1 and 2.2 have nothing to
// do with each other, and 2.3 needs both. A ~ stands for a backtick.
const words = `# A library of words

## Goal
Texts become words and texts again.

## Success criteria
- [ ] It all works: ~node all.js~

## Safety bounds
- max_iterations_per_task: 4
- max_cost: $5
- max_time: 1h

### Phase 1: Foundation
#### Task 1.1: Count words
Files: count.js
- [ ] It counts: ~node -e "if (require('./count')('a b') != 2) process.exit(1)"~

### Phase 2: Side by side
#### Task 2.1: Reverse words
Files: reverse.js
- [ ] It is there: ~test -s reverse.js~

#### Task 2.2: Join words
Files: join.js
- [ ] It is there: ~test -s join.js~
- [ ] It reads well

#### Task 2.3: Reverse texts
Depends on: 2.1, 2.2
Files: text.js
- [ ] It is there: ~test -s text.js~

### Phase 3: The end
#### Task 3.1: Put it together
Files: index.js
- [ ] It is there: ~test -s index.js~

#### Task 3.2: Check it all
Depends on: 3.1
Files: all.js
- [ ] It passes: ~node all.js~

## Outer loop
- max_iterations: 1

## Verification
- ~node -e "require('./count')"~
`

// works are the tasks as the model does them: how often it is wrong at first, and
// the criteria that are to be met.
var works = []struct {
	id, name, file, text string
	wrong                int
	criteria             map[string]bool
}{
	{"1.1", "Count words", "count.js", "module.exports = s => s.split(' ').length\n", 3, map[string]bool{"it_counts": true}},
	{"2.1", "Reverse words", "reverse.js", "module.exports = w => w.toReversed()\n", 0, map[string]bool{"it_is_there": true}},
	{"2.2", "Join words", "join.js", "module.exports = w => w.join(' ')\n", 0, map[string]bool{"it_is_there": true, "it_reads_well": true}},
	{"2.3", "Reverse texts", "text.js", "module.exports = s => require('./join')(require('./reverse')(s.split(' ')))\n", 0, map[string]bool{"it_is_there": true}},
	{"3.1", "Put it together", "index.js", "module.exports = require('./text')\n", 0, map[string]bool{"it_is_there": true}},
	{"3.2", "Check it all", "all.js", "require('assert').equal(require('./text')('a b'), 'b a')\n", 0, map[string]bool{"it_passes": true}},
}

// asked are how the prompts of a workflow begin, by role.
var asked = []struct{ begin, role string }{
	{"You implement one task", "code"}, {"You verify work", "verify"}, {"You supervise", "supervise"}, {"You fix a small conflict", "fix"},
	{"WORKFLOW RE-PLAN", "plan"}, {"You review the work", "scan"}, {"You improve the work", "improve"},
}

var (
	taskLine  = regexp.MustCompile(`(?m)^WORKFLOW TASK (\S+):`)
	checkLine = regexp.MustCompile(`This is the (\S+) check`)
	roundLine = regexp.MustCompile(`This is iteration (\d+)\.`)
)

// workflowRole names the scenario of a prompt: role, task, which check, which
// iteration.
func workflowRole(text string) string {
	for _, p := range asked {
		if !strings.HasPrefix(text, p.begin) {
			continue
		}
		name := p.role
		for _, line := range []*regexp.Regexp{taskLine, checkLine, roundLine} {
			if m := line.FindStringSubmatch(text); m != nil {
				name += " " + m[1]
			}
		}
		return name
	}
	return ""
}

// A step of the model costs so much, at 3 dollars for a million tokens in and 15
// for a million out.
var price = messages.Usage{Input: 10_000, Output: 1_000}

const microUSD = 45_000

func priced(s messages.Step) messages.Step {
	s.Usage = price
	return s
}

// apart writes a file into the work tree of a task.
func apart(root, task, file, text string) messages.Step {
	return messages.Step{Func: func(messages.Request) messages.Step {
		dirs, _ := filepath.Glob(root + "/.claude/worktrees/*-" + task)
		return priced(write(strings.Join(dirs, "")+"/"+file, text))
	}}
}

// atHome is a step in the work tree of the workflow, with the path of a file there.
func atHome(root, file string, do func(path string) messages.Step) messages.Step {
	return messages.Step{Func: func(messages.Request) messages.Step {
		dirs, _ := filepath.Glob(root + "/.claude/worktrees/workflow-*Z")
		return priced(do(strings.Join(dirs, "") + "/" + file))
	}}
}

// writeHome writes a file there.
func writeHome(root, file, text string) messages.Step {
	return atHome(root, file, func(path string) messages.Step { return write(path, text) })
}

// crew is the model. Two tasks that run side by side wait for each other, and see
// is called by both.
func crew(root string, see func()) messages.Script {
	var both sync.WaitGroup
	both.Add(2)
	meet := messages.Step{Func: func(messages.Request) messages.Step {
		both.Done()
		both.Wait()
		see()
		return priced(bash("true"))
	}}
	script := messages.Script{}
	for _, w := range works {
		for n := 1; n <= w.wrong+1; n++ {
			name, text, steps := "code "+w.id, w.text, []messages.Step{}
			if n > 1 {
				name, steps = fmt.Sprint(name, " ", n), []messages.Step{atHome(root, w.file, look)}
			}
			if n <= w.wrong {
				text = fmt.Sprintf("module.exports = () => -%d\n", n)
			}
			if steps = append(steps, writeHome(root, w.file, text)); w.id == "2.1" || w.id == "2.2" {
				steps = []messages.Step{apart(root, w.id, w.file, text), meet}
			}
			script[name] = after(answer(map[string]any{"summary": w.name, "learnings": []any{fmt.Sprintf("%s took try %d", w.file, n)}}), steps...)
		}
		for _, when := range []string{"pre_task", "post_task", "on_demand"} {
			script["supervise "+w.id+" "+when] = answer(map[string]any{"conflicts": []any{}})
		}
	}
	object := func(kind, severity, what string) []messages.Step {
		return answer(map[string]any{"conflicts": []any{map[string]any{"type": kind, "severity": severity, "resolution": what}}})
	}
	script["verify 2.2"] = answer(map[string]any{"criteria": []any{map[string]any{"id": "it_reads_well", "met": true, "reason": "one line"}}})
	script["supervise 3.1 post_task"] = object("pattern", "low", "index.js lacks a comment")
	script["fix 3.1"] = after(done("Commented."), atHome(root, "index.js", look), writeHome(root, "index.js", "// All of it.\nmodule.exports = require('./text')\n"))
	script["supervise 3.2 pre_task"] = object("architecture", "high", "the check must go by way of index.js")
	script["plan 3.2"] = answer(map[string]any{"approach": `{"tasks": [{"task": "3.2", "description": "Check index.js."}]}`})
	script["scan outer"] = answer(map[string]any{"findings": []any{map[string]any{"title": "Say what it is", "priority": "S2", "files": []any{"README.md"}}}})
	script["improve"] = after(done("Said."), writeHome(root, "README.md", "# Words\n"))
	for _, steps := range script {
		for i := range steps {
			steps[i] = priced(steps[i])
		}
	}
	return script
}
