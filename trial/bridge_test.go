//go:build linux

package trial

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	mock "warp/internal/testkit/telegram"
)

const (
	botToken = "123456:AAbbCCddEEff"
	chatID   = int64(4711)
	stranger = int64(666)
)

// chat is a person who is away from the terminal, at the other end of the Bot API.
type chat struct {
	*mock.Server
	p *project
}

// away switches a project's remote mode on, for a person who wants to know everything.
func away(t *testing.T, p *project) *chat {
	t.Helper()
	c := &chat{mock.New(botToken, chatID), p}
	server := httptest.NewServer(c.Server)
	t.Cleanup(server.Close)
	p.env = append(p.env, "TELEGRAM_BOT_TOKEN="+botToken, "TELEGRAM_API_BASE="+server.URL)
	p.sh(fmt.Sprintf("warp rdb on --chat %d && warp config set notify all", chatID))
	return c
}

// question is an agent's that it has before it does a criterion. It does it as it
// is told: what a person has decided is in what it makes.
func question(id string) script {
	return script{
		before: `cat > ../prompt
			case $ids in *` + id + `*) grep -q 'A person has decided' ../prompt || { echo '{"decision":{"question":"Red or blue?","options":["red","blue"],"default":"red"}}' > "$WARP_RESULT"; exit 0; } ;; esac`,
		after: `case $ids in *` + id + `*) sed -n 's/^→ //p' ../prompt > demo_colour.txt; [ ! -e ../wait ] || while [ ! -e ../go ]; do sleep 0.05; done ;; esac`,
	}
}

// running is a drive in the background.
type running struct {
	p    *project
	cmd  *exec.Cmd
	said bytes.Buffer
	over chan struct{}
}

func (p *project) begin(args ...string) *running {
	p.t.Helper()
	r := &running{p: p, cmd: p.command(append([]string{filepath.Join(bin, "warp"), "drive", "--level", "3"}, args...)...), over: make(chan struct{})}
	r.cmd.Stdout, r.cmd.Stderr = &r.said, &r.said
	if err := r.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() { defer close(r.over); _ = r.cmd.Wait() }()
	p.t.Cleanup(func() { _ = r.cmd.Process.Kill(); <-r.over })
	return r
}

// end waits for the drive to end and returns its exit code and what it said.
func (r *running) end() (int, string) {
	r.p.t.Helper()
	select {
	case <-r.over:
	case <-time.After(3 * time.Minute):
		r.p.t.Fatal("it does not end")
	}
	return r.cmd.ProcessState.ExitCode(), r.said.String()
}

// until waits for what happens elsewhere.
func (c *chat) until(what string, is func() bool) {
	c.p.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(3 * time.Minute)
	for !is() {
		select {
		case <-tick.C:
		case <-late:
			c.p.t.Fatalf("%q: never; what came is\n%s", what, strings.Join(c.Texts(chatID), "\n"))
		}
	}
}

// read waits for a message of the bot that has some words, and returns it; after
// does for one that came after another.
func (c *chat) read(words string) mock.Message { c.p.t.Helper(); return c.after(0, words) }

func (c *chat) after(id int64, words string) (found mock.Message) {
	c.p.t.Helper()
	c.until(words, func() bool {
		i := slices.IndexFunc(c.Messages(), func(m mock.Message) bool { return m.Bot && m.ID > id && strings.Contains(m.Text, words) })
		if i >= 0 {
			found = c.Messages()[i]
		}
		return i >= 0
	})
	return found
}

// lines are what the bot wrote, without what all of it begins with.
func (c *chat) lines() (list []string) {
	for _, text := range c.Texts(chatID) {
		list = append(list, strings.TrimPrefix(text, "[warp-drive] "))
	}
	return list
}

// issue makes an approved issue, with a number of its own.
func (p *project) issue(title string, n int, ids ...string) {
	p.t.Helper()
	var body strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&body, "- [ ] %s: one thing\n", id)
	}
	p.write("body.md", body.String())
	p.sh(fmt.Sprintf(`warp issue new --title %s --body-file body.md --label req --label approved && rm body.md`, title))
	if n > 0 {
		p.sh(fmt.Sprintf(`mv .claude/issues/2.md .claude/issues/%d.md`, n))
	}
}

// Every phase is told in its words, commits are when that is wanted, and the end.
func TestTheChatReadsEveryPhase(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	c := away(t, p)
	p.sh("warp config set max_acs_per_commit 3")
	p.issue("Mail", 42, "AC-01", "AC-02", "AC-03", "AC-04", "AC-05")
	if exit, said := p.begin("42").end(); exit != 0 {
		t.Fatalf("it ended with %d\n%s", exit, said)
	}
	want := []string{"discovering", "planning -- #42", "chunking -- #42"}
	for n := 1; n <= 2; n++ {
		for _, phase := range []string{"coding", "updating_docs", "testing", "committing", "committed", "reporting", "chunk_complete"} {
			want = append(want, fmt.Sprintf("%s -- chunk %d/2 for #42", phase, n))
		}
	}
	want = append(want, "requirement_complete -- chunk 2/2 for #42", "merging -- chunk 2/2 for #42", "awaiting_continue -- chunk 2/2 for #42",
		"session ending -- 2 commits, 2 chunks", "completed -- chunk 2/2 for #42")
	hashes := strings.Fields(p.sh("git log --reverse --format=%h --abbrev=10 main"))
	for n := 1; n <= 2; n++ {
		want[slices.Index(want, fmt.Sprintf("committed -- chunk %d/2 for #42", n))] = fmt.Sprintf("committed %s feat: Mail (#42, part %d of 2)", hashes[len(hashes)-3+n], n)
	}
	have := c.lines()
	merged := slices.DeleteFunc(slices.Clone(have), func(l string) bool { return !strings.HasPrefix(l, "#42 merged: Mail\n$0.") })
	have = slices.DeleteFunc(have, func(l string) bool { return strings.HasPrefix(l, "#42 merged") })
	if !slices.Equal(have, want) || len(merged) != 1 {
		t.Errorf("%q, %s\nwant\n%s", merged, strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

// Unless everything is wanted, the chat reads what ended, with money and time, and rings
// for what waits for a person alone.
func TestTheChatReadsWhatIsImportant(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	c := away(t, p)
	p.sh("warp config set notify important")
	p.issue("Mail", 42, "AC-01", "AC-02")
	if exit, said := p.begin("42").end(); exit != 0 {
		t.Fatalf("it ended with %d\n%s", exit, said)
	}
	have := c.lines()
	if len(have) != 2 || !regexp.MustCompile(`^#42 merged: Mail\n\$\d+\.\d\d, [\d.]+ (s|min \d+ s)$`).MatchString(have[0]) || have[1] != "session ending -- 1 commit, 1 chunk" {
		t.Errorf("%q", have)
	}
	for _, m := range c.Messages() {
		if !m.Silent {
			t.Errorf("it rings: %+v", m)
		}
	}
}

func TestCommitsAreToldWhenThatIsWanted(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	c := away(t, p)
	p.sh("warp config set heartbeat_on_commit false")
	exit, said := p.begin("1").end()
	p.judge(exit, "", merged)
	if have := strings.Join(c.lines(), "\n"); strings.Contains(have, "committed") || !strings.Contains(have, "session ending -- 1 commit, 1 chunk") {
		t.Errorf("%s\n%s", have, said)
	}
}

// A person at the other end presses a button or writes a reply, and the drive goes
// on with it; nobody else is heard.
func TestTheChatDecides(t *testing.T) {
	for name, c := range sample(t, map[string]struct {
		say  func(*chat, mock.Message)
		want string
	}{
		"a button": {func(c *chat, m mock.Message) {
			id, err := c.Press("ann", m.ID, 1)
			if err != nil {
				c.p.t.Fatal(err)
			}
			c.read("question q1 was answered by telegram:@ann: blue")
			c.until("the press is answered", func() bool { return c.Pressed()[id] == "q1: blue" })
		}, "blue"},
		"words": {func(c *chat, m mock.Message) { c.Say(chatID, "ann", "other: neither; green", m.ID) }, "neither; green"},
		"words that are no option": {func(c *chat, m mock.Message) {
			c.Say(chatID, "ann", "green", m.ID)
			c.read(`"green" is not an option of q1; choose 1 (red) or 2 (blue)`)
			c.Say(chatID, "ann", "b", m.ID)
		}, "blue"},
		"a number": {func(c *chat, m mock.Message) { c.Say(chatID, "ann", "1", m.ID) }, "red"},
		"after a stranger": {func(c *chat, m mock.Message) {
			c.Say(stranger, "eve", "red", m.ID)
			c.Say(stranger, "eve", "/stop", 0)
			c.Say(chatID, "ann", "/status", 0)
			c.after(m.ID, "WARP DRIVE ACTIVE")
			c.Say(chatID, "ann", "blue", m.ID)
		}, "blue"},
	}, "a button", "words that are no option", "after a stranger") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := driven(t, question("AC-02"))
			chat := away(t, p)
			r := p.begin("1")
			m := chat.read("question q1 for #1")
			if !strings.Contains(m.Text, "Red or blue?\n1. red\n2. blue\nDefault: red\nUntil ") || !strings.Contains(m.Buttons, `"q1:2"`) {
				t.Errorf("%+v", m)
			}
			c.say(chat, m)
			exit, said := r.end()
			p.judge(exit, said, merged)
			if have := p.sh("git show main:demo_colour.txt"); have != c.want {
				t.Errorf("decided is %q, want %q\n%s", have, c.want, said)
			}
			if n := p.filed("todo"); len(n) != 0 {
				t.Errorf("todos: %v", n)
			}
			if strings.Contains(name, "stranger") && !strings.Contains(p.sh("warp rdb status --json"), `"ignored": 2`) {
				t.Errorf("%s", p.sh("warp rdb status --json"))
			}
		})
	}
}

// What the chat asks for is done by the drive that waits for it.
func TestTheChatCommands(t *testing.T) {
	t.Parallel()
	p := driven(t, question("AC-01"))
	c := away(t, p)
	r := p.begin("1")
	at := c.read("question q1 for #1").ID
	for command, want := range map[string]string{"/status": "Phase:", "/log@warp_test_bot": "work_selected", "/inbox": "q1: Red or blue?", "/what": "there is no command /what", "hello": "reply to a question"} {
		c.Say(chatID, "ann", command, 0)
		c.after(at, want)
	}
	c.Say(chatID, "ann", "/stop", 0)
	exit, said := r.end()
	if exit != 130 {
		t.Errorf("it ended with %d\n%s", exit, said)
	}
	c.read("was interrupted and cleans up")
	if have := strings.Join(c.lines(), "\n"); !strings.HasSuffix(have, "completed -- chunk 1/1 for #1") {
		t.Errorf("%s\n%s", have, said)
	}
	p.untouched()
	p.silent()
}
