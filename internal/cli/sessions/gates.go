package sessions

import (
	"context"
	"os"
	"strings"

	"warp/internal/core/config"
	"warp/internal/core/workqueue"
	"warp/internal/engine/judge"
	"warp/internal/engine/policy/quality"
	"warp/internal/engine/policy/session"
	"warp/internal/turnstile"
)

// gates makes the body of loops that run until the quality gates pass.
func gates(d *turnstile.Drive, e *session.Engine, def Definition, s config.Settings) func(session.GatesStage) (session.Body, error) {
	return func(st session.GatesStage) (session.Body, error) {
		if s.Refused != nil {
			return nil, s.Refused
		}
		return quality.New(context.Background(), quality.Options{
			Store: d.Project.Home(), Root: st.Dir, Configured: configured(s),
			CommandSetup: judge.CommandSetup{Environ: os.Environ(), Rooms: e.Checks.Rooms, Protected: e.Checks.Protected, State: e.State}, Leaks: e.Checks.Leaks, Redact: e.Redact,
			PauseOn: workqueue.Priority(def.PauseOn), Reset: def.Reset, Tell: e.Tell, Passed: e.Passed, Now: e.Now, Process: e.Process,
		}, st)
	}
}

// configured are the gates that the settings name: quality_gates, as NAME=COMMAND,
// and the test command.
func configured(s config.Settings) (list []quality.Gate) {
	if s.TestCommand != "" {
		list = append(list, quality.Gate{Name: "test", Command: s.TestCommand})
	}
	for _, g := range s.QualityGates {
		name, command, _ := strings.Cut(g, "=")
		list = append(list, quality.Gate{Name: strings.TrimSpace(name), Command: strings.TrimSpace(command)})
	}
	return list
}
