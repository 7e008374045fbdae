package hook

import (
	"warp/internal/core/lossless"
)

// Payload is what the agent says about an event. Members that an event does
// not have, or that a version of the agent does not send, are empty.
type Payload struct {
	Event      string
	Session    string
	Transcript string
	Dir        string // where the agent's session is now

	Tool      string
	ToolUse   string
	Input     []byte // raw JSON of tool_input
	Failure   string // PostToolUseFailure: error
	Interrupt bool

	Source    string // SessionStart: startup, resume, clear, compact, fork
	Reason    string // SessionEnd
	Error     string // StopFailure: error, error_details
	Details   string
	Trigger   string // PreCompact: manual, auto
	Prompt    string
	Command   string // UserPromptExpansion: command_name
	Expansion string

	StopActive  bool
	Background  bool // tasks are still running in the background
	LastMessage string

	Agent           string // a subagent's id
	AgentType       string
	AgentTranscript string
}

// members says where each member of the agent's JSON goes.
var members = map[string]func(*Payload, []byte){
	"hook_event_name":        text(func(p *Payload) *string { return &p.Event }),
	"session_id":             text(func(p *Payload) *string { return &p.Session }),
	"transcript_path":        text(func(p *Payload) *string { return &p.Transcript }),
	"cwd":                    text(func(p *Payload) *string { return &p.Dir }),
	"tool_name":              text(func(p *Payload) *string { return &p.Tool }),
	"tool_use_id":            text(func(p *Payload) *string { return &p.ToolUse }),
	"tool_input":             func(p *Payload, raw []byte) { p.Input = raw },
	"error":                  func(p *Payload, raw []byte) { p.Failure = textOf(raw); p.Error = p.Failure },
	"error_details":          text(func(p *Payload) *string { return &p.Details }),
	"is_interrupt":           flag(func(p *Payload) *bool { return &p.Interrupt }),
	"source":                 text(func(p *Payload) *string { return &p.Source }),
	"reason":                 text(func(p *Payload) *string { return &p.Reason }),
	"trigger":                text(func(p *Payload) *string { return &p.Trigger }),
	"prompt":                 text(func(p *Payload) *string { return &p.Prompt }),
	"command_name":           text(func(p *Payload) *string { return &p.Command }),
	"expansion_type":         text(func(p *Payload) *string { return &p.Expansion }),
	"stop_hook_active":       flag(func(p *Payload) *bool { return &p.StopActive }),
	"background_tasks":       func(p *Payload, raw []byte) { p.Background = hasElements(raw) },
	"last_assistant_message": text(func(p *Payload) *string { return &p.LastMessage }),
	"agent_id":               text(func(p *Payload) *string { return &p.Agent }),
	"agent_type":             text(func(p *Payload) *string { return &p.AgentType }),
	"agent_transcript_path":  text(func(p *Payload) *string { return &p.AgentTranscript }),
}

// ReadPayload takes a payload apart. What could be read before an error is
// returned with it.
func ReadPayload(data []byte) (Payload, error) {
	var p Payload
	err := lossless.Scan(data, func(key string, raw []byte) {
		if take := members[key]; take != nil {
			take(&p, raw)
		}
	})
	return p, err
}

func text(field func(*Payload) *string) func(*Payload, []byte) {
	return func(p *Payload, raw []byte) { *field(p) = textOf(raw) }
}

func flag(field func(*Payload) *bool) func(*Payload, []byte) {
	return func(p *Payload, raw []byte) { *field(p) = string(raw) == "true" }
}

// textOf is the content of a string; "" for a value of any other type.
func textOf(raw []byte) string {
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	v, err := lossless.Parse(raw)
	if err != nil {
		return ""
	}
	return v.Text()
}

func hasElements(raw []byte) bool {
	v, err := lossless.Parse(raw)
	return err == nil && v.Kind == lossless.Array && len(v.Elems) > 0
}

// input returns one member of the tool's input.
func (p Payload) input(name string) string {
	found := ""
	_ = lossless.Scan(p.Input, func(key string, raw []byte) { // what is there before an error counts
		if key == name {
			found = textOf(raw)
		}
	})
	return found
}

// fileTools edit the file that their input names.
var fileTools = map[string]string{"Edit": "file_path", "Write": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}

// files are the files that an editing tool writes; none for any other tool.
func (p Payload) files() []string {
	if p.Tool == patchTool {
		return patched(p.input("command"))
	}
	member, edits := fileTools[p.Tool]
	if !edits {
		return nil
	}
	for _, name := range []string{member, "file_path"} {
		if f := p.input(name); f != "" {
			return []string{f}
		}
	}
	return nil
}
