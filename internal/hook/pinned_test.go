//go:build unix

package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/sys/pinned"
	"warp/internal/sys/written"
)

// pinnedProject is a guided project whose engine waits for the session.
func pinnedProject(t *testing.T) *project {
	t.Helper()
	p := guidedProject(t, drivestate.Coding)
	p.write(".claude/settings.local.json", `{"permissions":{"allow":["Bash(ls)"]},"_workflow":{"test_command":"go test ./..."}}`)
	p.write("CLAUDE.md", "be careful\n")
	book, ok := pinned.Open(p.root)
	if !ok {
		t.Fatal("no book")
	}
	if err := book.Begin(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *project) read(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.root, name))
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	return string(text)
}

// call is one call of Bash that does something; it returns what the session is told afterwards.
func (p *project) call(do func()) string {
	p.t.Helper()
	input := payload{"tool_name": "Bash", "tool_input": payload{"command": "git log -1"}}
	if a := p.hook("PreToolUse", input); a.Specific.Reason != "" {
		p.t.Fatal(a.Out)
	}
	do()
	return p.hook("PostToolUse", input).Out
}

// An allowed git log --output once set the test command, wrote a git hook, and approved an issue in
// a person's name.
func TestWhatACallChangesBehindWarpIsUndone(t *testing.T) {
	p := pinnedProject(t)
	p.write("src/a.go", "package a\n")
	before := map[string]string{"src/a.go": "package a\n"}
	evil := map[string]string{
		".claude/settings.local.json": `{"_workflow":{"test_command":"true"}}`,
		".claude/issues/42.md":        "- [x] AC-01: parse mail\n",
		".claude/issues/43.md":        "---\nlabels: [req, approved]\n---\n- [ ] AC-01: x\n",
		".git/hooks/pre-commit":       "#!/bin/sh\n",
		".git/config":                 p.read(".git/config") + "[core]\n\thooksPath = src\n",
		"CLAUDE.md":                   "be quick\n",
		".mcp.json":                   "{}",
	}
	for name := range evil {
		before[name] = p.read(name)
	}
	told := p.call(func() {
		for name, text := range evil {
			p.write(name, text)
		}
	})
	for name, text := range before {
		if is := p.read(name); is != text {
			t.Errorf("%s is %q, was %q", name, is, text)
		}
	}
	if !strings.Contains(told, "CLAUDE.md (changed)") || !strings.Contains(told, "put back") || !strings.Contains(told, `"decision":"block"`) {
		t.Errorf("told: %s", told)
	}
	if told = p.call(func() { _ = os.Remove(filepath.Join(p.root, ".claude/issues/42.md")) }); !strings.Contains(told, "issues/42.md (deleted)") || p.read(".claude/issues/42.md") != before[".claude/issues/42.md"] {
		t.Errorf("a deleted issue: %s", told)
	}
	if told = p.call(func() {}); told != "" {
		t.Errorf("a call that changes nothing: %s", told)
	}
}

func TestWhatPeopleAndWarpChangeStays(t *testing.T) {
	p := pinnedProject(t)
	settings := `{"_workflow":{"test_command":"make test"}}`
	for name, do := range map[string]func(){
		"warp": func() {
			if err := written.Add(p.drive.Store(), ".claude/settings.local.json", []byte(settings)); err != nil {
				t.Error(err)
			}
			p.write(".claude/settings.local.json", settings)
		},
		"the agent's own question": func() {
			settings = `{"permissions":{"allow":["Bash(ls)","Bash(make)"]},"_workflow":{"test_command":"make test"}}`
			p.write(".claude/settings.local.json", settings)
		},
		"git": func() {
			p.write(".git/config", p.read(".git/config")+"[branch \"feature/issue-42-x\"]\n\tremote = origin\n\tmerge = refs/heads/x\n")
		},
	} {
		if told := p.call(do); told != "" {
			t.Errorf("%s: %s", name, told)
		}
	}
	p.write("CLAUDE.md", "be kind\n") // between two calls
	if told := p.call(func() {}); told != "" || p.read("CLAUDE.md") != "be kind\n" {
		t.Errorf("a person's: %s", told)
	}
	p.write(".claude/settings.local.json", `{"_workflow":{"test_command":"true"}}`)
	if told := p.call(func() {}); !strings.Contains(told, "put back") || p.read(".claude/settings.local.json") != settings {
		t.Errorf("settings between two calls: %s", told)
	}
}

// What the tool of an MCP server writes is looked at like what Write does.
func TestAToolOfAServerWritesLikeWrite(t *testing.T) {
	p := pinnedProject(t)
	for tool, input := range map[string]payload{
		"mcp__filesystem__write_file": {"path": filepath.Join(p.root, ".claude/settings.json"), "content": "{}"},
		"mcp__files__move_file":       {"source": "a.go", "destination": ".git/hooks/pre-commit"},
		"mcp__ide__create_new_file":   {"relative_path": "../other/a.go"},
		"mcp__many__edit_files":       {"paths": []string{"a.go", ".claude/issues/42.md"}},
	} {
		if a := p.hook("PreToolUse", payload{"tool_name": tool, "tool_input": input}); a.Specific.Decision != "deny" {
			t.Errorf("%s: %s", tool, a.Out)
		}
	}
	for tool, input := range map[string]payload{
		"mcp__filesystem__read_file":  {"path": ".claude/settings.json"},
		"mcp__filesystem__write_file": {"path": "b.go"},
		"mcp__github__create_issue":   {"title": "x"},
	} {
		if a := p.hook("PreToolUse", payload{"tool_name": tool, "tool_input": input}); a.Out != "" {
			t.Errorf("%s: %s", tool, a.Out)
		}
	}
}
