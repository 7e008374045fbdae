package sessions

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/pipeline"
)

// Overrides are settings from flags and the environment that take precedence over a session's
// file.
type Overrides struct {
	agent, model, context string
	commands, inputs      []string
}

// Flags adds the flags to a command; of names what they apply to in the help.
func (o *Overrides) Flags(c *cobra.Command, of string) {
	fs := c.Flags()
	fs.StringVar(&o.agent, "agent", "", "the agent of "+of)
	fs.StringVar(&o.agent, "provider", "", "the same as --agent")
	fs.StringVar(&o.model, "model", "", "the agent's model; MODEL:EFFORT also sets the effort")
	fs.StringVar(&o.context, "context", "", "what to tell agents besides the task: ${CONTEXT} in prompts")
	fs.StringArrayVar(&o.inputs, "input", nil, "a file to read first")
	fs.StringArrayVar(&o.commands, "command", nil, "a command of the project, such as test='make test'")
}

// variables are environment variables with the meaning of a flag, in ascending precedence.
var variables = []struct{ name, key string }{
	{"CLAUDE_PIPELINE_PROVIDER", "agent"}, {"CLAUDE_PIPELINE_MODEL", "model"}, {"CLAUDE_PIPELINE_CONTEXT", "context"},
	{"WARP_AGENT", "agent"}, {"WARP_MODEL", "model"}, {"WARP_CONTEXT", "context"},
}

// Settings returns the overrides in ascending precedence: environment, then flags.
func (o *Overrides) Settings(a *app.App) (all []pipeline.Setting, err error) {
	add := func(key, value, flag string) {
		if strings.TrimSpace(value) != "" {
			all = append(all, pipeline.Setting{Key: key, Value: value, Flag: flag})
		}
	}
	for _, v := range variables {
		add(v.key, a.Getenv(v.name), v.name)
	}
	add("agent", o.agent, "--agent")
	add("model", o.model, "--model")
	add("context", o.context, "--context")
	for _, file := range o.inputs {
		full := app.Path(a, file) // agents also work in other folders
		if info, err := os.Stat(full); err != nil || !info.Mode().IsRegular() {
			return nil, app.WrongUsage("--input: there is no file %s", file)
		}
		add("input", full, "--input")
	}
	commands, err := Pairs("--command", "commands.", "test='make test'", o.commands)
	return append(all, commands...), err
}

// Pairs parses KEY=VALUE flags into settings.
func Pairs(flag, prefix, example string, values []string) (all []pipeline.Setting, err error) {
	for _, v := range values {
		key, value, ok := strings.Cut(v, "=")
		if !ok {
			return nil, app.WrongUsage("%s: %q is not as in %s", flag, v, example)
		}
		all = append(all, pipeline.Setting{Key: prefix + key, Value: value, Flag: flag + " " + key})
	}
	return all, nil
}
