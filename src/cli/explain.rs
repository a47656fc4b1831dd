//! `argvow explain`: one id, in full.

use crate::agents::Agent;
use crate::cli::codes;
use crate::cli::error::CliError;
use crate::cli::flags;
use crate::cli::options::Common;
use crate::cli::policy_file::Declared;
use crate::cli::project::Project;
use crate::cli::select::did_you_mean;
use crate::model::Exit;
use crate::model::case::{Case, Level};
use crate::report::{Output, escape, escape_lines, style};
use crate::snapshot::render;

/// Runs the verb.
pub(crate) fn run(options: &Common, id: &str, out: &mut Output) -> Result<Exit, CliError> {
    let project = Project::load(options.config.as_deref())?;
    let text = if let Some(code) = codes::find(id) {
        Some(format!("{}\n\n{}\n\nfix: {}\n", heading(code.code, code.title), code.why, code.fix))
    } else if let Some(case) = project.catalogue.get(id) {
        Some(of_case(case))
    } else if let Some(agent) = Agent::from_id(id) {
        Some(of_agent(&project, agent))
    } else if let Some(declared) = project.launches.iter().find(|declared| declared.name() == id) {
        Some(of_launch(&project, declared))
    } else if let Some(launch) = Agent::ALL.map(Agent::v1).into_iter().find(|launch| launch.name == id) {
        Some(of_launch(&project, &Declared::Launch(Box::new(launch))))
    } else {
        of_flag(&project, id)
    };
    match text {
        Some(text) => {
            out.print(&text);
            Ok(Exit::Held)
        }
        None => {
            let flags: Vec<String> = match id.split_once('/').and_then(|(id, _)| project.dialects.get(id)) {
                Some(dialect) => flags::ids(dialect),
                None => Vec::new(),
            };
            let known = codes::all()
                .into_iter()
                .map(|code| code.code)
                .chain(flags.iter().map(String::as_str))
                .chain(project.catalogue.cases().map(|case| &*case.id))
                .chain(Agent::ALL.iter().map(|agent| agent.id()))
                .chain(project.launches.iter().map(Declared::name));
            Err(CliError::Usage(format!(
                "`{id}` is no case, code, agent, launch or AGENT/FLAG that argvow knows{}",
                did_you_mean(id, known)
            )))
        }
    }
}

fn heading(id: &str, title: &str) -> String {
    let head = style::HEAD;
    format!("{head}{}{head:#}: {}", escape(id), escape(title))
}

fn of_case(case: &Case) -> String {
    let level = match case.level {
        Level::Must => "must: counts always",
        Level::Should => "should: counts with --strict",
    };
    let mut text = format!("{}\n\n{}\n\n", heading(&case.id, &case.title), escape_lines(&case.why));
    text.push_str(&format!("level: {level}\nsince: edition {}\n", escape(&case.since)));
    for seen in &case.seen {
        text.push_str(&format!("seen: {}\n", escape(seen)));
    }
    text.push_str(&format!("proven by failing: {}\n", escape(&case.kills.join(", "))));
    text
}

fn of_agent(project: &Project, agent: Agent) -> String {
    let launch = agent.v1();
    let mut text = format!("{}\n\n", heading(agent.id(), agent.display_name()));
    text.push_str(&format!("boundary: {}: {}\n", agent.read_only().as_str(), agent.boundary_in_words()));
    text.push_str(&format!("measured: {}\n", launch.assessment.in_words()));
    for note in &launch.assessment.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text.push_str(&format!("launch {}: {}\n", launch.name, launch.identity()));
    if let Some(dialect) = project.dialects.get(agent.id()) {
        text.push_str(&format!("flag table: {}\n", escape(dialect.version())));
        for flag in dialect.forbidden() {
            text.push_str(&format!("forbidden: {}\n", escape(&flag)));
        }
    }
    text
}

fn of_launch(project: &Project, declared: &Declared) -> String {
    match declared {
        Declared::Launch(launch) => {
            let reasons = match project.store.read(&launch.name) {
                Ok(Some(snapshot)) => snapshot.reasons().to_vec(),
                _ => Vec::new(),
            };
            let body = render(launch, &project.dialects, &reasons);
            format!("{}\n\n{}", heading(&launch.name, "a launch"), escape_lines(&body))
        }
        Declared::Record { name, agent, .. } => format!(
            "{}\n\nagent: {}\nto be recorded, which this version cannot do\n",
            heading(name, "a launch"),
            escape(agent)
        ),
    }
}

fn of_flag(project: &Project, id: &str) -> Option<String> {
    let (agent, flag) = id.split_once('/')?;
    let dialect = project.dialects.get(agent)?;
    let text = flags::explain(dialect, flag)?;
    Some(format!("{}\n\n{}\n", heading(id, dialect.name()), escape_lines(&text)))
}
