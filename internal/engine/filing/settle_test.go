package filing_test

import (
	"slices"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/filing"
	"warp/internal/engine/forge"
)

func TestWhatPeopleSay(t *testing.T) {
	o := newOffice(t)
	for _, body := range []string{"Use the **second** one, hunter2", "Filed by warp\n\n<!-- warp-drive report #1 5 -->"} {
		o.must(o.Tracker.Comment(t.Context(), 1, forge.NewComment{Body: body}))
	}
	said, err := o.PeopleSay(t.Context(), 1)
	if err != nil || len(said) != 1 || said[0].Text != "Use the **second** one, ***" || said[0].By != "t" || said[0].From == "" {
		t.Errorf("%+v, %v", said, err)
	}
	if _, err := o.PeopleSay(t.Context(), 99); err == nil {
		t.Error("an issue that is not there says nothing")
	}
}

func TestWhatIsSettledIsClosed(t *testing.T) {
	o := newOffice(t)
	asked := evidence.Decision{Issue: "1", Question: "Which?"}
	o.must(o.FileQuestion(t.Context(), asked))
	o.must(o.FileBug(t.Context(), evidence.Skipped{Issue: "1", Chunk: 1, Why: "no"}))
	o.must(o.FileStopped(t.Context(), "no agent", "install one", "night"))

	todos, err := o.OpenTodos(t.Context())
	if err != nil || len(todos) != 1 || !o.Asks(todos[0], "which?") || o.Asks(todos[0], "What else?") {
		t.Fatalf("%+v, %v", todos, err)
	}
	asked.Answer = "The first."
	o.must(o.CloseTodo(t.Context(), todos[0], asked))
	o.must(o.CloseSettled(t.Context(), "0123456789abcdef"))
	o.must(o.CloseSettled(t.Context(), "0123456789abcdef")) // nothing is left
	if todos, err = o.OpenTodos(t.Context()); err != nil || len(todos) != 0 {
		t.Errorf("%+v, %v", todos, err)
	}
	for _, label := range []string{filing.Todo, filing.Bug} {
		open, err := o.Tracker.List(t.Context(), forge.Query{Labels: []string{label}})
		if err != nil || len(open) != 0 {
			t.Errorf("%s: %+v, %v", label, open, err)
		}
	}
	var settled []int
	for _, f := range o.filed {
		if f.What == "settled" {
			settled = append(settled, f.Number)
		}
	}
	slices.Sort(settled)
	if !slices.Equal(settled, []int{2, 3, 4}) {
		t.Errorf("%v", settled)
	}
}

func TestIsFiled(t *testing.T) {
	o := newOffice(t)
	for what, file := range map[string]func() error{"report": func() error { return o.FileReport(t.Context()) }} {
		if there, err := o.IsFiled(t.Context(), what); there || err != nil {
			t.Errorf("%s: %v, %v", what, there, err)
		}
		o.must(file())
		if there, err := o.IsFiled(t.Context(), what); !there || err != nil {
			t.Errorf("%s: %v, %v", what, there, err)
		}
	}
}
