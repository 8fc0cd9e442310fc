//! Thread pools for batches.
//!
//! **Own pools.** The global pool of `rayon` would be lost by a fork, which `multiprocessing` does on Linux: its threads are not in the child, and a
//! query there would wait for them without an end. A pool therefore belongs to a process, and a child makes its own.
//!
//! **Interrupts.** [`run`] computes on a pool, while the thread that called looks for signals. A signal whose handler raises, such as Ctrl-C,
//! sets a flag that the work reads between queries.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The most threads of a pool. Limit: more than any machine has processors, and few enough to be started.
const MOST_THREADS: u64 = 1024;

/// The thread that called looks for signals this often. Limit: a person who presses Ctrl-C does not notice it.
const PATIENCE: Duration = Duration::from_millis(20);

/// Triangles of two meshes from which on the library may share a query among threads: `MANY_TRIANGLES` of its tuning, halved for safety.
const MANY_TRIANGLES: usize = 2048;

/// The pools of a process, by the number of their threads.
struct Pools {
    process: u32,
    pools: HashMap<usize, Arc<ThreadPool>>,
}

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// The pool with that many threads; with as many as there are processors if nothing is said.
pub fn pool(threads: Option<u64>) -> PyResult<Arc<ThreadPool>> {
    let threads = match threads {
        None => std::thread::available_parallelism().map_or(1, NonZero::get),
        Some(0) => return Err(PyValueError::new_err("threads is 0, but a batch needs at least one")),
        Some(threads) if threads > MOST_THREADS => {
            return Err(PyValueError::new_err(format!(
                "threads is {threads}, but at most {MOST_THREADS} are supported"
            )));
        }
        Some(threads) => threads as usize,
    };
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if pools.as_ref().is_some_and(|pools| pools.process != process) {
        // Threads that were not forked cannot be joined.
        std::mem::forget(pools.take());
    }
    let Pools { pools, .. } = pools.get_or_insert_with(|| Pools { process, pools: HashMap::new() });
    if let Some(pool) = pools.get(&threads) {
        return Ok(Arc::clone(pool));
    }
    let name = |number| format!("clearance-{number}");
    // Without a handler, a panic of a task that nobody waits for would abort the interpreter. `command` reports it.
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).panic_handler(drop).build();
    let pool = pool.map(Arc::new).map_err(|error| {
        PyValueError::new_err(format!("{threads} threads cannot be started ({error}); ask for fewer"))
    })?;
    pools.insert(threads, Arc::clone(&pool));
    Ok(pool)
}

/// Runs work on a pool, without the interpreter, until it ends or a signal handler raises.
pub fn run(py: Python<'_>, threads: Option<u64>, work: impl FnOnce(&AtomicBool) + Send) -> PyResult<()> {
    let pool = pool(threads)?;
    let is_stopped = AtomicBool::new(false);
    py.detach(|| {
        let (is_done, done) = mpsc::channel();
        pool.in_place_scope(|scope| {
            let is_stopped = &is_stopped;
            scope.spawn(move |_| {
                work(is_stopped);
                // The receiver waits until the scope ends.
                let _ = is_done.send(());
            });
            loop {
                match done.recv_timeout(PATIENCE) {
                    // A panic drops the sender, and goes on where the scope ends.
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if let Err(raised) = Python::attach(|py| py.check_signals()) {
                    is_stopped.store(true, Ordering::Relaxed);
                    return Err(raised);
                }
            }
        })
    })
}

/// How much work one query may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Less than it takes to release the interpreter.
    Light,
    /// Other Python threads go on meanwhile.
    Medium,
    /// The library may share it among threads.
    Heavy,
}

impl Weight {
    /// The weight of a query about shapes with that many triangles and parts together.
    pub fn of(size: usize) -> Self {
        match size {
            0..=2 => Self::Light,
            size if size < MANY_TRIANGLES => Self::Medium,
            _ => Self::Heavy,
        }
    }
}

/// Answers one query.
pub fn answer<R: Send>(py: Python<'_>, weight: Weight, query: impl FnOnce() -> R + Send) -> PyResult<R> {
    Ok(match weight {
        Weight::Light => query(),
        Weight::Medium => py.detach(query),
        Weight::Heavy => {
            let pool = pool(None)?;
            py.detach(|| pool.install(query))
        }
    })
}
