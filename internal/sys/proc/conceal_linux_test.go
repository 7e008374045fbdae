package proc

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A child of a process reads nothing of its secrets in /proc. It needs a process of
// its own, which is closed to others from then on.
func TestConceal(t *testing.T) {
	if os.Getenv("CONCEAL_ALONE") != "" {
		if err := Conceal(func(name string) bool { return strings.HasSuffix(name, "_TOKEN") }); err != nil {
			fmt.Println(err)
			os.Exit(3)
		}
		if os.Getenv("MY_TOKEN") != "s3cret=of mine" || os.Getenv("EMPTY_TOKEN") != "" {
			os.Exit(4)
		}
		if n, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || n != 0 {
			os.Exit(5)
		}
		cmd := exec.Command("sh", "-c", `tr '\0' '\n' < /proc/$PPID/environ || echo nothing is readable; echo "$MY_TOKEN"`)
		cmd.Stdout = os.Stdout
		if cmd.Run() != nil {
			os.Exit(6)
		}
		os.Exit(0)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "CONCEAL_ALONE=1", "MY_TOKEN=s3cret=of mine", "EMPTY_TOKEN=", "PLAIN=seen")
	out, err := cmd.CombinedOutput()
	// What the child was given itself it has.
	if text := string(out); err != nil || strings.Count(text, "s3cret") != 1 || !strings.HasSuffix(text, "s3cret=of mine\n") || !strings.Contains(text, "PLAIN=seen") && !strings.Contains(text, "nothing is readable") {
		t.Errorf("%v: %s", err, out)
	}
}
