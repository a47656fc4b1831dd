//! Where events go: one format on standard output, any number of formats in files.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::model::Event;
use crate::report::{Human, Jsonl, Output, Progress, Verbosity};

/// One output format: takes every event of a run in order and writes what it makes of them.
pub trait Format {
    /// Takes one event.
    ///
    /// # Errors
    ///
    /// When writing fails.
    fn event(&mut self, event: &Event, out: &mut dyn Write) -> io::Result<()>;
}

/// Every format with one line about it.
pub const FORMATS: [(&str, &str); 2] = [
    ("human", "for a person at a terminal or in a build log"),
    ("jsonl", "one JSON object a line, for programs; the last line is the summary"),
];

/// The name of a format.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum FormatName {
    /// For a person.
    #[default]
    Human,
    /// For a program.
    Jsonl,
}

impl FormatName {
    /// The format with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "human" => Some(Self::Human),
            "jsonl" => Some(Self::Jsonl),
            _ => None,
        }
    }

    fn make(self, verbosity: Verbosity) -> Box<dyn Format> {
        match self {
            Self::Human => Box::new(Human::new(verbosity)),
            Self::Jsonl => Box::new(Jsonl),
        }
    }
}

/// All destinations of a run's events.
pub struct Sinks {
    format: Box<dyn Format>,
    out: Output,
    progress: Progress,
    files: Vec<ReportFile>,
    faults: Vec<String>,
}

impl std::fmt::Debug for Sinks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sinks").field("out", &self.out).field("files", &self.files.len()).finish()
    }
}

impl Sinks {
    /// Events go to `out` in this format.
    #[must_use]
    pub fn new(format: FormatName, verbosity: Verbosity, out: Output, progress: Progress) -> Self {
        Self { format: format.make(verbosity), out, progress, files: Vec::new(), faults: Vec::new() }
    }

    /// Events also go to this file, which appears whole at the end of the run.
    ///
    /// # Errors
    ///
    /// When nothing can be written there.
    pub fn add_file(&mut self, format: FormatName, verbosity: Verbosity, path: &Path) -> io::Result<()> {
        let target = Target::open(path)?;
        self.files.push(ReportFile { path: path.to_owned(), format: format.make(verbosity), target });
        Ok(())
    }

    /// Hands an event to every destination.
    pub fn event(&mut self, event: &Event) {
        self.progress.event(event);
        if let Err(error) = self.format.event(event, &mut self.out) {
            self.faults.push(format!("cannot write to standard output: {error}"));
        }
        for file in &mut self.files {
            // A report file is never in colour.
            let mut text = anstream::StripStream::new(Vec::new());
            let written = file
                .format
                .event(event, &mut text)
                .and_then(|()| file.target.writer().write_all(&text.into_inner()));
            if let Err(error) = written {
                self.faults.push(format!("cannot write {}: {error}", file.path.display()));
            }
        }
    }

    /// Puts the report files in place. Gives back what could not be written, one sentence each.
    #[must_use]
    pub fn finish(mut self) -> Vec<String> {
        for file in self.files {
            if let Err(error) = file.target.finish(&file.path) {
                self.faults.push(format!("cannot write {}: {error}", file.path.display()));
            }
        }
        if let Some(error) = self.out.take_error() {
            self.faults.push(format!("cannot write to standard output: {error}"));
        }
        self.faults.dedup();
        self.faults
    }
}

struct ReportFile {
    path: PathBuf,
    format: Box<dyn Format>,
    target: Target,
}

/// A regular file is replaced in one step; what is none, such as a pipe, is written to as it is.
enum Target {
    Replace(BufWriter<NamedTempFile>),
    Stream(BufWriter<File>),
}

impl Target {
    fn open(path: &Path) -> io::Result<Self> {
        if path.metadata().is_ok_and(|meta| !meta.is_file()) {
            return Ok(Self::Stream(BufWriter::new(OpenOptions::new().write(true).open(path)?)));
        }
        let dir = match path.parent() {
            Some(dir) if !dir.as_os_str().is_empty() => dir,
            _ => Path::new("."),
        };
        let file = tempfile::Builder::new()
            .prefix(".argvow-")
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(dir)?;
        Ok(Self::Replace(BufWriter::new(file)))
    }

    fn writer(&mut self) -> Box<dyn Write + '_> {
        match self {
            Self::Replace(file) => Box::new(file),
            Self::Stream(file) => Box::new(file),
        }
    }

    fn finish(self, path: &Path) -> io::Result<()> {
        match self {
            Self::Replace(file) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.as_file().sync_all()?;
                file.persist(path)?;
                Ok(())
            }
            Self::Stream(mut file) => file.flush(),
        }
    }
}
