//! Capabilities that the launch lists and that do not exist.

use crate::model::{Capability, Launch};
use crate::policy::code::Code;
use crate::policy::flags::Findings;
use crate::policy::quote::quote;

pub(crate) fn check(launch: &Launch, findings: &mut Findings<'_>) {
    for grant in &launch.grants {
        let name = grant.split(':').next().unwrap_or_default();
        if serde_json::from_value::<Capability>(name.into()).is_err() {
            let message = format!("{} is no capability", quote(grant));
            findings.add(Code::UnknownGrant, None, grant, message);
        }
    }
}
