package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// release is the version and date shown on every page.
type release struct{ version, date string }

// manualPage returns the page of a command in troff's man macros, in plain ASCII.
func manualPage(c *cobra.Command, r release) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".\\\" Generated from the commands of warp.\n.TH %s 1 %q %q \"Warp Drive\"\n", escape(strings.ToUpper(pageName(c))), r.date, "warp "+r.version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escape(pageName(c)), escape(c.Short))
	path, rest := c.CommandPath(), strings.TrimPrefix(c.UseLine(), c.CommandPath())
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fR%s\n", escape(path), escape(rest))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", description(c))
	if below := documented(c); len(below) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range below {
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR(1)\n%s\n", escape(pageName(sub)), escape(sub.Short))
		}
	}
	if flags := options(c.NonInheritedFlags()) + options(c.InheritedFlags()); flags != "" {
		fmt.Fprintf(&b, ".SH OPTIONS\n%s", flags)
	}
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n%s", literal(strings.Split(strings.Trim(c.Example, "\n"), "\n")))
	}
	if c.HasParent() {
		fmt.Fprintf(&b, ".SH \"SEE ALSO\"\n\\fB%s\\fR(1)\n", escape(pageName(c.Parent())))
	}
	return b.String()
}

// pageName returns the name of a command's page: warp-issue-new for warp issue new.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// documented returns the subcommands to document. The help command is not among them.
func documented(c *cobra.Command) (list []*cobra.Command) {
	for _, sub := range c.Commands() {
		if !sub.Hidden && sub.Deprecated == "" && sub.Name() != "help" {
			list = append(list, sub)
		}
	}
	return list
}

// description returns the long text of a command. Indented lines stay as they are; others are
// filled, so that a narrow terminal can break them.
func description(c *cobra.Command) string {
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	var b strings.Builder
	var block []string
	paragraph := ""
	printBlock := func() {
		if len(block) > 0 {
			b.WriteString(paragraph + literal(block))
			paragraph = ""
		}
		block = nil
	}
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		switch {
		case strings.TrimSpace(line) == "":
			printBlock()
			paragraph = ".PP\n"
		case line[0] == ' ' || line[0] == '\t':
			block = append(block, line)
		default:
			printBlock()
			b.WriteString(paragraph + escape(line) + "\n")
			paragraph = ""
		}
	}
	printBlock()
	return b.String()
}

// literal formats text that is shown as it is.
func literal(lines []string) string {
	var b strings.Builder
	b.WriteString(".nf\n")
	for _, line := range lines {
		b.WriteString(escape(strings.ReplaceAll(line, "\t", "    ")) + "\n")
	}
	b.WriteString(".fi\n")
	return b.String()
}

// options describes flags as their help does.
func options(flags *pflag.FlagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "\\fB" + escape("--"+f.Name) + "\\fR"
		if f.Shorthand != "" {
			name = "\\fB" + escape("-"+f.Shorthand) + "\\fR, " + name
		}
		if value != "" {
			name += " \\fI" + escape(value) + "\\fR"
		}
		if !map[string]bool{"": true, "false": true, "0": true, "0s": true, "[]": true}[f.DefValue] {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(&b, ".TP\n%s\n%s\n", name, escape(usage))
	})
	return b.String()
}

// escape keeps troff from interpreting text.
func escape(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case i == 0 && (r == '.' || r == '\''):
			b.WriteString(`\&` + string(r))
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\n':
			b.WriteString(" ")
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
