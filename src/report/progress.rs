//! A bar on standard error for runs that take longer than a second. It has no thread of its own: it moves when an
//! event comes, so that nothing runs beside the processes under test.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::model::{Event, Verdict};

/// How long a run may take before anybody wonders.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bar.
#[derive(Debug)]
pub struct Progress {
    wanted: bool,
    started: Instant,
    total: u64,
    done: u64,
    broken: u64,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A bar that appears only when `wanted`.
    #[must_use]
    pub fn new(wanted: bool) -> Self {
        Self { wanted, started: Instant::now(), total: 0, done: 0, broken: 0, bar: None }
    }

    /// Takes note of an event.
    pub fn event(&mut self, event: &Event) {
        match event {
            Event::Start(start) => {
                self.started = Instant::now();
                self.total = start.selected as u64;
            }
            Event::Verdict(verdict) => {
                self.done += 1;
                self.broken += u64::from(verdict.verdict == Verdict::Broken);
                self.draw();
            }
            Event::Summary(_) => self.clear(),
            Event::Finding(_) | Event::Grant(_) => {}
        }
    }

    /// Takes the bar away, before something else is printed.
    pub fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn draw(&mut self) {
        if !self.wanted || self.started.elapsed() < PATIENCE {
            return;
        }
        let total = self.total;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} checks, {msg} broken") {
                bar.set_style(style);
            }
            bar
        });
        bar.set_message(self.broken.to_string());
        bar.set_position(self.done);
    }
}
