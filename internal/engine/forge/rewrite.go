package forge

import (
	"context"
	"errors"
	"strings"
)

// ErrChanging reports that others kept changing a text.
var ErrChanging = errors.New("others kept changing it")

// rounds is how often a text that others change is retried.
const rounds = 5

// Rewrite changes a text that others may change too, on a server without compare-and-swap: it
// reads, calls change, reads again, and writes only if the text is still the same; else it calls
// change again. Only the moment between the second read and the write is unprotected. A write that
// may or may not have arrived is checked, and not repeated if it did.
func Rewrite(read func() (string, error), write func(string) error, change func(string) (string, error)) error {
	before, err := read()
	if err != nil {
		return err
	}
	var lost error
	for range rounds {
		next, err := change(before)
		if err != nil || next == before {
			return err
		}
		now, err := read()
		if err != nil {
			return err
		}
		if now != before {
			before = now
			continue
		}
		if lost = write(next); !Is(lost, Unreachable) {
			return lost
		}
		if now, err = read(); err != nil || now == next {
			return err
		}
		before = now
	}
	if lost != nil {
		return lost
	}
	return ErrChanging
}

// AddMarker returns the text with a marker, by which it is recognized later.
func AddMarker(body, once string) string {
	switch {
	case strings.Contains(body, once):
		return body
	case body == "":
		return once
	}
	return strings.TrimRight(body, "\r\n") + "\n\n" + once + "\n"
}

// HasMarker reports whether a marker is among comments.
func HasMarker(ctx context.Context, list []Comment, once string, trusted func(ctx context.Context, who string) (bool, error)) (bool, error) {
	i, err := FindMarker(ctx, list, once, trusted)
	return i >= 0, err
}

// FindMarker returns the index of the comment with a marker, or -1. Anyone can write one to prevent
// another, so only those of trusted users count.
func FindMarker(ctx context.Context, list []Comment, once string, trusted func(ctx context.Context, who string) (bool, error)) (int, error) {
	for i, c := range list {
		if !strings.Contains(c.Body, once) {
			continue
		}
		if ok, err := trusted(ctx, c.Author); ok || err != nil {
			return i, err
		}
	}
	return -1, nil
}
