package app

import (
	"encoding/json"
	"fmt"
	"strings"
)

// JSON prints the result as indented JSON.
func (a *App) JSON(x any) error {
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(x); err != nil {
		return fmt.Errorf("printing the result: %w", err)
	}
	return nil
}

func join(words []string) string { return strings.Join(words, ", ") }
