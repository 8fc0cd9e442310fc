//! Tuning constants: they change the time of a batch, never an answer.

/// Queries of a piece that goes over the bus while another one is computed. Unit: queries. Bench: `cargo run --release -p clearance-gpu --example measure`.
pub(crate) const PIECE: usize = 1 << 21;

/// Streams that take turns with pieces. Unit: streams. Bench: `cargo run --release -p clearance-gpu --example measure`.
pub(crate) const LANES: usize = 4;

/// The list of open queries has room for one in this many; a list that overflows is made again on the CPU. Unit: queries. Bench:
/// `cargo run --release -p clearance-gpu --example measure`.
pub(crate) const OPEN_PART: usize = 256;

/// Room for open queries beside that part. Unit: queries. Bench: `cargo run --release -p clearance-gpu --example measure`.
pub(crate) const OPEN_LEAST: usize = 4096;

/// Threads that searches are divided among, if each has several: a few times as many as a device runs at once. Unit: threads. Bench:
/// `cargo run --release -p clearance-gpu --example measure`.
pub(crate) const SEARCHING_THREADS: u32 = 1 << 18;

/// Longest list of queries of one thread. Unit: queries. Bench: `cargo run --release -p clearance-gpu --example measure`.
pub(crate) const LONGEST_CHUNK: u32 = 128;

/// Threads of a block, a multiple of the 32 of a warp. Unit: threads. Bench: `cargo run --release -p clearance-gpu --example measure`.
pub(crate) const THREADS: u32 = 128;
