package usage

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// counting is the operating system's files, and how many bytes of journals were read.
type counting struct {
	durable.OS
	read int64
}

type counted struct {
	durable.File
	of *counting
}

func (c *counting) Open(name string, flag int, perm fs.FileMode) (durable.File, error) {
	f, err := c.OS.Open(name, flag, perm)
	if err == nil && strings.HasSuffix(name, ".jsonl") {
		f = counted{f, c}
	}
	return f, err
}

func (c counted) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.File.ReadAt(p, off)
	c.of.read += int64(n)
	return n, err
}

// A ledger that is asked again reads what is new: after a thousand runs as little as after
// one. What it then says is what a ledger says that reads everything.
func TestJournalsAreReadOnce(t *testing.T) {
	files := &counting{}
	env := turnstile.System()
	env.FS = files
	d := turnstile.Open(t.TempDir(), env)
	path := filepath.Join(d.Store().Dir(), "state", "events.jsonl")
	l := new(Ledger)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	spends := func(microUSD int64) {
		t.Helper()
		must(d.Store().AppendSynced(event.Run, evidence.Run{Issue: "1", MicroUSD: microUSD}))
	}
	spent := func(l *Ledger) (sum int64) {
		t.Helper()
		p, err := l.Open(d, env)
		must(err)
		for _, e := range p.runs() {
			sum += e.MicroUSD
		}
		return sum
	}
	text := func() []byte {
		t.Helper()
		text, err := os.ReadFile(path)
		must(err)
		return text
	}
	must(d.Store().Try())
	for range 1000 {
		spends(1)
	}
	if got := spent(l); got != 1000 {
		t.Fatalf("spent %d", got)
	}
	files.read = 0
	spends(7)
	if got := spent(l); got != 1007 || files.read > 2000 {
		t.Errorf("spent %d, read %d bytes for one row", got, files.read)
	}
	for _, c := range []struct {
		name string
		do   func()
		want int64 // 0: what a ledger says that reads everything
	}{
		{"another file of the same size", func() {
			was := text()
			must(os.Rename(path, path+".old"))
			must(os.WriteFile(path, bytes.Replace(was, []byte(`"micro_usd":7`), []byte(`"micro_usd":8`), 1), 0o600))
		}, 0},
		{"cut, and grown past where it was read", func() {
			must(os.Truncate(path, 0))
			for range 1100 {
				spends(2)
			}
		}, 2200},
		{"a row changed in place", func() {
			must(os.WriteFile(path, bytes.Replace(text(), []byte(`"micro_usd":2`), []byte(`"micro_usd":0`), 1), 0o600))
			spends(3)
		}, 2203}, // what was spent stays spent
		{"deleted", func() { must(os.Remove(path)) }, 0},
	} {
		c.do()
		want := c.want
		if want == 0 {
			want = spent(new(Ledger))
		}
		if got := spent(l); got != want {
			t.Errorf("%s: spent %d, want %d", c.name, got, want)
		}
	}
}
