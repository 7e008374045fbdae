package drivestate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/event"
)

type asked struct {
	Session string `json:"session"`
}

func TestOnlyTheOwnersPermissionsAreCounted(t *testing.T) {
	s := working(Coding)
	rows := []event.Row{row(event.PermissionAsk, asked{""}), row(event.PermissionDeny, asked{""})}
	if s.Fold(rows, huge) || s.Permissions != nil {
		t.Errorf("a drive of nobody counts: %+v", s.Permissions)
	}
	s.Own("a", 1, "x")
	rows = append(rows, row(event.PermissionAsk, asked{"b"}), row(event.PermissionDeny, asked{"b"}))
	if s.Fold(rows, huge) || s.Permissions != nil {
		t.Errorf("another session's: %+v", s.Permissions)
	}
	for _, kind := range []string{event.PermissionAsk, event.PermissionAsk, event.PermissionDeny} {
		if !s.Fold([]event.Row{row(kind, asked{"a"})}, huge) {
			t.Errorf("%s changes nothing", kind)
		}
	}
	if want := (Permissions{Asked: 2, Denied: 1}); *s.Permissions != want {
		t.Errorf("counted %+v", *s.Permissions)
	}
}

// What an earlier row changed is told whatever comes after it.
func TestAChangeIsNotForgottenForARowThatChangesNothing(t *testing.T) {
	criteria := struct {
		Issue    string      `json:"issue"`
		Criteria []Criterion `json:"criteria"`
	}{"42", []Criterion{{"AC-01", "x"}}}
	changing := row(event.Criteria, criteria)
	idle := []event.Row{
		row(event.Edit, struct{}{}), row(event.Criterion, struct{}{}), row(event.Criteria, struct{}{}), row(event.Ref, ref{"else", "1"}),
		row(event.PermissionAsk, asked{"b"}), row(event.PermissionDeny, asked{"b"}), row("unheard of", struct{}{}),
	}
	for _, r := range idle {
		if working(Coding).Fold([]event.Row{r}, huge) {
			t.Errorf("%s alone changes something", r.Kind)
		}
		if !working(Coding).Fold([]event.Row{changing, r}, huge) {
			t.Errorf("the change before %s is forgotten", r.Kind)
		}
	}
	if !working(Coding).Fold([]event.Row{row(event.Edit, struct {
		File string `json:"file"`
	}{"a.go"}), idle[4]}, huge) {
		t.Error("an edit is forgotten")
	}
}

func TestTheCriteriaOfAnIssueAreKeptWithinBounds(t *testing.T) {
	s := working(Coding)
	var list []Criterion
	for i := range maxCriteria + 5 {
		list = append(list, Criterion{fmt.Sprintf("AC-%03d", i), strings.Repeat("long text\n", 100)})
	}
	list[1].ID = ""
	fold := func(issue string, list []Criterion) bool {
		return s.Fold([]event.Row{row(event.Criteria, struct {
			Issue    string      `json:"issue"`
			Criteria []Criterion `json:"criteria"`
		}{issue, list})}, huge)
	}
	if fold("", list) || s.Criteria != nil {
		t.Error("criteria of no issue are kept")
	}
	if !fold("42", list) || len(s.Criteria["42"]) != maxCriteria-1 {
		t.Fatalf("%d are kept", len(s.Criteria["42"]))
	}
	if text := s.CriterionText("AC-000"); len(text) > maxText || strings.Contains(text, "\n") || text == "" {
		t.Errorf("kept as %q", text)
	}
	fold("43", []Criterion{{"AC-000", "of another issue"}})
	if strings.Contains(s.CriterionText("AC-000"), "another") || s.CriterionText("AC-999") != "" {
		t.Error("the text of another issue is shown")
	}
	fold("42", []Criterion{{"AC-01", "written anew"}})
	if !cmp.Equal(s.Criteria["42"], []Criterion{{"AC-01", "written anew"}}) {
		t.Errorf("the old ones stay: %v", s.Criteria["42"])
	}
}

func TestARequirementIsConfirmedAsAWhole(t *testing.T) {
	s := working(ChunkComplete)
	if got := s.Chunk.ToConfirm(RequirementDone); !cmp.Equal(got, []string{"AC-01", "AC-02", "AC-03", "AC-04"}) {
		t.Errorf("the requirement: %v", got)
	}
	if got := s.Chunk.ToConfirm(CodeComplete); !cmp.Equal(got, []string{"AC-03"}) {
		t.Errorf("the chunk: %v", got)
	}
}

func TestWhatWasAskedIsTheOwnersAndKeptOnce(t *testing.T) {
	s := working(Coding)
	s.Own("a", 1, "x")
	ask := func(session string) event.Row {
		return row(event.Asked, struct {
			Session string `json:"session"`
			Event   Event  `json:"event"`
		}{session, CodeComplete})
	}
	if s.Fold([]event.Row{ask("b")}, huge) || s.Asked != nil {
		t.Errorf("another session was asked: %v", s.Asked)
	}
	if !s.Fold([]event.Row{ask("a")}, huge) || s.Fold([]event.Row{ask("a")}, huge) || !cmp.Equal(s.Asked, []Event{CodeComplete}) {
		t.Errorf("asked %v", s.Asked)
	}
}
