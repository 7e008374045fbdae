package fleetfile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/fleetfile"
)

const good = `
repositories:
  - url: https://example.invalid/acme/shop.git
    level: 3
    priority: 2
    at_once: 3
    pool: linux
  - name: docs
    url: git@example.invalid:acme/docs
    tracker: gitea
    labels: [approved]
pools:
  - label: linux
    slots: 4
    agents: [claude]
    accounts: [max]
accounts:
  - {name: max, agent: claude, at_once: 2, window_share: 0.6}
caps: {night: 50, day: 80, per_repository: 20.5}
quiet_hours: ["08:00-19:00 mon-fri", "22:00-06:00 sat,sun"]
`

func TestAFleet(t *testing.T) {
	f, problems := fleetfile.Parse([]byte(good))
	if problems != nil {
		t.Fatal(problems)
	}
	repos, accounts, caps := f.Schedule()
	if repos[0].Name != "shop" || repos[0].Most != 3 || repos[0].Pool != "linux" || accounts[0].Share != 0.6 || caps.Night != 50e6 || caps.Repo["docs"] != 20_500_000 {
		t.Errorf("%+v %+v %+v", repos, accounts, caps)
	}
}

func TestNamesComeFromAddresses(t *testing.T) {
	for address, want := range map[string]string{"git@example.invalid:acme/api.git": "api", "git@example.invalid:api": "api", "ssh://git@example.invalid/acme/api": "api", "/srv/api.git": "api"} {
		f, problems := fleetfile.Parse([]byte(strings.Replace(good, "https://example.invalid/acme/shop.git", address, 1)))
		if problems != nil || f.Repositories[0].Name != want {
			t.Errorf("%s: %q, %v", address, f.Repositories[0].Name, problems)
		}
	}
}

func TestWhatIsWrongIsSaidWithItsPlace(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"level: 3", "level: 4", "4:12: level must be 2 (open pull requests) or 3 (merge), not 4"},
		{"pool: linux", "pool: mac", `7:11: there is no pool "mac"`},
		{"tracker: gitea", "tracker: jira", `10:14: there is no tracker "jira": choose github, gitea, local`},
		{"name: docs", "name: shop", `8:11: there are two repositories called "shop"`},
		{"name: docs", "name: Shop", `8:11: there are two repositories called "Shop"`},
		{"name: docs", "name: ..", `8:11: ".." cannot be a repository's name`},
		{"name: docs", "name: a/docs", `"a/docs" cannot be a repository's name`},
		{"https://example.invalid", "https://token@example.invalid", "3:10: keep the password out of the url"},
		{"https://example.invalid", "HTTPS://ann:w^rd@example.invalid", "3:10: keep the password out of the url"},
		{"git@example.invalid:acme", "ssh://git:word@example.invalid/acme", "keep the password out"},
		{"accounts: [max]", "accounts: [max, x]", `16:21: there is no account "x"`},
		{"slots: 4", "slots: 0", "14:12: slots must be 1 or more, not 0"},
		{"window_share: 0.6", "window_share: 60", "18:58: window_share must be from 0 to 1, not 60"},
		{"night: 50", "night: -1", "19:15: night must be dollars, not -1"},
		{"at_once: 3", "atonce: 3", `6:5: unknown field "atonce"`},
		{"slots: 4", "slots: four", "14:12: this must be a number, not string]"},
		{"slots: 4", "slots: 99999999999999999999", "14:12: this must be a number, not 99999999999999999999]"},
		{"mon-fri", "monday", `20:15: "monday" is not a day`},
		{"22:00-06:00", "22 to 7", `20:38: quiet hours look like "08:00-19:00 mon-fri", not "22 to 7 sat,sun"`},
		{"night: 50", "night: .nan", "19:15: night must be dollars, not NaN"},
		{"day: 80", "day: 1e30", "19:24: day must be dollars, not 1e+30"},
		{"window_share: 0.6", "window_share: .nan", "18:58: window_share must be from 0 to 1, not NaN"},
		{"label: linux", "label: ../linux", `13:12: "../linux" cannot be a pool's label`},
		{"agents: [claude]", "agents: [claud]", `15:14: there is no agent "claud": choose claude, codex`},
		{"agent: claude", "agent: claud", `18:24: there is no agent "claud": choose claude, codex`},
		{"agents: [claude]", "agents: [codex]", `16:16: account "max" is for the agent "claude", which is not among the agents of pool "linux"`},
		{"pools:", "pool:", `12:1: unknown field "pool"`},
		{"caps: {", "caps: [{", ""},
	} {
		_, problems := fleetfile.Parse([]byte(strings.Replace(good, c.old, c.new, 1)))
		if len(problems) == 0 || !strings.Contains(fmt.Sprint(problems), c.want) {
			t.Errorf("%s: %v", c.new, problems)
		}
		if strings.Contains(c.want, "password") && len(problems) > 1 {
			t.Errorf("%s is told %d times: %v", c.new, len(problems), problems)
		}
	}
	if _, problems := fleetfile.Parse(nil); len(problems) != 2 {
		t.Errorf("nothing: %v", problems)
	}
}

func TestWarnings(t *testing.T) {
	unpriced := strings.NewReplacer("agent: claude", "agent: command", "agents: [claude]", "agents: [claude, command]").Replace(good)
	for text, want := range map[string]string{
		good:     "[]",
		unpriced: "[18:24: agent \"command\" reports no prices, so caps cannot limit it: issues driven with account \"max\" are parked. Remove the caps, or use another agent]",
		strings.Replace(unpriced, "caps: {night: 50, day: 80, per_repository: 20.5}", "caps: {}", 1): "[]",
	} {
		f, problems := fleetfile.Parse([]byte(text))
		if got := fmt.Sprint(fleetfile.Warn([]byte(text), f)); problems != nil || got != want {
			t.Errorf("%v, %s", problems, got)
		}
	}
}

func TestQuietHours(t *testing.T) {
	f, _ := fleetfile.Parse([]byte(good))
	for at, want := range map[string]string{
		"2026-03-02 07:59": "",                 // Monday
		"2026-03-02 08:00": "2026-03-02 19:00", //
		"2026-03-02 19:00": "",
		"2026-03-07 12:00": "",                 // Saturday
		"2026-03-07 23:00": "2026-03-08 06:00", //
		"2026-03-09 03:00": "2026-03-09 06:00", // Monday, since Sunday
		"2026-03-10 03:00": "",
	} {
		now, _ := time.Parse("2006-01-02 15:04", at)
		got := f.QuietUntil(now)
		if got.IsZero() != (want == "") || want != "" && got.Format("2006-01-02 15:04") != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
	for at, want := range map[string]string{
		"2026-03-02 07:59": "2026-03-02 08:00", // Monday
		"2026-03-02 08:00": "2026-03-03 08:00",
		"2026-03-06 20:00": "2026-03-07 20:00", // Friday: none within a day
		"2026-03-07 12:00": "2026-03-07 22:00",
	} {
		now, _ := time.Parse("2006-01-02 15:04", at)
		if got := f.NextQuiet(now).Format("2006-01-02 15:04"); got != want {
			t.Errorf("after %s: %s, want %s", at, got, want)
		}
	}
	text, err := json.Marshal(f)
	var again fleetfile.File
	if err == nil {
		err = json.Unmarshal(text, &again)
	}
	if diff := cmp.Diff(f, &again); err != nil || diff != "" {
		t.Errorf("as JSON: %v %s", err, diff)
	}
	always, problems := fleetfile.Parse([]byte(strings.Replace(good, `"08:00-19:00 mon-fri", `, `"00:00-00:00", `, 1)))
	if problems != nil {
		t.Fatal(problems)
	}
	if always.QuietUntil(time.Now()).IsZero() {
		t.Error("it is always quiet")
	}
}
