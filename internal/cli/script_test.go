package cli_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"warp/internal/adapter/agent/demo"
	"warp/internal/cli"
	"warp/internal/cli/app"
	"warp/internal/cli/netcommands"
	"warp/internal/cli/state"
	"warp/internal/cli/uicommands"
	"warp/internal/core/drivestate"
	"warp/internal/engine/person"
	"warp/internal/sys/sandbox"
	"warp/internal/testkit/need"
	"warp/internal/testkit/programs"
	"warp/internal/testkit/standin"
	"warp/internal/turnstile"
)

func TestMain(m *testing.M) {
	sandbox.Inside(os.Args[1:])
	demo.More = standin.Answer
	testscript.Main(tests{m}, map[string]func(){
		"warp":       func() { os.Exit(cli.Main(os.Args[1:])) },
		"warp-net":   func() { os.Exit(cli.Main(os.Args[1:], netcommands.Commands...)) },
		"warp-ui":    func() { os.Exit(cli.Main(os.Args[1:], uicommands.Commands...)) },
		"standin":    func() { os.Exit(playClaude(os.Args[1:])) },
		"onterminal": func() { os.Exit(onTerminal(os.Args[1:])) },
		"believe":    func() { os.Exit(cli.Main(os.Args[1:], believing)) },
	})
}

// tests are run with the programs that make has built, if it has: they start in a third of
// the time of this one, which has all of them in it, and the scripts start thousands.
type tests struct{ *testing.M }

func (m tests) Run() int {
	if programs.Built() != "" {
		dir, err := os.MkdirTemp("", "warp-cli-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		for _, name := range []string{"warp", "warp-net", "warp-ui"} { // scripts say what is missing without the others
			text, err := os.ReadFile(filepath.Join(programs.Built(), name))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), text, 0o755)
			}
			if err != nil {
				panic(err)
			}
		}
		os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	return m.M.Run()
}

// playClaude stands in for Claude Code.
func playClaude(args []string) int {
	dir, err := os.Getwd()
	if err != nil {
		return 1
	}
	self, err := exec.LookPath("warp")
	if err != nil {
		return 1
	}
	return standin.Main(context.Background(), demo.World{In: os.Stdin, Out: os.Stdout, Stdout: os.Stdout, Dir: dir, Getenv: os.Getenv, Self: self}, args)
}

// believing is warp state that takes every event for true: for scripts that need a phase
// and are about something else. What warp itself believes is in prove.txtar.
var believing = cli.Command{Name: "state", Make: func(a *app.App) *cobra.Command {
	return state.Make(a, &state.Net{Open: func(_ context.Context, _ *app.App, d *turnstile.Drive) (state.Prover, error) { return believer{d}, nil }})
}}

type believer struct{ drive *turnstile.Drive }

func (b believer) Gates(on drivestate.Event, _ drivestate.Data) []turnstile.Gate {
	if on != drivestate.TestsPassed {
		return nil
	}
	tree, err := b.drive.Tree.Fingerprint()
	return []turnstile.Gate{{Name: "believed", Tested: &tree, Run: func(context.Context, *drivestate.State) (string, error) { return "", err }}}
}

func (believer) File(context.Context, string) error { return errors.New("nothing is filed") }

// TestScript runs the scripts of testdata/script: each is a behaviour of the
// command line, told as a transcript on real git.
func TestScript(t *testing.T) {
	need.Tool(t, "jq")
	need.Tool(t, "git")
	testscript.Run(t, testscript.Params{
		Dir:   filepath.Join("..", "..", "testdata", "script"),
		Setup: setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"json":  checkJSON,
			"edit":  editJSON,
		},
		RequireUniqueNames: true,
	})
}

func setup(e *testscript.Env) error {
	config := filepath.Join(e.WorkDir, ".gitconfig")
	e.Setenv("HOME", e.WorkDir)
	e.Setenv("GIT_CONFIG_GLOBAL", config)
	e.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	e.Setenv("WARP_SANDBOX", "off")            // what the guard does is shown without one; scripts of the sandbox set it
	e.Setenv("GORACE", "atexit_sleep_ms=0")    // else each command under the race detector ends a second late
	e.Setenv("PID", strconv.Itoa(os.Getpid())) // a process that lives as long as the test
	token, err := person.Token(filepath.Join(e.WorkDir, ".local", "state", "warp"), false)
	if err != nil {
		return err
	}
	e.Setenv("TOKEN", token)
	e.Setenv(person.Variable, token) // scripts decide as a person does, and have no terminal
	// What agents are asked is about the scripts' subject; those of checks remove this.
	programs.LeaveOutChecks(e.WorkDir)
	return os.WriteFile(config, []byte("[user]\n\tname = t\n\temail = t@example.invalid\n[init]\n\tdefaultBranch = main\n"), 0o644)
}

// exits runs a command and wants an exact exit code: exits 11 warp state init …
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if neg || err != nil || len(args) < 2 {
		ts.Fatalf("usage: exits code command [args]")
	}
	err = ts.Exec(args[1], args[2:]...)
	have := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		have = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if have != want {
		ts.Fatalf("exit code %d, want %d", have, want)
	}
}

// editJSON changes a file with a jq expression, as a user or another tool would.
func editJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: edit file expression")
	}
	path := ts.MkAbs(args[0])
	out, err := exec.Command("jq", args[1], path).Output()
	ts.Check(err)
	ts.Check(os.WriteFile(path, out, 0o644))
}
