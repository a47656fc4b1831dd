//! GitHub Copilot CLI (`copilot`). Facts: Copilot CLI 1.0.102, Linux.

use crate::agents::profile::Profile;
use crate::model::{Assessment, Measurement, ReadOnly};

pub(crate) const PROFILE: Profile = Profile {
    id: "copilot",
    name: "GitHub Copilot CLI",
    program: "copilot",
    boundary: ReadOnly::ToolAllowlist,
    in_words: "the agent's own permission check; what is not allowed is refused at once",
    v1: &[
        "copilot",
        "-s",
        "--no-ask-user",
        "--deny-tool",
        "write",
        "--allow-tool",
        "read,shell(git:*),shell({fetch}:*)",
    ],
    env_from: &["COPILOT_GITHUB_TOKEN", "COPILOT_HOME", "GH_TOKEN", "GITHUB_TOKEN"],
    // SIGTERM kills the tool child; SIGKILL leaves it alive in a session of its own.
    term_grace_ms: 1_000,
    dialect: include_str!("../../fixtures/agents/copilot.toml"),
    assessment,
};

fn assessment() -> Assessment {
    Assessment {
        measurement: Measurement::Broken {
            witness: "`git commit` and `git push` under `shell(git:*)` commit and push".to_owned(),
        },
        version: "1.0.102".to_owned(),
        notes: vec![
            "`git diff --output=F` writes F".to_owned(),
            "files under the temporary directory are readable without a rule".to_owned(),
            "a hook in `~/.copilot/hooks` that answers allow beats `--deny-tool`".to_owned(),
        ],
    }
}
