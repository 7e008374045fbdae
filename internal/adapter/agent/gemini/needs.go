package gemini

import (
	"warp/internal/engine/agent"
	"warp/internal/engine/contain"
)

// Needs implements agent.Confined. With SANDBOX set, Gemini believes it is in a sandbox and starts
// none, whatever its settings.
func (a adapter) Needs(agent.Task, []string) contain.Needs {
	return contain.Needs{
		Set: []string{"SANDBOX=warp"},
		Env: []string{"GEMINI_*", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"},
		Config: []contain.Config{{Path: ".gemini", Copy: []string{"oauth_creds.json", "google_accounts.json", "settings.json", "GEMINI.md", "installation_id", "trustedFolders.json", "commands", "extensions"},
			Credentials: []string{"oauth_creds.json"}, Keep: []string{"projects.json", "tmp/*/.project_root", "tmp/*/chats/*"}}},
		Hosts: []string{"generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com", "accounts.google.com"},
		Key: &contain.Key{BaseEnv: "GOOGLE_GEMINI_BASE_URL", Base: "https://generativelanguage.googleapis.com",
			Secrets: []contain.Secret{{Env: "GEMINI_API_KEY", Header: "X-Goog-Api-Key"}}},
	}
}
