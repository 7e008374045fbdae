// Command picture draws screens of a terminal, as tmux capture-pane -e prints them, as one
// SVG that shows them in turn. Where nothing may move, the last one is shown.
//
//	picture COLUMNS ROWS FILE... >out.svg
package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
)

func main() {
	if err := drawFiles(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func drawFiles(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("columns, rows and at least one file are needed")
	}
	columns, err := strconv.Atoi(args[0])
	if err != nil {
		return fmt.Errorf("reading the number of columns: %w", err)
	}
	rows, err := strconv.Atoi(args[1])
	if err != nil {
		return fmt.Errorf("reading the number of rows: %w", err)
	}
	var screens []string
	for _, name := range args[2:] {
		text, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("reading a screen: %w", err)
		}
		screens = append(screens, string(text))
	}
	_, err = os.Stdout.WriteString(drawSVG(columns, rows, slices.Compact(screens)))
	return err
}
