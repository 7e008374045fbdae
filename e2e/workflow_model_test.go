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

// crew is the model of a plot. Two tasks that run side by side wait for each other, and see
// is called by both.
func crew(root string, p plot, see func()) messages.Script {
	var both sync.WaitGroup
	both.Add(2)
	meet := messages.Step{Func: func(messages.Request) messages.Step {
		both.Done()
		both.Wait()
		see()
		return priced(bash("true"))
	}}
	script := messages.Script{}
	for _, w := range p.works {
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
	script["verify 2.2"] = answer(map[string]any{"criteria": []any{map[string]any{"id": "C2", "met": true, "reason": "one line"}}})
	for task, o := range p.objections {
		script["supervise "+task+" "+o.check] = object(o.kind, o.severity, o.what)
	}
	comment := p.commented
	script["fix "+comment.id] = after(done("Commented."), atHome(root, comment.file, look), writeHome(root, comment.file, "// All of it.\n"+comment.text))
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
