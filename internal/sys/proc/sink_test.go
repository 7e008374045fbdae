package proc

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
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
	s, err := newSink(log, len("in time")) // full, so more would go over it
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
	s, err := newSink(logPath(t), 100)
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
