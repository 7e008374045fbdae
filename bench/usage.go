package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	transcriptBytes = 1 << 30
	transcriptSlug  = "-bench"
)

// tokens checks that a gigabyte of transcripts is read in seconds and in bounded memory, and that
// the second time only new data is read.
func tokens(b *bench) ([]figure, error) {
	home := filepath.Join(b.dir, "tokens")
	want, err := makeTranscripts(filepath.Join(home, ".claude", "projects", transcriptSlug))
	if err != nil {
		return nil, err
	}
	first, peak, err := b.readTranscripts(home, want)
	if err != nil {
		return nil, err
	}
	line := transcriptLine(1<<40, 1)
	path := filepath.Join(home, ".claude", "projects", transcriptSlug, "session-0.jsonl")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(line)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, err
	}
	second, _, err := b.readTranscripts(home, want+1)
	if err != nil {
		return nil, err
	}
	return []figure{
		{name: "1 GB of transcripts, read for the first time", value: first.Seconds(), unit: "s", most: 10, note: fmt.Sprintf("  (%.0f MB/s)", transcriptBytes/1e6/first.Seconds())},
		{name: "peak memory of it", value: peak, unit: "MB", most: 128},
		{name: "the second time, with one line more", value: second.Seconds(), unit: "s", most: 0.5},
	}, nil
}

// makeTranscripts writes sessions as a long drive leaves them: large tool results, answers of a few
// hundred bytes, each recorded twice. It returns the number of output tokens.
func makeTranscripts(dir string) (sum int64, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	result := `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"` + strings.Repeat(`ok  pkg/\"x\"\t0.01s\n`, 250) + `"}]},"sessionId":"s"}` + "\n"
	size := int64(0)
	for n, i := 0, int64(0); size < transcriptBytes; n++ {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("session-%d.jsonl", n)))
		if err != nil {
			return 0, err
		}
		w := bufio.NewWriterSize(f, 1<<20)
		for own := int64(0); own < 64<<20 && size+own < transcriptBytes; i++ {
			line := transcriptLine(i, i%100+1)
			sum += i%100 + 1
			for _, text := range []string{line, line, result} {
				own += int64(len(text))
				_, _ = w.WriteString(text) // Flush reports the error
			}
			if i%50 == 0 {
				own += int64(len(result)) * 40
				_, _ = w.WriteString(strings.Replace(result, "ok", strings.Repeat("ok", len(result)*20), 1))
			}
		}
		size += fileSize(w, f)
		if err := f.Close(); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

func fileSize(w *bufio.Writer, f *os.File) int64 {
	if w.Flush() != nil {
		return transcriptBytes // a full disk shows when reading
	}
	info, err := f.Stat()
	if err != nil {
		return transcriptBytes
	}
	return info.Size()
}

func transcriptLine(i, out int64) string {
	return fmt.Sprintf(`{"parentUuid":"p%d","isSidechain":false,"message":{"content":[{"text":%q,"type":"text"}],"id":"msg_%d","model":"claude-opus-5","role":"assistant","usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":90000,"output_tokens":%d,"service_tier":"standard"}},"requestId":"req_%d","type":"assistant","timestamp":"2026-11-15T10:12:30.868Z","sessionId":"s"}`+"\n",
		i, strings.Repeat("word ", 60), i, out, i)
}

// readTranscripts lets warp add up the tokens, and compares the sum with what was written.
func (b *bench) readTranscripts(home string, want int64) (time.Duration, float64, error) {
	cmd := exec.Command(b.warp, "cost", "--all", "--json")
	cmd.Dir, cmd.Env = home, append(os.Environ(), "HOME="+home, "CLAUDE_CONFIG_DIR=", "XDG_CACHE_HOME="+filepath.Join(home, "cache"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	began := time.Now()
	most, err := watched(cmd)
	took := time.Since(began)
	if err != nil {
		return 0, 0, fmt.Errorf("reading transcripts: %w", err)
	}
	var said struct {
		Total struct {
			Output int64 `json:"output"`
		} `json:"total"`
	}
	if err := json.Unmarshal(out.Bytes(), &said); err != nil {
		return 0, 0, fmt.Errorf("reading transcripts: %w", err)
	}
	if said.Total.Output != want {
		return 0, 0, fmt.Errorf("warp cost adds up %d tokens, %d were written", said.Total.Output, want)
	}
	return took, most, nil
}
