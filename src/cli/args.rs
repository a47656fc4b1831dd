//! The raw command line, as clap reads it. Nothing else reads these types but `options`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Tests the sandbox policy of headless coding agents.
#[derive(Debug, Parser)]
#[command(name = "argvow", version, about, max_term_width = 100, after_help = EXITS)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

const EXITS: &str = "\
Exit codes:
  0    every check that ran held
  1    something is broken, differs from what was reviewed, or a baseline entry is stale
  2    the command line or the policy file is wrong
  3    nothing was selected
  4    something could not be observed, which is no pass
  70   a fault in argvow itself
  130  interrupted";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Hold every launch to its snapshot and its agent's flags, and the runner to the suite
    Check(CheckArgs),
    /// Make launches as they are now the reviewed ones
    Accept(AcceptArgs),
    /// Run fake agents against a runner
    Suite(SuiteArgs),
    /// List what argvow knows
    List(ListArgs),
    /// Say what something is: a case, a code, an agent, a launch, or AGENT/FLAG
    Explain(ExplainArgs),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// What every verb takes.
#[derive(ClapArgs, Debug)]
pub(crate) struct CommonArgs {
    /// The policy file, instead of the argvow.toml found here or above
    #[arg(long, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
    /// When to print in colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorArg,
    /// Say only what is wrong
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say everything
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ColorArg {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FormatArg {
    Human,
    Jsonl,
}

/// What every verb takes that runs checks.
#[derive(ClapArgs, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// The format on standard output
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: FormatArg,
    /// Also write a report to a file; may be repeated
    #[arg(long, value_name = "FORMAT=PATH")]
    pub(crate) report: Vec<String>,
    /// Only the launches and cases with this id, below this area, or matching this pattern with `*`; may be repeated
    #[arg(long, value_name = "ID")]
    pub(crate) filter: Vec<String>,
    /// Only the I-th of N parts of what is selected
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<String>,
    /// The index of the part, from 0, as test runners pass it
    #[arg(long, hide = true, env = "TEST_SHARD_INDEX", hide_env = true)]
    pub(crate) shard_index: Option<String>,
    /// The number of parts, as test runners pass it
    #[arg(long, hide = true, env = "TEST_TOTAL_SHARDS", hide_env = true)]
    pub(crate) total_shards: Option<String>,
    /// How many cases run at once
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<std::num::NonZeroUsize>,
    /// By what every time bound is multiplied, instead of what is measured here
    #[arg(long, value_name = "FACTOR")]
    pub(crate) slack: Option<f64>,
    /// Also count what is a matter of policy
    #[arg(long)]
    pub(crate) strict: bool,
    /// Show no progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct CheckArgs {
    /// Only these launches, and no suite
    #[arg(value_name = "LAUNCH")]
    pub(crate) launches: Vec<String>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct AcceptArgs {
    /// Only these launches
    #[arg(value_name = "LAUNCH")]
    pub(crate) launches: Vec<String>,
    /// Why the change is right; kept in the snapshot
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct SuiteArgs {
    /// The subject of the policy file, or `builtin`
    #[arg(value_name = "SUBJECT")]
    pub(crate) subject: Option<String>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Listed {
    /// The agents argvow knows, and whether they are installed
    Agents,
    /// The launches of the policy file, or the built-in ones
    Launches,
    /// The cases of the suite
    Cases,
    /// The probes of real agents
    Probes,
    /// The codes of findings and verdicts
    Codes,
    /// The output formats
    Formats,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct ListArgs {
    /// What to list
    pub(crate) what: Listed,
    /// The format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: FormatArg,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct ExplainArgs {
    /// A case's id, a code, an agent's id, a launch's name, or AGENT/FLAG
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
