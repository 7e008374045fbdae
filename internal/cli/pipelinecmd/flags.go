package pipelinecmd

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/sessions"
	"warp/internal/core/pipeline"
)

// flags override a pipeline's file and set its task.
type flags struct {
	sessions.Overrides
	maxCost int64 // micro-dollars
	maxTime time.Duration
	stages  []string
}

func (f *flags) add(c *cobra.Command) {
	f.Flags(c, "all stages")
	fs := c.Flags()
	app.DollarsFlag(fs, &f.maxCost, "max-cost", "limit in dollars for the whole session")
	app.TimeFlag(fs, &f.maxTime, "max-time", "time limit for the whole session, such as 2h")
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
	def.Settings = append(def.Settings, boundSettings(f.maxCost, f.maxTime)...)
	one, err := sessions.Pairs("--stage", "stages.", "build.max=3", f.stages)
	def.Settings = append(def.Settings, one...)
	return def, err
}

// boundSettings returns the limits of a command line as settings of the file.
func boundSettings(microUSD int64, limit time.Duration) (list []pipeline.Setting) {
	if microUSD > 0 {
		list = append(list, pipeline.Setting{Key: "max_cost", Value: strconv.FormatFloat(float64(microUSD)/1e6, 'f', -1, 64), Flag: "--max-cost"})
	}
	if limit > 0 {
		list = append(list, pipeline.Setting{Key: "max_time", Value: limit.String(), Flag: "--max-time"})
	}
	return list
}
