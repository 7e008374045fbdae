package claude

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Options says how to run Claude Code.
type Options struct {
	Dir    string // the project; "": a scratch folder
	API    string // the URL of the stand-in
	Prompt string
	Args   []string // further arguments, such as "--resume", id
	Env    []string // "NAME=value", over what is set here
	// Home holds all that Claude Code keeps: it is its HOME, its settings and
	// sessions are in .claude. "": a scratch folder of this run.
	Home     string
	PathDirs []string      // come first in PATH
	Timeout  time.Duration // 0: two minutes; one that is reached fails the test
	// Permissions are the arguments that say what it may do without asking.
	// nil: edit files and run commands; empty: only what the settings allow.
	Permissions []string
}

// inherited is what a program needs from the environment to run at all.
var inherited = []string{"LANG", "LC_ALL", "LOGNAME", "PATH", "TZ", "USER", "SYSTEMROOT", "PATHEXT", "COMSPEC"}

func (o *Options) setDefaults(t testing.TB) {
	t.Helper()
	if o.Home == "" {
		o.Home = t.TempDir()
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Minute
	}
	if o.Permissions == nil {
		o.Permissions = []string{"--permission-mode", "acceptEdits", "--allowedTools", "Bash"}
	}
	for _, dir := range []string{o.config(), o.tmp()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatalf("making a home for Claude Code: %v", err)
		}
	}
}

func (o *Options) config() string { return filepath.Join(o.Home, ".claude") }
func (o *Options) tmp() string    { return filepath.Join(o.Home, "tmp") }

func (o *Options) argv() []string {
	// The prompt stands next to -p: after --allowedTools, which takes a list,
	// it would be one more tool.
	return slices.Concat([]string{"-p", o.Prompt, "--output-format", "stream-json", "--verbose"}, o.Permissions, o.Args)
}

func (o *Options) environ() []string {
	var env []string
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	path := append(slices.Clone(o.PathDirs), os.Getenv("PATH"))
	env = append(env,
		"PATH="+strings.Join(path, string(os.PathListSeparator)),
		"HOME="+o.Home, "USERPROFILE="+o.Home,
		"SHELL=/bin/bash", // else it takes zsh where there is one, whose errors read differently
		"CLAUDE_CONFIG_DIR="+o.config(),
		// Without it, it writes to the system's temporary folder whatever TMPDIR is.
		"CLAUDE_CODE_TMPDIR="+o.tmp(), "TMPDIR="+o.tmp(),
		"ANTHROPIC_BASE_URL="+o.API, "ANTHROPIC_API_KEY=none",
		"CLAUDE_CODE_MAX_RETRIES=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
	)
	return append(env, o.Env...)
}
