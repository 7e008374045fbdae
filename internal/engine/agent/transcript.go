package agent

import (
	"fmt"
	"os"

	"warp/internal/core/lossless"
	"warp/internal/core/redact"
	"warp/internal/sys/proc"
)

// transcript saves a run's output, line by line. A full file is renamed to path+".old", once:
// people look for the newest part.
type transcript struct {
	path string
	file *os.File
	size int64
	buf  []byte
	err  error // nothing more is saved; the run continues without
}

// transcriptMost bounds each of the two files, in bytes.
const transcriptMost = 16 << 20

func newTranscript(path string) *transcript {
	l := &transcript{path: path}
	l.open()
	return l
}

func (l *transcript) open() {
	l.file, l.err = os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	l.size = 0
}

func (l *transcript) line(line []byte) {
	if l.size > 0 && l.size+int64(len(line)) >= transcriptMost {
		l.close()
		if l.err = os.Rename(l.path, l.path+".old"); l.err == nil {
			l.open()
		}
	}
	if l.err != nil {
		return
	}
	l.buf = append(append(l.buf[:0], line...), '\n')
	_, l.err = l.file.Write(l.buf)
	l.size += int64(len(l.buf))
	if cap(l.buf) > 1<<20 { // it grew for one huge line
		l.buf = nil
	}
}

// end adds the end of stderr, and notes about what is missing.
func (l *transcript) end(res proc.Result, hide *redact.Redactor) {
	if res.LongLine > 0 {
		l.line(fmt.Appendf(nil, "[%d lines were too long to be kept]", res.LongLine))
	}
	if len(res.Stderr) > 0 {
		l.line(fmt.Appendf(nil, "[stderr, the last %d of %d bytes]", len(res.Stderr), res.StderrSize))
		l.line([]byte(hide.String(string(res.Stderr))))
	}
	l.close()
}

func (l *transcript) close() {
	if l.file != nil {
		_ = l.file.Close() // every line was written; waiting for the disk is not necessary
	}
}

// withoutSecrets returns the result without secrets. The session stays unchanged: it is needed to
// resume the agent.
func (r Result) withoutSecrets(hide *redact.Redactor) Result {
	r.Text, r.Why, r.Invalid = hide.String(r.Text), hide.String(r.Why), hide.String(r.Invalid)
	var denials []string
	for _, d := range r.Denials {
		denials = append(denials, hide.String(d))
	}
	r.Denials = denials
	r.JSON = redactJSON(r.JSON, hide)
	return r
}

func redactJSON(v *lossless.Value, hide *redact.Redactor) *lossless.Value {
	if v == nil {
		return nil
	}
	switch v.Kind {
	case lossless.String:
		if text := v.Text(); hide.String(text) != text {
			return lossless.NewString(hide.String(text))
		}
	case lossless.Array:
		out := &lossless.Value{Kind: lossless.Array}
		for _, e := range v.Elems {
			out.Elems = append(out.Elems, redactJSON(e, hide))
		}
		return out
	case lossless.Object:
		out := lossless.NewObject()
		for _, m := range v.Members {
			out.Members = append(out.Members, lossless.Member{Key: hide.String(m.Key), Value: redactJSON(m.Value, hide)})
		}
		return out
	}
	return v
}
