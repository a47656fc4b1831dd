//! What an agent's file has to say, as one plain value.

use crate::model::{Assessment, ReadOnly};

/// Everything about an agent that is not its flag table.
pub(crate) struct Profile {
    /// The id in files and events.
    pub(crate) id: &'static str,
    /// The product's name for a person.
    pub(crate) name: &'static str,
    /// The executable's name.
    pub(crate) program: &'static str,
    /// What the `v1` launch claims.
    pub(crate) boundary: ReadOnly,
    /// The boundary in one sentence for a person.
    pub(crate) in_words: &'static str,
    /// The `v1` argv, word for word.
    pub(crate) v1: &'static [&'static str],
    /// The variables that reach the agent besides the ordinary ones: where its credentials and its home are.
    pub(crate) env_from: &'static [&'static str],
    /// Milliseconds that the agent needs after TERM to end its own children.
    pub(crate) term_grace_ms: u64,
    /// The flag table, `fixtures/agents/<id>.toml`.
    pub(crate) dialect: &'static str,
    /// What was measured about the `v1` launch.
    pub(crate) assessment: fn() -> Assessment,
}
