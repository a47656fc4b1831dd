//! What `list` and `explain` tell about an agent's flags. The only place that asks a dialect for more than a check.

use crate::policy::Dialect;

/// What is known about one flag, for a person; `None` when the dialect has no such flag.
pub(crate) fn explain(dialect: &Dialect, spelling: &str) -> Option<String> {
    let flag = dialect.flag(spelling)?;
    let names: Vec<&str> = flag.names().collect();
    let class = serde_json::to_value(flag.class()).ok();
    let class = class.as_ref().and_then(|class| class.as_str()).unwrap_or_default();
    Some(format!("{class}: {}\n\nspellings: {}", flag.why(), names.join(", ")))
}

/// `AGENT/FLAG` for every spelling of every flag.
pub(crate) fn ids(dialect: &Dialect) -> Vec<String> {
    let names = dialect.flags().iter().flat_map(|flag| flag.names());
    names.map(|name| format!("{}/{name}", dialect.id())).collect()
}
