package messages

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// wire is the request as it is sent.
type wire struct {
	Model    string
	Stream   bool
	System   content
	Messages []struct {
		Role    string
		Content content
	}
	Tools []struct{ Name string }
}

// content is a string or a list of blocks.
type content []block

type block struct {
	Type      string
	Text      string
	ID        string
	Name      string
	Input     map[string]any
	ToolUseID string  `json:"tool_use_id"`
	IsError   bool    `json:"is_error"`
	Content   content // of a tool result
}

func (c *content) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
		*c = content{{Type: "text", Text: text}}
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for _, item := range list {
		// A kind of block that is not known may have fields of other shapes.
		var kind struct{ Type string }
		var b block
		if err := json.Unmarshal(item, &kind); err != nil {
			return err
		}
		switch kind.Type {
		case "text", "tool_use", "tool_result":
			if err := json.Unmarshal(item, &b); err != nil {
				return fmt.Errorf("a block %q: %w", kind.Type, err)
			}
		default:
			b.Type = kind.Type
		}
		*c = append(*c, b)
	}
	return nil
}

func (c content) text() string {
	var parts []string
	for _, b := range c {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func (c content) blocks() []Block {
	var all []Block
	for _, b := range c {
		p := Block{Type: b.Type, Text: b.Text, Name: b.Name, Input: b.Input, ID: b.ID}
		if b.Type == "tool_result" {
			p.ID, p.Error, p.Text = b.ToolUseID, b.IsError, b.Content.text()
		}
		all = append(all, p)
	}
	return all
}

// parse reads a request and finds its place in the script.
func parse(body []byte, header http.Header, pick func(string) string) (Request, error) {
	var w wire
	if err := json.Unmarshal(body, &w); err != nil {
		return Request{}, fmt.Errorf("reading a request of %d bytes: %w", len(body), err)
	}
	r := Request{Model: w.Model, Stream: w.Stream, System: w.System.blocks(), Header: header, Body: body}
	for _, m := range w.Messages {
		r.Messages = append(r.Messages, Message{Role: m.Role, Blocks: m.Content.blocks()})
	}
	for _, t := range w.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	r.place(pick)
	return r, nil
}
