package quickstart

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"strings"

	"warp/internal/cli/app"
)

// prompter asks a person, line by line.
type prompter struct {
	app   *app.App
	lines *bufio.Reader
	yes   bool // the recommended answer is taken
}

func newPrompter(a *app.App, yes bool) *prompter {
	return &prompter{app: a, lines: bufio.NewReader(a.In), yes: yes}
}

// line asks for a line; an empty one is the recommended answer.
func (p *prompter) line(ctx context.Context, question, recommended string) (string, error) {
	if p.yes {
		return recommended, nil
	}
	if recommended != "" {
		question += " [" + recommended + "]"
	}
	p.app.Printf("%s ", question)
	type read struct {
		line string
		err  error
	}
	got := make(chan read, 1) // a read cannot be interrupted; Ctrl-C need not wait for it
	go func() {
		line, err := p.lines.ReadString('\n')
		got <- read{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-got:
		if r.err != nil {
			return "", fmt.Errorf("reading the answer: %w", r.err)
		}
		return cmp.Or(strings.TrimSpace(r.line), recommended), nil
	}
}

// confirms asks a question whose recommended answer is yes.
func (p *prompter) confirms(ctx context.Context, question string) (bool, error) {
	answer, err := p.line(ctx, question, "Y/n")
	word := strings.ToLower(answer)
	return word == "y/n" || word == "y" || word == "yes", err
}

// choose asks for one of several, until one of them is named.
func (p *prompter) choose(ctx context.Context, question string, from []string, recommended string) (string, error) {
	for {
		answer, err := p.line(ctx, fmt.Sprintf("%s (%s)", question, strings.Join(from, ", ")), recommended)
		if err != nil {
			return "", err
		}
		for _, f := range from {
			if strings.EqualFold(f, answer) {
				return f, nil
			}
		}
		p.app.Printf("%q is none of them.\n", answer)
	}
}
