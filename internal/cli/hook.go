package cli

import (
	"os"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/redact"
	"warp/internal/hook"
	"warp/internal/turnstile"
)

func newHookCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "hook [--agent claude|codex|gemini] <event>",
		Short: "Answer a hook of a coding agent (what warp-hook does)",
		Long: `Answer a hook of a coding agent: the payload comes on standard input, the answer
goes to standard output. warp init registers the program warp-hook, which does
the same and starts faster. The exit code is what the agent's protocol wants.`,
		Example:            "  echo '{\"session_id\":\"x\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"git commit\"}}' | warp hook PreToolUse",
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				return c.Help()
			}
			env := turnstile.Bare() // as in warp-hook: what a hook sees is only an observation
			env.Now, env.UserSettings = a.Env.Now, a.Env.UserSettings
			around := hook.Env{In: a.In, Out: a.Out, Err: a.Err, Dir: func() string { return a.Dir }, Getenv: a.Getenv, Parent: os.Getppid(), System: env,
				Redact: func(text string) string { return redact.New(a.AllEnviron()).String(text) }}
			if code := hook.Run(args, around); code != 0 {
				return &app.Silent{Code: code}
			}
			return nil
		},
	}
}
