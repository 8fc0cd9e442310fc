//! A bar for work that turns out to be long.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(300);
/// The first character of the bar turns this often.
const TICK: Duration = Duration::from_millis(120);

/// How far a piece of work has come; indicatif hides the bar when the standard error is no terminal. A thread of its own turns the first
/// character, and shows the bar though no step is done yet.
pub struct Progress {
    bar: ProgressBar,
    is_over: Arc<AtomicBool>,
}

impl Progress {
    /// Work that begins now.
    pub fn new(word: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_message(word);
        let style = ProgressStyle::with_template("{spinner} {msg} {wide_bar} {pos}/{len} {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let is_over = Arc::new(AtomicBool::new(false));
        let (shown, over) = (bar.clone(), Arc::clone(&is_over));
        std::thread::spawn(move || {
            std::thread::sleep(PATIENCE);
            if !over.load(Ordering::Acquire) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(TICK);
            }
        });
        Self { bar, is_over }
    }

    /// The number of finished steps, and of all: work may find out how long it is only when it has begun.
    pub fn at(&mut self, done: usize, total: usize) {
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
    }

    /// The same, of a part of the work that has a name.
    pub fn stage(&mut self, word: &str, done: usize, total: usize) {
        if self.bar.message() != word {
            self.bar.set_message(word.to_owned());
        }
        self.at(done, total);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        self.bar.finish_and_clear();
    }
}
