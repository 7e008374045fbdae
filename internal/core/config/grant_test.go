package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRulesAreNarrow(t *testing.T) {
	for _, level := range []int{2, 3} {
		all := RulesOf(level, "trunk", "go test ./...")
		for _, rule := range all["allow"] {
			if slices.ContainsFunc([]string{"approve", "edit", "answer", "drive", "stop", "override", "config set", "trust", "init", "reset", "push", "create:"}, func(w string) bool {
				return strings.HasPrefix(rule, "Bash(") && strings.Contains(rule, w) && rule != "Bash(gh pr create:*)"
			}) {
				t.Errorf("level %d lets a model decide for a person: %s", level, rule)
			}
			for _, begins := range []string{"git diff --", "git log --output=x", "git log --format=x --output=x", "git show --ext-diff", "git fetch --upload-pack=x", "warp report --html x", "warp report --since yesterday --html x"} {
				if open, is := strings.CutSuffix(strings.TrimPrefix(rule, "Bash("), ":*)"); is && strings.HasPrefix(begins, open) {
					t.Errorf("level %d lets a model write any file, or run a program: %s", level, rule)
				}
			}
			if rule == Blanket || rule == "Bash" || strings.HasPrefix(rule, "Bash(*") || rule == "Bash(git:*)" || rule == "Bash(gh:*)" {
				t.Errorf("level %d allows %s", level, rule)
			}
		}
		if !slices.Contains(all["allow"], "Bash(go test:*)") {
			t.Errorf("level %d does not allow the tests", level)
		}
		if push := slices.Contains(all["deny"], "Bash(git push origin trunk:*)"); push != (level == 2) {
			t.Errorf("level %d denies a push to the main branch: %v", level, push)
		}
	}
}

func TestRuleOfACommand(t *testing.T) {
	for command, want := range map[string]string{
		"go test ./...":        "Bash(go test:*)",
		"  make   check ":      "Bash(make check:*)",
		"pytest":               "Bash(pytest:*)",
		"bash":                 "Bash(bash)",
		"/bin/sh -c":           "Bash(/bin/sh -c)",
		"python3.12":           "Bash(python3.12)",
		"python3 -m pytest":    "Bash(python3 -m pytest:*)",
		"*":                    "",
		"":                     "",
		"npm ci && npm test":   "",
		"a) Bash(*":            "",
		"x $(y)":               "",
		"npm test:":            "",
		"sudo":                 "Bash(sudo)",
		"-rf":                  "",
		"npm run test:unit -w": "Bash(npm run test:unit -w:*)",
	} {
		if got, ok := RuleOf(command); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", command, got, ok, want)
		}
	}
}

const own = "{\r\n\t\"permissions\": {\r\n\t\t\"allow\": [ \"Bash(ls:*)\",\"Edit\" ],\r\n\t\t\"defaultMode\": \"plan\"\r\n\t},\r\n\t\"_workflow\": { \"level\" : 2 }\r\n}\r\n"

func TestGrantAndTakeBackLeavesNoTrace(t *testing.T) {
	for _, text := range []string{own, "{}\n", `{"permissions": {"allow": ["x"]}}`, "{\n  \"a\": 1\n}\n", `{"permissions":{"deny":["Bash(git clean:*)"]}}`} {
		out, ours, err := Grant([]byte(text), RulesOf(2, "trunk", "make"), Rules{})
		if err != nil {
			t.Fatal(err)
		}
		again, same, err := Grant(out, RulesOf(2, "trunk", "make"), ours)
		if err != nil || string(again) != string(out) || !cmp.Equal(same, ours) {
			t.Errorf("granting twice changed something: %v\n%s", err, again)
		}
		at3, ours3, err := Grant(out, RulesOf(3, "trunk", "go test"), ours)
		if err != nil || strings.Contains(string(at3), "trunk") || strings.Contains(string(at3), "gh pr") || strings.Contains(string(at3), "(make:") || !strings.Contains(string(at3), "(go test:") {
			t.Errorf("%v: level 3 after 2:\n%s", err, at3)
		}
		back, _, err := Grant(at3, nil, ours3)
		if err != nil || string(back) != text {
			t.Errorf("%v\n got %q\nwant %q", err, back, text)
		}
	}
}

func TestGrantKnowsItsRulesByTheTable(t *testing.T) {
	out, ours, err := Grant([]byte(own), RulesOf(2, "main", ""), nil)
	if err != nil || slices.Index(ours["allow"], "Edit") < 0 {
		t.Fatalf("%v %v", ours, err)
	}
	back, _, err := Grant(out, nil, nil)
	want := strings.Replace(own, ",\"Edit\"", "", 1) // nobody remembers that it was the user's
	if err != nil || string(back) != want {
		t.Errorf("%v\n got %q\nwant %q", err, back, want)
	}
}

func TestGrantRefusesWhatTheAgentWouldNotRead(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"permissions\": []\n}":                   "line 2: permissions must be an object, not an array",
		"{\"permissions\": {\n\n\"deny\": {}}}":         "line 3: permissions.deny must be an array, not an object",
		"{\"permissions\": {\"allow\": [\n\"x\",\n1]}}": "line 3: permissions.allow[1] must be a string, not a number",
		"[]":   "settings.local.json must be an object, not an array",
		"{,}":  "line 1, column 2",
		"null": "must be an object, not null",
	} {
		if _, _, err := Grant([]byte(text), RulesOf(2, "", ""), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
