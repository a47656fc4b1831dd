//! Pi (`pi -p`). Facts: Pi 1.6.0, Node 24, Linux.

use crate::agents::profile::Profile;
use crate::model::{Assessment, Measurement, ReadOnly};

pub(crate) const PROFILE: Profile = Profile {
    id: "pi",
    name: "Pi",
    program: "pi",
    boundary: ReadOnly::NotEnforced,
    in_words: "NOT read-only: it can write, commit and push",
    v1: &[
        "pi",
        "-p",
        "--mode",
        "text",
        "--no-session",
        "-nc",
        "-na",
        "--no-extensions",
        "--no-skills",
        "-t",
        "read,grep,find,ls,bash",
    ],
    env_from: &["ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "PI_CODING_AGENT_DIR"],
    // SIGTERM with a tool running: exit 143 in 0.2 s and the child is dead. SIGKILL leaves the child, in a session of
    // its own, and it goes on writing.
    term_grace_ms: 500,
    dialect: include_str!("../../fixtures/agents/pi.toml"),
    assessment,
};

fn assessment() -> Assessment {
    Assessment {
        measurement: Measurement::NotEnforced {
            witness: "a `bash` call wrote a file, committed and pushed".to_owned(),
        },
        version: "1.6.0".to_owned(),
        notes: vec![
            "no sandbox, no per-command allowlist, no approvals: the other words only seal it".to_owned(),
        ],
    }
}
