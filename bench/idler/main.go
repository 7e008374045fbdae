// Idler is an agent that takes no time: for each chunk it changes one of eight files, so that the
// repository does not grow with the chunks, and its verdicts are always positive. With a file as
// argument it records there, before each chunk, the CPU time of the drive so far, including what
// the drive started.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	answer := `{"summary":"done"}`
	if os.Getenv("WARP_ROLE") == "verify" {
		var list []string
		for _, id := range strings.Split(os.Getenv("WARP_CRITERIA"), ",") {
			list = append(list, fmt.Sprintf(`{"id":%q,"met":true,"reason":"it is there"}`, id))
		}
		answer = `{"criteria":[` + strings.Join(list, ",") + `]}`
	} else if err := errors.Join(noteCPU(os.Args[1:]), os.WriteFile(chunkFile(os.Getenv("WARP_CHUNK")), []byte(os.Getenv("WARP_CRITERIA")+"\n"), 0o644)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := os.WriteFile(os.Getenv("WARP_RESULT"), []byte(answer), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("done")
}

// chunkFile is the file that a chunk changes: one of eight for a number, or none (other roles have
// no chunk). A chunk with a name, such as 3-1, has its own file: drives that run side by side must
// not write the same.
func chunkFile(chunk string) string {
	n, err := strconv.Atoi(cmp.Or(chunk, "0"))
	if err != nil {
		return fmt.Sprintf("chunk-%s.txt", chunk)
	}
	return fmt.Sprintf("chunk-%d.txt", n%8)
}

// noteCPU appends the CPU that the parent and its ended children have used to a file.
func noteCPU(args []string) error {
	if len(args) == 0 {
		return nil
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", os.Getppid()))
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // after the name, which may hold spaces
	ticks := 0
	for _, field := range strings.Fields(rest)[11:15] { // utime stime cutime cstime
		n, err := strconv.Atoi(field)
		if err != nil {
			return err
		}
		ticks += n
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 on all of Linux
	f, err := os.OpenFile(args[0], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, time.Duration(ticks)*tick)
	return errors.Join(err, f.Close())
}
