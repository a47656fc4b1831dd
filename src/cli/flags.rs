//! What `list` and `explain` tell about an agent's flags. The only place that asks a dialect for more than a check.

use crate::policy::Dialect;

/// Every forbidden spelling of the agent's flags.
pub(crate) fn forbidden(dialect: &Dialect) -> Vec<String> {
    dialect.forbidden().map(str::to_owned).collect()
}

/// What is known about one flag, in sentences; `None` when nothing is.
pub(crate) fn explain(dialect: &Dialect, flag: &str) -> Option<String> {
    let forbidden = dialect.forbidden().any(|spelling| spelling == flag);
    forbidden.then(|| "forbidden: it takes the boundary away".to_owned())
}
