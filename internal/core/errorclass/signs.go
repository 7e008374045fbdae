package errorclass

// sign is a phrase that tells a class. A weak one is also an ordinary word of
// programs and commit messages: it does not count in the output of a command.
type sign struct {
	class  Class
	weak   bool
	phrase string
}

// signs in the order in which classes are tried: what is rarer, and worse to
// mistake, first. "Connection timed out" is the network's; other timeouts stand
// behind it.
var signs = [...]sign{
	{RateLimit, false, "too many requests"}, {RateLimit, false, "toomanyrequests"}, {RateLimit, false, "rate limit exceeded"},
	{RateLimit, false, "rate limit reached"}, {RateLimit, false, "rate limited"}, {RateLimit, false, "rate-limited"},
	{RateLimit, false, "secondary rate limit"}, {RateLimit, false, "pull rate limit"}, {RateLimit, false, "rate_limit_error"},
	{RateLimit, false, "rate_limit_exceeded"}, {RateLimit, false, "ratelimiterror"}, {RateLimit, false, "usage limit reached"},
	{RateLimit, false, "usage_limit_reached"}, {RateLimit, false, "throttlingexception"}, {RateLimit, false, "resource_exhausted"},
	{RateLimit, false, "overloaded_error"}, {RateLimit, true, "overloaded"}, {RateLimit, true, "rate limit"}, {RateLimit, true, "hit your limit"},

	{Resource, false, "enospc"}, {Resource, false, "no space left on device"}, {Resource, false, "enomem"},
	{Resource, false, "cannot allocate memory"}, {Resource, false, "out of memory"}, {Resource, false, "outofmemoryerror"},
	{Resource, false, "memoryerror"}, {Resource, false, "oomkilled"}, {Resource, false, "emfile"}, {Resource, false, "enfile"},
	{Resource, false, "too many open files"}, {Resource, false, "edquot"}, {Resource, false, "disk quota exceeded"},
	{Resource, false, "disk is full"}, {Resource, false, "resource temporarily unavailable"},

	{Permission, false, "eacces"}, {Permission, false, "eperm"}, {Permission, false, "erofs"}, {Permission, false, "permission denied"},
	{Permission, false, "permissionerror"}, {Permission, false, "permission_error"}, {Permission, false, "operation not permitted"},
	{Permission, false, "access denied"}, {Permission, false, "access is denied"}, {Permission, false, "accessdenied"},
	{Permission, false, "read-only file system"}, {Permission, false, "authentication failed"}, {Permission, false, "authentication_error"},
	{Permission, false, "could not read username"}, {Permission, false, "bad credentials"}, {Permission, false, "password is required"},
	{Permission, false, "are you root"}, {Permission, false, "resource not accessible by integration"}, {Permission, false, "invalid api key"},
	{Permission, true, "has been denied"}, {Permission, true, "haven't granted it yet"}, {Permission, true, "forbidden"},
	{Permission, true, "unauthorized"}, {Permission, true, "not authorized"},

	{Network, false, "econnrefused"}, {Network, false, "econnreset"}, {Network, false, "econnaborted"}, {Network, false, "enotfound"},
	{Network, false, "eai_again"}, {Network, false, "ehostunreach"}, {Network, false, "enetunreach"}, {Network, false, "etimedout"},
	{Network, false, "connection refused"}, {Network, false, "connection reset"}, {Network, false, "connection timed out"},
	{Network, false, "connection timeout"}, {Network, false, "connection aborted"}, {Network, false, "could not resolve host"},
	{Network, false, "couldn't resolve host"}, {Network, false, "could not resolve hostname"}, {Network, false, "name or service not known"},
	{Network, false, "temporary failure in name resolution"}, {Network, false, "temporary failure resolving"},
	{Network, false, "nodename nor servname provided"}, {Network, false, "no such host"}, {Network, false, "network is unreachable"},
	{Network, false, "no route to host"}, {Network, false, "couldn't connect to server"}, {Network, false, "failed to establish a new connection"},
	{Network, false, "socket hang up"}, {Network, false, "tls handshake timeout"}, {Network, false, "i/o timeout"},
	{Network, false, "ssl_error_syscall"}, {Network, false, "remote end closed connection"}, {Network, false, "remote end hung up unexpectedly"},
	{Network, false, "err_name_not_resolved"}, {Network, false, "err_internet_disconnected"}, {Network, false, "err_connection_refused"},
	{Network, false, "unable to verify if domain"}, {Network, true, "bad gateway"}, {Network, true, "service unavailable"},
	{Network, true, "fetch failed"}, {Network, true, "network error"}, {Network, true, "connection error"}, {Network, true, "connection closed"},
	{Network, true, "unable to connect"}, {Network, true, "failed to connect"},

	{Timeout, false, "operation timed out"}, {Timeout, false, "request timed out"}, {Timeout, false, "read timed out"},
	{Timeout, false, "timed out after"}, {Timeout, false, "timed out waiting"}, {Timeout, false, "deadline exceeded"},
	{Timeout, false, "timeoutexpired"}, {Timeout, false, "timeouterror"}, {Timeout, false, "timeout exceeded"},
	{Timeout, false, "timeout awaiting"}, {Timeout, true, "timed out"}, {Timeout, true, "timeout"},

	{Syntax, false, "syntaxerror"}, {Syntax, false, "syntax error"}, {Syntax, false, "parse error"}, {Syntax, false, "parsing error"},
	{Syntax, false, "unexpected token"}, {Syntax, false, "unexpected eof while"}, {Syntax, false, "unexpected end of file"},
	{Syntax, false, "unexpected end of json input"}, {Syntax, false, "unexpected end of input"}, {Syntax, false, "indentationerror"},
	{Syntax, false, "jsondecodeerror"}, {Syntax, false, "unterminated string"}, {Syntax, false, "unterminated quoted string"},
	{Syntax, false, "scannererror"}, {Syntax, true, "invalid json"},

	{Validation, false, "validationerror"}, {Validation, false, "inputvalidationerror"}, {Validation, false, "validation error"},
	{Validation, false, "validation errors"}, {Validation, false, "schema validation failed"}, {Validation, false, "schemaerror"},
	{Validation, false, "does not match schema"}, {Validation, false, "does not match the schema"}, {Validation, false, "does not conform to schema"},
	{Validation, false, "is a required property"}, {Validation, false, "must have required property"}, {Validation, false, "additional properties are not allowed"},
	{Validation, false, "must not have additional properties"}, {Validation, false, "not valid under any of the given schemas"},
	{Validation, false, "zoderror"}, {Validation, true, "validation failed"},
}

// statuses are the HTTP statuses that tell a class, with the names they go by.
var statuses = [...]struct {
	code  string
	class Class
	name  string
}{
	{"401", Permission, "unauthorized"}, {"403", Permission, "forbidden"}, {"407", Permission, "proxy authentication required"},
	{"408", Timeout, "request timeout"}, {"429", RateLimit, "too many requests"}, {"500", Network, "internal server error"},
	{"502", Network, "bad gateway"}, {"503", Network, "service unavailable"}, {"504", Timeout, "gateway timeout"},
	{"507", Resource, "insufficient storage"}, {"529", RateLimit, "site is overloaded"},
}
