package proc

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// helperEnv turns the test binary into one of the processes that the tests run,
// so that the tests need no program that a platform may lack.
const helperEnv = "WARP_PROC_TEST_HELPER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperEnv); mode != "" {
		os.Exit(helper(mode, os.Args[1:]))
	}
	os.Exit(m.Run())
}

func helper(mode string, args []string) int {
	switch mode {
	case "exit":
		n, _ := strconv.Atoi(args[0])
		return n
	case "say":
		fmt.Fprint(os.Stdout, args[0])
		fmt.Fprint(os.Stderr, args[1])
	case "cat":
		if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
			return 1
		}
	case "env":
		fmt.Print(strings.Join(os.Environ(), "\n"))
	case "pwd":
		d, _ := os.Getwd()
		fmt.Print(d)
	case "spew":
		n, _ := strconv.Atoi(args[0])
		w := bufio.NewWriterSize(os.Stdout, 1<<16)
		for i := 0; n > 0; i++ {
			line := spewLine(i)
			w.WriteString(line[:min(n, len(line))])
			n -= len(line)
		}
		w.Flush()
	default:
		return platformHelper(mode)
	}
	return 0
}

func spewLine(i int) string { return fmt.Sprintf("line %09d%s\n", i, story) }

var story = strings.Repeat(" of a long story", 100)

// self is a command that runs this binary as a helper.
func self(t *testing.T, mode string, args ...string) Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The race detector lets every process that ends sleep for a second.
	env := append(os.Environ(), helperEnv+"="+mode, "GORACE=atexit_sleep_ms=0")
	return Cmd{Argv: append([]string{exe}, args...), Env: env}
}

func mustRun(t *testing.T, c Cmd) Result {
	t.Helper()
	r, err := Run(t.Context(), c)
	if err != nil {
		t.Fatalf("Run(%q): %v", c.Argv, err)
	}
	return r
}

func logPath(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "a", "b", "out.log")
}
