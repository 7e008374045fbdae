package redact

import (
	"slices"
	"strings"
)

// Bridge are the variables with which warp talks to people or identifies them: an agent that had
// them could answer its own questions. forge are those for trackers: a test that had them could
// close its own issue. Both belong to warp, and nothing it runs for a project gets them.
var (
	Bridge = []string{"TELEGRAM_BOT_TOKEN", "TELEGRAM_BOT_TOKEN_FILE", "WARP_WEBHOOK_SECRET", "NTFY_TOKEN", "WARP_TOKEN"}
	forge  = []string{"GITHUB_TOKEN", "GH_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GITEA_TOKEN"}
)

// monitoring are the variables with a collector's keys.
var monitoring = []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_METRICS_HEADERS"}

// ForProject returns an environment without warp's own secrets.
func ForProject(environ []string) []string { return without(ForMonitoring(environ), monitoring) }

// ForMonitoring returns an environment whose only secrets of warp are a collector's.
func ForMonitoring(environ []string) []string { return without(WithoutBridge(environ), forge) }

// WithoutBridge returns an environment with no way to answer for a person.
func WithoutBridge(environ []string) []string { return without(slices.Clone(environ), Bridge) }

func without(environ, names []string) []string {
	return slices.DeleteFunc(environ, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(names, name)
	})
}
