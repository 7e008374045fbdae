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

// iterate refines where there are no criteria; else the agent does the next one. What
// it came to is also written where the prompt wants it as a file.
func (a *player) iterate(ctx context.Context) (said string, result any, err error) {
	var it demo.Iteration
	if len(a.Criteria) == 0 && (strings.Contains(a.Prompt, `"plateau"`) || statusOf(a.Prompt) != "") {
		it, err = a.refine(ctx)
	} else {
		it, err = a.Iterate(ctx)
	}
	if err == nil && statusOf(a.Prompt) != "" {
		err = a.report(ctx, it)
	}
	return it.Summary, it, err
}

// report writes what the iteration came to where its prompt wants it as a file.
func (a *player) report(ctx context.Context, it demo.Iteration) error {
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
func (a *player) refine(ctx context.Context) (demo.Iteration, error) {
	if a.Does("liar") || a.Does("loop") {
		_, err := a.Work(ctx, nil)
		return iteration("refined", false, "there is more to do"), err
	}
	if err := a.Halfway(ctx); err != nil {
		return demo.Iteration{}, err
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
		return iteration("nothing is left to refine", true, fmt.Sprintf("%d passes found all there was", passes)), nil
	}
	for _, f := range files {
		err := a.add(ctx, f, fmt.Sprintf("%s%d: refined by the demo agent\n", mark, pass))
		if errors.Is(err, demo.ErrDenied) {
			a.Say("I may not change anything here.")
			return iteration("nothing may be refined", true, "it may not be changed"), nil
		}
		if err != nil {
			return demo.Iteration{}, err
		}
	}
	said := fmt.Sprintf("pass %d refined %s", pass, path.Base(files[0]))
	return iteration(said, false, "another look may find more"), nil
}

// iteration is the answer of one that has completed no item.
func iteration(summary string, plateau bool, reasoning string) demo.Iteration {
	return demo.Iteration{Summary: summary, Plateau: plateau, Reasoning: reasoning, Items: []string{}}
}

// add puts a line at the end of a file, once.
func (a *player) add(ctx context.Context, name, line string) error {
	old, _ := os.ReadFile(a.Path(name)) // a new one
	if strings.Contains(string(old), line) {
		return nil
	}
	if n := len(old); n > 0 && old[n-1] != '\n' {
		line = "\n" + line
	}
	return a.Write(ctx, name, string(old)+line)
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
func (a *player) decide() (said string, stop, asked bool) {
	for l := range strings.Lines(a.Prompt) {
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
