package sessions

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/pipeline"
)

// Overrides are what the command line and the environment say of a session instead of
// its file, and besides its task.
type Overrides struct {
	agent, model, context string
	commands, inputs      []string
}

// Flags adds them to a command; what they are said of is for its help.
func (o *Overrides) Flags(c *cobra.Command, of string) {
	fs := c.Flags()
	fs.StringVar(&o.agent, "agent", "", "the agent of "+of)
	fs.StringVar(&o.agent, "provider", "", "the same as --agent")
	fs.StringVar(&o.model, "model", "", "the agent's model; MODEL:EFFORT also sets the effort")
	fs.StringVar(&o.context, "context", "", "what to tell agents besides the task: ${CONTEXT} in prompts")
	fs.StringArrayVar(&o.inputs, "input", nil, "a file to read first")
	fs.StringArrayVar(&o.commands, "command", nil, "a command of the project, such as test='make test'")
}

// variables are those of the environment that say what a flag says, the strongest last.
var variables = []struct{ name, key string }{
	{"CLAUDE_PIPELINE_PROVIDER", "agent"}, {"CLAUDE_PIPELINE_MODEL", "model"}, {"CLAUDE_PIPELINE_CONTEXT", "context"},
	{"WARP_AGENT", "agent"}, {"WARP_MODEL", "model"}, {"WARP_CONTEXT", "context"},
}

// Settings are what comes before a file: the environment, and before it the flags.
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
		full := app.Path(a, file) // agents work in other folders, too
		if info, err := os.Stat(full); err != nil || !info.Mode().IsRegular() {
			return nil, app.WrongUsage("--input: there is no file %s", file)
		}
		add("input", full, "--input")
	}
	commands, err := Pairs("--command", "commands.", "test='make test'", o.commands)
	return append(all, commands...), err
}

// Pairs are settings that a flag says as KEY=VALUE.
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
