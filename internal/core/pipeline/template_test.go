package pipeline

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRender(t *testing.T) {
	vars := map[string]string{"A": "1", "B": "${A} $$", "command.x": "go test", "": "nothing"}
	for template, want := range map[string]string{
		"":                     "",
		"a ${A} b":             "a 1 b",
		"${A}${A}":             "11",
		"${B}":                 "${A} $$", // values are not expanded again
		"${command.x}":         "go test",
		"$${A} $$$${A} $$${A}": "${A} $${A} $1",
		"$A $5 $(x) $ $":       "$A $5 $(x) $ $",
		"$$":                   "$",
		"${C} ${A b} ${ A}":    "${C} ${A b} ${ A}",
		"${A\n}":               "${A\n}",
		"${":                   "${",
		"${${A}}":              "${${A}}",
	} {
		if got := Render(template, vars); got != want {
			t.Errorf("%q: %q, want %q", template, got, want)
		}
	}
}

// A text in which every dollar is doubled comes out as it was, whatever the values.
func TestEscapedTextStaysAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"$", "{", "}", "A", "\n", "${A}"})).Draw(t, "pieces"), "")
		if got := Render(strings.ReplaceAll(text, "$", "$$"), map[string]string{"A": "1", "": "2"}); got != text {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

func TestVars(t *testing.T) {
	p := &Pipeline{Commands: []Command{{"test", "go test ./..."}, {"lint", "go vet"}}}
	if got := Render("${COMMANDS}|${command.lint}", p.Vars()); got != "- test: go test ./...\n- lint: go vet|go vet" {
		t.Errorf("%q", got)
	}
	if got := Render("${COMMANDS}|", (&Pipeline{}).Vars()); got != "|" {
		t.Errorf("%q", got)
	}
}

func TestAResultIsAskedForOnce(t *testing.T) {
	for prompt, want := range map[string]string{
		"Do it.\n\n":              "Do it.\n\nR",
		"${RESULT} a ${RESULT} b": "R a R b",
		"$${RESULT}":              "$${RESULT}\n\nR",
	} {
		if got := askFor("R", prompt); got != want {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
	if strings.Contains(result+judgeResult+choiceResult, "$") {
		t.Error("what is put into templates must not be one")
	}
}
