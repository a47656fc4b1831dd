//! `argvow list`: what argvow knows, as a table for a person or as JSON lines for a program. Never runs an agent: one
//! may phone home.

use std::env;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::agents::Agent;
use crate::cli::args::Listed;
use crate::cli::check::measured_word;
use crate::cli::codes;
use crate::cli::error::CliError;
use crate::cli::options::Common;
use crate::cli::policy_file::Declared;
use crate::cli::project::Project;
use crate::model::Exit;
use crate::model::case::Level;
use crate::model::text::escape_json;
use crate::policy::Dialects;
use crate::report::{FORMATS, FormatName, Output, Verbosity, escape, shorten, style};

/// One thing in a list: its id, what stands beside it, what stands below it, and all of it for a program.
struct Item {
    id: String,
    text: String,
    below: Vec<String>,
    json: Value,
}

/// Runs the verb.
pub(crate) fn run(
    options: &Common,
    what: Listed,
    format: FormatName,
    out: &mut Output,
    notes: &mut Output,
) -> Result<Exit, CliError> {
    let (kind, items) = match what {
        Listed::Agents => ("agent", agents(&Dialects::builtin().map_err(Box::new)?)),
        Listed::Launches => ("launch", launches(&Project::load(options.config.as_deref())?)),
        Listed::Cases => ("case", cases(&Project::load(options.config.as_deref())?)),
        Listed::Probes => {
            notes.print("this version has no probes: they run real agents, which comes later\n");
            ("probe", Vec::new())
        }
        Listed::Codes => ("code", codes()),
        Listed::Formats => ("format", formats()),
    };
    let width = items.iter().map(|item| item.id.chars().count()).max().unwrap_or(0).min(48);
    for item in items {
        out.print(&match format {
            FormatName::Jsonl => {
                let mut object = json!({ "v": 1, "list": kind, "id": item.id });
                if let (Some(object), Value::Object(more)) = (object.as_object_mut(), item.json) {
                    object.extend(more);
                }
                format!("{}\n", escape_json(&object.to_string()))
            }
            FormatName::Human => item.print(width, options.verbosity),
        });
    }
    Ok(Exit::Held)
}

impl Item {
    fn print(&self, width: usize, verbosity: Verbosity) -> String {
        let id = escape(&self.id);
        let gap = " ".repeat(width.saturating_sub(id.chars().count()));
        let head = style::HEAD;
        let mut text = format!("{head}{id}{head:#}{gap}  {}", escape(&self.text)).trim_end().to_owned();
        text.push('\n');
        if verbosity > Verbosity::Quiet {
            for line in &self.below {
                text.push_str(&format!("    {}\n", shorten(line, 400)));
            }
        }
        if verbosity == Verbosity::Verbose {
            for flag in self.json["forbidden"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                text.push_str(&format!("    forbidden: {}\n", escape(flag)));
            }
        }
        text
    }
}

fn agents(dialects: &Dialects) -> Vec<Item> {
    Agent::ALL
        .into_iter()
        .map(|agent| {
            let launch = agent.v1();
            let installed = on_path(launch.program());
            let dialect = dialects.get(agent.id());
            let version = dialect.map(|dialect| dialect.version()).unwrap_or_default();
            let forbidden = dialect.map(|dialect| dialect.forbidden()).unwrap_or_default();
            let state = if installed { "installed" } else { "not installed" };
            Item {
                id: agent.id().to_owned(),
                text: format!("{} (`{}`), {state}", agent.display_name(), launch.program()),
                below: vec![
                    format!("boundary: {}: {}", agent.read_only().as_str(), agent.boundary_in_words()),
                    format!("measured: {}", launch.assessment.in_words()),
                    format!("version: not asked; the flag table describes {version}"),
                ],
                json: json!({
                    "name": agent.display_name(),
                    "program": launch.program(),
                    "installed": installed,
                    "version": null,
                    "dialect_version": version,
                    "boundary": agent.read_only(),
                    "enforced": agent.is_enforced(),
                    "boundary_in_words": agent.boundary_in_words(),
                    "measured": measured_word(&launch),
                    "measured_version": launch.assessment.version,
                    "measured_in_words": launch.assessment.in_words(),
                    "notes": launch.assessment.notes,
                    "forbidden": forbidden,
                }),
            }
        })
        .collect()
}

fn launches(project: &Project) -> Vec<Item> {
    let item = |declared: &Declared| match declared {
        Declared::Launch(launch) => Item {
            id: launch.name.clone(),
            text: launch.agent.clone(),
            below: vec![
                launch.identity(),
                format!("claims {}, measured: {}", launch.boundary.as_str(), launch.assessment.in_words()),
            ],
            json: json!({
                "agent": launch.agent,
                "set": launch.set,
                "argv": launch.argv,
                "boundary": launch.boundary,
                "measured": measured_word(launch),
                "measured_in_words": launch.assessment.in_words(),
            }),
        },
        Declared::Record { name, agent, command } => Item {
            id: name.clone(),
            text: agent.clone(),
            below: vec!["to be recorded, which this version cannot do".to_owned()],
            json: json!({ "agent": agent, "set": "policy", "record": command }),
        },
    };
    project.launches.iter().map(item).collect()
}

fn cases(project: &Project) -> Vec<Item> {
    project
        .catalogue
        .cases()
        .map(|case| Item {
            id: case.id.clone(),
            text: match case.level {
                Level::Must => case.title.clone(),
                Level::Should => format!("{} (with --strict)", case.title),
            },
            below: Vec::new(),
            json: json!({ "title": case.title, "level": case.level, "since": case.since }),
        })
        .collect()
}

fn codes() -> Vec<Item> {
    codes::all()
        .into_iter()
        .map(|code| Item {
            id: code.code.to_owned(),
            text: code.title.to_owned(),
            below: Vec::new(),
            json: json!({ "title": code.title, "why": code.why, "fix": code.fix }),
        })
        .collect()
}

fn formats() -> Vec<Item> {
    FORMATS
        .iter()
        .map(|(name, about)| Item {
            id: (*name).to_owned(),
            text: (*about).to_owned(),
            below: Vec::new(),
            json: json!({ "about": about }),
        })
        .collect()
}

/// Whether the program would be found, without running it.
fn on_path(program: &str) -> bool {
    let runs = |path: &Path| {
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return runs(Path::new(program));
    }
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|dir| runs(&dir.join(program))))
}
