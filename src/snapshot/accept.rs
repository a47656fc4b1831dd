//! Makes the launch as it is now the reviewed one, and keeps why.

use crate::model::Launch;
use crate::policy::Dialects;
use crate::snapshot::{Store, StoreError, render, unified_diff};

/// What accepting a launch changed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Accepted {
    /// The lines that changed, in the form of `diff -u`; empty when the snapshot was up to date.
    pub diff: String,
    /// Whether there was no snapshot before, or none that could be read.
    pub new: bool,
}

/// Writes the launch's snapshot. The reasons given so far are kept and `reason` is added to them.
///
/// # Errors
///
/// When the old snapshot cannot be read for another reason than being corrupt, or the new one cannot be written.
pub fn accept(
    store: &Store,
    launch: &Launch,
    dialects: &Dialects,
    reason: Option<&str>,
) -> Result<Accepted, StoreError> {
    let old = match store.read(&launch.name) {
        Ok(old) => old,
        // Accepting is how a corrupt file is mended.
        Err(StoreError::Corrupt { .. }) => None,
        Err(error) => return Err(error),
    };
    let kept = old.as_ref().map_or_else(|| store.salvage_reasons(&launch.name), |old| old.reasons().to_vec());
    let old_body = old.as_ref().map_or("", |old| old.body());
    let unchanged = render(launch, dialects, &kept);
    let mut body = unchanged.clone();
    if let Some(reason) = reason {
        let mut reasons = kept;
        reasons.push(reason.to_owned());
        body = render(launch, dialects, &reasons);
    }
    if body != old_body {
        store.write(&launch.name, &body)?;
    }
    Ok(Accepted { diff: unified_diff(old_body, &body), new: old.is_none() })
}
