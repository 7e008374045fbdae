package app

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"warp/internal/ui/render"
)

// WithJSON adds --json to a command.
func (a *App) WithJSON(help string, c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&a.AsJSON, "json", false, help)
	return c
}

// Show prints the result as JSON if requested, else as text.
func (a *App) Show(result any, words func()) error {
	if a.AsJSON {
		return a.JSON(result)
	}
	words()
	return nil
}

// ShowList prints a list as JSON if requested, else as a table whose first row is the heading.
// It prints nothing's text for an empty list.
func ShowList[T any](a *App, list []T, rows [][]string, nothing string) error {
	return a.Show(append([]T{}, list...), func() {
		if len(list) == 0 && nothing != "" {
			a.Printf("%s\n", nothing)
			return
		}
		render.Table(a.Out, rows)
	})
}

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
