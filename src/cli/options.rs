//! Resolved options: raw arguments are looked at here, once, and nowhere else.

use std::path::PathBuf;

use crate::cli::args::{ColorArg, CommonArgs, FormatArg, RunArgs};
use crate::cli::error::CliError;
use crate::cli::select::{Selection, Shard};
use crate::report::{Colour, FormatName, Verbosity};
use crate::suite;

/// What every verb goes by.
#[derive(Clone, Debug)]
pub(crate) struct Common {
    pub(crate) config: Option<PathBuf>,
    pub(crate) colour: Colour,
    pub(crate) verbosity: Verbosity,
}

impl From<CommonArgs> for Common {
    fn from(args: CommonArgs) -> Self {
        Self {
            config: args.config,
            colour: match args.color {
                ColorArg::Auto => Colour::Auto,
                ColorArg::Always => Colour::Always,
                ColorArg::Never => Colour::Never,
            },
            verbosity: match (args.quiet, args.verbose) {
                (true, _) => Verbosity::Quiet,
                (_, true) => Verbosity::Verbose,
                _ => Verbosity::Normal,
            },
        }
    }
}

impl From<FormatArg> for FormatName {
    fn from(arg: FormatArg) -> Self {
        match arg {
            FormatArg::Human => Self::Human,
            FormatArg::Jsonl => Self::Jsonl,
        }
    }
}

/// What a verb goes by that runs checks.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) common: Common,
    pub(crate) format: FormatName,
    pub(crate) reports: Vec<(FormatName, PathBuf)>,
    pub(crate) selection: Selection,
    pub(crate) strict: bool,
    pub(crate) progress: bool,
    pub(crate) suite: suite::Options,
}

impl Run {
    pub(crate) fn resolve(args: RunArgs) -> Result<Self, CliError> {
        let common = Common::from(args.common);
        let shard = match (&args.shard, &args.shard_index, &args.total_shards) {
            (Some(text), _, _) => Some(Shard::parse(text)?),
            (None, Some(index), Some(total)) => Some(Shard::from_runner(index, total)?),
            _ => None,
        };
        if let Some(slack) = args.slack
            && !(0.01..=1000.0).contains(&slack)
        {
            return Err(CliError::Usage(format!("--slack {slack}: give a factor from 0.01 to 1000")));
        }
        let reports: Vec<_> = args.report.iter().map(|text| report(text)).collect::<Result<_, _>>()?;
        for (at, (_, path)) in reports.iter().enumerate() {
            if reports[..at].iter().any(|(_, other)| other == path) {
                let path = path.display();
                return Err(CliError::Usage(format!(
                    "two reports go to {path}: give each a file of its own"
                )));
            }
        }
        Ok(Self {
            progress: !args.no_progress && common.verbosity > Verbosity::Quiet,
            format: args.format.into(),
            reports,
            selection: Selection { filters: args.filter, shard },
            strict: args.strict,
            suite: suite::Options { jobs: args.jobs, slack: args.slack, ..suite::Options::default() },
            common,
        })
    }
}

fn report(text: &str) -> Result<(FormatName, PathBuf), CliError> {
    let fault =
        || CliError::Usage(format!("--report {text} is not FORMAT=PATH, for example jsonl=report.jsonl"));
    let (format, path) = text.split_once('=').ok_or_else(fault)?;
    if path.is_empty() {
        return Err(fault());
    }
    let format = FormatName::from_name(format).ok_or_else(|| {
        CliError::Usage(format!("there is no format `{format}`: see `argvow list formats`"))
    })?;
    let path = PathBuf::from(path);
    // A slip of the hand must not cost the policy or a reviewed snapshot.
    if path.file_name() == Some("argvow.toml".as_ref()) || path.extension() == Some("snap".as_ref()) {
        return Err(CliError::Usage(format!("--report {text} would replace a file that argvow reads")));
    }
    Ok((format, path))
}
