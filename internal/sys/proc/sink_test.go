package proc

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func TestFiftyMegabytesAreWholeInTheLogAndBoundedInMemory(t *testing.T) {
	const size, keep = 50 << 20, 100_000
	c := self(t, "spew", strconv.Itoa(size))
	c.Log, c.Keep = logPath(t), keep
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := mustRun(t, c)
	runtime.ReadMemStats(&after)
	// TotalAlloc only grows, so it holds whatever was taken in between.
	if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
		t.Errorf("took %d bytes of memory for %d bytes of output", took, size)
	}
	if len(r.Stdout) != keep || len(r.Output) != keep || r.StdoutSize != size {
		t.Fatalf("kept %d and %d of %d", len(r.Stdout), len(r.Output), r.StdoutSize)
	}
	last := compareSpew(t, c.Log, size)
	if !bytes.HasSuffix(last, r.Stdout[keep-1000:]) {
		t.Errorf("what was kept are not the last bytes: %q", r.Stdout[keep-1000:])
	}
}

// compareSpew checks a log against what the helper writes, line by line, and
// returns its end.
func compareSpew(t *testing.T, log string, size int) []byte {
	t.Helper()
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var last []byte
	r := bufio.NewReader(f)
	for i := 0; size > 0; i++ {
		want := spewLine(i)
		want = want[:min(size, len(want))]
		got, _ := r.ReadString('\n')
		if got != want {
			t.Fatalf("line %d of the log is %q, want %q", i, got, want)
		}
		size -= len(got)
		if size < 4000 {
			last = append(last, got...)
		}
	}
	if _, err := r.ReadByte(); err == nil {
		t.Fatal("the log holds more than was written")
	}
	return last
}

func TestTailKeepsTheLastBytes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for max := 1; max < 20; max++ {
		var all []byte
		tl := tail{max: max}
		for range 200 {
			p := make([]byte, rnd.IntN(30))
			for i := range p {
				p[i] = byte(rnd.Uint32())
			}
			tl.write(p)
			all = append(all, p...)
			want := all[len(all)-min(max, len(all)):]
			if got := tl.bytes(); !bytes.Equal(got, want) || tl.size != int64(len(all)) {
				t.Fatalf("max %d after %d bytes: %v (size %d), want %v", max, len(all), got, tl.size, want)
			}
		}
	}
}

func TestWriterThatComesTooLateChangesNothing(t *testing.T) {
	log := logPath(t)
	s, err := newSink(log, len("in time"), nil) // full, so more would go over it
	if err != nil {
		t.Fatal(err)
	}
	w := stream{s, &s.stdout}
	w.Write([]byte("in time"))
	var r Result
	s.fill(&r)
	w.Write([]byte("late"))
	b, _ := os.ReadFile(log)
	if string(r.Stdout) != "in time" || string(b) != "in time" || r.LogErr != nil {
		t.Errorf("result %q, log %q, %v", r.Stdout, b, r.LogErr)
	}
}

func TestLogThatBreaksIsReportedAndTheRestGoesOn(t *testing.T) {
	s, err := newSink(logPath(t), 100, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.log.Close() // stands for a disk that gives up
	w := stream{s, &s.stdout}
	if n, err := w.Write([]byte("still heard")); n != 11 || err != nil {
		t.Errorf("the copying would stop: %d, %v", n, err)
	}
	var r Result
	s.fill(&r)
	if r.LogErr == nil || string(r.Stdout) != "still heard" {
		t.Errorf("got %q, %v", r.Stdout, r.LogErr)
	}
}

// What a log keeps is cleaned line by line, whatever pieces it comes in; a line
// without an end in pieces that overlap.
func TestLogIsCleaned(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	clean := func(p []byte) []byte { return bytes.ReplaceAll(p, []byte("hunter2"), []byte("***")) }
	s, err := newSink(log, 1<<20, clean)
	if err != nil {
		t.Fatal(err)
	}
	out, bad := stream{s, &s.stdout}, stream{s, &s.stderr}
	for _, p := range []string{"a hun", "ter2 b\nhun"} {
		_, _ = out.Write([]byte(p))
	}
	_, _ = bad.Write([]byte("beside\n"))
	_, _ = out.Write([]byte("ter2\n"))
	long := strings.Repeat("x", longestRest-3) + "hunter2" + strings.Repeat("y", longestRest)
	for i := 0; i < len(long); i += 1000 {
		_, _ = out.Write([]byte(long[i:min(len(long), i+1000)]))
	}
	s.close()
	kept, err := os.ReadFile(log)
	if want := "a *** b\nbeside\n***\n" + strings.ReplaceAll(long, "hunter2", "***"); err != nil || string(kept) != want {
		t.Errorf("%v: %d bytes, want %d: %.60q", err, len(kept), len(want), kept)
	}
	var r Result
	s.fill(&r)
	if !bytes.Contains(r.Output, []byte("hunter2")) {
		t.Error("what is in memory is changed")
	}
}
