package main

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/turnstile"
)

// openPages: what warp web takes in a project with many sessions that many look at, and how
// long an update takes to reach all of them.
func openPages(b *bench) ([]figure, error) {
	const sessions, many, rounds = 1000, 100, 5
	for _, x := range []string{"warp-net", "warp-ui"} {
		if err := command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(b.dir, x), "warp/cmd/"+x); err != nil {
			return nil, err
		}
	}
	root := filepath.Join(b.dir, "pages")
	d := turnstile.Open(root, turnstile.System())
	for n := range sessions {
		if err := iterate(d, n, n%2 == 1); err != nil {
			return nil, err
		}
	}
	const token = "a token for the figures"
	web := exec.Command(b.warp, "web", "--no-open", "--token", token)
	web.Dir, web.Stderr = root, os.Stderr
	web.Env = append(os.Environ(), "HOME="+b.dir)
	out, err := web.StdoutPipe()
	if err == nil {
		err = web.Start()
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = web.Process.Signal(os.Interrupt)
		_ = web.Wait()
	}()
	first, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, err
	}
	home, _, _ := strings.Cut(first, "/?code=")
	got := make(chan error, many)
	paths := []string{"/", "/money", "/money?days=7"}
	for n := range many {
		go func() { got <- lookAt(home+"/events?page="+url.QueryEscape(paths[n%len(paths)]), token, got) }()
	}
	wait := func() error {
		for range many {
			if err := <-got; err != nil {
				return err
			}
		}
		return nil
	}
	if err := wait(); err != nil {
		return nil, err
	}
	var slowest time.Duration
	for range rounds {
		if err := iterate(d, 0, false); err != nil {
			return nil, err
		}
		began := time.Now()
		if err := wait(); err != nil {
			return nil, err
		}
		slowest = max(slowest, time.Since(began))
	}
	return []figure{
		{name: fmt.Sprintf("memory of warp web with %d sessions and %d open pages", sessions, many), value: holds(web.Process.Pid), unit: "MB", most: 150},
		{name: fmt.Sprintf("an update until it has reached all %d pages", many), value: slowest.Seconds(), unit: "s", most: 1},
	}, nil
}

// lookAt tells of every update of a page.
func lookAt(address, token string, got chan<- error) error {
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", address, answer.Status)
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 16<<20)
	page := false // the event is one of the page, not of the questions
	for lines.Scan() {
		switch lines.Text() {
		case "event: update":
			page = true
		case "":
			if page {
				got <- nil
			}
			page = false
		}
	}
	return fmt.Errorf("%s: the stream ended: %w", address, lines.Err())
}
