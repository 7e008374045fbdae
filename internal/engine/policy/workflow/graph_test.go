package workflow

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"warp/internal/core/taskdoc"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
)

// graph draws a sound document: mostly small, up to 200 tasks.
func graph(t *rapid.T) *taskdoc.Document {
	n := rapid.IntRange(1, 12).Draw(t, "tasks")
	if rapid.IntRange(0, 7).Draw(t, "large") == 7 {
		n = rapid.IntRange(100, 200).Draw(t, "tasks")
	}
	text := drawn(t, n)
	doc, defects := taskdoc.Parse([]byte(text))
	if len(defects) > 0 {
		t.Fatal(defects, text)
	}
	return doc
}

// drawn is a document of so many tasks.
func drawn(t *rapid.T, n int) string {
	phases := rapid.IntRange(1, min(n, 4)).Draw(t, "phases")
	files := rapid.SampledFrom([]string{"", "a/**", "a/x.txt", "b/*.go", "b/y.go", "c", "c/z", "d/{1,2}.txt", "e/**", "f", "g", "h", "i", "j"})
	var b strings.Builder
	fmt.Fprintf(&b, "# Graph\n## Supervisor\n- enabled: no\n## Safety bounds\n- max_iterations_per_task: %d\n- max_cost: $%d\n- max_time: %dm\n", rapid.IntRange(1, 4).Draw(t, "iterations"), rapid.IntRange(1, 4).Draw(t, "dollars"), rapid.IntRange(1, 30).Draw(t, "minutes"))
	var ids []string
	for p := range phases {
		fmt.Fprintf(&b, "### Phase %d: P\n", p+1)
		for i := range n / phases {
			id := fmt.Sprintf("%d.%d", p+1, i+1)
			fmt.Fprintf(&b, "#### Task %s: T\n", id)
			if f := files.Draw(t, "files"); f != "" {
				fmt.Fprintf(&b, "Files: %s, made/%s\n", f, id)
			}
			if rapid.IntRange(0, 3).Draw(t, "own bound") == 0 {
				fmt.Fprintf(&b, "Max iterations: 2\n")
			}
			if on := rapid.SliceOfNDistinct(rapid.IntRange(0, 4), 0, 2, rapid.ID[int]).Draw(t, "on"); len(on) > 0 && len(ids) > 4 {
				var deps []string
				for _, back := range on {
					deps = append(deps, ids[len(ids)-1-back])
				}
				fmt.Fprintf(&b, "Depends on: %s\n", strings.Join(deps, ", "))
			}
			b.WriteString("- [ ] There: `true`\n")
			ids = append(ids, id)
		}
	}
	return b.String()
}

// Some small graphs through the whole engine, with agents that fail: the commits
// are in an order that respects dependencies, and hold what the tasks did.
func TestSmallGraphs(t *testing.T) {
	documents := rapid.Custom(func(t *rapid.T) string { return drawn(t, 7) })
	seeds := 1
	if complete() {
		seeds = 3
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			text := documents.Example(seed) + "\n## Outer loop\n- enabled: no\n"
			doc, _ := taskdoc.Parse([]byte(text))
			p := newScene(t, text, nil)
			p.options.Parallel = 2
			p.does = func(t agent.Task) any {
				if t.Chunk == 1 && (seed+int(t.Issue[2]))%3 == 0 {
					return agent.Result{End: agent.Crashed}
				}
				if err := put(filepath.Join(t.Dir, "made", t.Issue), t.Issue+"\n"); err != nil {
					p.Error(err)
				}
				return result{"summary": "done"}
			}
			s, err := p.try(p.document())
			for paused := (*PausedError)(nil); errors.As(err, &paused); s, err = p.try("") {
				p.extend(workflowstate.Limits{Iterations: len(p.asked), MicroUSD: 1e6, Time: time.Hour})
			}
			if err != nil {
				t.Fatal(err)
			}
			p.completed(s)
			place := map[string]int{}
			for i, d := range s.CompletedTasks {
				place[d.Task] = i
				p.wants([]any{p.git("show", "main:made/"+d.Task), d.FilesModified}, []any{d.Task, "[made/" + d.Task + "]"})
			}
			for _, t := range doc.Tasks() {
				for _, on := range t.DependsOn {
					p.wants(place[on] < place[t.ID], true)
				}
			}
			p.wants(len(place), len(doc.Tasks()))
			p.wants(p.git("rev-list", "--count", "main"), len(place)+1)
		})
	}
}
