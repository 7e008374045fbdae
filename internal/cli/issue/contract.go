package issue

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/redfirst"
	"warp/internal/engine/prove"
	"warp/internal/engine/trust"
	"warp/internal/turnstile"
)

// contracted is the contract of a criterion, without its check.
type contracted struct {
	ID       string          `json:"id"`
	Kinds    []redfirst.Kind `json:"kinds"`
	Contract string          `json:"contract,omitempty"`
	Decided  string          `json:"decided,omitempty"`
	Why      string          `json:"why,omitempty"`
	Lost     string          `json:"lost,omitempty"`
	Edited   bool            `json:"edited,omitempty"`
}

func contract(a *app.App) *cobra.Command {
	var words string
	c := a.WithJSON("print the contracts as JSON", &cobra.Command{
		Use:   "contract <issue> [<criterion>]",
		Short: "Show or change the contracts that tests of an issue's criteria are written from",
		Long: `Show the contracts of an issue's criteria: the names, messages, exit codes and examples
that tests use which the coder does not see (setting checks). A drive has them written
before it codes. What a contract decides beyond the issue's words is marked.

--text changes the contract of one criterion, until its coding begins: then the contract
is frozen. The next drive has the test written for exactly your contract. Only a person
may do that.`,
		Example: "  warp issue contract 42\n  warp issue contract 42 AC-01 --text 'div 6 3 prints 2; div 1 0 exits with 2'",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return app.WrongUsage("expected an issue, and perhaps a criterion")
			}
			if c.Flags().Changed("text") && len(args) != 2 {
				return app.WrongUsage("--text needs a criterion")
			}
			args[0] = app.IssueName(args[0])
			return nil
		},
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			state, err := trust.Folder(a.Getenv)
			if err != nil {
				return err
			}
			desk := prove.Desk{State: state, Project: d.Project.Home().Dir()}
			s, err := desk.Load(args[0])
			if err != nil {
				return err
			}
			if s == nil {
				return fmt.Errorf("issue %s has no contracts: a drive has them written before it codes, if the setting checks is not off", args[0])
			}
			one := ""
			if len(args) == 2 {
				one = args[1]
				if s.Of(one) == nil {
					return fmt.Errorf("issue %s has no contract for %s", args[0], one)
				}
			}
			if words != "" {
				if err := s.Edit(one, words); err != nil {
					return err
				}
				if err := desk.Save(s); err != nil {
					return err
				}
			}
			return printContracts(a, s, one)
		}),
	})
	c.Flags().StringVar(&words, "text", "", "the new contract of the criterion")
	return c
}

func printContracts(a *app.App, s *redfirst.Set, one string) error {
	list := []contracted{}
	for _, c := range s.Criteria {
		if one == "" || c.ID == one {
			list = append(list, contracted{c.ID, c.Kinds, c.Contract, c.Decided, c.Why, c.Lost, c.Edited})
		}
	}
	if a.AsJSON {
		return a.JSON(list)
	}
	for _, c := range list {
		var kinds []string
		for _, k := range c.Kinds {
			kinds = append(kinds, string(k))
		}
		a.Printf("%s (%s) %s\n", c.ID, strings.Join(kinds, ", "), c.Contract)
		for _, more := range []struct{ label, words string }{{"decides beyond the issue: ", c.Decided}, {"", c.Why}, {"read by the verifier: ", c.Lost}} {
			if more.words != "" {
				a.Printf("  %s%s\n", more.label, more.words)
			}
		}
		if c.Edited {
			a.Printf("  changed by a person: the next drive has its test written\n")
		}
	}
	if s.Frozen {
		a.Printf("They are frozen, since coding has begun.\n")
	}
	return nil
}
