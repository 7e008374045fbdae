package taskdoc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const planned = "# T\n## Goal\ng\n## Verification\n- `make all`\n### Phase 1: p\n#### Task 1.1: a\n- [ ] x: `make x`\n### Phase 2: q\n#### Task 2.1: b\nold\n\nFiles: b\n\n- [ ] y: `make y`\n- [ ] looks good\n#### Task 2.2: c\n- [ ] z\n"

func TestRewriteOfPendingTasks(t *testing.T) {
	d := clean(t, planned)
	before := clean(t, planned)
	after, defects := Rewrite(d, map[string]bool{"1.1": true}, []Revision{
		{Task: "2.1", Name: "  better\nname ", Description: " new\n", Files: []string{"./n/*"}, Criteria: []string{"y holds: `make y`", "all is\nwell: `make all`"}},
		{Task: "2.3", Name: "added", Criteria: []string{"# w"}, DependsOn: []string{"2.1"}},
		{Task: "2.2", DependsOn: []string{"2.1"}},
	})
	if len(defects) > 0 {
		t.Fatal(defects)
	}
	want := []Task{before.Tasks()[0],
		{ID: "2.1", Phase: 1, Name: "better name", Description: "new", Files: []string{"n/*"}, Line: 10, Criteria: []Criterion{{"y_holds", "y holds", "make y", 10}, {"all_is_well", "all is well", "make all", 10}}},
		before.Tasks()[2],
		{ID: "2.3", Phase: 1, Name: "added", DependsOn: []string{"2.1"}, Criteria: []Criterion{{Key: "w", Text: "# w"}}}}
	want[2].DependsOn = []string{"2.1"}
	if diff := cmp.Diff(want, after.Tasks()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, d); diff != "" {
		t.Error("the document itself was changed", diff)
	}
}

func TestRewriteIsRefused(t *testing.T) {
	for want, plan := range map[string][]Revision{
		`task "1.1": it is already running or done, and cannot change`:                               {{Task: "1.1", Name: "other"}},
		`task "1.2": it belongs to no pending phase`:                                                 {{Task: "1.2", Name: "n", Criteria: []string{"c"}}},
		`task "3.1": it belongs to no pending phase`:                                                 {{Task: "3.1", Name: "n", Criteria: []string{"c"}}},
		`task "": it belongs to no pending phase`:                                                    {{}},
		`task "2.1": the plan lists it twice`:                                                        {{Task: "2.1"}, {Task: "2.1"}},
		`task 2.3 has no success criteria: nothing could tell when it is done`:                       {{Task: "2.3", Name: "n"}},
		`task 2.3: it has no name`:                                                                   {{Task: "2.3", Criteria: []string{"c"}}},
		`task 2.2: a new plan cannot add the command "rm -rf x": only those of the document are run`: {{Task: "2.2", Criteria: []string{"fine", "gone: `rm -rf x`"}}},
		`task 2.1: a new plan cannot remove the command "make y"`:                                    {{Task: "2.1", Criteria: []string{"y"}}},
		`task 2.2: the criterion "" cannot be read`:                                                  {{Task: "2.2", Criteria: []string{"c", ""}}},
		`task 2.2: control characters are not accepted`:                                              {{Task: "2.2", Criteria: []string{"\x1b[2J"}}},
		`task 2.2: the file "../x": with .. it could lead out of the project's folder`:               {{Task: "2.2", Files: []string{"../x"}}},
		`tasks wait for each other: 2.1 -> 2.2 -> 2.1`:                                               {{Task: "2.1", DependsOn: []string{"2.2"}}, {Task: "2.2", DependsOn: []string{"2.1"}}},
		`task 2.2 depends on 9.9, which is not a task`:                                               {{Task: "2.2", DependsOn: []string{"9.9"}}},
		`task 2.2 has two criteria that are called c, first on line 17; reword one of them`:          {{Task: "2.2", Criteria: []string{"c", "C!"}}},
	} {
		_, defects := Rewrite(clean(t, planned), map[string]bool{"1.1": true}, plan)
		if len(defects) != 1 || defects[0].Message != want {
			t.Errorf("%v, want %s", defects, want)
		}
	}
	if d := (Defect{Message: "m"}); d.String() != "m" {
		t.Error(d)
	}
}

func TestEverySettingIsInTheGuide(t *testing.T) {
	page := guide(t)
	for _, s := range settings() {
		name := titles()[s.section][0]
		if row := "| " + strings.ToUpper(name[:1]) + name[1:] + " | `" + s.names[0] + "` |"; !strings.Contains(page, row) {
			t.Errorf("the guide has no row %q", row)
		}
	}
}
