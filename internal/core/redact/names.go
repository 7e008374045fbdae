package redact

import (
	"slices"
	"strings"
	"unicode"
)

// places end the names of variables that say where a secret is, not what it is.
var places = []string{"FILE", "PATH", "DIR", "URL", "URI", "HOST", "SOCK", "NAME", "TYPE", "LENGTH", "STORE"}

// secretWords in a variable's name, anywhere, mean that its value is a secret; lastWords only at
// the end, since KEYBOARD_KEY_DELAY and AUTH_MODE are not secrets.
var (
	secretWords = []string{"TOKEN", "SECRET", "SECRETS", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS", "CREDS", "APIKEY"}
	lastWords   = []string{"KEY", "KEYS", "PASS", "PW", "PWD", "DSN", "AUTH", "PAT", "JWT", "COOKIE", "SIGNATURE", "SALT", "PIN", "OTP", "BEARER", "WEBHOOK"}
	// within are found in names that are not divided into words: PGPASSWORD, npm_config__authToken.
	within = []string{"PASSWORD", "PASSWD", "SECRET", "CREDENTIAL", "CONNECTION_STRING"}
)

// Names reports whether the name of a variable says that its value is a secret. A name that says it
// is a place does not: GITHUB_TOKEN_FILE, PASSWORD_STORE_DIR.
func Names(name string) bool {
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	// A number or ID at the end only distinguishes secrets.
	for len(words) > 1 && (strings.Trim(words[len(words)-1], "0123456789") == "" || words[len(words)-1] == "ID") {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return false
	}
	last := strings.TrimRightFunc(words[len(words)-1], unicode.IsDigit)
	if slices.Contains(places, last) {
		return false
	}
	upper := strings.Join(words, "_")
	return slices.Contains(monitoring, upper) || slices.ContainsFunc(words, func(w string) bool { return slices.Contains(secretWords, w) }) ||
		len(words) > 1 && slices.Contains(lastWords, last) ||
		strings.HasSuffix(last, "TOKEN") || strings.HasSuffix(last, "APIKEY") ||
		slices.ContainsFunc(within, func(w string) bool { return strings.Contains(upper, w) })
}

// Value is a secret of an environment and its variable.
type Value struct{ Name, Text string }

// Values returns the secrets of an environment: the values of variables whose names say so, and
// passwords in addresses.
func Values(environ []string) []Value {
	var list []Value
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		if value = strings.TrimSpace(value); value == "" {
			continue
		}
		if Names(name) {
			list = append(list, Value{name, value})
		}
		if p := password(value); p != "" && p != value {
			list = append(list, Value{name, p})
		}
	}
	return list
}

// password returns the password in an address: in a URL, or in a driver's own form, such as
// user:pass@tcp(host)/db and host=db password=pass.
func password(value string) string {
	if scheme, rest, ok := strings.Cut(value, "://"); ok {
		if strings.ContainsAny(scheme, " \t\n") {
			return ""
		}
		host, _, _ := strings.Cut(rest, "/")
		at := strings.LastIndexByte(host, '@')
		if at < 0 {
			return ""
		}
		_, pass, _ := strings.Cut(host[:at], ":")
		return pass
	}
	if user, rest, ok := strings.Cut(value, "@tcp("); ok && strings.Contains(rest, ")") {
		_, pass, _ := strings.Cut(user, ":")
		return pass
	}
	for _, f := range strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ';' }) {
		name, pass, ok := strings.Cut(f, "=")
		if ok && (strings.EqualFold(name, "password") || strings.EqualFold(name, "pwd")) {
			return strings.Trim(pass, `'"`)
		}
	}
	return ""
}

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
