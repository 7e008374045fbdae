package hook

import (
	"warp/internal/core/errorclass"
	"warp/internal/core/event"
	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
)

// hookPayload is an agent's description of an event. Fields that the event lacks, or that this
// version of the agent does not send, are empty.
type hookPayload struct {
	Event      string
	Session    string
	Transcript string
	Dir        string // the session's current folder

	Tool      string
	ToolUse   string
	Input     []byte // raw JSON of tool_input
	Response  []byte // PostToolUse: raw JSON of tool_response
	Interrupt bool

	Source    string // SessionStart: startup, resume, clear, compact, fork
	Reason    string // SessionEnd
	Error     string // PostToolUseFailure, StopFailure: error, error_details
	Details   string
	Trigger   string // PreCompact: manual, auto
	Prompt    string
	Command   string // UserPromptExpansion: command_name, command_args
	Expansion string

	CommandArgs string

	StopActive  bool
	Background  bool // tasks are still running in the background
	LastMessage string

	Agent           string // a subagent's id
	AgentType       string
	AgentTranscript string
}

// textFields maps the string members of the agent's JSON to fields. It is plain data, because every
// tool call pays for what runs before main.
var textFields = lazy.Table[string, func(*hookPayload) *string]{
	{"hook_event_name", func(p *hookPayload) *string { return &p.Event }},
	{"session_id", func(p *hookPayload) *string { return &p.Session }},
	{"transcript_path", func(p *hookPayload) *string { return &p.Transcript }},
	{"cwd", func(p *hookPayload) *string { return &p.Dir }},
	{"tool_name", func(p *hookPayload) *string { return &p.Tool }},
	{"tool_use_id", func(p *hookPayload) *string { return &p.ToolUse }},
	{"error_details", func(p *hookPayload) *string { return &p.Details }},
	{"source", func(p *hookPayload) *string { return &p.Source }},
	{"reason", func(p *hookPayload) *string { return &p.Reason }},
	{"trigger", func(p *hookPayload) *string { return &p.Trigger }},
	{"prompt", func(p *hookPayload) *string { return &p.Prompt }},
	{"command_name", func(p *hookPayload) *string { return &p.Command }},
	{"command_args", func(p *hookPayload) *string { return &p.CommandArgs }},
	{"expansion_type", func(p *hookPayload) *string { return &p.Expansion }},
	{"last_assistant_message", func(p *hookPayload) *string { return &p.LastMessage }},
	{"agent_id", func(p *hookPayload) *string { return &p.Agent }},
	{"agent_type", func(p *hookPayload) *string { return &p.AgentType }},
	{"agent_transcript_path", func(p *hookPayload) *string { return &p.AgentTranscript }},
	{"error", func(p *hookPayload) *string { return &p.Error }},
}

func (p *hookPayload) take(key string, raw []byte) {
	if field, known := textFields.Find(key); known {
		*field(p) = lossless.Plain(raw)
		return
	}
	switch key {
	case "is_interrupt":
		p.Interrupt = string(raw) == "true"
	case "stop_hook_active":
		p.StopActive = string(raw) == "true"
	case "tool_input":
		p.Input = raw
	case "tool_response":
		p.Response = raw
	case "background_tasks":
		tasks, _ := lossless.Parse(raw) // nil on an error
		p.Background = len(tasks.List()) > 0
	}
}

// readPayload parses a payload. On an error it also returns what it had read so far.
func readPayload(data []byte) (hookPayload, error) {
	var p hookPayload
	return p, lossless.Scan(data, p.take)
}

// input returns one member of the tool's input; "" if it is not a string.
func (p *hookPayload) input(name string) string { return lossless.Plain(p.rawInput(name)) }

func (p *hookPayload) rawInput(name string) (found []byte) {
	_ = lossless.Scan(p.Input, func(key string, raw []byte) { // keep what comes before an error
		if key == name {
			found = raw
		}
	})
	return found
}

// fileTools maps each editing tool to the input that names its file.
var fileTools = lazy.Table[string, string]{{"Edit", "file_path"}, {"Write", "file_path"}, {"MultiEdit", "file_path"}, {"NotebookEdit", "notebook_path"}}

// listFiles returns the files that an editing tool writes; none for any other tool.
func (p *hookPayload) listFiles() []string {
	if p.Tool == patchTool || p.Tool == "Bash" {
		return listPatchedFiles(p.input("command"))
	}
	member, edits := fileTools.Find(p.Tool)
	if !edits {
		return p.listServersFiles()
	}
	for _, name := range []string{member, "file_path"} {
		if f := p.input(name); f != "" {
			return []string{f}
		}
	}
	return nil
}

// callKey returns a key that two calls share if they use one tool on one subject, however the
// agent describes them.
func (p *hookPayload) callKey() string {
	for _, name := range subjects {
		if about := p.input(name); about != "" {
			return p.Tool + ":" + event.Sum([]byte(about))
		}
	}
	return p.Tool + ":" + event.Sum(p.Input)
}

// misspelledKey returns the key of calls with a misspelled name or input. They have no key of
// their own: no later call equals them, and any that succeeds has corrected them.
func (p *hookPayload) misspelledKey() string { return p.Tool + ":misspelled" }

func (p *hookPayload) failureKey() string {
	if errorclass.IsMisspelledCall(p.Error) {
		return p.misspelledKey()
	}
	return p.callKey()
}
