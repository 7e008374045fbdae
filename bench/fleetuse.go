package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// use is what the processes of a night have used so far.
type use struct {
	workers, children, server time.Duration
	memory                    float64 // peak of all workers together
}

func (n *night) usage() (u use, err error) {
	for _, cmd := range n.processes {
		own, children, err := spentBy(cmd.Process.Pid)
		if err != nil {
			return u, err
		}
		u.workers += own
		u.children += children
		u.memory += holds(cmd.Process.Pid)
	}
	u.server, _, err = spentBy(n.server.pid)
	return u, err
}

// clockTick is the unit of /proc/PID/stat on every Linux.
const clockTick = 10 * time.Millisecond

// spentBy returns the CPU time of a process and of the children it has waited for.
func spentBy(pid int) (own, children time.Duration, err error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, fmt.Errorf("reading a process's CPU time from /proc: %w", err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	f := strings.Fields(rest)
	if len(f) < 15 {
		return 0, 0, fmt.Errorf("/proc/%d/stat cannot be read: %q", pid, text)
	}
	var ticks [4]int64 // user and system time, its own and its children's
	for i := range ticks {
		if ticks[i], err = strconv.ParseInt(f[11+i], 10, 64); err != nil {
			return 0, 0, err
		}
	}
	return time.Duration(ticks[0]+ticks[1]) * clockTick, time.Duration(ticks[2]+ticks[3]) * clockTick, nil
}

// holds returns the peak memory of a process so far; 0 if the system does not report it.
func holds(pid int) float64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kb, _ := strconv.ParseFloat(strings.TrimSpace(strings.SplitN(rest, "kB", 2)[0]), 64)
	return kb / (1 << 10)
}

// lengths are the lengths of histories.
type lengths struct{ median, most, fleet float64 }

// events asks the server for the lengths of histories.
func (n *night) events() (l lengths, err error) {
	list := func(query string) (found []float64, err error) {
		cmd := exec.Command(n.server.Program, "workflow", "list", "--address", n.server.Address(), "--query", query, "--limit", "5000", "-o", "json")
		cmd.Env = append(os.Environ(), "HOME="+n.dir(), "TEMPORAL_CONFIG_FILE="+filepath.Join(n.dir(), "none.toml"))
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("temporal workflow list: %w", err)
		}
		var rows []struct {
			Execution     struct{ WorkflowID string }
			HistoryLength json.Number
		}
		if err := json.Unmarshal(out, &rows); err != nil {
			return nil, fmt.Errorf("temporal workflow list: %w", err)
		}
		for _, r := range rows {
			if length, err := r.HistoryLength.Float64(); err == nil {
				found = append(found, length)
			}
		}
		slices.Sort(found)
		if len(found) == 0 {
			return nil, fmt.Errorf("the server has no histories of %s", query)
		}
		return found, nil
	}
	done, err := list(fmt.Sprintf("WorkflowId STARTS_WITH 'req:%s/' AND ExecutionStatus = 'Completed'", n.name))
	if err != nil {
		return l, err
	}
	l.median, l.most = done[len(done)/2], done[len(done)-1]
	if fleet, err := list(fmt.Sprintf("WorkflowId = 'fleet:%s' AND ExecutionStatus = 'ContinuedAsNew'", n.name)); err == nil {
		l.fleet = fleet[len(fleet)-1]
	}
	return l, nil
}
