package hook

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/telemetry"
	"warp/internal/core/text"
	"warp/internal/durable"
)

// transcripts are the files in which agents write down what they do. Payloads name them.
// One that comes out of a sandbox is read below its run's own home folder only, and no
// link leads out of there.
type transcripts struct {
	relayed bool
	home    string // of the run
}

func (t transcripts) open(path string) (*os.File, error) {
	if !t.relayed {
		return durable.OpenPlain(path)
	}
	name, err := filepath.Rel(t.home, path)
	if err != nil || !filepath.IsAbs(t.home) || !filepath.IsLocal(name) {
		return nil, errElsewhere
	}
	root, err := os.OpenRoot(t.home)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return durable.OpenPlainIn(root, name)
}

var errElsewhere = errors.New("the transcript is not in the home folder of its run")

// read reads a whole file.
func (t transcripts) read(path string) ([]byte, error) {
	f, err := t.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, durable.MostPlain))
}

// maxTranscript is how much of the end of a transcript is looked at.
const maxTranscript = 4 << 20

// readFacts reads what a transcript tells; nothing when it cannot be read.
func (t transcripts) readFacts(path string) telemetry.Facts {
	if !filepath.IsAbs(path) || !strings.HasSuffix(path, ".jsonl") {
		return telemetry.Facts{}
	}
	f, err := t.open(path)
	if err != nil {
		return telemetry.Facts{}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return telemetry.Facts{}
	}
	if over := info.Size() - maxTranscript; over > 0 {
		if _, err := f.Seek(over, io.SeekStart); err != nil {
			return telemetry.Facts{}
		}
	}
	return telemetry.ReadTranscript(scanLines(f))
}

func scanLines(r io.Reader) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		scan := bufio.NewScanner(r)
		scan.Buffer(make([]byte, 64<<10), maxTranscript)
		for scan.Scan() {
			if !yield(scan.Bytes()) {
				return
			}
		}
	}
}

// readTask is the task as the agent's own record has it, beside its transcript; "" when
// there is none.
func (t transcripts) readTask(path string) string {
	base, ok := strings.CutSuffix(path, ".jsonl")
	if !ok {
		return ""
	}
	meta, err := t.read(base + ".meta.json")
	if err != nil {
		return ""
	}
	v, err := lossless.Parse(meta)
	if err != nil {
		return ""
	}
	return text.Clip(v.Get("description").Text(), 300)
}

// waitUntilWritten waits, but not for long, until a transcript has the agent's last
// words: agents write it a little late.
func (t transcripts) waitUntilWritten(path, words string) {
	mark := strings.TrimSpace(words)
	if i := strings.IndexAny(mark, "\"\\\n\t"); i >= 0 {
		mark = mark[:i] // as JSON has it, too
	}
	if mark == "" {
		return
	}
	for range 25 {
		text, err := t.read(path)
		if err != nil || strings.Contains(string(text), mark) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
