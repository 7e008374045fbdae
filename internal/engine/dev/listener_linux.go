package dev

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// listener returns the process that listens on a port, or "".
func listener(port int) string {
	sockets := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) > 9 && f[3] == "0A" && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
				sockets["socket:["+f[9]+"]"] = true
			}
		}
	}
	files, _ := filepath.Glob("/proc/[0-9]*/fd/*") // the pattern is well-formed
	for _, file := range files {
		if to, err := os.Readlink(file); err == nil && sockets[to] {
			pid := strings.Split(file, "/")[2]
			name, _ := os.ReadFile("/proc/" + pid + "/comm") // without a name, the number will do
			if n, err := strconv.Atoi(pid); err == nil {
				return fmt.Sprintf("process %d (%s)", n, strings.TrimSpace(string(name)))
			}
		}
	}
	return ""
}
