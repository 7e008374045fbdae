package pipelinecmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/sessions"
	"warp/internal/core/pipeline"
)

// flags are what the command line says instead of a pipeline's file, and besides its task.
type flags struct {
	agent, model, maxCost, maxTime, context string
	commands, stages, inputs                []string
}

func (f *flags) add(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.agent, "agent", "", "the agent of all stages")
	fs.StringVar(&f.model, "model", "", "the agent's model")
	fs.StringVar(&f.maxCost, "max-cost", "", "dollars at most, for the whole session")
	fs.StringVar(&f.maxTime, "max-time", "", "time at most, such as 2h, for the whole session")
	fs.StringArrayVar(&f.commands, "command", nil, "a command of the project, such as test='make test'")
	fs.StringArrayVar(&f.stages, "stage", nil, "what a stage does, such as build.max=3: "+strings.Join(pipeline.StageFlags(), ", "))
	fs.StringArrayVar(&f.inputs, "input", nil, "a file that every stage is told to read first")
	fs.StringVar(&f.context, "context", "", "what every stage is told besides the task")
}

// define reads a pipeline, with what flags say.
func (f *flags) define(a *app.App, file, task string, look func(string) ([]byte, error)) (def sessions.Definition, err error) {
	if def, err = read(a, file, look); err != nil {
		return def, err
	}
	if def.Settings, err = f.settings(); err != nil {
		return def, err
	}
	def.Task, err = f.task(a, task)
	return def, err
}

// settings are what comes before the file. What is said of one stage stands last: it
// comes before what is said of all.
func (f *flags) settings() (all []pipeline.Setting, err error) {
	for _, s := range []pipeline.Setting{{Key: "agent", Value: f.agent, Flag: "--agent"}, {Key: "model", Value: f.model, Flag: "--model"},
		{Key: "max_cost", Value: f.maxCost, Flag: "--max-cost"}, {Key: "max_time", Value: f.maxTime, Flag: "--max-time"}} {
		if s.Value != "" {
			all = append(all, s)
		}
	}
	for _, many := range []struct {
		flag, prefix, example string
		values                []string
	}{{"--command", "commands.", "test='make test'", f.commands}, {"--stage", "stages.", "build.max=3", f.stages}} {
		for _, v := range many.values {
			key, value, ok := strings.Cut(v, "=")
			if !ok {
				return nil, &app.UsageError{Err: fmt.Errorf("%s: %q is not as in %s", many.flag, v, many.example)}
			}
			all = append(all, pipeline.Setting{Key: many.prefix + key, Value: value, Flag: many.flag + " " + key})
		}
	}
	return all, nil
}

// task is what every stage is told: the task, the context, and the files to read. A
// path is written in full: agents work in other folders, too.
func (f *flags) task(a *app.App, task string) (string, error) {
	if f.context != "" {
		task += "\n\nContext: " + f.context
	}
	for i, file := range f.inputs {
		full := file
		if !filepath.IsAbs(full) {
			full = filepath.Join(a.Dir, full)
		}
		if info, err := os.Stat(full); err != nil || !info.Mode().IsRegular() {
			return "", &app.UsageError{Err: fmt.Errorf("--input: there is no file %s", file)}
		}
		if i == 0 {
			task += "\n\nRead these files first:"
		}
		task += "\n- " + full
	}
	return task, nil
}
