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
	name: "claude", file: ".claude/settings.json", commands: true,
	render: renderClaude, validate: validate("Claude Code", claudeEvents),
}

// sessionFolder is the session's folder in shell syntax; the shell may have changed its own.
const sessionFolder = "${CLAUDE_PROJECT_DIR:-$PWD}"

func renderClaude(program string) []group {
	var groups []group
	for _, r := range hook.Registrations {
		e := entry{event: r.Event, matcher: r.Matcher, command: hookLine(program, r.Event, ""), timeout: r.Seconds}
		if r.Guard {
			e.onFailure, e.command = "block", hookLine(program, r.Event, sessionFolder)
		}
		groups = append(groups, e.group())
	}
	return groups
}

// entry is one hook, alone in its group.
type entry struct {
	event, matcher, command string
	timeout                 int
	onFailure               string
}

func (e entry) group() group {
	members := []lossless.Member{
		{Key: "type", Value: lossless.NewString("command")},
		{Key: "command", Value: lossless.NewString(e.command)},
		{Key: "timeout", Value: lossless.NewInt(int64(e.timeout))},
	}
	if e.onFailure != "" {
		members = append(members, lossless.Member{Key: "onFailure", Value: lossless.NewString(e.onFailure)})
	}
	list := &lossless.Value{Kind: lossless.Array, Elems: []*lossless.Value{lossless.NewObject(members...)}}
	outer := []lossless.Member{{Key: "hooks", Value: list}}
	if e.matcher != "" {
		outer = append([]lossless.Member{{Key: "matcher", Value: lossless.NewString(e.matcher)}}, outer...)
	}
	return group{e.event, lossless.NewObject(outer...)}
}

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

// validate returns a check of what Claude Code, or an agent with the same format, accepts.
func validate(name string, events []string) func([]byte, *lossless.Value) ([]string, error) {
	return func(text []byte, doc *lossless.Value) ([]string, error) {
		return checkSettings(name, events, text, doc)
	}
}

func checkSettings(name string, events []string, text []byte, doc *lossless.Value) (warnings []string, err error) {
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
		if !slices.Contains(events, m.Key) {
			warnings = append(warnings, fmt.Sprintf("line %d: hooks.%s is not an event of %s, which ignores it", m.Value.Line(text), m.Key, name))
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
	text, err := register(nil, renderClaude(hookProgram))
	if err != nil {
		panic(err) // cannot happen with an empty file
	}
	return text
}
