package report

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/text"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// NewEvidence returns the command.
func NewEvidence(a *app.App) *cobra.Command {
	var unsigned bool
	c := a.WithJSON("print it as JSON", &cobra.Command{
		Use:   "evidence <issue>",
		Short: "Show the evidence that a requirement is done, criterion by criterion",
		Long: `Show, for each acceptance criterion of a requirement, whether it is met, its
commits, the results of gates, tests and verifier, and the cost of its chunk; then
the totals, what was undone of an agent's work, and what was filed.

Only rows signed by this user's warp are shown: an agent can append to the journal,
but has no key. --unsigned also shows the rest.

Everything is read from the journals of the repository's work trees: nothing runs,
and the network is not used. A drive inside an agent session records less than warp
drive does.`,
		Example: "  warp evidence 42\n  warp evidence 42 --json | jq '.criteria[] | select(.met | not)'",
		Args:    app.Exactly(1, "the number of an issue"),
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			if unsigned {
				a.Env.Signer = nil // accept any signature
			}
			r, err := feed.Read(d, a.Env)
			if err != nil {
				return err
			}
			a.Notes(r.Notes)
			issue, known := app.IssueName(args[0]), r.Book.Issues()
			if !slices.Contains(known, issue) {
				return unknownIssue(issue, known)
			}
			account := r.Book.Account(issue)
			return a.Show(account, func() { printEvidence(sheet{a.Out, a.Color}, account) })
		}),
	})
	c.Flags().BoolVar(&unsigned, "unsigned", false, "also show unsigned rows, which anything may have written")
	return c
}

func unknownIssue(issue string, known []string) error {
	if len(known) == 0 {
		return fmt.Errorf("there is no evidence about issue %q, nor about any other: no drive has run here yet", issue)
	}
	const most = 20
	text := strings.Join(known[max(0, len(known)-most):], ", ")
	if len(known) > most {
		text += fmt.Sprintf(" and %d older ones", len(known)-most)
	}
	return fmt.Errorf("there is no evidence about issue %q; there is evidence about %s", issue, text)
}

// pageWidth is the width of a sheet in columns.
const pageWidth = 80

// maxText is the most runes of one text on a sheet; --json has all of it.
const maxText = 600

// sheet prints lines for people: at most 80 columns where words allow it, without control
// characters.
type sheet struct {
	W       io.Writer
	Colours bool
}

// The colours of a sheet.
const (
	green  = "32"
	red    = "31"
	yellow = "33"
	bold   = "1"
)

// heading prints the name of a part.
func (s sheet) heading(text string) { fmt.Fprintf(s.W, "\n%s\n", s.paint(bold, text)) }

// line prints a text after a label of the given width, with a hanging indent.
func (s sheet) line(indent int, colour, label string, width int, text string) {
	label = clean(label)
	n := utf8.RuneCountInString(label)
	if width = max(width, n); width > 0 {
		width++
	}
	for i, line := range wrap(clean(text), pageWidth-indent-width) {
		head := strings.Repeat(" ", width)
		if i == 0 {
			head = s.paint(colour, label) + head[n:]
		}
		fmt.Fprintln(s.W, strings.TrimRight(strings.Repeat(" ", indent)+head+line, " "))
	}
}

func (s sheet) paint(colour, text string) string {
	if !s.Colours || colour == "" || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// clean returns a text as one bounded line.
func clean(words string) string {
	words = text.OneLine(render.Printable(words))
	if first, more := text.FirstRunes(words, maxText); more > 0 {
		return fmt.Sprintf("%s… (%d more characters)", first, more)
	}
	return words
}

// wrap breaks a text between words; a word that is too long gets its own line. It returns at
// least one line.
func wrap(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
