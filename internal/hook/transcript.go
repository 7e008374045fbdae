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

// transcripts reads the files in which agents log what they do. Payloads name them. A path that
// comes out of a sandbox is read only below its run's home folder, following no link out of it.
type transcripts struct {
	relayed bool
	home    string // the run's home folder
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

func (t transcripts) read(path string) ([]byte, error) {
	f, err := t.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, durable.MostPlain))
}

// maxTranscript limits how much of a transcript's end is read.
const maxTranscript = 4 << 20

// readFacts returns the facts in a transcript; none if it cannot be read.
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

// readTask returns the task from the agent's metadata file next to its transcript; "" if there is
// none.
func (t transcripts) readTask(path string) string {
	base, ok := strings.CutSuffix(path, ".jsonl")
	if !ok {
		return ""
	}
	meta, _ := t.read(base + ".meta.json") // nothing on an error
	v, _ := lossless.Parse(meta)
	return text.Clip(v.Get("description").Text(), 300)
}

// waitUntilWritten waits briefly until a transcript contains the agent's last words: agents write
// it a little late.
func (t transcripts) waitUntilWritten(path, words string) {
	mark := strings.TrimSpace(words)
	if i := strings.IndexAny(mark, "\"\\\n\t"); i >= 0 {
		mark = mark[:i] // up to the first character that JSON escapes
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
