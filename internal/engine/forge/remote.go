package forge

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Remote is the address of a repository on its host.
type Remote struct {
	Host  string // without a port
	Web   string // https://host, with the port if the remote uses HTTP
	Owner string
	Name  string
}

// ParseRemote parses the address of a git remote: https://host/owner/name,
// ssh://git@host:2222/owner/name.git, git@host:owner/name.git. A password or token in it never
// appears in a result or an error.
func ParseRemote(address string) (Remote, error) {
	u, err := parseAddress(strings.TrimSpace(address))
	if err != nil {
		return Remote{}, fmt.Errorf("the remote's address %w; a tracker needs one such as https://host/owner/name", err)
	}
	r := Remote{Host: strings.ToLower(u.Hostname())}
	r.Web = "https://" + r.Host
	switch u.Scheme {
	case "https", "http":
		r.Web = u.Scheme + "://" + strings.ToLower(u.Host)
	case "ssh", "git", "git+ssh", "ssh+git":
	default:
		return Remote{}, fmt.Errorf("the remote's address has the scheme %q; a tracker needs one such as https://host/owner/name", u.Scheme)
	}
	parts := strings.Split(strings.Trim(strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), ".git"), "/"), "/")
	if len(parts) >= 2 {
		r.Owner, r.Name = parts[len(parts)-2], parts[len(parts)-1]
	}
	if r.Host == "" || !segment(r.Owner) || !segment(r.Name) {
		return Remote{}, errors.New("the remote's address names no host, owner and repository; a tracker needs one such as https://host/owner/name")
	}
	return r, nil
}

func parseAddress(s string) (*url.URL, error) {
	if !strings.Contains(s, "://") {
		host, path, ok := strings.Cut(s, ":") // git@host:owner/name
		if !ok || strings.ContainsAny(host, `/\`) || len(host) < 2 {
			return nil, errors.New("is a path on this machine")
		}
		s = "ssh://" + host + "/" + strings.TrimPrefix(path, "/")
	}
	u, err := url.Parse(s)
	if err != nil { // err repeats the address, with any secrets in it
		return nil, errors.New("cannot be parsed")
	}
	return u, nil
}

// segment reports whether a text is safe in the path of an API.
func segment(s string) bool {
	return s != "" && s != "." && s != ".." && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
	}) < 0
}
