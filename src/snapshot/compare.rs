//! A launch against its snapshot: what was reviewed must be what runs.
//!
//! Reasons are kept but not compared. What was *measured* is argvow's knowledge and not part of the launch: a newer
//! argvow that knows more does not break a user's snapshots, it says that they are out of date.

use similar::TextDiff;

use crate::snapshot::Snapshot;

/// What comparing found.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Comparison {
    /// The launch is the reviewed one.
    Same,
    /// The launch is the reviewed one; what is known about it has changed.
    Outdated {
        /// The lines that changed.
        diff: String,
    },
    /// The launch is another one.
    Differs {
        /// The lines that changed.
        diff: String,
    },
}

/// Compares what was reviewed with the body of the launch as it is now.
#[must_use]
pub fn compare(reviewed: &Snapshot, now: &str) -> Comparison {
    let diff = |keep: fn(&str) -> bool| {
        let (old, new) = (lines(reviewed.body(), keep), lines(now, keep));
        (old != new).then(|| unified_diff(&old, &new))
    };
    if let Some(diff) = diff(is_launch) {
        Comparison::Differs { diff }
    } else if let Some(diff) = diff(|line| !is_reason(line)) {
        Comparison::Outdated { diff }
    } else {
        Comparison::Same
    }
}

/// The lines that differ, with three lines around them, in the form of `diff -u`. Empty when nothing differs.
#[must_use]
pub fn unified_diff(old: &str, new: &str) -> String {
    TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(3)
        .header("reviewed", "now")
        .missing_newline_hint(false)
        .to_string()
}

fn is_reason(line: &str) -> bool {
    line.starts_with("reason: ")
}

fn is_launch(line: &str) -> bool {
    !is_reason(line) && !line.starts_with("measured: ") && !line.starts_with("measured note: ")
}

fn lines(body: &str, keep: fn(&str) -> bool) -> String {
    body.lines().filter(|line| keep(line)).flat_map(|line| [line, "\n"]).collect()
}
