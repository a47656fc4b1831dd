//! Codex CLI (`codex exec`). Facts: Codex 0.171.0, Linux.

use crate::agents::profile::Profile;
use crate::model::{Assessment, Measurement, ReadOnly};

pub(crate) const PROFILE: Profile = Profile {
    id: "codex",
    name: "Codex",
    program: "codex",
    boundary: ReadOnly::OsSandbox,
    in_words: "the kernel: what the agent runs sees a read-only file system and no network",
    v1: &[
        "codex",
        "exec",
        "--ignore-user-config",
        "--ignore-rules",
        "-c",
        "approval_policy=\"never\"",
        "--sandbox",
        "read-only",
        "--color",
        "never",
        "-",
    ],
    env_from: &["CODEX_API_KEY", "CODEX_CA_CERTIFICATE", "CODEX_HOME", "OPENAI_API_KEY"],
    // Exits within 0.3 s of SIGTERM; the npm launcher in front of it forwards the signal.
    term_grace_ms: 500,
    dialect: include_str!("../../fixtures/agents/codex.toml"),
    assessment,
};

fn assessment() -> Assessment {
    Assessment {
        measurement: Measurement::Held,
        version: "0.171.0".to_owned(),
        notes: vec![
            "held on a machine without `/etc/codex`: `/etc/codex/requirements.toml` can take the sandbox away"
                .to_owned(),
            "reads every file of the user, and sees `OPENAI_API_KEY` and `CODEX_API_KEY`".to_owned(),
            "exit 0 also when every command was refused, or when the sandbox could not be set up".to_owned(),
        ],
    }
}
