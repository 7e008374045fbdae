package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// onTerminal runs a program on a terminal: exec onterminal DIALOGUE program [args]. Each
// line of the dialogue is what is waited for in the program's output, " => " and what
// is typed then. The output goes to stdout as it comes.
func onTerminal(args []string) int {
	said, err := runOnTerminal(args)
	os.Stdout.Write(said)
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func runOnTerminal(args []string) ([]byte, error) {
	text, err := os.ReadFile(args[0])
	if err != nil {
		return nil, err
	}
	dialogue := strings.Split(strings.TrimSpace(string(text)), "\n")
	ours, theirs, err := openTerminal()
	if err != nil {
		return nil, err
	}
	defer ours.Close()
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	theirs.Close()
	var said bytes.Buffer
	seen, part := 0, make([]byte, 4096)
	for {
		n, err := ours.Read(part)
		said.Write(part[:n])
		if err != nil { // the program and all that it started are gone
			return said.Bytes(), cmd.Wait()
		}
		for len(dialogue) > 0 {
			wait, typed, _ := strings.Cut(dialogue[0], " => ")
			at := strings.Index(said.String()[seen:], wait)
			if at < 0 {
				break
			}
			seen, dialogue = seen+at+len(wait), dialogue[1:]
			if _, err := ours.WriteString(typed + "\n"); err != nil {
				return said.Bytes(), err
			}
		}
	}
}

// openTerminal makes a terminal and returns both of its sides.
func openTerminal() (ours, theirs *os.File, err error) {
	if ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	if err := unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	return ours, theirs, err
}
