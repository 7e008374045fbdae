package pipeline

import (
	"strings"
	"testing"

	"warp/internal/core/pipeline/library"
	"warp/internal/core/text"
)

var (
	result       = library.Prompt("result")
	judgeResult  = library.Prompt("judge-result")
	choicePrompt = library.Prompt("choice-prompt")
	choiceResult = library.Prompt("choice-result")
)

func TestVars(t *testing.T) {
	p := &Pipeline{Commands: []Command{{"test", "go test ./..."}, {"lint", "go vet"}}}
	if got := text.Render("${COMMANDS}|${command.lint}", p.Vars()); got != "- test: go test ./...\n- lint: go vet|go vet" {
		t.Errorf("%q", got)
	}
	if got := text.Render("${COMMANDS}|", (&Pipeline{}).Vars()); got != "|" {
		t.Errorf("%q", got)
	}
}

func TestAResultIsAskedForOnce(t *testing.T) {
	for prompt, want := range map[string]string{
		"Do it.\n\n":              "Do it.\n\n" + result,
		"${RESULT} a ${RESULT} b": result + " a " + result + " b",
		"$${RESULT}":              "$${RESULT}\n\n" + result,
	} {
		if got := askFor("result", prompt); got != want {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
	if strings.Contains(result+judgeResult+choiceResult, "$") {
		t.Error("what is put into templates must not be one")
	}
}
