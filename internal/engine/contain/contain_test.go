package contain

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/sys/gateway"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
	"warp/internal/sys/seal"
	"warp/internal/testkit/need"
)

func TestMain(m *testing.M) {
	if os.Getenv("GOCOVERDIR") == "" { // or the first process in a sandbox complains when it ends
		_ = os.Setenv("GOCOVERDIR", os.TempDir())
	}
	sandbox.Inside(os.Args[1:])
	os.Exit(m.Run())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(t, os.WriteFile(file, []byte(text), 0o644))
}

// world is a project of a user who has a key and a configured agent.
type world struct {
	*Walls
	user string
}

func newWorld(t *testing.T, kind sandbox.Kind, environ ...string) world {
	t.Helper()
	need.Linux(t)
	if kind == sandbox.Bwrap {
		need.Tool(t, "bwrap")
	}
	self, err := os.Executable()
	must(t, err)
	box, _, err := sandbox.Open(sandbox.Options{Kind: kind, Self: self})
	if err != nil {
		need.NotRun(t, err.Error())
	}
	user, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := world{user: user, Walls: &Walls{Box: box, Root: filepath.Join(user, "project"), State: filepath.Join(user, ".local", "state", "warp"),
		Environ: append([]string{"HOME=" + user, "PATH=" + os.Getenv("PATH"), "GITHUB_TOKEN=ghp_do_not_tell", "MY_FLAG=yes"}, environ...), Settings: Settings{Network: sandbox.ByProxy}}}
	write(t, filepath.Join(w.Root, "code.txt"), "code")
	write(t, filepath.Join(user, ".ssh", "id"), "PRIVATE")
	write(t, filepath.Join(user, ".agent", "login.json"), `{"token": 1}`)
	write(t, filepath.Join(user, ".agent", "rules.md"), "be kind")
	write(t, filepath.Join(user, ".agent", "history"), "private talk")
	w.Open = func(dir string, way Way) (io.Closer, error) {
		o := gateway.Options{Hosts: way.Hosts, Proxy: ProxySocket, Ports: map[string]int{}, Refused: way.Refused}
		for _, port := range way.Ports {
			o.Ports[PortSocket(port)] = port
		}
		if way.API != nil {
			api := gateway.API{Socket: APISocket, Base: way.API.Base, Header: http.Header{}}
			for name, value := range way.API.Headers {
				api.Header.Set(name, value)
			}
			o.APIs = []gateway.API{api}
		}
		return gateway.Open(dir, o)
	}
	return w
}

var needs = Needs{
	Env: []string{"AGENT_*"}, Set: []string{"AGENT_QUIET=1"}, Temp: []string{"AGENT_TMP"},
	Config: []Config{{Path: ".agent", Copy: []string{"login.json", "rules.md"}, Credentials: []string{"login.json"}, Transcripts: []string{"talks/*.jsonl"}}},
	Key:    &Key{BaseEnv: "AGENT_URL", Base: "https://api.test", BaseArgs: []string{"--norc"}, Secrets: []Secret{{Env: "AGENT_KEY", Header: "X-Key"}}},
}

func (w world) run(t *testing.T, script string) (string, int) {
	t.Helper()
	var mu sync.Mutex
	var refused []string
	r, err := w.Confine(proc.Cmd{Argv: []string{"bash", "-c", script}, Dir: w.Root, Env: w.Environ, Timeout: time.Minute},
		Order{Name: "agent", Top: w.Root, Needs: needs, Refused: func(host string) { mu.Lock(); defer mu.Unlock(); refused = append(refused, host) }})
	must(t, err)
	res, err := proc.Run(t.Context(), r.Cmd)
	must(t, err)
	must(t, r.Close())
	mu.Lock()
	defer mu.Unlock()
	return strings.TrimSpace(string(res.Output) + strings.Join(refused, " ")), res.Exit
}

// An agent gets its own configuration and no other, and its variables and no others.
func TestWhatAnAgentGets(t *testing.T) {
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			w := newWorld(t, kind, "AGENT_MODE=fast")
			w.Settings.Env = []string{"MY_FLAG"}
			out, code := w.run(t, `cat ~/.agent/login.json ~/.agent/rules.md; ls ~/.agent | tr '\n' ' '; echo "$AGENT_MODE $AGENT_QUIET $MY_FLAG:$GITHUB_TOKEN:"; cat `+w.user+`/.ssh/id 2>/dev/null; test -w "$AGENT_TMP" && echo tmp`)
			if want := `{"token": 1}be kindlogin.json rules.md fast 1 yes::` + "\ntmp"; out != want || code != 0 {
				t.Errorf("%d, %q, not %q", code, out, want)
			}
		})
	}
}

// The clones of a fleet's worker lie beside the fleet's key, its accounts' variables and its
// server's database: an agent sees its own clone.
func TestTheKeyOfAFleetStaysOutside(t *testing.T) {
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			w := newWorld(t, kind)
			fleet := filepath.Join(w.user, ".local", "share", "warp-fleet")
			w.Root = filepath.Join(fleet, "work", "w1", "shop", "issue-1")
			write(t, filepath.Join(w.Root, "code.txt"), "code")
			var files []string
			for _, name := range []string{"fleet.key", "accounts/one.env", "server/temporal.db", "work/w1/shop/issue-2/code.txt"} {
				files = append(files, filepath.Join(fleet, name))
				write(t, filepath.Join(fleet, name), "SECRET")
			}
			if out, code := w.run(t, "cat code.txt "+strings.Join(files, " ")+" 2>/dev/null"); out != "code" || code == 0 {
				t.Errorf("%d, %q", code, out)
			}
		})
	}
}

// The key that facts are signed with, the journals' marks and all else in the user's
// state folder stay outside, whatever the settings let in.
func TestTheKeyOfFactsStaysOutside(t *testing.T) {
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			w := newWorld(t, kind)
			w.Settings.Env = []string{"WARP_*"}
			fleet := filepath.Join(w.user, "fleet.key")
			w.Environ = append(w.Environ, seal.Variable+"="+fleet, "WARP_DEMO=1")
			files := []string{fleet, filepath.Join(w.State, seal.Name), filepath.Join(w.State, "journals", "x")}
			for _, file := range files {
				write(t, file, "SECRET")
			}
			out, code := w.run(t, `echo "$WARP_DEMO:$`+seal.Variable+`:"; cat `+strings.Join(files, " ")+` 2>/dev/null; ls ~ > /dev/null && echo home`)
			if want := "1::\nhome"; out != want || code != 0 {
				t.Errorf("%d, %q, not %q", code, out, want)
			}
			lines, err := w.Explain(Order{Name: "agent", Top: w.Root}, w.Environ)
			must(t, err)
			if text := strings.Join(lines, "\n"); strings.Contains(text, seal.Variable) || strings.Contains(text+"\n", w.State+"\n") {
				t.Error(text)
			}
		})
	}
}

// What an agent refreshed comes back, and nothing else, whatever it puts there.
func TestWhatComesBack(t *testing.T) {
	w := newWorld(t, sandbox.Bwrap)
	_, code := w.run(t, `cd ~/.agent; echo '{"token": 2}' > login.json; echo evil > rules.md; mkdir talks; echo '{}' > talks/1.jsonl; echo x > talks/x.txt; ln -s `+w.user+`/.ssh/id talks/2.jsonl; mkfifo talks/3.jsonl`)
	have := map[string]string{}
	must(t, filepath.WalkDir(filepath.Join(w.user, ".agent"), func(file string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			text, err := os.ReadFile(file)
			must(t, err)
			name, _ := filepath.Rel(w.user, file)
			have[name] = strings.TrimSpace(string(text))
		}
		return err
	}))
	want := map[string]string{".agent/login.json": `{"token": 2}`, ".agent/rules.md": "be kind", ".agent/history": "private talk", ".agent/talks/1.jsonl": "{}"}
	if code != 0 || len(have) != len(want) {
		t.Errorf("%d: %v", code, have)
	}
	for name, text := range want {
		if have[name] != text {
			t.Errorf("%s is %q", name, have[name])
		}
	}
	// What it broke does not come back, and the next run begins with the user's.
	out, _ := w.run(t, `cat ~/.agent/rules.md; echo broken > ~/.agent/login.json`)
	if text, err := os.ReadFile(filepath.Join(w.user, ".agent", "login.json")); out != "be kind" || err != nil || strings.TrimSpace(string(text)) != `{"token": 2}` {
		t.Errorf("%q, %q, %v", out, text, err)
	}
}

// The key stays outside, the API answers all the same, and other hosts are refused.
func TestTheWayOut(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "hello "+r.Header.Get("X-Key")) }))
	defer api.Close()
	need.Tool(t, "curl")
	w := newWorld(t, sandbox.Bwrap, "AGENT_KEY=real-key", "AGENT_URL="+api.URL)
	out, _ := w.run(t, `env | grep -c real-key; curl -sS -H "X-Key: $AGENT_KEY" $AGENT_URL/x; echo; curl -sS -o /dev/null https://evil.invalid 2>/dev/null || echo no`)
	if want := "0\nhello real-key\nno\nevil.invalid"; out != want {
		t.Errorf("%q, not %q", out, want)
	}
	// A server on the user's loopback is reached where the settings name its port.
	_, port, _ := strings.Cut(strings.TrimPrefix(api.URL, "http://"), ":")
	script := `curl -sS -m 5 http://127.0.0.1:` + port + ` 2>/dev/null || echo no`
	if out, _ := w.run(t, script); out != "no" {
		t.Errorf("the loopback is open: %q", out)
	}
	w.Settings.Hosts = []string{"127.0.0.1:" + port}
	if out, _ := w.run(t, script); out != "hello" {
		t.Errorf("the named port is closed: %q", out)
	}
}

// The work tree of one who may only look cannot be written to.
func TestReadOnly(t *testing.T) {
	w := newWorld(t, sandbox.Bwrap)
	r, err := w.Confine(proc.Cmd{Argv: []string{"sh", "-c", "cat code.txt; echo x > code.txt"}, Dir: w.Root, Env: w.Environ}, Order{Name: "judge", Top: w.Root, ReadOnly: true})
	must(t, err)
	defer func() { must(t, r.Close()) }()
	if res, err := proc.Run(t.Context(), r.Cmd); err != nil || res.Exit == 0 || !strings.HasPrefix(string(res.Stdout), "code") {
		t.Errorf("%v, %d, %s", err, res.Exit, res.Output)
	}
}

// The tools that it starts can write their caches all the same.
func TestReadOnlyToolsHaveCaches(t *testing.T) {
	w := newWorld(t, sandbox.Bwrap)
	script := `mkdir -p "$PYTHONPYCACHEPREFIX" "${PYTEST_ADDOPTS#-o cache_dir=}" "$CARGO_TARGET_DIR" && echo written`
	r, err := w.Confine(proc.Cmd{Argv: []string{"sh", "-c", script}, Dir: w.Root, Env: w.Environ}, Order{Name: "judge", Top: w.Root, ReadOnly: true})
	must(t, err)
	defer func() { must(t, r.Close()) }()
	if res, err := proc.Run(t.Context(), r.Cmd); err != nil || string(res.Stdout) != "written\n" {
		t.Errorf("%v, %d, %s", err, res.Exit, res.Output)
	}
}

func TestExplain(t *testing.T) {
	w := newWorld(t, sandbox.Bwrap)
	w.Settings.Hosts, w.Settings.Read = []string{"registry.test"}, []string{"/nonexistent", w.user + "/.ssh"}
	lines, err := w.Explain(Order{Name: "agent", Top: w.Root}, w.Environ)
	must(t, err)
	for _, want := range []string{"sandbox    bwrap, contained", "writable   " + w.Root, "empty      " + w.user, "read-only  " + w.user + "/.ssh", "network    the agent's API, registry.test", "variable   PATH"} {
		if !slices.Contains(lines, want) {
			t.Errorf("it does not say %q:\n%s", want, strings.Join(lines, "\n"))
		}
	}
	if slices.Contains(lines, "variable   GITHUB_TOKEN") {
		t.Error("a token is visible")
	}
}

func TestBadAddresses(t *testing.T) {
	w := newWorld(t, sandbox.Bwrap, "AGENT_KEY=k", "AGENT_URL=:nonsense")
	if _, err := w.Confine(proc.Cmd{Argv: []string{"true"}, Dir: w.Root, Env: w.Environ}, Order{Name: "agent", Top: w.Root, Needs: needs}); err == nil || !strings.Contains(err.Error(), "AGENT_URL") {
		t.Errorf("it says %v", err)
	}
	for host, want := range map[string]int{"127.0.0.1:80": 80, "localhost:8080": 8080, "localhost": 0, "example.com:80": 0, "127.0.0.1:x": 0} {
		if port, local := loopbackPort(host); port != want || local != (want > 0) {
			t.Errorf("%s: %d, %v", host, port, local)
		}
	}
}

// Where nothing is set, modules come from where Go would take them.
func TestGoModules(t *testing.T) {
	w := newWorld(t, sandbox.Landlock)
	download := filepath.Join(w.user, "go", "pkg", "mod", "cache", "download")
	must(t, os.MkdirAll(download, 0o755))
	write(t, filepath.Join(w.user, "sdk", "bin", "go"), "")
	write(t, filepath.Join(w.user, "sdk", "go.env"), "# Go's own\nGOPROXY=https://modules.invalid,direct\n")
	path := "PATH=" + filepath.Join(w.user, "sdk", "bin")
	check := func(want string, set ...string) {
		t.Helper()
		if have := w.Variables("/h", append(w.Environ, set...))["GOPROXY"]; have != "file://"+download+","+want {
			t.Errorf("%q: %s", set, have)
		}
	}
	check("https://modules.invalid,direct", path)
	check("off", path, "GOPROXY=off")
	check("direct", "PATH=/none")
	write(t, filepath.Join(w.user, ".config", "go", "env"), "GOPROXY=https://mine.invalid\n")
	check("https://mine.invalid", path)
}
