package gemini

// A Step is one answer of the scripted model.
type Step struct {
	say, tool string
	args      map[string]any
}

// Say ends the turn with a message.
func Say(text string) Step { return Step{say: text} }

// Call calls any tool.
func Call(tool string, args map[string]any) Step { return Step{tool: tool, args: args} }

// Shell runs a command.
func Shell(command string) Step {
	return Call("run_shell_command", map[string]any{"command": command})
}

// Write writes a whole file.
func Write(path, content string) Step {
	return Call("write_file", map[string]any{"file_path": path, "content": content})
}

// Replace replaces a piece of a file.
func Replace(path, old, text string) Step {
	return Call("replace", map[string]any{
		"file_path": path, "instruction": "replace it", "old_string": old, "new_string": text,
	})
}

// parts is the step as the content of a candidate.
func (s Step) parts() []any {
	if s.tool != "" {
		return []any{map[string]any{"functionCall": map[string]any{"name": s.tool, "args": s.args}}}
	}
	return []any{map[string]any{"text": s.say}}
}
