package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/githubmock"
)

// fleetOfOne compares a fleet on one machine, with the server already up, with warp drive
// --parallel on the same issues.
func fleetOfOne(b *bench) ([]figure, error) {
	const rounds, issues, atOnce = 3, 6, 2
	if err := b.buildFleet(); err != nil {
		return nil, err
	}
	server, err := startFleetServer(filepath.Join(b.dir, "server"))
	if err != nil {
		return nil, err
	}
	defer server.end()
	times := make([][]time.Duration, 2)
	for round := range rounds {
		for i, drive := range []func(*shop) (time.Duration, error){
			func(s *shop) (time.Duration, error) { return s.driveParallel(atOnce) },
			func(s *shop) (time.Duration, error) { return s.driveFleet(b, server, atOnce) },
		} {
			s, err := b.openShop(fmt.Sprintf("one%d-%d", round, i), issues)
			if err != nil {
				return nil, err
			}
			took, err := drive(s)
			s.close()
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], took)
		}
	}
	m := medians(times)
	return []figure{{name: "a fleet of one on 6 issues, against warp drive --parallel 2", value: ratio(m[1], m[0]), unit: "x", most: 1.3, note: fmt.Sprintf("  (%.1f s, %.1f s; an agent of 3 s)", m[1].Seconds(), m[0].Seconds())}}, nil
}

// shop is a repository with a tracker, whose agent takes three seconds; real agents take minutes.
type shop struct {
	testing.TB // for the tracker's mock, which registers its cleanup here
	name, dir  string
	env        []string
	hub        *hub.Hub
	tracker    *httptest.Server
	cleanups   []func()
}

// Cleanup registers what closes the tracker with the shop.
func (s *shop) Cleanup(fn func()) { s.cleanups = append(s.cleanups, fn) }

func (s *shop) close() {
	for _, fn := range s.cleanups {
		fn()
	}
}

func (s *shop) url() string { return "git@github.com:octo/" + s.name + ".git" }

func (b *bench) openShop(name string, issues int) (*shop, error) {
	s := &shop{name: name, dir: filepath.Join(b.dir, "shop-"+name), hub: hub.New()}
	s.hub.Name = name
	s.hub.Lock()
	for i := range issues {
		s.hub.Add(hub.Item{Title: fmt.Sprintf("Task %d", i+1), Body: fmt.Sprintf("- [ ] AC-01: file %d is there\n", i+1), Author: "ada", Labels: []string{"req", "approved"}})
	}
	s.hub.Unlock()
	s.tracker = githubmock.Start(s, s.hub)
	s.env = append(os.Environ(), "HOME="+filepath.Join(s.dir, "home"), "PATH="+filepath.Join(s.dir, "tools")+string(os.PathListSeparator)+b.dir+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GIT_CONFIG_NOSYSTEM=1", "WARP_SANDBOX=off", "GITHUB_TOKEN="+hub.Token, "WARP_GITHUB_API="+s.tracker.URL)
	for path, text := range map[string]string{
		"tools/ssh":       "#!/bin/sh\ncd '" + s.dir + "' && eval \"$2\"\n", // git's transport goes to a local folder
		"home/.gitconfig": "[user]\n\tname = bench\n\temail = bench@example.invalid\n[ssh]\n\tvariant = simple\n[core]\n\tsshCommand = ssh\n",
		"agent.sh":        "[ $WARP_ROLE != code ] || sleep 3\nWARP_CHUNK=$WARP_ISSUE-$WARP_CHUNK exec '" + filepath.Join(b.dir, "idler") + "'\n", // each issue writes its own file
		"seed/README.md":  "# bench\n", "seed/.gitignore": ".claude/\n",
	} {
		path = filepath.Join(s.dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			return nil, err
		}
	}
	err := s.run("git init -q -b main seed && cd seed && git add -A && git commit -q -m 'chore: begin' && git clone -q --bare . ../octo/" + name + ".git && " +
		"warp config set --user test_command true && warp config set --user checks off && warp config set --user agent command && warp config set --user agent_command sh " + s.dir + "/agent.sh")
	return s, err
}

func (s *shop) run(script string) error {
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env = s.dir, s.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", script, err, out)
	}
	return nil
}

// open returns the number of issues that are not merged.
func (s *shop) open() (count int) {
	s.hub.Lock()
	defer s.hub.Unlock()
	for _, i := range s.hub.Items {
		if i.Open && strings.HasPrefix(i.Title, "Task ") {
			count++
		}
	}
	return count
}

func (s *shop) driveParallel(atOnce int) (time.Duration, error) {
	if err := s.run("git clone -q " + s.url() + " clone"); err != nil {
		return 0, err
	}
	began := time.Now()
	err := s.run(fmt.Sprintf("cd clone && warp drive --level=3 --parallel %d", atOnce))
	if left := s.open(); err == nil && left > 0 {
		err = fmt.Errorf("warp drive --parallel: %d issues are still open", left)
	}
	return time.Since(began), err
}

func (s *shop) driveFleet(b *bench, server *fleetServer, atOnce int) (time.Duration, error) {
	n := &night{b: b, server: server, name: s.name, workers: 1, slots: atOnce, warp: b.warp, env: s.env}
	defer n.end()
	err := os.MkdirAll(n.dir(), 0o755)
	if err == nil {
		err = n.start([]string{s.url()})
	}
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := n.submit(); err != nil {
		return 0, err
	}
	for left := s.open(); left > 0; left = s.open() {
		if time.Since(began) > patience {
			v, _ := n.status()
			return 0, fmt.Errorf("a fleet of one: %d issues are still open after %s; parked: %v", left, patience, v.Parked)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return time.Since(began), nil
}
