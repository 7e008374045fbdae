package codex

import (
	"encoding/json"
	"fmt"
)

// A Step is one answer of the scripted model.
type Step struct {
	say, shell, patch, code string

	tool, namespace string
	args            any
}

// Say ends the turn with a message.
func Say(text string) Step { return Step{say: text} }

// Shell runs a command with whichever shell tool the request offers.
func Shell(command string) Step { return Step{shell: command} }

// Patch edits files: "*** Begin Patch\n*** Add File: a.txt\n+text\n*** End Patch\n".
func Patch(text string) Step { return Step{patch: text} }

// Call calls any tool that takes JSON.
func Call(tool string, args any) Step { return Step{tool: tool, args: args} }

// Spawn starts a subagent. Its questions come to the same Server, so which of the
// later steps it gets is not known. It needs a model that the CLI does not know.
func Spawn(prompt string) Step {
	return Step{tool: "spawn_agent", namespace: "multi_agent_v1", args: map[string]any{"agent_type": "worker", "message": prompt}}
}

// Code runs JavaScript in the one tool that code mode offers, whose tools object
// holds all the others.
func Code(script string) Step { return Step{code: script} }

// item is the step as an output item of the Responses API, made for the tools
// that the request offers.
func (s Step) item(id string, offered tools) (map[string]any, error) {
	switch {
	case s.tool != "":
		call := function(id, s.tool, s.args)
		if s.namespace != "" {
			call["namespace"] = s.namespace
		}
		return call, nil
	case s.code != "":
		return custom(id, "exec", s.code), nil
	case s.shell != "":
		switch {
		case offered["exec_command"] != "":
			return function(id, "exec_command", map[string]any{"cmd": s.shell}), nil
		case offered["shell_command"] != "":
			return function(id, "shell_command", map[string]any{"command": s.shell}), nil
		case offered["shell"] != "":
			return function(id, "shell", map[string]any{"command": []string{"bash", "-lc", s.shell}}), nil
		case offered["exec"] == "custom":
			return custom(id, "exec", "text(await tools.exec_command({cmd: "+quote(s.shell)+"}))"), nil
		}
		return nil, fmt.Errorf("the request offers no shell tool among %v", offered)
	case s.patch != "":
		switch {
		case offered["apply_patch"] == "custom":
			return custom(id, "apply_patch", s.patch), nil
		case offered["apply_patch"] == "function":
			return function(id, "apply_patch", map[string]any{"input": s.patch}), nil
		case offered["exec"] == "custom":
			return custom(id, "exec", "text(await tools.apply_patch("+quote(s.patch)+"))"), nil
		}
		return nil, fmt.Errorf("the request offers no apply_patch among %v", offered)
	}
	return message(id, s.say), nil
}

func function(id, name string, args any) map[string]any {
	return map[string]any{"type": "function_call", "call_id": id, "name": name, "arguments": quote(args)}
}

func custom(id, name, input string) map[string]any {
	return map[string]any{"type": "custom_tool_call", "call_id": id, "name": name, "input": input}
}

func message(id, text string) map[string]any {
	return map[string]any{
		"type": "message", "id": id, "role": "assistant",
		"content": []any{map[string]any{"type": "output_text", "text": text}},
	}
}

// quote writes JSON, which is JavaScript too.
func quote(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a test wrote arguments that are no JSON
	}
	return string(text)
}
