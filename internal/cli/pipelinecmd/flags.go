package pipelinecmd

import (
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/sessions"
	"warp/internal/core/pipeline"
)

// flags override a pipeline's file and set its task.
type flags struct {
	sessions.Overrides
	maxCost, maxTime string
	stages           []string
}

func (f *flags) add(c *cobra.Command) {
	f.Flags(c, "all stages")
	fs := c.Flags()
	fs.StringVar(&f.maxCost, "max-cost", "", "limit in dollars for the whole session")
	fs.StringVar(&f.maxTime, "max-time", "", "time limit for the whole session, such as 2h")
	fs.StringArrayVar(&f.stages, "stage", nil, "a setting of a stage, such as build.max=3: "+strings.Join(pipeline.StageFlags(), ", "))
}

// define reads a pipeline with its overrides. Those of one stage come last, so that they take
// precedence over those of all.
func (f *flags) define(a *app.App, file, task string, look func(string) ([]byte, error)) (def sessions.Definition, err error) {
	if def, err = readPipeline(a, file, look); err != nil {
		return def, err
	}
	def.Task = task
	if def.Settings, err = f.Settings(a); err != nil {
		return def, err
	}
	for _, s := range []pipeline.Setting{{Key: "max_cost", Value: f.maxCost, Flag: "--max-cost"}, {Key: "max_time", Value: f.maxTime, Flag: "--max-time"}} {
		if s.Value != "" {
			def.Settings = append(def.Settings, s)
		}
	}
	one, err := sessions.Pairs("--stage", "stages.", "build.max=3", f.stages)
	def.Settings = append(def.Settings, one...)
	return def, err
}
