package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// drives measures the CPU time of a chunk of a headless drive besides its agent and its tests,
// which take no time here. It includes git and everything else that warp starts.
func drives(b *bench) ([]figure, error) {
	idler := filepath.Join(b.dir, "idler")
	for _, x := range [][2]string{{filepath.Join(b.dir, "warp-net"), "warp/cmd/warp-net"}, {idler, "warp/bench/idler"}} {
		if err := command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", x[0], x[1]); err != nil {
			return nil, err
		}
	}
	b, remove := b.inMemory()
	defer remove()
	const few, many = 2, 22
	// Other load only adds to a measurement: the least of several is closest to the truth.
	least := func(was, now time.Duration) time.Duration {
		if was == 0 || now < was {
			return now
		}
		return was
	}
	var bare time.Duration
	chunk := map[string]time.Duration{}
	for _, box := range []string{"bwrap", "off"} {
		var small, large time.Duration
		for i := range 3 {
			a, err := b.drive(fmt.Sprintf("%s-few-%d", box, i), box, idler, few)
			if err != nil {
				return nil, err
			}
			z, err := b.drive(fmt.Sprintf("%s-many-%d", box, i), box, idler, many)
			if err != nil {
				return nil, err
			}
			l, err := b.bare(idler, many)
			if err != nil {
				return nil, err
			}
			small, large, bare = least(small, a), least(large, z), least(bare, l)
		}
		chunk[box] = (large - small) / (many - few)
	}
	growth, err := b.chunkGrowth(idler)
	if err != nil {
		return nil, err
	}
	return []figure{
		growth,
		{name: "CPU of a contained chunk without its agent and tests, with git", value: ms(chunk["bwrap"] - bare), unit: "ms", most: 150},
		{name: "CPU of a chunk that is not contained", value: ms(chunk["off"] - bare), unit: "ms", note: fmt.Sprintf("  (a bare loop calling the same agent: %.1f ms)", ms(bare))},
	}, nil
}

// inMemory returns the bench with its projects in memory, if possible. Engines whose agent takes no
// time delete hundreds of files a second, and ext4, whenever it creates a file, skips the inodes
// freed in the last five seconds. That took up to a third of the CPU, more in the second half of a
// measurement than in the first.
func (b *bench) inMemory() (there *bench, remove func()) {
	dir, err := os.MkdirTemp("/dev/shm", "warp-bench-")
	if err != nil {
		return b, func() {}
	}
	other := *b
	other.dir = dir
	return &other, func() { _ = os.RemoveAll(dir) }
}

// chunkGrowth checks that the 64th chunk of a requirement costs as much as the 4th. Each is the
// median over seven drives of a mean over neighbouring chunks: the agent of each chunk records the
// CPU time of the drive so far, in ticks of 10 ms, and other load on the machine makes a single
// drive's ratio waver between 0.7 and 1.4. A little grows with the chunks and has to: the comment on
// the issue lists what each criterion came to, and git walks the branch to where it left main.
func (b *bench) chunkGrowth(idler string) (figure, error) {
	var early, late []time.Duration
	for i := range 7 {
		notes := filepath.Join(b.dir, fmt.Sprintf("grown-%d.txt", i))
		if _, err := b.drive(fmt.Sprintf("grown-%d", i), "off", idler, 72, notes); err != nil {
			return figure{}, err
		}
		spent, err := readNotes(notes)
		if err != nil {
			return figure{}, err
		}
		early, late = append(early, (spent[8]-spent[1])/7), append(late, (spent[71]-spent[57])/14)
	}
	slices.Sort(early)
	slices.Sort(late)
	return figure{name: "CPU of the 64th chunk of a requirement, against the 4th", value: ratio(late[3], early[3]), unit: "x", most: 1.2}, nil
}

// readNotes reads the CPU time that a drive had used before each of its chunks.
func readNotes(path string) (spent []time.Duration, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		d, err := time.ParseDuration(strings.TrimSpace(line))
		if err != nil {
			return nil, err
		}
		spent = append(spent, d)
	}
	if len(spent) < 72 {
		return nil, fmt.Errorf("%s has %d notes for 72 chunks", path, len(spent))
	}
	return spent, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// drive drives an issue of so many chunks and returns its CPU time.
func (b *bench) drive(name, box, agent string, chunks int, args ...string) (time.Duration, error) {
	cmd, err := b.driving(name, box, agent, chunks, args...)
	if err != nil {
		return 0, err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("warp drive: %w\n%s", err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// driving creates a project with an issue of so many chunks, and the command that drives it.
func (b *bench) driving(name, box, agent string, chunks int, args ...string) (*exec.Cmd, error) {
	agentCommand, err := json.Marshal(append([]string{agent}, args...))
	if err != nil {
		return nil, err
	}
	root := filepath.Join(b.dir, "drive-"+name)
	body := filepath.Join(b.dir, name+".md")
	err = os.MkdirAll(filepath.Join(root, ".claude"), 0o755)
	if err == nil {
		err = os.WriteFile(body, []byte(strings.Repeat("- [ ] a criterion\n", chunks)), 0o644)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(root, ".claude", "settings.local.json"), fmt.Appendf(nil,
			`{"_workflow":{"agent":"command","agent_command":%s,"test_command":"true","max_acs_per_commit":1,"max_total_chunks":1000,"level":3,"checks":"off"}}`, agentCommand), 0o644)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "README.md"), []byte("# bench\n"), 0o644)
	}
	for _, argv := range [][]string{
		{"git", "init", "-q", "-b", "main"}, {"git", "config", "user.name", "bench"}, {"git", "config", "user.email", "bench@example.invalid"},
		{"git", "add", "README.md"}, {"git", "commit", "-q", "-m", "chore: begin"},
		{b.warp, "issue", "new", "--title", "Bench", "--body-file", body, "--label", "req", "--label", "approved"},
	} {
		if err == nil {
			err = in(root, argv...)
		}
	}
	cmd := exec.Command(b.warp, "drive", "1", "--json")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "HOME="+root+"-home", "WARP_SANDBOX="+box) // no user's ledger counts this spending
	return cmd, err
}

// bare runs the agent as a loop would, to code and to verify, and returns the CPU time of one
// round.
func (b *bench) bare(agent string, rounds int) (time.Duration, error) {
	var spent time.Duration
	for i := range rounds {
		for _, role := range []string{"code", "verify"} {
			cmd := exec.Command(agent)
			cmd.Dir = b.dir
			cmd.Env = append(os.Environ(), "WARP_ROLE="+role, "WARP_CRITERIA=AC-01", fmt.Sprintf("WARP_CHUNK=%d", i), "WARP_RESULT="+filepath.Join(b.dir, "result.json"))
			if out, err := cmd.CombinedOutput(); err != nil {
				return 0, fmt.Errorf("the agent: %w\n%s", err, out)
			}
			spent += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
	}
	return spent / time.Duration(rounds), nil
}

func in(dir string, argv ...string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, out)
	}
	return nil
}
