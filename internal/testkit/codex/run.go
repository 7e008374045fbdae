package codex

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

// BypassTrust is an Options.Args that runs hooks which nobody has trusted.
const BypassTrust = "--dangerously-bypass-hook-trust"

// Models that the CLI knows. It offers the first a shell tool and apply_patch,
// the second only a tool that runs JavaScript, which calls the others; so it
// does with all newer models. A model that it does not know gets no apply_patch.
const (
	Model     = "gpt-5.5"
	CodeModel = "gpt-6-sol"
)

// Options say how to run the CLI once, without a user.
type Options struct {
	Dir      string // the project
	Home     string // of the user; CODEX_HOME is .codex in it
	URL      string // of the Server
	Prompt   string
	Model    string        // "": Model
	Args     []string      // more flags of codex exec
	Env      []string      // in addition to PATH, HOME and CODEX_HOME
	PathDirs []string      // before the PATH of the test
	Timeout  time.Duration // 0: one minute
}

// A Result is how the CLI ended.
type Result struct {
	Exit           int
	TimedOut       bool
	Stdout, Stderr string // stdout is one JSON event a line
	Duration       time.Duration
}

// Run runs "codex exec --json" to its end, without its sandbox and its questions:
// only hooks stand between the model and the machine.
func Run(t testing.TB, o Options) Result {
	t.Helper()
	argv := []string{
		Find(t), "exec", "--json", "--skip-git-repo-check",
		"-c", `approval_policy="never"`, "-c", `sandbox_mode="danger-full-access"`,
		"--model", cmp.Or(o.Model, Model),
		// As flags, so that config.toml belongs to the test alone.
		"-c", `model_provider="scripted"`,
		"-c", `model_providers.scripted={name="scripted",base_url="` + o.URL + `",wire_api="responses"}`,
		// Nothing is asked of the network.
		"-c", "check_for_update_on_startup=false",
		"-c", "analytics.enabled=false",
		"-c", `web_search="disabled"`,
	}
	argv = append(append(argv, o.Args...), o.Prompt)
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	r, err := proc.Run(context.Background(), proc.Cmd{
		Argv: argv, Dir: o.Dir, Env: env(o), Timeout: o.Timeout, Keep: 4 << 20,
	})
	if err != nil {
		t.Fatalf("running codex: %v", err)
	}
	return Result{Exit: r.Exit, TimedOut: r.TimedOut, Stdout: string(r.Stdout), Stderr: string(r.Stderr), Duration: r.Duration}
}

// NoCertificates is for the environment of the CLI, which else reads all of the machine's at
// each start, half of what a start costs. The scripted model does not speak TLS.
const NoCertificates = "SSL_CERT_FILE=" + os.DevNull

// env is built from nothing: a proxy, an account or a setting of the person who runs
// the tests must not change what is measured.
func env(o Options) []string {
	path := append(slices.Clone(o.PathDirs), os.Getenv("PATH"))
	return append([]string{
		"PATH=" + strings.Join(path, string(os.PathListSeparator)),
		"HOME=" + o.Home,
		"CODEX_HOME=" + filepath.Join(o.Home, ".codex"),
		"SHELL=/bin/sh",
		NoCertificates,
	}, o.Env...)
}
