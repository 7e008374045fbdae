package gemini

import "warp/internal/engine/contain"

// Needs implements agent.Confined.
func (a adapter) Needs([]string) contain.Needs {
	return contain.Needs{
		Env: []string{"GEMINI_*", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"},
		Config: []contain.Config{{Path: ".gemini", Copy: []string{"oauth_creds.json", "google_accounts.json", "settings.json", "GEMINI.md", "installation_id", "trustedFolders.json", "commands", "extensions"},
			Credentials: []string{"oauth_creds.json"}}},
		Hosts: []string{"generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com", "accounts.google.com"},
		Key:   &contain.Key{Env: "GEMINI_API_KEY", BaseEnv: "GOOGLE_GEMINI_BASE_URL", Base: "https://generativelanguage.googleapis.com", Header: "X-Goog-Api-Key"},
	}
}
