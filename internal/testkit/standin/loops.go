package standin

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

	"warp/internal/adapter/agent/demo"
	"warp/internal/core/text"
)

// passes is how often the agent finds something to refine.
const passes = 2

// refined is where it writes what it refined, where that is the work tree.
const refined = "demo_refined.md"

// iteration is the answer of a loop's iteration.
type iteration struct {
	Summary   string   `json:"summary"`
	Plateau   bool     `json:"plateau"`
	Reasoning string   `json:"reasoning"`
	Items     []string `json:"items_completed"`
}

// iterate refines where there are no criteria; else it does the next one. The result is
// also written where the prompt wants it as a file.
func (a *player) iterate(ctx context.Context) (said string, result any, err error) {
	var it iteration
	if len(a.Criteria) == 0 && (strings.Contains(a.Prompt, `"plateau"`) || statusOf(a.Prompt) != "") {
		it, err = a.refine(ctx)
	} else {
		it, err = a.doNext(ctx)
	}
	if err == nil && statusOf(a.Prompt) != "" {
		err = a.report(ctx, it)
	}
	return it.Summary, it, err
}

// doNext does the next unmet criterion, and reports a plateau if none is left. It lists all
// met criteria, because an interrupted iteration may have done some.
func (a *player) doNext(ctx context.Context) (iteration, error) {
	next, held := []string{}, []string{}
	for _, id := range a.Criteria {
		if a.IsMet(id) {
			held = append(held, id)
		} else if len(next) == 0 {
			next = []string{id}
		}
	}
	done, err := a.Work(ctx, next)
	done = append(held, done...)
	if len(next) == 0 {
		return iteration{"nothing is left to do", true, "every criterion is met", done}, err
	}
	return iteration{next[0] + " is done", false, "one criterion at a time", done}, err
}

// report writes what the iteration came to where its prompt wants it as a file.
func (a *player) report(ctx context.Context, it iteration) error {
	decision := "continue"
	if it.Plateau {
		decision = "stop"
	}
	text, err := json.Marshal(map[string]any{"decision": decision, "reason": it.Reasoning, "summary": it.Summary,
		"work": map[string]any{"items_completed": it.Items, "files_touched": []string{}}, "errors": []string{}})
	if err != nil {
		return err
	}
	return a.Write(ctx, statusOf(a.Prompt), string(text)+"\n")
}

// refine makes a small change, twice, and then finds nothing more: in the output
// of its stage, and in the work tree where that is what the loop is for.
func (a *player) refine(ctx context.Context) (iteration, error) {
	if a.Does("liar") || a.Does("loop") {
		_, err := a.Work(ctx, nil)
		return iteration{"refined", false, "there is more to do", noItems}, err
	}
	if err := a.Halfway(ctx); err != nil {
		return iteration{}, err
	}
	output := outputOf(a.Prompt)
	files, stage := []string{refined}, "loop"
	if output != "" {
		stage = path.Base(path.Dir(output))
		if !strings.Contains(a.Prompt, "committed for you") {
			files = nil
		}
		files = append(files, output) // last: it counts
	}
	mark := fmt.Sprintf("- %s %s, pass ", a.Issue, stage)
	text, _ := os.ReadFile(a.Path(files[len(files)-1])) // none: the first pass
	pass := strings.Count(string(text), mark) + 1
	if pass > passes {
		return iteration{"nothing is left to refine", true, fmt.Sprintf("%d passes found all there was", passes), noItems}, nil
	}
	for _, f := range files {
		err := a.add(ctx, f, fmt.Sprintf("%s%d: refined by the demo agent\n", mark, pass))
		if errors.Is(err, demo.ErrDenied) {
			a.Say("I may not change anything here.")
			return iteration{"nothing may be refined", true, "it may not be changed", noItems}, nil
		}
		if err != nil {
			return iteration{}, err
		}
	}
	said := fmt.Sprintf("pass %d refined %s", pass, path.Base(files[0]))
	return iteration{said, false, "another look may find more", noItems}, nil
}

// noItems are the items that an iteration without criteria completes.
var noItems = []string{}

// add puts a line at the end of a file, once.
func (a *player) add(ctx context.Context, name, line string) error {
	old, _ := os.ReadFile(a.Path(name)) // a new one
	now := demo.AddLine(string(old), line)
	if now == string(old) {
		return nil
	}
	return a.Write(ctx, name, now)
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
// when its last one changed nothing, or found nothing left; without iterations, when
// all criteria are met.
func (a *player) decide() (said string, stop bool) {
	met := 0
	for _, id := range a.Criteria {
		if a.Does("liar") || a.IsMet(id) {
			met++
		}
	}
	said, stop = fmt.Sprintf("%d of %d criteria are met", met, len(a.Criteria)), met == len(a.Criteria)
	for l := range strings.Lines(a.Prompt) {
		_, row, _ := strings.Cut(l, ": ")
		changed, rest, ok := strings.Cut(strings.TrimPrefix(row, "changed something: "), "; says plateau: ")
		if !ok || !strings.HasPrefix(row, "changed something: ") {
			continue
		}
		stop, said = true, "the last iteration brought something new"
		switch {
		case changed == "false":
			said = "the last iteration changed nothing"
		case strings.HasPrefix(rest, "true"):
			said = "the last iteration found nothing left to do"
		default:
			stop = false
		}
	}
	return said, stop
}

// choose takes the first of the candidates, which are lines such as
// "- id: path/output.md".
func (a *player) choose() (string, any, error) {
	choice, sure := "", false
	for l := range strings.Lines(a.Prompt) {
		id, rest, ok := strings.Cut(strings.TrimPrefix(l, "- "), ": ")
		if !ok || !strings.HasPrefix(l, "- ") || !text.ValidName(id) {
			continue
		}
		file, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if is := strings.HasSuffix(file, "output.md"); choice == "" || is && !sure {
			choice, sure = id, is
		}
	}
	return "the first one", chosen{choice, "it is the first that does what was asked"}, nil
}
