package forge

import (
	"context"
	"strings"
)

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

// HasMarker reports whether a marker is among comments. Anybody can write one to prevent another,
// so only those of trusted users count.
func HasMarker(ctx context.Context, list []Comment, once string, trusted func(ctx context.Context, who string) (bool, error)) (bool, error) {
	for _, c := range list {
		if !strings.Contains(c.Body, once) {
			continue
		}
		if ok, err := trusted(ctx, c.Author); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}
