package room

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/engine/contain"
	"warp/internal/sys/proc"
)

// Confine makes a command run in the room, with its own environment and home folder, and confined
// if there are walls. done cleans up after it.
func (m *Room) Confine(c proc.Cmd) (confined proc.Cmd, done func() error, err error) {
	c.Dir, c.Env, done = m.Dir, m.Environ(c.Env), func() error { return nil }
	if m.rooms.Walls == nil {
		return c, done, nil
	}
	run, err := m.rooms.Walls.ConfineCommand(c, contain.Command{Top: m.top, Home: m.Home, Read: m.Objects(), Env: runnerVariables})
	if err != nil {
		return c, done, err
	}
	return run.Cmd, run.Close, nil
}

// Environ returns the environment of what runs in the room: variables that say how programs work,
// and none that say who the user is. PATH excludes the project, where an agent could have put
// programs.
func (m *Room) Environ(environ []string) []string {
	own := map[string]string{"HOME": m.Home, "CI": "1", "TMPDIR": filepath.Join(m.Home, "tmp")}
	names := slices.Concat(passedVariables, runnerVariables)
	if w := m.rooms.Walls; w != nil {
		names = slices.Concat(names, w.Settings.Env)
		maps.Copy(own, w.Variables(m.Home, environ))
	}
	var kept []string
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case own[name] != "":
		case name == "PATH":
			dirs := slices.DeleteFunc(filepath.SplitList(value), func(dir string) bool {
				return !filepath.IsAbs(dir) || contain.Contains(m.rooms.Root, dir)
			})
			kept = append(kept, "PATH="+strings.Join(dirs, string(filepath.ListSeparator)))
		case slices.Contains(names, name) || strings.HasPrefix(name, "LC_"):
			kept = append(kept, v)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		kept = append(kept, name+"="+own[name])
	}
	return kept
}

// runnerVariables are variables that make runners name their tests.
var runnerVariables = []string{"PYTEST_ADDOPTS", "HARNESS_VERBOSE"}

var passedVariables = []string{"LANG", "LANGUAGE", "TERM", "TZ", "USER", "LOGNAME", "SHELL", "GOFLAGS", "GOPROXY", "GOPRIVATE", "GONOSUMDB", "GOTOOLCHAIN", "CGO_ENABLED", "CC", "CXX",
	"JAVA_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"}
