//go:build unix

package packaging

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"warp/internal/testkit/need"
)

// action is action.yml.
type action struct {
	Name, Description string
	Inputs            map[string]struct {
		Description string
		Default     *string
	}
	Runs struct {
		Using string
		Steps []struct {
			Name, Shell, If, Run string
			Env                  map[string]string
		}
	}
}

func TestActionUsesItsInputsSafely(t *testing.T) {
	text := read(t, "../action.yml")
	var a action
	if err := yaml.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	var inputs []string
	for name, i := range a.Inputs {
		inputs = append(inputs, name)
		if i.Description == "" || i.Default == nil {
			t.Errorf("the input %s has no description or default", name)
		}
	}
	slices.Sort(inputs)
	if want := []string{"agent", "issue", "level", "max-cost", "version"}; !slices.Equal(inputs, want) {
		t.Errorf("inputs %v, want %v", inputs, want)
	}
	if a.Name == "" || a.Description == "" || a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Fatalf("%+v", a)
	}
	used := map[string]bool{}
	for _, s := range a.Runs.Steps {
		if s.Shell != "bash" || s.Run == "" {
			t.Errorf("the step %q: shell %q", s.Name, s.Shell)
		}
		// What is in an expression is pasted into the script before the shell reads it.
		if strings.Contains(s.Run, "${{") {
			t.Errorf("the step %q has an expression in its script: pass it by env", s.Name)
		}
		for name, value := range s.Env {
			if !regexp.MustCompile(`\$`+name+`\b`).MatchString(s.Run) && !strings.Contains(read(t, "../install.sh"), name) && name != "GITHUB_TOKEN" {
				t.Errorf("the step %q does not use %s", s.Name, name)
			}
			for _, m := range regexp.MustCompile(`inputs\.([\w-]+)`).FindAllStringSubmatch(value, -1) {
				used[m[1]] = true
			}
		}
		check := exec.Command(need.Tool(t, "shellcheck"), "--shell=bash", "-")
		check.Stdin = strings.NewReader(s.Run)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("the step %q: %v\n%s", s.Name, err, out)
		}
	}
	for _, name := range inputs {
		if !used[name] {
			t.Errorf("the input %s is not used", name)
		}
	}
	if found := regexp.MustCompile(`github\.event\.issue\.(title|body)|github\.event\.comment`).FindString(text); found != "" {
		t.Errorf("%s is text of strangers", found)
	}
	for _, permission := range []string{"contents: write", "issues: write", "pull-requests: write"} {
		if !strings.Contains(text, "#     "+permission) {
			t.Errorf("the permission %q is not documented", permission)
		}
	}
}
