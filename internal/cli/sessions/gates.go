package sessions

import (
	"context"
	"os"
	"strings"

	"warp/internal/core/config"
	"warp/internal/core/workqueue"
	"warp/internal/engine/judge"
	"warp/internal/engine/qualityloop"
	engine "warp/internal/engine/session"
	"warp/internal/turnstile"
)

// gates makes the body of loops that run until the quality gates pass.
func gates(d *turnstile.Drive, e *engine.Engine, def Definition, s config.Settings) func(engine.GatesStage) (engine.Body, error) {
	return func(st engine.GatesStage) (engine.Body, error) {
		if s.Refused != nil {
			return nil, s.Refused
		}
		return qualityloop.New(context.Background(), qualityloop.Options{
			Store: d.Project.Home(), Root: st.Dir, Configured: configured(s),
			CommandSetup: judge.CommandSetup{Environ: os.Environ(), Rooms: e.Checks.Rooms, Protected: e.Checks.Protected, State: e.State}, Leaks: e.Checks.Leaks, Redact: e.Redact,
			PauseOn: workqueue.Priority(def.PauseOn), Reset: def.Reset, Tell: e.Tell, Passed: e.Passed, Now: e.Now, Process: e.Process,
		}, st)
	}
}

// configured are the gates that the settings name: quality_gates, as NAME=COMMAND,
// and the test command.
func configured(s config.Settings) (list []qualityloop.Gate) {
	if s.TestCommand != "" {
		list = append(list, qualityloop.Gate{Name: "test", Command: s.TestCommand})
	}
	for _, g := range s.QualityGates {
		name, command, _ := strings.Cut(g, "=")
		list = append(list, qualityloop.Gate{Name: strings.TrimSpace(name), Command: strings.TrimSpace(command)})
	}
	return list
}
