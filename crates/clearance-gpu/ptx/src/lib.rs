//! The entry points of the kernels: a thread takes one query, calls the arithmetic that the CPU shares, and writes its verdict.
//!
//! This crate is only compiled for `nvptx64-nvidia-cuda`, by `cargo xtask ptx`. Unsafe code is needed to read what the host has put into the memory of
//! the device: each entry point trusts its lengths, and the host checks them before a launch (`launch.rs`).

#![no_std]
#![feature(abi_ptx, stdarch_nvptx, core_float_math)]

// The host uses more of it than the device: whole queries instead of their rounds.
#[allow(dead_code)]
#[path = "../../src/kernel/mod.rs"]
mod kernel;

use core::arch::nvptx::{_block_dim_x, _block_idx_x, _thread_idx_x};
use core::sync::atomic::{AtomicU32, Ordering};
use kernel::arm::{Arm, Frame, LinkCapsule, Obstacle};
use kernel::boxes::{self, Halves};
use kernel::bounds::ERROR;
use kernel::search::{Cores, Gap, GapQuery, Placement, Reach, Start, WithinQuery};
use kernel::table::{Body, Many};
use kernel::vector::{Points, PoseNumbers, Vec3, Vertex};
use kernel::verdict::OPEN;

/// The number of this thread's query.
#[inline(always)]
fn query() -> u32 {
    // SAFETY: special registers of the device, which any thread may read.
    unsafe { (_block_idx_x() as u32) * (_block_dim_x() as u32) + (_thread_idx_x() as u32) }
}

/// Queries that are left to the library: all are counted, as many as there is room for are listed.
#[derive(Clone, Copy)]
struct OpenList {
    count: *mut u32,
    list: *mut u32,
    capacity: u32,
}

impl OpenList {
    /// Adds a query.
    ///
    /// # Safety
    ///
    /// The list has room for `capacity` queries.
    #[inline(always)]
    unsafe fn add(self, query: u32) {
        // SAFETY: `count` is one aligned number that only this function writes during a launch.
        unsafe {
            let place = AtomicU32::from_ptr(self.count).fetch_add(1, Ordering::Relaxed);
            if place < self.capacity {
                *self.list.add(place as usize) = query;
            }
        }
    }
}

/// Vertices in the memory of the device.
#[derive(Clone, Copy)]
struct Table {
    first: *const Vertex,
    count: u32,
}

impl Points for Table {
    #[inline(always)]
    fn count(self) -> u32 {
        self.count
    }

    #[inline(always)]
    fn point(self, index: u32) -> Vec3 {
        // SAFETY: the search takes indices below `count`, and the host has uploaded as many vertices.
        let [x, y, z, _] = unsafe { (*self.first.add(index as usize)).numbers };
        Vec3::new(x, y, z)
    }
}

/// Boxes: A at the origin, B at each pose.
///
/// # Safety
///
/// `poses` has 7 numbers for each query, `verdicts` a byte.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn boxes_meet(
    ax: f32,
    ay: f32,
    az: f32,
    bx: f32,
    by: f32,
    bz: f32,
    poses: *const PoseNumbers,
    count: u32,
    verdicts: *mut u8,
    open_count: *mut u32,
    open_list: *mut u32,
    open_capacity: u32,
) {
    let i = query();
    if i >= count {
        return;
    }
    let halves = Halves { a: Vec3::new(ax, ay, az), b: Vec3::new(bx, by, bz) };
    // SAFETY: see above; i is below the count.
    unsafe {
        let verdict = boxes::meet(&halves, &*poses.add(i as usize));
        *verdicts.add(i as usize) = verdict;
        if verdict == OPEN {
            OpenList { count: open_count, list: open_list, capacity: open_capacity }.add(i);
        }
    }
}

/// Answers the queries of this thread, `chunk` that follow each other. All threads of a warp stay in one loop: each begins a new query as soon as its last
/// one is answered, so that no thread waits for the longest search of its warp.
#[inline(always)]
fn drive<Q, V>(
    count: u32,
    chunk: u32,
    start: impl Fn(u32) -> Start<Q, V>,
    round: impl Fn(&mut Q) -> Option<V>,
    finish: impl Fn(u32, V),
) {
    let first = u64::from(query()) * u64::from(chunk);
    if first >= u64::from(count) {
        return;
    }
    let mut i = first as u32;
    let end = if count - i > chunk { i + chunk } else { count };
    let mut search = None;
    loop {
        while search.is_none() {
            if i == end {
                return;
            }
            match start(i) {
                Start::Answered(answer) => {
                    finish(i, answer);
                    i += 1;
                }
                Start::Search(query) => search = Some(query),
            }
        }
        if let Some(query) = &mut search
            && let Some(answer) = round(query)
        {
            finish(i, answer);
            i += 1;
            search = None;
        }
    }
}

/// Two cores: A at the origin, B at each pose; is the gap at most the reach?
///
/// # Safety
///
/// `vertices` has those of A, then those of B; the rest as for [`boxes_meet`].
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn cores_within(
    vertices: *const Vertex,
    count_a: u32,
    count_b: u32,
    radii: f32,
    inner: f32,
    reach_lower: f32,
    reach_upper: f32,
    scale: f32,
    poses: *const PoseNumbers,
    count: u32,
    chunk: u32,
    verdicts: *mut u8,
    open_count: *mut u32,
    open_list: *mut u32,
    open_capacity: u32,
) {
    // SAFETY: see above.
    let cores = unsafe { cores(vertices, count_a, count_b, radii, inner) };
    let reach = Reach { lower: reach_lower, upper: reach_upper };
    drive(
        count,
        chunk,
        // SAFETY: i is below the count.
        |i| match Placement::of_b(unsafe { &*poses.add(i as usize) }, scale) {
            Some(placed) => WithinQuery::start(ERROR, &cores, placed, reach),
            None => Start::Answered(OPEN),
        },
        |query| query.round::<false, _>(&cores),
        // SAFETY: i is below the count.
        |i, verdict| unsafe {
            *verdicts.add(i as usize) = verdict;
            if verdict == OPEN {
                OpenList { count: open_count, list: open_list, capacity: open_capacity }.add(i);
            }
        },
    );
}

/// Two cores: A at the origin, B at each pose; the bracket of their gap.
///
/// # Safety
///
/// As for [`cores_within`], with two numbers for each query in `gaps`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn cores_gap(
    vertices: *const Vertex,
    count_a: u32,
    count_b: u32,
    radii: f32,
    inner: f32,
    reach_lower: f32,
    reach_upper: f32,
    scale: f32,
    poses: *const PoseNumbers,
    count: u32,
    chunk: u32,
    gaps: *mut [f32; 2],
    open_count: *mut u32,
    open_list: *mut u32,
    open_capacity: u32,
) {
    // SAFETY: see above.
    let cores = unsafe { cores(vertices, count_a, count_b, radii, inner) };
    let reach = Reach { lower: reach_lower, upper: reach_upper };
    drive(
        count,
        chunk,
        // SAFETY: i is below the count.
        |i| match Placement::of_b(unsafe { &*poses.add(i as usize) }, scale) {
            Some(placed) => GapQuery::start(ERROR, &cores, placed, reach),
            None => Start::Answered(Gap::UNKNOWN),
        },
        |query| query.round::<false, _>(&cores),
        // SAFETY: i is below the count.
        |i, gap| unsafe {
            let Gap { lower, upper, is_closed } = gap.in_lengths(scale);
            *gaps.add(i as usize) = [lower, upper];
            if !is_closed {
                OpenList { count: open_count, list: open_list, capacity: open_capacity }.add(i);
            }
        },
    );
}

/// Pairs out of many bodies: is the gap at most the margin?
///
/// # Safety
///
/// `bodies` and `poses` have `body_count` entries, `vertices` those that the bodies name, `pairs` and `verdicts` one for each query.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn pairs_within(
    bodies: *const Body,
    body_count: u32,
    vertices: *const Vertex,
    vertex_count: u32,
    margin_lower: f32,
    margin_upper: f32,
    scale: f32,
    poses: *const PoseNumbers,
    pairs: *const [u32; 2],
    count: u32,
    chunk: u32,
    verdicts: *mut u8,
    open_count: *mut u32,
    open_list: *mut u32,
    open_capacity: u32,
) {
    // SAFETY: see above.
    let many = unsafe {
        Many {
            bodies: core::slice::from_raw_parts(bodies, body_count as usize),
            vertices: core::slice::from_raw_parts(vertices, vertex_count as usize),
            poses: core::slice::from_raw_parts(poses, body_count as usize),
            scale,
            margin: Reach { lower: margin_lower, upper: margin_upper },
        }
    };
    drive(
        count,
        chunk,
        // SAFETY: i is below the count.
        |i| many.start(unsafe { *pairs.add(i as usize) }),
        |query| query.round(),
        // SAFETY: i is below the count.
        |i, verdict| unsafe {
            *verdicts.add(i as usize) = verdict;
            if verdict == OPEN {
                OpenList { count: open_count, list: open_list, capacity: open_capacity }.add(i);
            }
        },
    );
}

/// An arm at many configurations: is anything within the margin?
///
/// # Safety
///
/// `joints`, `capsules` and `obstacles` have as many entries as their counts say, `angles` one for each joint of each query, `verdicts` a byte for
/// each query.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn arm_within(
    joints: *const Frame,
    joint_count: u32,
    capsules: *const LinkCapsule,
    capsule_count: u32,
    obstacles: *const Obstacle,
    obstacle_count: u32,
    margin_lower: f32,
    margin_upper: f32,
    error: f32,
    angles: *const f32,
    count: u32,
    verdicts: *mut u8,
) {
    let i = query();
    if i >= count {
        return;
    }
    // SAFETY: see above; i is below the count.
    unsafe {
        let arm = Arm {
            joints: core::slice::from_raw_parts(joints, joint_count as usize),
            capsules: core::slice::from_raw_parts(capsules, capsule_count as usize),
            obstacles: core::slice::from_raw_parts(obstacles, obstacle_count as usize),
            margin: Reach { lower: margin_lower, upper: margin_upper },
            error,
        };
        let first = angles.add(i as usize * joint_count as usize);
        *verdicts.add(i as usize) = arm.verdict(core::slice::from_raw_parts(first, joint_count as usize));
    }
}

/// The vertices of two cores.
///
/// # Safety
///
/// `vertices` has `count_a + count_b` entries.
#[inline(always)]
unsafe fn cores(vertices: *const Vertex, count_a: u32, count_b: u32, radii: f32, inner: f32) -> Cores<Table> {
    // SAFETY: inside of the table.
    let second = unsafe { vertices.add(count_a as usize) };
    Cores { a: Table { first: vertices, count: count_a }, b: Table { first: second, count: count_b }, radii, inner }
}

/// Copies the poses of listed queries to the front of a buffer, for the library.
///
/// # Safety
///
/// `list` has `count` numbers of poses, `gathered` room for as many poses.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn gather_poses(
    poses: *const PoseNumbers,
    list: *const u32,
    count: u32,
    gathered: *mut PoseNumbers,
) {
    let i = query();
    if i < count {
        // SAFETY: see above.
        unsafe { *gathered.add(i as usize) = *poses.add(*list.add(i as usize) as usize) };
    }
}

/// Writes the library's verdicts where they belong.
///
/// # Safety
///
/// `list` has `count` numbers of verdicts, `scattered` as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn scatter_verdicts(list: *const u32, count: u32, scattered: *const u8, verdicts: *mut u8) {
    let i = query();
    if i < count {
        // SAFETY: see above.
        unsafe { *verdicts.add(*list.add(i as usize) as usize) = *scattered.add(i as usize) };
    }
}

/// Writes the library's brackets where they belong.
///
/// # Safety
///
/// `list` has `count` numbers of brackets, `scattered` as many brackets.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn scatter_gaps(
    list: *const u32,
    count: u32,
    scattered: *const [f32; 2],
    gaps: *mut [f32; 2],
) {
    let i = query();
    if i < count {
        // SAFETY: see above.
        unsafe { *gaps.add(*list.add(i as usize) as usize) = *scattered.add(i as usize) };
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
