//! Everything a verb works on, loaded once: the policy file or the built-in policy, the dialects, the catalogue, the
//! snapshots.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::agents::Agent;
use crate::cli::error::CliError;
use crate::cli::policy_file::{self, Declared, PolicyFile, Runner, Subject};
use crate::cli::select::did_you_mean;
use crate::model::source::SourceError;
use crate::policy::Dialects;
use crate::snapshot::Store;
use crate::suite::{Catalogue, EDITION};

/// What a run is about.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) edition: String,
    pub(crate) launches: Vec<Declared>,
    pub(crate) subjects: Vec<Subject>,
    pub(crate) baseline: BTreeMap<String, String>,
    pub(crate) dialects: Dialects,
    pub(crate) catalogue: Catalogue,
    pub(crate) store: Store,
}

impl Project {
    /// Loads the policy file that `config` names, or the one that is found, or the built-in policy.
    pub(crate) fn load(config: Option<&Path>) -> Result<Self, CliError> {
        let found = match config {
            Some(path) => Some(path.to_owned()),
            None => policy_file::find()?,
        };
        found.map_or_else(Self::builtin, |path| Self::from_file(&path))
    }

    fn builtin() -> Result<Self, CliError> {
        Ok(Self {
            edition: EDITION.to_owned(),
            launches: Agent::ALL.map(|agent| Declared::Launch(Box::new(agent.v1()))).into(),
            subjects: vec![Subject { name: "builtin".to_owned(), runner: Runner::Builtin }],
            baseline: BTreeMap::new(),
            dialects: Dialects::builtin().map_err(Box::new)?,
            catalogue: Catalogue::embedded()?,
            store: Store::Embedded,
        })
    }

    fn from_file(path: &Path) -> Result<Self, CliError> {
        let text = read(path)?;
        let policy = PolicyFile::parse(path, &text)?;
        let dir = path.parent().map(Path::to_owned).unwrap_or_default();
        let mut dialects = Dialects::builtin().map_err(Box::new)?;
        for file in &policy.agents {
            let path = dir.join(file);
            dialects.add(&path, &read(&path)?).map_err(Box::new)?;
        }
        policy.check_agents(path, &text, &dialects)?;
        let mut catalogue = Catalogue::embedded()?;
        for cases in &policy.cases {
            catalogue.add_dir(&dir.join(cases))?;
        }
        Ok(Self {
            edition: policy.edition,
            launches: policy.launches,
            subjects: policy.subjects,
            baseline: policy.baseline,
            dialects,
            catalogue,
            store: Store::Dir(dir.join("snapshots")),
        })
    }

    /// Every id that a baseline can name.
    pub(crate) fn known_ids(&self) -> BTreeSet<&str> {
        self.catalogue.cases().map(|case| &*case.id).collect()
    }

    /// The launches with these names; all of them when there are no names.
    pub(crate) fn named(&self, names: &[String]) -> Result<Vec<&Declared>, CliError> {
        for name in names {
            if !self.launches.iter().any(|launch| launch.name() == name) {
                let known = self.launches.iter().map(Declared::name);
                return Err(CliError::Usage(format!(
                    "there is no launch `{name}`{}",
                    did_you_mean(name, known)
                )));
            }
        }
        let named = |launch: &&Declared| names.is_empty() || names.iter().any(|name| name == launch.name());
        Ok(self.launches.iter().filter(named).collect())
    }
}

/// The text of a file that a user wrote.
fn read(path: &Path) -> Result<String, CliError> {
    let bytes = fs::read(path).map_err(|source| CliError::Read { path: path.to_owned(), source })?;
    String::from_utf8(bytes).map_err(|fault| {
        // What is text stands where it stood; the first byte that is none is shown as a replacement character.
        let at = fault.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(fault.as_bytes()).into_owned();
        let span = at..at + char::REPLACEMENT_CHARACTER.len_utf8();
        let error = SourceError::new(path, &text, span, format!("byte {at} is not UTF-8"));
        Box::new(error.with_help("save the file as UTF-8")).into()
    })
}
