//! Claude Code (`claude -p`). Facts: Claude Code 2.1.332 and 2.1.197, Linux.

use crate::agents::profile::Profile;
use crate::model::{Assessment, Measurement, ReadOnly};

pub(crate) const PROFILE: Profile = Profile {
    id: "claude-code",
    name: "Claude Code",
    program: "claude",
    boundary: ReadOnly::ToolAllowlist,
    in_words: "the agent's own permission check; what is not allowed is asked, and headless nobody answers",
    v1: &[
        "claude",
        "-p",
        "--output-format",
        "text",
        "--permission-mode",
        "default",
        "--allowed-tools",
        "Bash({fetch} agent:*),Bash(git diff:*),Read,Grep,Glob,Bash(git log:*),Bash(git show:*)",
    ],
    env_from: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CONFIG_DIR",
    ],
    // SIGTERM: exit 143 after 0.3 to 1.6 s with its Bash tree gone. SIGKILL orphans that tree, which is in a group
    // of its own.
    term_grace_ms: 2_000,
    dialect: include_str!("../../fixtures/agents/claude-code.toml"),
    assessment,
};

fn assessment() -> Assessment {
    Assessment {
        measurement: Measurement::Broken {
            witness: "`git diff --output=F` under `Bash(git diff:*)` writes F, inside the repository and out"
                .to_owned(),
        },
        version: "2.1.332".to_owned(),
        notes: vec![
            "bare `Read`, `Grep` and `Glob` read the whole disk".to_owned(),
            "hooks, the `env` block and MCP servers of the repository run in `-p` without trust".to_owned(),
            "a refused call and an executed one end alike: exit 0, the model's text on stdout".to_owned(),
        ],
    }
}
