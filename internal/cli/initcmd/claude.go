package initcmd

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"warp/internal/core/lossless"
	"warp/internal/hook"
)

// claudeCode is Claude Code. It silently drops all hooks of a file with one entry it does not
// accept, so everything is validated before the first write.
var claudeCode = agent{
	name: "claude", title: "Claude Code", file: ".claude/settings.json", commands: true,
	hooks: hook.Registrations, folder: sessionFolder, second: 1, events: claudeEvents,
}

// sessionFolder is the session's folder in shell syntax; the shell may have changed its own.
const sessionFolder = "${CLAUDE_PROJECT_DIR:-$PWD}"

// claudeEvents are the events of Claude Code 2.1.
var claudeEvents = []string{
	"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit", "UserPromptExpansion",
	"SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact",
	"PreModelSwitch", "PostModelSwitch", "PermissionRequest", "PermissionDenied", "Setup", "TeammateIdle", "TaskCreated",
	"TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange", "WorktreeCreate", "WorktreeRemove",
	"InstructionsLoaded", "CwdChanged", "FileChanged", "DirectoryAdded", "MessageDisplay",
}

// requiredMembers lists the string members that each type of hook must have.
var requiredMembers = map[string][]string{
	"command":  {"command"},
	"prompt":   {"prompt"},
	"agent":    {"prompt"},
	"http":     {"url"},
	"mcp_tool": {"server", "tool"},
}

// validate returns what the agent would reject, with the line, and warns of what it would ignore.
func (a agent) validate(text []byte, doc *lossless.Value) (warnings []string, err error) {
	c := &checker{text: text}
	c.want(doc, "the document", lossless.Object)
	if off := doc.Get("disableAllHooks"); off != nil && off.Raw == "true" {
		warnings = append(warnings, fmt.Sprintf("line %d: disableAllHooks is true, so no hook runs", off.Line(text)))
	}
	hooks := doc.Get("hooks")
	if hooks == nil {
		return warnings, c.err
	}
	c.want(hooks, "hooks", lossless.Object)
	for _, m := range hooks.Members {
		if !slices.Contains(a.events, m.Key) {
			warnings = append(warnings, fmt.Sprintf("line %d: hooks.%s is not an event of %s, which ignores it", m.Value.Line(text), m.Key, a.title))
			continue
		}
		at := "hooks." + m.Key
		c.want(m.Value, at, lossless.Array)
		for i, g := range m.Value.Elems {
			c.group(g, at+"["+strconv.Itoa(i)+"]")
		}
	}
	return warnings, c.err
}

// checker keeps the first error.
type checker struct {
	text []byte
	err  error
}

func (c *checker) fail(v *lossless.Value, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("line %d: %s", v.Line(c.text), fmt.Sprintf(format, args...))
	}
}

func (c *checker) want(v *lossless.Value, what string, k lossless.Kind) {
	if v.Kind != k {
		c.fail(v, "%s must be %s, not %s", what, k, v.Kind)
	}
}

func (c *checker) group(g *lossless.Value, at string) {
	c.want(g, at, lossless.Object)
	if m := g.Get("matcher"); m != nil {
		c.want(m, at+".matcher", lossless.String)
	}
	hooks := g.Get("hooks")
	if hooks == nil {
		c.fail(g, "%s must have the array hooks", at)
		return
	}
	c.want(hooks, at+".hooks", lossless.Array)
	for i, e := range hooks.Elems {
		c.entry(e, at+".hooks["+strconv.Itoa(i)+"]")
	}
}

func (c *checker) entry(e *lossless.Value, at string) {
	c.want(e, at, lossless.Object)
	kind := e.Get("type").Text()
	if requiredMembers[kind] == nil {
		c.fail(e, "%s.type must be command, prompt, agent, http or mcp_tool", at)
	}
	for _, name := range requiredMembers[kind] {
		if v := e.Get(name); v == nil || v.Kind != lossless.String {
			c.fail(e, "%s.%s must be a string", at, name)
		}
	}
	if u, err := url.Parse(e.Get("url").Text()); kind == "http" && (err != nil || u.Scheme == "" || u.Host == "") {
		c.fail(e, "%s.url must be a URL", at)
	}
	if t := e.Get("timeout"); t != nil {
		if n, err := strconv.ParseFloat(t.Raw, 64); t.Kind != lossless.Number || err != nil || n <= 0 {
			c.fail(t, "%s.timeout must be a number above 0", at)
		}
	}
	if f := e.Get("onFailure"); f != nil && f.Text() != "block" && f.Text() != "continue" {
		c.fail(f, "%s.onFailure must be block or continue", at)
	}
}

// PluginHooks returns the plugin's hooks/hooks.json.
func PluginHooks() []byte {
	text, err := register(nil, claudeCode.render(hookProgram))
	if err != nil {
		panic(err) // cannot happen with an empty file
	}
	return text
}
