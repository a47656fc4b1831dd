//! What a fake is told: its steps, and where it reports.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::case::Step;

/// The text that a script file begins with. A file without it makes nobody a fake agent.
const HEADER: &str = "argvow fake agent, script 1\n";

/// A fake's script.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Marks the records of this case among all others.
    pub nonce: String,
    /// Milliseconds after which the kernel ends every process of the fake.
    pub life_ms: u64,
    /// The FIFO that takes records.
    pub records: PathBuf,
    /// The FIFO that is open for as long as a process of the fake is alive.
    pub lifeline: PathBuf,
    /// The FIFO that holds something once waiting agents are released.
    pub gate: PathBuf,
    /// The variables whose presence is told.
    pub watched: Vec<String>,
    /// What the fake does.
    pub step: Vec<Step>,
}

impl Script {
    /// The text of the script's file.
    ///
    /// # Errors
    ///
    /// When serialisation fails, which plain data does not.
    pub fn to_text(&self) -> io::Result<String> {
        Ok(format!("{HEADER}{}", serde_json::to_string(self)?))
    }

    /// Reads the text of a script's file; `None` when it is something else.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text.strip_prefix(HEADER)?).ok()
    }
}

/// Where the script of a fake stands that was executed by the name `executable`.
#[must_use]
pub fn script_path(executable: &Path) -> PathBuf {
    let mut name = executable.as_os_str().to_owned();
    name.push(".argvow-script");
    PathBuf::from(name)
}
