//! A bar for work that turns out to be long.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);

/// How far a piece of work has come; indicatif hides the bar when the standard error is no terminal.
pub struct Progress {
    word: &'static str,
    started: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Work that begins now.
    pub fn new(word: &'static str) -> Self {
        Self { word, started: Instant::now(), bar: None }
    }

    /// The number of finished steps, and of all: work may find out how long it is only when it has begun.
    pub fn at(&mut self, done: usize, total: usize) {
        if self.bar.is_none() && self.started.elapsed() > PATIENCE {
            let bar = ProgressBar::new(total as u64).with_message(self.word);
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}");
            self.bar = Some(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
