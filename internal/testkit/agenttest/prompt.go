package agenttest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/answer"
	"warp/internal/core/lossless"
	"warp/internal/engine/agent"
)

// CheckPrompt checks that a prompt states role, task, rules and output, in that order, and
// ends its output with one example, which is a valid result of the role.
func CheckPrompt(t *testing.T, role agent.Role, prompt string) {
	t.Helper()
	var at []int
	for _, part := range []string{"You ", "\nTask: ", "\nRules:\n", "\nOutput: ", "Example:\n"} {
		i := strings.Index(prompt, part)
		if i < 0 || strings.Count(prompt, part) != 1 && part != "You " {
			t.Errorf("%q is not there once:\n%s", part, prompt)
			return
		}
		at = append(at, i)
	}
	if !slices.IsSorted(at) {
		t.Errorf("the parts are not in order (%v):\n%s", at, prompt)
	}
	_, example, _ := strings.Cut(prompt, "Example:\n")
	example, _, _ = strings.Cut(example, "\n")
	v, err := lossless.Parse([]byte(example))
	if err != nil {
		t.Errorf("the example is not JSON: %v: %s", err, example)
		return
	}
	if why := answer.Valid(role, v); why != "" {
		t.Errorf("the example is not a result of %s: %s: %s", role, why, example)
	}
}

// Limits of a prompt, in characters.
const (
	mostAdded = 3_500 // beside the issue and the diff
	prompts   = "internal/engine/prompt/testdata"
)

// CheckGolden checks that a prompt is as the golden file of that name has it, beside the templates,
// and short. beside is the size of the issue and the diff in it.
func CheckGolden(t *testing.T, name, prompt string, beside int, update bool) {
	t.Helper()
	if size := len(prompt) - beside; size > mostAdded {
		t.Errorf("%s: %d characters beside issue and diff, more than %d", name, size, mostAdded)
	}
	dir := ""
	for _, err := os.Stat("go.mod"); err != nil; _, err = os.Stat(dir + "go.mod") {
		dir += "../"
	}
	file := filepath.Join(dir+prompts, name+".txt")
	if update {
		if err := os.WriteFile(file, []byte(prompt), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != prompt {
		t.Errorf("%s: the prompt has changed (go test -update writes it):\n%s", name, prompt)
	}
}
