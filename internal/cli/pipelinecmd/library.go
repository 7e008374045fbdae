package pipelinecmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/sessions"
	"warp/internal/core/pipeline/library"
	"warp/internal/core/text"
)

// projectFolder holds the project's pipelines.
const projectFolder = ".claude/pipelines"

// extensions are the extensions of pipeline files, in order of precedence.
var extensions = []string{".yaml", ".yml", ".json"}

func userFolder(getenv func(string) string) (string, error) {
	// A relative path would lead into a project; the XDG standard says to ignore it.
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "warp", "pipelines"), nil
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "warp", "pipelines"), nil
	}
	return "", errors.New("your pipelines are in your home folder, but HOME is not set: set HOME or XDG_CONFIG_HOME")
}

// folders returns where named pipelines are searched, before the built-in ones.
func folders(a *app.App) (list []string) {
	if d, err := a.Project(); err == nil {
		list = append(list, filepath.Join(d.Root(), filepath.FromSlash(projectFolder)))
	}
	if dir, err := userFolder(a.Getenv); err == nil {
		list = append(list, dir)
	}
	return list
}

// findPipeline returns the file of the project's or user's pipeline of that name, or "".
func findPipeline(a *app.App, called string) string {
	if !text.ValidName(called) {
		return ""
	}
	for _, dir := range folders(a) {
		for _, ending := range extensions {
			file := filepath.Join(dir, called+ending)
			if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
				return file // report an unreadable one, do not skip it
			}
		}
	}
	return ""
}

// readPipeline reads a pipeline: the project's, the user's or a built-in one of that name, or a
// file.
func readPipeline(a *app.App, file string, look func(string) ([]byte, error)) (def sessions.Definition, err error) {
	full := findPipeline(a, file)
	if full == "" {
		if text, ok := library.Pipeline(file); ok {
			return sessions.Definition{File: "built-in/" + file + ".yaml", Text: text}, nil
		}
		full = file
	}
	text, err := look(app.Path(a, full))
	if errors.Is(err, fs.ErrNotExist) {
		return def, &app.UsageError{Err: fmt.Errorf("there is no file or pipeline %s; warp pipeline list shows the pipelines", file)}
	}
	if err != nil {
		return def, fmt.Errorf("reading the pipeline %s: %w", file, err)
	}
	if text == nil {
		text = []byte{}
	}
	return sessions.Definition{File: full, Text: text}, nil
}

// item is a pipeline or loop that has a name.
type item struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Text string `json:"description"`
	From string `json:"from"` // a file, or builtIn
}

// builtIn is the source of items without a file.
const builtIn = "built-in"

// items returns pipelines by name, then loops, without those hidden by another of the same name.
func items(a *app.App) []item {
	var all []item
	add := func(i item) {
		if !slices.ContainsFunc(all, func(o item) bool { return o.Kind == i.Kind && o.Name == i.Name }) {
			all = append(all, i)
		}
	}
	for _, dir := range folders(a) {
		for _, ending := range extensions {
			files, _ := filepath.Glob(filepath.Join(escape(dir), "*"+ending)) // the pattern is valid
			for _, f := range files {
				if called := strings.TrimSuffix(filepath.Base(f), ending); text.ValidName(called) {
					add(item{"pipeline", called, describe(f), f})
				}
			}
		}
	}
	for _, n := range library.Pipelines() {
		text, _ := library.Pipeline(n)
		add(item{"pipeline", n, library.Describe(text), builtIn})
	}
	slices.SortFunc(all, func(a, b item) int { return strings.Compare(a.Name, b.Name) })
	for _, n := range library.Loops() {
		text, _ := library.Loop(n)
		add(item{"loop", n, library.Describe(text), builtIn})
	}
	return all
}

// describe returns the description in a file, or why it cannot be read.
func describe(file string) string {
	text, err := sessions.ReadForDisplay(file)
	if err != nil {
		return fmt.Sprintf("(cannot be read: %v)", err)
	}
	return library.Describe(text)
}

// escape turns a folder into a pattern that matches only it.
func escape(dir string) string {
	if filepath.Separator == '\\' {
		return dir // it cannot be escaped
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// complete completes the first argument with names of pipelines, and of the kinds in also.
func complete(a *app.App, also ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, i := range items(a) {
			if i.Kind == "pipeline" || slices.Contains(also, i.Kind) {
				names = append(names, cobra.CompletionWithDesc(i.Name, text.FirstLine(i.Text)))
			}
		}
		return names, cobra.ShellCompDirectiveDefault // files are allowed, too
	}
}
