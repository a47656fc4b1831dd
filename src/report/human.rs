//! The report for a person. Rendered when the run is over, from events alone: launches first, then cases by area,
//! what did not hold in full, and at the end what the exit code means.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde_json::Value;

use crate::model::{Check, Event, Exit, Finding, Grant, Severity, Start, Summary, Verdict, VerdictEvent};
use crate::report::{Format, escape, escape_lines, shorten};

/// The colours of the report.
pub mod style {
    use anstyle::{AnsiColor, Style};

    /// Held.
    pub const GOOD: Style = AnsiColor::Green.on_default();
    /// Broken.
    pub const BAD: Style = AnsiColor::Red.on_default().bold();
    /// Neither, and not to be overlooked.
    pub const DOUBT: Style = AnsiColor::Yellow.on_default();
    /// Headings.
    pub const HEAD: Style = Style::new().bold();
    /// What may be overlooked.
    pub const DIM: Style = Style::new().dimmed();
}

/// How much is said.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum Verbosity {
    /// What is wrong, and the summary.
    Quiet,
    /// One line a launch, one an area, and what is wrong.
    #[default]
    Normal,
    /// Every case and every note.
    Verbose,
}

/// The `human` format.
#[derive(Debug, Default)]
pub struct Human {
    verbosity: Verbosity,
    start: Option<Start>,
    verdicts: Vec<VerdictEvent>,
    findings: Vec<Finding>,
    grants: Vec<Grant>,
}

impl Human {
    /// A report of this length.
    #[must_use]
    pub fn new(verbosity: Verbosity) -> Self {
        Self { verbosity, ..Self::default() }
    }
}

impl Format for Human {
    fn event(&mut self, event: &Event, out: &mut dyn Write) -> io::Result<()> {
        match event {
            Event::Start(start) => self.start = Some(start.clone()),
            Event::Verdict(verdict) => self.verdicts.push(verdict.clone()),
            Event::Finding(finding) => self.findings.push(finding.clone()),
            Event::Grant(grant) => self.grants.push(grant.clone()),
            Event::Summary(summary) => {
                out.write_all(self.render(summary).as_bytes())?;
                out.flush()?;
            }
        }
        Ok(())
    }
}

impl Human {
    fn render(&self, summary: &Summary) -> String {
        let mut page = Page::default();
        if let (Some(start), true) = (&self.start, self.verbosity > Verbosity::Quiet) {
            page.line(&format!(
                "{} {}, edition {}, {}",
                paint(style::HEAD, "argvow"),
                escape(&start.argvow),
                escape(&start.edition),
                count(start.selected, "check")
            ));
        }
        self.launches(&mut page);
        self.cases(&mut page);
        for finding in self.findings.iter().filter(|finding| finding.launch.is_empty()) {
            if self.shows(finding) {
                page.gap();
                self.finding(finding, &[], &mut page);
            }
        }
        self.summary(summary, &mut page);
        page.0
    }

    fn shows(&self, finding: &Finding) -> bool {
        match finding.severity {
            Severity::Error => true,
            // The boundary stands in the launch's own line.
            Severity::Warning => self.verbosity > Verbosity::Quiet || finding.code != "measured-boundary",
            Severity::Note => {
                self.verbosity == Verbosity::Verbose
                    || (self.verbosity == Verbosity::Normal && finding.launch.is_empty())
            }
        }
    }

    fn launches(&self, page: &mut Page) {
        let mut names: Vec<&str> = Vec::new();
        let of_launches =
            self.verdicts.iter().filter(|verdict| is_launch(verdict)).map(|verdict| &*verdict.id);
        let in_findings =
            self.findings.iter().map(|finding| &*finding.launch).filter(|name| !name.is_empty());
        for name in of_launches.chain(in_findings) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(40);
        let mut heading = Some("launches");
        for name in names {
            self.launch(name, width, &mut heading, page);
        }
    }

    fn launch(&self, name: &str, width: usize, heading: &mut Option<&str>, page: &mut Page) {
        let verdict =
            |check: Check| self.verdicts.iter().find(|verdict| verdict.check == check && verdict.id == name);
        let (snapshot, flags) = (verdict(Check::Snapshot), verdict(Check::Flag));
        let findings: Vec<&Finding> =
            self.findings.iter().filter(|finding| finding.launch == name && self.shows(finding)).collect();
        let sound = [snapshot, flags].into_iter().flatten().all(|verdict| verdict.verdict == Verdict::Held);
        if self.verbosity == Verbosity::Quiet && sound && findings.is_empty() {
            return;
        }
        if let Some(heading) = heading.take() {
            page.gap();
            page.line(&paint(style::HEAD, heading));
        }
        if snapshot.is_some() || flags.is_some() {
            let mut line = format!("  {}", pad(name, width));
            if let Some(snapshot) = snapshot {
                line.push_str(&format!("  snapshot {}", word(snapshot)));
            }
            if let Some(flags) = flags {
                line.push_str(&format!("  flags {}", word(flags)));
                if let Some(checked) = flags.evidence["forbidden_checked"].as_u64() {
                    line.push_str(&format!(" ({checked} forbidden spellings looked for)"));
                }
            }
            if let Some(snapshot) = snapshot {
                if let Some(agent) = &snapshot.agent {
                    line.push_str(&format!("  {}", paint(style::DIM, &escape(agent))));
                }
                page.line(&line);
                self.boundary(&snapshot.evidence, page);
            } else {
                page.line(&line);
            }
        } else {
            page.line(&format!("  {}", pad(name, width)));
        }
        for verdict in [snapshot, flags].into_iter().flatten() {
            // What a finding below says with its place need not be said twice.
            let said = verdict.check == Check::Flag
                && findings.iter().any(|finding| Some(&finding.code) == verdict.code.as_ref());
            if verdict.verdict != Verdict::Held && (!said || is_known(verdict)) {
                detail(verdict, page);
            }
        }
        let argv = snapshot.map(|snapshot| words(&snapshot.evidence["argv"])).unwrap_or_default();
        for finding in findings {
            // The boundary stands in the line above already, and more fully.
            if finding.code != "measured-boundary" {
                self.finding(finding, &argv, page);
            }
        }
        for grant in self.grants.iter().filter(|grant| grant.launch == name) {
            page.line(&format!(
                "    grants {} because of {}: {}",
                serde_word(&grant.capability),
                shorten(&grant.because, 120),
                shorten(&grant.witness, 200)
            ));
        }
    }

    /// The claim and what was measured, always together.
    fn boundary(&self, evidence: &Value, page: &mut Page) {
        let (Some(claimed), Some(measured)) =
            (evidence["claimed"].as_str(), evidence["measured_in_words"].as_str())
        else {
            return;
        };
        let style = match evidence["measured"].as_str() {
            Some("held") => style::GOOD,
            Some("broken") => style::BAD,
            _ => style::DOUBT,
        };
        page.line(&format!("    claims {}, measured: {}", escape(claimed), paint(style, &escape(measured))));
        if self.verbosity == Verbosity::Verbose {
            for note in words(&evidence["notes"]) {
                page.line(&format!("    {}", paint(style::DIM, &format!("note: {}", escape(&note)))));
            }
        }
    }

    fn finding(&self, finding: &Finding, argv: &[String], page: &mut Page) {
        let (style, severity) = match finding.severity {
            Severity::Error => (style::BAD, "error"),
            Severity::Warning => (style::DOUBT, "warning"),
            Severity::Note => (style::DIM, "note"),
        };
        let place = match finding.arg {
            Some(0) => "program: ".to_owned(),
            Some(at) => format!("argument {at}: "),
            None => String::new(),
        };
        let head = paint(style, &format!("{severity}[{}]", escape(&finding.code)));
        page.line(&format!("    {head} {place}{}", escape_lines(&finding.message).replace('\n', "\n      ")));
        match finding.arg.filter(|&at| at < argv.len()) {
            Some(at) => {
                let (line, from, length) = excerpt(argv, at, &finding.text);
                page.line(&format!("      {line}"));
                let mark = paint(style, &"^".repeat(length.max(1)));
                page.line(&format!("      {}{mark}", " ".repeat(from)));
            }
            None if !finding.text.is_empty() => {
                for text in finding.text.lines() {
                    page.line(&format!("      {}", shorten(text, 200)));
                }
            }
            None => {}
        }
        if !finding.fix.is_empty() {
            page.line(&format!("      fix: {}", escape(&finding.fix)));
        }
    }

    fn cases(&self, page: &mut Page) {
        let cases: Vec<&VerdictEvent> = self.verdicts.iter().filter(|verdict| !is_launch(verdict)).collect();
        let mut areas: BTreeMap<(&str, &str), Vec<&VerdictEvent>> = BTreeMap::new();
        for case in &cases {
            let area = case.id.rsplit_once('/').map_or(&*case.id, |(area, _)| area);
            areas.entry((&case.subject, area)).or_default().push(case);
        }
        let quiet = self.verbosity == Verbosity::Quiet;
        let width = areas.keys().map(|(_, area)| area.chars().count()).max().unwrap_or(0).min(40);
        let mut subject = None;
        for ((of, area), cases) in &areas {
            let unsound = cases.iter().any(|case| case.verdict != Verdict::Held);
            if quiet && !unsound {
                continue;
            }
            if subject != Some(of) {
                subject = Some(of);
                page.gap();
                let all: usize =
                    areas.iter().filter(|((other, _), _)| other == of).map(|(_, cases)| cases.len()).sum();
                let head = paint(style::HEAD, &format!("cases against {}", escape(of)));
                page.line(&format!("{head} ({all})"));
            }
            let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
            for case in cases {
                *counts.entry(case.verdict).or_default() += 1;
            }
            let counts: Vec<String> =
                counts.iter().map(|(verdict, count)| verdict_count(*verdict, *count)).collect();
            page.line(&format!("  {}  {}", pad(area, width), counts.join(", ")));
            for case in cases {
                if case.verdict != Verdict::Held {
                    page.line(&format!("    {}  {}", word(case), escape(&case.id)));
                    detail(case, page);
                    if case.evidence.as_object().is_some_and(|evidence| !evidence.is_empty()) {
                        page.line(&format!("      evidence: {}", shorten(&case.evidence.to_string(), 600)));
                    }
                    let about = case.code.as_ref().unwrap_or(&case.id);
                    page.line(&format!("      more: argvow explain {}", escape(about)));
                } else if self.verbosity == Verbosity::Verbose {
                    page.line(&format!("    {}  {} ({} ms)", word(case), escape(&case.id), case.elapsed_ms));
                }
            }
        }
    }

    fn summary(&self, summary: &Summary, page: &mut Page) {
        page.gap();
        let known = self.verdicts.iter().filter(|verdict| is_known(verdict)).count();
        let mut counts = vec![verdict_count(Verdict::Held, summary.held)];
        let broken = verdict_count(Verdict::Broken, summary.broken);
        counts.push(if known > 0 { format!("{broken} ({known} known)") } else { broken });
        for (verdict, count) in [
            (Verdict::NotEnforced, summary.not_enforced),
            (Verdict::Inconclusive, summary.inconclusive),
            (Verdict::NotApplicable, summary.not_applicable),
        ] {
            if count > 0 {
                counts.push(verdict_count(verdict, count));
            }
        }
        page.line(&counts.join(", "));
        let open = |word: &str| {
            self.verdicts
                .iter()
                .filter(|verdict| verdict.check == Check::Snapshot && verdict.evidence["measured"] == word)
                .count()
        };
        let (broken, absent) = (open("broken"), open("not-enforced"));
        if broken + absent > 0 {
            page.line(&paint(
                style::DOUBT,
                &format!(
                    "launches measured to let more through than read-only: {broken}; with no boundary at all: {absent}"
                ),
            ));
        }
        if self.verdicts.iter().any(|verdict| verdict.check == Check::Snapshot) {
            page.line("a held snapshot says that nothing changed, not that nothing is open");
        }
        let but = if known > 0 && summary.exit == Exit::Held.code() {
            format!(", but for {}", count(known, "known fault"))
        } else {
            String::new()
        };
        page.line(&format!("exit {}: {}{but}", summary.exit, exit_in_words(summary.exit)));
    }
}

/// What an exit code of `argvow` means.
#[must_use]
pub fn exit_in_words(code: u8) -> &'static str {
    const HELD: u8 = Exit::Held as u8;
    const BROKEN: u8 = Exit::Broken as u8;
    const USAGE: u8 = Exit::Usage as u8;
    const NOTHING: u8 = Exit::Nothing as u8;
    const INCONCLUSIVE: u8 = Exit::Inconclusive as u8;
    const INTERRUPTED: u8 = Exit::Interrupted as u8;
    match code {
        HELD => "every check that ran held",
        BROKEN => "something is broken, differs from what was reviewed, or a baseline entry is stale",
        USAGE => "the command line or the policy file is wrong",
        NOTHING => "nothing was selected, so nothing was checked",
        INCONCLUSIVE => "something could not be observed, which is no pass",
        INTERRUPTED => "interrupted: what did not run is not counted",
        _ => "a fault in argvow itself: please report it",
    }
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, text: &str) {
        self.0.push_str(text.trim_end());
        self.0.push('\n');
    }

    fn gap(&mut self) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
    }
}

fn is_launch(verdict: &VerdictEvent) -> bool {
    matches!(verdict.check, Check::Snapshot | Check::Flag | Check::Grant)
}

fn is_known(verdict: &VerdictEvent) -> bool {
    verdict.verdict == Verdict::Broken && verdict.evidence["baseline"].is_string()
}

fn style_of(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Held => style::GOOD,
        Verdict::Broken => style::BAD,
        Verdict::NotEnforced | Verdict::Inconclusive => style::DOUBT,
        Verdict::NotApplicable => style::DIM,
    }
}

fn word(verdict: &VerdictEvent) -> String {
    match verdict.verdict {
        Verdict::Broken if is_known(verdict) => paint(style::DOUBT, "known-broken"),
        Verdict::Broken => paint(style::BAD, "BROKEN"),
        other => paint(style_of(other), other.as_str()),
    }
}

fn verdict_count(verdict: Verdict, count: usize) -> String {
    let text = format!("{count} {}", verdict.as_str().replace('-', " "));
    if count == 0 { text } else { paint(style_of(verdict), &text) }
}

fn detail(verdict: &VerdictEvent, page: &mut Page) {
    if let Some(reason) = verdict.evidence["baseline"].as_str() {
        page.line(&format!("      known: {}", escape(reason)));
    }
    if let Some(code) = &verdict.code {
        page.line(&format!("      {}", paint(style_of(verdict.verdict), &format!("[{}]", escape(code)))));
    }
    for line in verdict.detail.lines() {
        let line = shorten(line, 400);
        page.line(&format!("      {}", paint(diff_style(&line), &line)));
    }
}

fn diff_style(line: &str) -> Style {
    let (mark, rest) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
    match mark {
        "+" if !rest.starts_with("++") => AnsiColor::Green.on_default(),
        "-" if !rest.starts_with("--") => AnsiColor::Red.on_default(),
        "@" if rest.starts_with('@') => AnsiColor::Cyan.on_default(),
        _ => Style::new(),
    }
}

/// The words around the `at`th, as one line, with where the mark goes: its column and its length.
fn excerpt(argv: &[String], at: usize, text: &str) -> (String, usize, usize) {
    let (first, last) = (at.saturating_sub(3), (at + 3).min(argv.len()));
    let mut line = String::from(if first > 0 { "… " } else { "" });
    let (mut from, mut length) = (0, 0);
    for (index, argument) in argv.iter().enumerate().take(last).skip(first) {
        let shown = shown(argument, if index == at { 160 } else { 60 });
        if index == at {
            let part = shorten(text, 160);
            let inner = shown.find(&*part).filter(|_| !part.is_empty());
            from = line.chars().count() + inner.map_or(0, |byte| shown[..byte].chars().count());
            length = inner.map_or(shown.chars().count(), |_| part.chars().count());
        }
        line.push_str(&shown);
        line.push(' ');
    }
    // What is written in two words, such as a flag and its value, is marked as a whole.
    let whole = shorten(text, 160);
    if line.chars().skip(from).collect::<String>().starts_with(&whole) {
        length = length.max(whole.chars().count());
    }
    if last < argv.len() {
        line.push('…');
    }
    (line, from, length)
}

/// One word as a person can tell it from its neighbours.
fn shown(argument: &str, most: usize) -> String {
    let text = shorten(argument, most);
    if text.is_empty() || text.contains([' ', '\'', '"']) { format!("'{text}'") } else { text }
}

fn words(value: &Value) -> Vec<String> {
    value
        .as_array()
        .map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default()
}

fn serde_word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn pad(text: &str, width: usize) -> String {
    let text = escape(text);
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}

fn paint(style: Style, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{style}{text}{style:#}") }
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
