package usage

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"warp/internal/core/tokens"
	"warp/internal/durable"
)

// Names of the ledger, and of the file locked while appending.
const (
	LedgerFile = "token-usage.jsonl"
	lockFile   = ".token-usage.lock"
)

func (l *Ledger) path() string { return filepath.Join(l.Home, LedgerFile) }

func (l *Ledger) fs() durable.FS {
	if l.FS == nil {
		return durable.OS{}
	}
	return l.FS
}

// Rows returns all rows of the ledger; unknown lines are skipped.
func (l *Ledger) Rows() ([]tokens.Row, error) {
	f, err := l.fs().Open(l.path(), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the token ledger: %w", err)
	}
	defer f.Close()
	return readRows(f)
}

func readRows(r io.Reader) (rows []tokens.Row, err error) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if r, ok := tokens.ParseRow(bytes.TrimSpace(line)); ok {
			rows = append(rows, r)
		}
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading the token ledger: %w", err)
		}
	}
}

// extend appends the rows that make returns, given the existing ones. It holds a lock, so that no
// other process appends the same; rows with existing keys are left out. All are written, or none.
func (l *Ledger) extend(make func([]tokens.Row) []tokens.Row) error {
	if err := l.fs().MkdirAll(l.Home, 0o700); err != nil {
		return fmt.Errorf("making the folder of the token ledger: %w", err)
	}
	lock, err := l.fs().Lock(filepath.Join(l.Home, lockFile))
	if err != nil {
		return fmt.Errorf("locking the token ledger: %w", err)
	}
	defer func() { _ = lock.Close() }()
	f, err := l.fs().Open(l.path(), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("opening the token ledger: %w", err)
	}
	defer func() { _ = f.Close() }() // what matters was synced
	rows, err := readRows(f)
	if err != nil {
		return err
	}
	text, err := lines(make(rows), rows)
	if err != nil || len(text) == 0 {
		return err
	}
	return appendTo(f, text)
}

func lines(rows, there []tokens.Row) (text []byte, err error) {
	known := map[string]bool{}
	for _, r := range there {
		known[r.Key] = true
	}
	for _, r := range rows {
		if known[r.Key] {
			continue
		}
		known[r.Key] = true
		line, err := r.Line()
		if err != nil {
			return nil, fmt.Errorf("encoding a row of the token ledger: %w", err)
		}
		text = append(text, line...)
	}
	return text, nil
}

// appendTo appends lines after what may be a torn one, and undoes a partial write.
func appendTo(f durable.File, text []byte) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("appending to the token ledger: %w", err)
	}
	size := info.Size()
	last := []byte{'\n'}
	if size > 0 {
		if _, err := f.ReadAt(last, size-1); err != nil {
			return fmt.Errorf("appending to the token ledger: %w", err)
		}
	}
	if last[0] != '\n' {
		text = append([]byte{'\n'}, text...)
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return fmt.Errorf("appending to the token ledger: %w", errors.Join(err, f.Truncate(size)))
	}
	return nil
}
