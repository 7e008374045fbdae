//go:build linux

package trial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"warp/internal/adapter/notify/webhook"
	mock "warp/internal/testkit/telegram"
)

// What cannot be sent waits on the disk, also for another process; then it comes in
// order, once.
func TestTheChatIsDownForAWhile(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	c := away(t, p)
	var down atomic.Bool
	c.Break(func(method string) mock.Fault {
		if down.Load() && method == "sendMessage" {
			return mock.LostAfter // the worst: it has arrived, and nobody knows
		}
		return mock.None
	})
	if exit, said := p.warp("rdb", "test"); exit != 0 { // so that numbers are known
		t.Fatalf("%s", said)
	}
	down.Store(true)
	env := p.env
	p.env = append(slices.Clone(env), "WARP_CRASH_AT=committed#1")
	p.begin("1").end()
	p.nowhere("the token", botToken)
	waits := p.sh(`warp rdb status --json | sed -n 's/.*"waiting": //p'`)
	if waits == "0," {
		t.Errorf("nothing waits, and there came\n%s", strings.Join(c.lines(), "\n"))
	}
	down.Store(false)
	p.env = env
	exit, said := p.warp("resume")
	p.judge(exit, said, merged)
	p.nowhere("the token", botToken)
	have := c.lines()[1:]
	phases := slices.DeleteFunc(slices.Clone(have), func(l string) bool {
		return strings.HasPrefix(l, "committed ") || strings.HasPrefix(l, "#1 merged: Mail\n")
	})
	for i, l := range phases {
		phases[i], _, _ = strings.Cut(l, " -- ")
	}
	if want := strings.Fields("discovering planning chunking coding updating_docs testing committing reporting chunk_complete requirement_complete merging awaiting_continue"); !slices.Equal(phases, append(want, "session ending", "completed")) {
		t.Errorf("%s", strings.Join(have, "\n"))
	}
}

// secrets are those of the bridge.
var secrets = []string{"TELEGRAM_BOT_TOKEN=" + botToken, "WARP_WEBHOOK_SECRET=s3cret-of-the-hook", "NTFY_TOKEN=tk_s3cret-of-ntfy"}

// The bridge's secrets are in no file, in no word, and in no agent's environment.
func TestTheBridgeKeepsItsSecrets(t *testing.T) {
	t.Parallel()
	s := question("AC-01")
	s.before = "env > ../environment\n" + s.before
	s.judge = "env >> ../environment"
	s.after = "if grep -q 'Remove them from these files' ../prompt; then echo none > demo_colour.txt; else " + s.after + "; fi"
	p := driven(t, s)
	p.env = append(p.env, secrets...)
	hook := httptest.NewServer(&sink{})
	t.Cleanup(hook.Close)
	c := away(t, p)
	p.env = append(p.env, "NTFY_URL="+hook.URL+"/topic")
	p.sh("warp rdb on --webhook " + hook.URL + "/hook --ntfy " + hook.URL + "/topic")
	r := p.begin("1")
	c.Say(chatID, "ann", "other: my token is "+botToken, c.read("question q1").ID) // people say such things
	exit, said := r.end()
	if exit != 0 || !strings.Contains(said, "TELEGRAM_BOT_TOKEN") {
		t.Errorf("it ended with %d\n%s", exit, said)
	}
	if log := p.sh("git log -p --all -- 'demo_*'"); strings.Contains(log, botToken) || !strings.Contains(log, "+none") {
		t.Errorf("what the agent wrote of it is committed\n%s", log)
	}
	environment := p.read("../environment")
	if !strings.Contains(environment, "WARP_CRITERIA=") {
		t.Fatal("no agent has shown its environment")
	}
	for _, kv := range secrets {
		name, value, _ := strings.Cut(kv, "=")
		if strings.Contains(environment, name+"=") {
			t.Errorf("an agent has %s", name)
		}
		if value == botToken {
			continue // a person has told it
		}
		if strings.Contains(said, value) {
			t.Errorf("it said %s\n%s", name, said)
		}
		p.nowhere(name, value)
	}
}

// nowhere wants a secret to be in no file of the project and of the user.
func (p *project) nowhere(name, value string) {
	p.t.Helper()
	for _, root := range []string{p.root, p.home} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if text, _ := os.ReadFile(path); bytes.Contains(text, []byte(value)) {
				p.t.Errorf("%s has %s", path, name)
			}
			return nil
		})
	}
}

// sink keeps what is posted to it.
type sink struct {
	mu   sync.Mutex
	got  []*http.Request
	said []string
}

func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.got); err != nil || n == 3 { // once it is too much
		s.got, s.said = append(s.got, nil), append(s.said, "")
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	s.got, s.said = append(s.got, r), append(s.said, string(text))
}

// A webhook and a topic of ntfy are told of a whole drive, too: all of it, in
// order, signed.
func TestAHookAndATopicAreTold(t *testing.T) {
	t.Parallel()
	p := driven(t, question("AC-02"))
	hook, topic := &sink{}, &sink{}
	mux := http.NewServeMux()
	mux.Handle("/hook", hook)
	mux.Handle("/topic", topic)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p.env = append(p.env, append(slices.Clone(secrets), "NTFY_URL="+server.URL+"/topic")...)
	p.sh(fmt.Sprintf("warp rdb on --webhook %s/hook --ntfy %s/topic && warp config set decision_timeout_minutes 0 && warp config set notify all && warp config set unattended give_up", server.URL, server.URL))
	if exit, said := p.begin("1").end(); exit != 1 {
		t.Fatalf("it ended with %d\n%s", exit, said)
	}
	hook.mu.Lock()
	defer hook.mu.Unlock()
	var kinds []string
	last := int64(0)
	for i, r := range hook.got {
		if r == nil {
			continue
		}
		var b struct {
			ID, Kind, Text, Issue, Question, Project string
			Seq                                      int64
			Options                                  []string
		}
		if err := json.Unmarshal([]byte(hook.said[i]), &b); err != nil {
			t.Fatal(err)
		}
		h := r.Header
		if h.Get("X-Warp-Signature") != webhook.Sign("s3cret-of-the-hook", h.Get("X-Warp-Timestamp"), []byte(hook.said[i])) || h.Get("X-Warp-Delivery") != b.ID || h.Get("X-Warp-Event") != b.Kind || b.Project != "project" {
			t.Errorf("%v %s", h, hook.said[i])
		}
		if b.Seq <= last {
			t.Errorf("%d came after %d", b.Seq, last)
		}
		last = b.Seq
		kinds = append(kinds, b.Kind)
		if b.Kind == "decision" && (b.Question != "q1" || len(b.Options) != 2 || b.Issue != "1") {
			t.Errorf("%+v", b)
		}
	}
	if want := "phase phase phase phase decision note phase failed phase"; strings.Join(kinds, " ") != want {
		t.Errorf("%v, want %s\n%s", kinds, want, strings.Join(hook.said, "\n"))
	}
	topic.mu.Lock()
	defer topic.mu.Unlock()
	var texts []string
	for i, r := range topic.got {
		if r == nil {
			continue
		}
		texts = append(texts, topic.said[i])
		decision := strings.Contains(topic.said[i], "Red or blue?\n1. red\n2. blue")
		if r.Header.Get("Authorization") != "Bearer tk_s3cret-of-ntfy" || decision != (r.Header.Get("Priority") == "high") {
			t.Errorf("%v %s", r.Header, topic.said[i])
		}
	}
	if len(texts) != len(kinds) || texts[3] != "[warp-drive] coding -- chunk 1/1 for #1" || !strings.Contains(texts[4], "\nwarp answer q1 …") {
		t.Errorf("%q", texts)
	}
}
