package demo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"warp/internal/core/name"
)

// passes is how often the agent finds something to refine.
const passes = 2

// refined is where it writes what it refined, where that is the work tree.
const refined = "demo_refined.md"

// iterate does the next criterion, or item, that is not done; where none is left,
// there is nothing more to be had. Those that are done by now are told, whenever
// it was: an iteration that was broken off may have done them.
func (a *act) iterate(ctx context.Context) (said string, result any, err error) {
	if len(a.ids) == 0 && (strings.Contains(a.prompt, `"plateau"`) || statusOf(a.prompt) != "") {
		said, result, err = a.refine(ctx)
	} else {
		said, result, err = a.progress(ctx)
	}
	if it, ok := result.(iteration); ok && err == nil && statusOf(a.prompt) != "" {
		err = a.report(ctx, it)
	}
	return said, result, err
}

// report writes what the iteration came to where its prompt wants it as a file.
func (a *act) report(ctx context.Context, it iteration) error {
	decision := "continue"
	if it.Plateau {
		decision = "stop"
	}
	text, err := json.Marshal(map[string]any{"decision": decision, "reason": it.Reasoning, "summary": it.Summary,
		"work": map[string]any{"items_completed": it.Items, "files_touched": []string{}}, "errors": []string{}})
	if err != nil {
		return err
	}
	return a.write(ctx, statusOf(a.prompt), string(text)+"\n")
}

// progress does the next of its criteria.
func (a *act) progress(ctx context.Context) (string, any, error) {
	next, held := []string{}, []string{}
	stack := stackOf(a.world.Dir)
	for _, id := range a.ids {
		if _, met := stack.holds(a.world.Dir, id); met {
			held = append(held, id)
		} else if len(next) == 0 {
			next = []string{id}
		}
	}
	done, err := a.work(ctx, next)
	done = append(held, done...)
	if len(next) == 0 {
		return "nothing is left to do", iteration{"nothing is left to do", true, "every criterion is met", done}, err
	}
	return next[0] + " is done", iteration{next[0] + " is done", false, "one criterion at a time", done}, err
}

// refine makes a small change, twice, and then finds nothing more: in the output
// of its stage, and in the work tree where that is what the loop is for.
func (a *act) refine(ctx context.Context) (string, any, error) {
	if a.does(liar) || a.does(loop) {
		_, err := a.work(ctx, nil)
		return "refined", iteration{"refined", false, "there is more to do", []string{}}, err
	}
	if err := a.halfway(ctx); err != nil {
		return "", nil, err
	}
	output := outputOf(a.prompt)
	files, stage := []string{refined}, "loop"
	if output != "" {
		stage = path.Base(path.Dir(output))
		if !strings.Contains(a.prompt, "committed for you") {
			files = nil
		}
		files = append(files, output) // last: it counts
	}
	mark := fmt.Sprintf("- %s %s, pass ", a.issue, stage)
	text, _ := os.ReadFile(a.path(files[len(files)-1])) // none: the first pass
	pass := strings.Count(string(text), mark) + 1
	if pass > passes {
		return "nothing is left to refine", iteration{"nothing is left to refine", true, fmt.Sprintf("%d passes found all there was", passes), []string{}}, nil
	}
	for _, f := range files {
		err := a.add(ctx, f, fmt.Sprintf("%s%d: refined by the demo agent\n", mark, pass))
		if errors.Is(err, errDenied) {
			a.say("I may not change anything here.")
			return "nothing may be refined", iteration{"nothing may be refined", true, "it may not be changed", []string{}}, nil
		}
		if err != nil {
			return "", nil, err
		}
	}
	said := fmt.Sprintf("pass %d refined %s", pass, path.Base(files[0]))
	return said, iteration{said, false, "another look may find more", []string{}}, nil
}

// add puts a line at the end of a file, once.
func (a *act) add(ctx context.Context, name, line string) error {
	old, _ := os.ReadFile(a.path(name)) // a new one
	if strings.Contains(string(old), line) {
		return nil
	}
	if n := len(old); n > 0 && old[n-1] != '\n' {
		line = "\n" + line
	}
	return a.write(ctx, name, string(old)+line)
}

// outputOf is the path of the output that a loop's prompt asks for.
func outputOf(prompt string) string { return pathIn(prompt, "output.md") }

// statusOf is the path of the status or result that it asks for.
func statusOf(prompt string) string {
	return cmp.Or(pathIn(prompt, "status.json"), pathIn(prompt, "result.json"))
}

// pathIn is the first path of a session's file that a prompt names. What stands in a
// list are outputs of other stages.
func pathIn(prompt, file string) string {
	for l := range strings.Lines(prompt) {
		if strings.HasPrefix(l, "- ") {
			continue
		}
		for word := range strings.FieldsSeq(l) {
			word = filepath.ToSlash(strings.TrimLeft(strings.TrimRight(word, "`\"'.,;:)"), "`\"'("))
			if strings.Contains(word, "pipeline-runs/") && path.Base(word) == file {
				return word
			}
		}
	}
	return ""
}

// decide is a judge's verdict on the iterations that it is told of: a loop stops
// when its last one changed nothing, or found nothing left.
func (a *act) decide() (said string, stop, asked bool) {
	for l := range strings.Lines(a.prompt) {
		_, row, _ := strings.Cut(l, ": ")
		changed, rest, ok := strings.Cut(strings.TrimPrefix(row, "changed something: "), "; says plateau: ")
		if !ok || !strings.HasPrefix(row, "changed something: ") {
			continue
		}
		asked, stop, said = true, true, "the last iteration brought something new"
		switch {
		case changed == "false":
			said = "the last iteration changed nothing"
		case strings.HasPrefix(rest, "true"):
			said = "the last iteration found nothing left to do"
		default:
			stop = false
		}
	}
	return said, stop, asked
}

// choose takes the first of the candidates, which are lines such as
// "- id: path/output.md".
func (a *act) choose() (string, any, error) {
	choice, sure := "", false
	for l := range strings.Lines(a.prompt) {
		id, rest, ok := strings.Cut(strings.TrimPrefix(l, "- "), ": ")
		if !ok || !strings.HasPrefix(l, "- ") || !name.Valid(id) {
			continue
		}
		file, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if is := strings.HasSuffix(file, "output.md"); choice == "" || is && !sure {
			choice, sure = id, is
		}
	}
	return "the first one", chosen{choice, "it is the first that does what was asked"}, nil
}
