package errorclass

import (
	"slices"
	"strings"
)

// signs identify a class by what programs print verbatim, in lower case, separated by |.
type signs struct {
	class   Class
	phrases string
	// weak ones are also ordinary words in programs and commit messages: they do not count in a
	// command's output.
	weak string
	// statuses of HTTP, each with its name.
	statuses string
}

// table lists the classes in the order in which they are tried: rarer ones, and those worse to
// miss, first. "Connection timed out" is a network error; other timeouts come later.
var table = [...]signs{
	{
		class: RateLimit,
		phrases: `too many requests | toomanyrequests | rate limit exceeded | rate limit reached | rate limited | rate-limited |
			secondary rate limit | pull rate limit | rate_limit_error | rate_limit_exceeded | ratelimiterror | usage limit reached |
			usage_limit_reached | throttlingexception | resource_exhausted | overloaded_error`,
		weak:     `overloaded | rate limit | hit your limit`,
		statuses: `429 too many requests | 529 site is overloaded`,
	},
	{
		class: Resource,
		phrases: `enospc | no space left on device | enomem | cannot allocate memory | out of memory | outofmemoryerror | memoryerror | oomkilled |
			emfile | enfile | too many open files | edquot | disk quota exceeded | disk is full | resource temporarily unavailable`,
		statuses: `507 insufficient storage`,
	},
	{
		class: Permission,
		phrases: `eacces | eperm | erofs | permission denied | permissionerror | permission_error | operation not permitted | access denied |
			access is denied | accessdenied | read-only file system | authentication failed | authentication_error | could not read username |
			bad credentials | password is required | are you root | resource not accessible by integration | invalid api key`,
		weak:     `has been denied | haven't granted it yet | forbidden | unauthorized | not authorized`,
		statuses: `401 unauthorized | 403 forbidden | 407 proxy authentication required`,
	},
	{
		class: Network,
		phrases: `econnrefused | econnreset | econnaborted | enotfound | eai_again | ehostunreach | enetunreach | etimedout | connection refused |
			connection reset | connection timed out | connection timeout | connection aborted | could not resolve host | couldn't resolve host |
			could not resolve hostname | name or service not known | temporary failure in name resolution | temporary failure resolving |
			nodename nor servname provided | no such host | network is unreachable | no route to host | couldn't connect to server |
			failed to establish a new connection | socket hang up | tls handshake timeout | i/o timeout | ssl_error_syscall |
			remote end closed connection | remote end hung up unexpectedly | err_name_not_resolved | err_internet_disconnected |
			err_connection_refused | unable to verify if domain`,
		weak: `bad gateway | service unavailable | fetch failed | network error | connection error | connection closed | unable to connect |
			failed to connect`,
		statuses: `500 internal server error | 502 bad gateway | 503 service unavailable`,
	},
	{
		class: Timeout,
		phrases: `operation timed out | request timed out | read timed out | timed out after | timed out waiting | deadline exceeded |
			timeoutexpired | timeouterror | timeout exceeded | timeout awaiting`,
		weak:     `timed out | timeout`,
		statuses: `408 request timeout | 504 gateway timeout`,
	},
	{
		class: Syntax,
		phrases: `syntaxerror | syntax error | parse error | parsing error | unexpected token | unexpected eof while | unexpected end of file |
			unexpected end of json input | unexpected end of input | indentationerror | jsondecodeerror | unterminated string |
			unterminated quoted string | scannererror`,
		weak: `invalid json`,
	},
	{
		class: Validation,
		phrases: `validationerror | inputvalidationerror | validation error | validation errors | schema validation failed | schemaerror |
			does not match schema | does not match the schema | does not conform to schema | is a required property |
			must have required property | additional properties are not allowed | must not have additional properties |
			not valid under any of the given schemas | zoderror`,
		weak: `validation failed`,
	},
}

func divide(list string) []string {
	phrases := strings.Split(list, "|")
	for i, p := range phrases {
		phrases[i] = strings.TrimSpace(p)
	}
	return slices.DeleteFunc(phrases, func(p string) bool { return p == "" })
}
