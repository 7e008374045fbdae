package taskdoc

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warp/internal/core/workflowstate/claim"
)

// graph is a document of random tasks, as text and as what it means. Tasks depend
// only on those before them.
func graph(t *rapid.T) (text string, want []Task) {
	var b strings.Builder
	b.WriteString("# Random\n\n## Goal\n\ng\n")
	number := 0
	for phase, left := 0, rapid.IntRange(1, 200).Draw(t, "tasks"); left > 0; phase++ {
		number += rapid.IntRange(1, 3).Draw(t, "step")
		fmt.Fprintf(&b, "\n### Phase %d: phase %d\n", number, phase)
		here := rapid.IntRange(1, min(left, 60)).Draw(t, "in phase")
		left -= here
		for _, m := range rapid.Permutation(slices.Collect(upTo(here))).Draw(t, "numbers") {
			task := Task{ID: fmt.Sprintf("%d.%d", number, m), Phase: phase, Name: rapid.StringMatching(`[a-z]{1,8}( [a-z]{1,8})?`).Draw(t, "name")}
			if len(want) > 0 {
				for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(want)-1), 0, 4, rapid.ID).Draw(t, "on") {
					task.DependsOn = append(task.DependsOn, want[i].ID)
				}
			}
			task.Files = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a/*", "a/b.go", "c/**", "d", "d/e_*.go", "*.md"}), 0, 3, rapid.ID).Draw(t, "files")
			fmt.Fprintf(&b, "\n#### Task %s: %s\n\nDepends on: %s\n", task.ID, task.Name, cmpOr(strings.Join(task.DependsOn, ", "), "none"))
			if len(task.Files) > 0 {
				fmt.Fprintf(&b, "Files: %s\n", strings.Join(task.Files, " "))
			} else {
				task.Files = nil
			}
			b.WriteString("\n- [ ] done\n")
			want = append(want, task)
		}
	}
	return b.String(), want
}

func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 1; i <= n && yield(i); i++ {
			continue
		}
	}
}

func cmpOr(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func TestARandomGraphIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, want := graph(t)
		d, defects := Parse([]byte(text))
		if len(defects)+len(d.Warnings) > 0 {
			t.Fatal(defects, d.Warnings)
		}
		got := d.Tasks()
		for i := range got {
			got[i].Line, got[i].Criteria = 0, nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		order := Order(d)
		if len(order) != len(want) {
			t.Fatalf("%d of %d tasks are in the order", len(order), len(want))
		}
		done := map[string]bool{}
		phase := 0
		for _, task := range order {
			if !free(task, done) || done[task.ID] || task.Phase < phase {
				t.Fatalf("task %s comes too early, or twice", task.ID)
			}
			done[task.ID], phase = true, task.Phase
		}
	})
}

// Whatever is started and ends when, all tasks run, once, after what they depend on,
// and never beside one that may touch their files.
func TestReadyLeadsThroughTheWholeGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, _ := graph(t)
		d, _ := Parse([]byte(text))
		done, running := map[string]bool{}, map[string]bool{}
		var active []Task
		for started := 0; len(done) < len(d.Tasks()); {
			for _, task := range Ready(d, done, running) {
				if rapid.Bool().Draw(t, "start") || len(active) == 0 {
					for _, other := range active {
						if claim.Overlap(task.Files, other.Files) || other.Phase != task.Phase {
							t.Fatalf("%s runs beside %s", task.ID, other.ID)
						}
					}
					if running[task.ID] || done[task.ID] || !free(task, done) {
						t.Fatalf("%s must not start", task.ID)
					}
					running[task.ID] = true
					active = append(active, task)
					started++
				}
			}
			if len(active) == 0 {
				t.Fatalf("nothing may start after %d tasks", started)
			}
			i := rapid.IntRange(0, len(active)-1).Draw(t, "ends")
			done[active[i].ID] = true
			delete(running, active[i].ID)
			active = slices.Delete(active, i, i+1)
		}
		if more := Ready(d, done, running); len(more) > 0 {
			t.Fatalf("%d tasks may start after the last", len(more))
		}
	})
}

func TestACycleIsAlwaysFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, want := graph(t)
		if len(want) < 2 {
			t.Skip()
		}
		// The first task of a chain comes to depend on its last.
		at := rapid.IntRange(1, len(want)-1).Draw(t, "last")
		for len(want[at].DependsOn) == 0 {
			if at--; at == 0 {
				t.Skip()
			}
		}
		last, first := want[at].ID, want[at].DependsOn[0]
		heading := fmt.Sprintf("#### Task %s:", first)
		begin := strings.Index(text, heading)
		text = text[:begin] + strings.Replace(text[begin:], "Depends on: ", "Depends on: "+last+", ", 1)
		_, defects := Parse([]byte(text))
		if !slices.ContainsFunc(defects, func(d Defect) bool { return strings.HasPrefix(d.Message, "tasks wait for each other: ") }) {
			t.Fatalf("%s and %s wait for each other: %v", first, last, defects)
		}
	})
}

func TestOrderOfADefectiveDocumentEnds(t *testing.T) {
	d, _ := Parse([]byte("# T\n### Phase 1: p\n#### Task 1.1: a\nDepends on: 1.2\n#### Task 1.2: b\nDepends on: 1.1\n#### Task 1.3: c\n"))
	if order := Order(d); len(order) != 1 || order[0].ID != "1.3" {
		t.Errorf("%v", order)
	}
}
