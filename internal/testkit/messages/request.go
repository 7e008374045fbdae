package messages

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// A Request is one call of POST /v1/messages.
type Request struct {
	Scenario string // "" without a marker
	Step     int
	Compact  bool // asks for a summary of the conversation

	Model    string
	Stream   bool
	System   []Block
	Messages []Message
	Tools    []string // names
	Header   http.Header
	Body     json.RawMessage
}

// A Message is one turn. Context from hooks comes in the middle of the
// conversation under the role "system".
type Message struct {
	Role   string
	Blocks []Block
}

// A Block is one part of a message. What the fields hold depends on Type.
type Block struct {
	Type  string         // "text", "tool_use", "tool_result"
	Text  string         // of a text or a tool result
	Name  string         // of the tool that is used
	Input map[string]any // of the tool that is used
	ID    string         // of the use, also in its result
	Error bool           // the tool failed, or was not allowed to run
}

// A ToolResult is what the client says became of a tool's use.
type ToolResult struct {
	ID    string
	Error bool
	Text  string
}

// Text is all text of the request, no matter who said it: the system prompt, the
// messages of every role and the results of tools.
func (r Request) Text() string {
	var b strings.Builder
	for _, m := range append([]Message{{Blocks: r.System}}, r.Messages...) {
		for _, p := range m.Blocks {
			if p.Text != "" {
				b.WriteString(p.Text + "\n")
			}
		}
	}
	return b.String()
}

// ToolResults are the results of all tools so far, in the order they came.
func (r Request) ToolResults() []ToolResult {
	var all []ToolResult
	for _, m := range r.Messages {
		for _, p := range m.Blocks {
			if p.Type == "tool_result" {
				all = append(all, ToolResult{p.ID, p.Error, p.Text})
			}
		}
	}
	return all
}

var marker = regexp.MustCompile(`\[\[scenario:([A-Za-z0-9_.-]+)(?:@([0-9]+))?\]\]`)

// mark is the marker for a scenario that has come to a step.
func mark(scenario string, step int) string {
	return fmt.Sprintf("[[scenario:%s@%d]]", scenario, step)
}

// place finds where in the script the conversation stands.
func (r *Request) place(pick func(string) string) {
	for _, m := range r.Messages {
		switch m.Role {
		case "assistant":
			r.Step++
		case "user":
			r.Compact = false // only the last user message asks for something
			for _, p := range m.Blocks {
				if p.Type != "text" {
					continue
				}
				r.read(p.Text)
				if pick == nil {
					continue
				}
				if name := pick(p.Text); name != "" {
					r.Scenario, r.Step = name, 0
				}
			}
		}
	}
}

func (r *Request) read(text string) {
	if strings.Contains(text, "CRITICAL: Respond with TEXT ONLY") || strings.Contains(text, "create a detailed summary") {
		r.Compact = true
	}
	if found := marker.FindAllStringSubmatch(text, -1); found != nil {
		last := found[len(found)-1]
		r.Scenario = last[1]
		r.Step, _ = strconv.Atoi(last[2]) // no step is step 0
	}
}
