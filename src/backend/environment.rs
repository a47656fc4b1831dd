//! Which variables reach an agent: a short list of ordinary ones, and those that its launch declares.
//!
//! What is not listed does not pass: neither the caller's secrets, nor variables that widen an agent
//! (`COPILOT_ALLOW_ALL`), nor `GIT_*`, which changes what every git command of the agent means.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;

/// Variables that any command-line program needs to find its files, its certificates and the network.
const ORDINARY: [&str; 29] = [
    "ALL_PROXY",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// The environment of an agent: ordinary variables and `declared` ones as the caller has them, then `set`.
pub(super) fn environment(
    declared: &[String],
    set: &BTreeMap<String, OsString>,
) -> Vec<(OsString, OsString)> {
    let passed = ORDINARY.iter().copied().chain(declared.iter().map(String::as_str));
    let mut all: BTreeMap<OsString, OsString> =
        passed.filter_map(|name| Some((name.into(), env::var_os(name)?))).collect();
    all.extend(set.iter().map(|(name, value)| (name.into(), value.clone())));
    all.into_iter().collect()
}
