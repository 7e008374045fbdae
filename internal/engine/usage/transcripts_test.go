package usage

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/tokens"
	"warp/internal/testkit/need"
)

const slug = "-home-u-proj"

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// ledger is one over a copy of the recorded transcripts.
func ledger(t *testing.T) *Ledger {
	t.Helper()
	home := t.TempDir()
	if err := os.CopyFS(filepath.Join(home, "projects"), os.DirFS(filepath.Join("testdata", "projects"))); err != nil {
		t.Fatal(err)
	}
	return &Ledger{Home: home, Cache: filepath.Join(home, "cache"), Prices: tokens.DefaultPrices, Now: func() time.Time { return noon }}
}

func (l *Ledger) folder() string { return filepath.Join(l.projects(), slug) }

// total reads the transcripts and adds them up.
func total(t *testing.T, l *Ledger) (tokens.Tokens, Stats) {
	t.Helper()
	x, stats, err := l.Read(t.Context(), slug)
	if err != nil || stats.Unsaved != nil {
		t.Fatal(err, stats.Unsaved)
	}
	var sum tokens.Tokens
	x.Messages(func(m tokens.Message) { sum = sum.Plus(m.Tokens) })
	return sum, stats
}

// query is an independent computation: of all lines about an answer, told apart
// by message and request, the last one of the file counts.
const query = `
[.[] | select(.type == "assistant" and .message.usage != null)]
| group_by([.message.id, .requestId]) | map(last) | map(. as $m | .message.usage | {
	session: $m.sessionId, model: $m.message.model,
	input: (.input_tokens // 0), output: (.output_tokens // 0), read: (.cache_read_input_tokens // 0), write: (.cache_creation_input_tokens // 0)})
| map(select(.input + .output + .read + .write > 0))
| group_by(.model) | map([.[0].model, (map(.input) | add), (map(.output) | add), (map(.read) | add), (map(.write) | add), length] | map(tostring) | join(" ")) | .[]`

func TestTotalsAreThoseOfJQ(t *testing.T) {
	jq := need.Tool(t, "jq")
	l := ledger(t)
	var files []string
	err := filepath.WalkDir(l.folder(), func(path string, d fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".jsonl" {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	out, err := exec.Command(jq, append([]string{"-s", "-r", query}, files...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	x, _, err := l.Read(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	sums, count := map[string]tokens.Tokens{}, map[string]int{}
	x.Messages(func(m tokens.Message) {
		sums[m.Model] = sums[m.Model].Plus(m.Tokens)
		count[m.Model]++
	})
	got := map[string]string{}
	for model, s := range sums {
		got[model] = fmt.Sprintf("%d %d %d %d %d", s.Input, s.Output, s.CacheRead, s.CacheWrite, count[model])
	}
	want := map[string]string{}
	for line := range strings.Lines(string(out)) {
		model, numbers, _ := strings.Cut(strings.TrimSpace(line), " ")
		want[model] = numbers
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 3 {
		t.Errorf("-jq +warp:\n%s", diff)
	}
}

// What was recorded, added up by hand from the script that the model was given.
func TestRecordedSession(t *testing.T) {
	l := ledger(t)
	x, _, err := l.Read(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]tokens.Tokens{}
	x.Messages(func(m tokens.Message) { sums[m.Session[:8]] = sums[m.Session[:8]].Plus(m.Tokens) })
	first := sums["11111111"].Plus(sums["22222222"]) // one repeats the other
	want := tokens.Tokens{
		Input:      101 + 103 + 107 + 109 + 100 + 211 + 223 + 2*(307+311),
		Output:     31 + 37 + 41 + 43 + 20 + 53 + 59 + 2*(61+67),
		CacheRead:  1001 + 2003 + 3001 + 4001 + 801 + 2*(5003+5501),
		CacheWrite: 501 + 207 + 301 + 401 + 701 + 2*(11+13),
	}
	if first != want {
		t.Errorf("resumed, forked, with a subagent: %+v, want %+v", first, want)
	}
	if got := sums["33333333"]; got != (tokens.Tokens{Input: 401, Output: 71, CacheRead: 6007, CacheWrite: 17}) {
		t.Errorf("one that ended in an error: %+v", got)
	}
	if got := sums["44444444"]; got != (tokens.Tokens{Input: 503 + 90_001 + 509, Output: 73 + 79 + 83}) {
		t.Errorf("one that was compacted: %+v", got)
	}
	old := tokens.Tokens{Input: 700 + 13 + 29 + 3 + 41, Output: 345 + 17 + 31 + 5 + 43, CacheRead: 11 + 19 + 47, CacheWrite: 7 + 23 + 53}
	if got := sums["55555555"]; got != old {
		t.Errorf("one of an older version: %+v, want %+v", got, old)
	}
}

func TestTheSecondReadingReadsOnlyWhatIsNew(t *testing.T) {
	l := ledger(t)
	before, first := total(t, l)
	if first.Files != 6 || first.Bytes < 10_000 {
		t.Fatalf("%+v", first)
	}
	if again, stats := total(t, l); again != before || stats != (Stats{}) {
		t.Fatalf("%+v, %+v", again, stats)
	}
	path := filepath.Join(l.folder(), "33333333-cccc-4ccc-8ccc-333333333333.jsonl")
	line := answer("msg_new", "req_new", 7, 11)
	// Half a line is none yet.
	write(t, path, line[:len(line)/2])
	if got, stats := total(t, l); got != before || stats.Bytes != int64(len(line)/2) {
		t.Errorf("half a line: %+v, %+v", got, stats)
	}
	// Whole, but not yet ended: it counts, and is read again.
	write(t, path, line[len(line)/2:])
	after := before.Plus(tokens.Tokens{Input: 7, Output: 11})
	for range 2 {
		if got, stats := total(t, l); got != after || stats.Bytes != int64(len(line)) {
			t.Errorf("a line without its end: %+v, %+v", got, stats)
		}
	}
	// The message goes on.
	more := answer("msg_new", "req_new", 7, 13)
	write(t, path, "\n"+more+"\n")
	after.Output += 2
	if got, _ := total(t, l); got != after {
		t.Errorf("a message that went on: %+v, want %+v", got, after)
	}
	if got, stats := total(t, l); got != after || stats.Bytes != 0 {
		t.Errorf("%+v, %+v", got, stats)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func answer(id, request string, in, out int) string {
	return fmt.Sprintf(`{"type":"assistant","sessionId":"s","timestamp":"2026-11-15T11:00:00.000Z","requestId":%q,"message":{"id":%q,"model":"claude-opus-5","usage":{"input_tokens":%d,"output_tokens":%d}}}`, request, id, in, out)
}

// A file that was cut, replaced or removed is another one: what it tells anew is
// added, what it told before was spent.
func TestFilesThatChange(t *testing.T) {
	l := &Ledger{Home: t.TempDir(), Cache: t.TempDir(), Now: func() time.Time { return noon }}
	path := filepath.Join(l.folder(), "s.jsonl")
	if err := os.MkdirAll(l.folder(), 0o700); err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	wants := func(what string, in int64) {
		t.Helper()
		sum += in
		if got, _ := total(t, l); got.Input != sum {
			t.Errorf("%s: %d, want %d", what, got.Input, sum)
		}
	}
	write(t, path, answer("a", "1", 1, 0)+"\n"+answer("b", "2", 10, 0)+"\n")
	wants("new", 11)
	replace := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	replace(answer("a", "1", 1, 0) + "\n")
	wants("cut", 0)
	write(t, path, answer("c", "3", 100, 0)+"\n")
	wants("grown again", 100)
	replace(answer("d", "4", 1000, 0) + "\n" + answer("c", "3", 100, 0) + "\n" + strings.Repeat("{}\n", 1000))
	wants("replaced by a longer one", 1000)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wants("removed", 0)
	write(t, path, answer("e", "5", 10_000, 0)+"\n")
	wants("there again", 10_000)
}

func TestAnIndexThatMakesNoSenseIsMadeAgain(t *testing.T) {
	l := ledger(t)
	want, _ := total(t, l)
	found, err := filepath.Glob(filepath.Join(l.Cache, "*.idx"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"empty": {}, "torn": text[:len(text)-3], "longer": append(bytes.Clone(text), 0), "another": []byte("warp usage 0\n"),
		"absurd": append([]byte(magic), bytes.Repeat([]byte{0xff}, 9)...),
	} {
		if err := os.WriteFile(found[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, stats := total(t, l); got != want || stats.Files != 6 {
			t.Errorf("%s: %+v, %+v", name, got, stats)
		}
	}
	l.Cache = filepath.Join(found[0], "no folder")
	if _, stats, err := l.Read(t.Context(), slug); err != nil || stats.Unsaved == nil {
		t.Errorf("without a cache: %v, %v", err, stats.Unsaved)
	}
}

func TestALineLongerThanABlock(t *testing.T) {
	l := &Ledger{Home: t.TempDir(), Cache: t.TempDir(), Now: func() time.Time { return noon }}
	if err := os.MkdirAll(l.folder(), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(l.folder(), "s.jsonl")
	filler := `{"type":"user","text":"` + strings.Repeat("x", 3*readSize) + `"}` + "\n"
	long := strings.Replace(answer("b", "2", 10, 0), `"model"`, `"content":"`+strings.Repeat("y", 2*readSize)+`","model"`, 1)
	write(t, path, answer("a", "1", 1, 0)+"\n"+filler+long+"\n"+answer("c", "3", 100, 0)+"\n")
	if got, stats := total(t, l); got.Input != 111 || stats.TooLong != 0 {
		t.Errorf("%+v, %+v", got, stats)
	}
	write(t, path, strings.Repeat("z", maxLine+readSize)+"\n"+answer("d", "4", 1000, 0)+"\n")
	if got, stats := total(t, l); got.Input != 1111 || stats.TooLong != 1 {
		t.Errorf("%+v, %+v", got, stats)
	}
	if _, stats := total(t, l); stats.Bytes != 0 {
		t.Errorf("%+v", stats)
	}
}

func TestSlug(t *testing.T) {
	for root, want := range map[string]string{"/home/u/proj": "-home-u-proj", "/a/b.c_d e/é": "-a-b-c-d-e--", "/🙂": "---"} {
		if got := Slug(root); got != want {
			t.Errorf("%s: %s, want %s", root, got, want)
		}
	}
	l := &Ledger{Home: t.TempDir()}
	deep := "/" + strings.Repeat("a/", 150)
	name := Slug(deep)[:slugLength] + "-k3j2h1"
	for _, dir := range []string{name, "-other"} {
		if err := os.MkdirAll(filepath.Join(l.projects(), dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := l.folders(deep); err != nil || !cmp.Equal(got, []string{name}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := l.folders(""); err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	l.Config = filepath.Join(l.Home, "elsewhere")
	if got, err := l.folders(""); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}
