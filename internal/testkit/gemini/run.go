package gemini

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/sys/proc"
)

// Model is asked for by name, so that the CLI does not ask a model which model
// to ask.
const Model = "gemini-2.5-pro"

// Options say how to run the CLI once, without a user.
type Options struct {
	Dir      string // the project
	Home     string // of the user; .gemini in it holds the user's settings
	URL      string // of the Server
	Prompt   string
	Args     []string      // more flags
	Env      []string      // in addition to, and stronger than, what Run sets
	PathDirs []string      // before the PATH of the test
	Timeout  time.Duration // 0: one minute

	// Untrusted leaves it to the settings whether the project is trusted.
	Untrusted bool
}

// A Result is how the CLI ended.
type Result struct {
	Exit           int
	TimedOut       bool
	Stdout, Stderr string
	Duration       time.Duration
}

// Run runs "gemini --prompt" to its end, with every tool call allowed: only hooks
// stand between the model and the machine.
func Run(t testing.TB, o Options) Result {
	t.Helper()
	complete(t, filepath.Join(o.Home, ".gemini", "settings.json"))
	argv := append([]string{Find(t), "--model", Model, "--approval-mode", "yolo"}, o.Args...)
	r, err := proc.Run(context.Background(), proc.Cmd{
		Argv: append(argv, "--prompt", o.Prompt),
		Dir:  o.Dir, Env: env(o), Timeout: cmp.Or(o.Timeout, time.Minute), Keep: 4 << 20,
	})
	if err != nil {
		t.Fatalf("running gemini: %v", err)
	}
	return Result{Exit: r.Exit, TimedOut: r.TimedOut, Stdout: string(r.Stdout), Stderr: string(r.Stderr), Duration: r.Duration}
}

// env is built from nothing: a proxy, an account or a setting of the person who runs
// the tests must not change what is measured.
func env(o Options) []string {
	path := append(slices.Clone(o.PathDirs), os.Getenv("PATH"))
	vars := []string{
		"PATH=" + strings.Join(path, string(os.PathListSeparator)),
		"HOME=" + o.Home,
		"GOOGLE_GEMINI_BASE_URL=" + o.URL,
		"GEMINI_API_KEY=dummy",
		"GEMINI_TELEMETRY_ENABLED=false",
		// The CLI would start itself again, to give itself more memory.
		"GEMINI_CLI_NO_RELAUNCH=true",
	}
	if !o.Untrusted {
		vars = append(vars, "GEMINI_CLI_TRUST_WORKSPACE=true")
	}
	return append(vars, o.Env...)
}
