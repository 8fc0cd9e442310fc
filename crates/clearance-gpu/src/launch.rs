//! The CUDA driver: loading it, memory, launches. All unsafe code of this crate is here.
//!
//! Each launch passes addresses and lengths to a kernel that trusts them. The functions below take typed buffers, assert that each is as long as
//! the kernel reads or writes, and wait for nothing: a stream keeps the order of its launches and copies.

#![allow(unsafe_code)]

use crate::error::GpuError;
use crate::kernel::arm::{Frame, LinkCapsule, Obstacle};
use crate::kernel::boxes::Halves;
use crate::kernel::search::Reach;
use crate::kernel::table::Body;
use crate::kernel::vector::{PoseNumbers, Vertex};
use crate::kernel::verdict::OPEN;
use crate::tuning;
use cudarc::driver::sys::CUdevice_attribute_enum::{
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR as MINOR,
};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaSlice, CudaStream, CudaView, CudaViewMut, DeviceRepr, DriverError,
    LaunchConfig, PinnedHostSlice, PushKernelArg, ValidAsZeroBits, sys,
};
use std::sync::Arc;

/// The kernels, as `cargo xtask ptx` has written them.
pub(crate) const PTX: &str = include_str!("kernels.ptx");

/// Compute capability that the PTX is made for. Limit: `-C target-cpu=sm_80` of `cargo xtask ptx`.
const CAPABILITY: (i32, i32) = (8, 0);

// SAFETY: plain numbers without padding that any bit pattern may have, laid out as in `ptx`, which compiles the same definition.
unsafe impl DeviceRepr for Vertex {}
// SAFETY: as above.
unsafe impl DeviceRepr for Body {}
// SAFETY: as above.
unsafe impl DeviceRepr for Frame {}
// SAFETY: as above.
unsafe impl DeviceRepr for LinkCapsule {}
// SAFETY: as above.
unsafe impl DeviceRepr for Obstacle {}
// SAFETY: zero bytes are zeros.
unsafe impl ValidAsZeroBits for Frame {}
// SAFETY: as above.
unsafe impl ValidAsZeroBits for LinkCapsule {}
// SAFETY: as above.
unsafe impl ValidAsZeroBits for Obstacle {}
// SAFETY: as above.
unsafe impl ValidAsZeroBits for Vertex {}
// SAFETY: as above.
unsafe impl ValidAsZeroBits for Body {}

impl From<DriverError> for GpuError {
    fn from(error: DriverError) -> Self {
        Self::Driver(error.to_string())
    }
}

/// Memory of the device.
pub(crate) type Buffer<T> = CudaSlice<T>;

/// A part of it to read.
pub(crate) type View<'a, T> = CudaView<'a, T>;

/// A part of it to write.
pub(crate) type ViewMut<'a, T> = CudaViewMut<'a, T>;

/// The entry points.
#[derive(Debug)]
struct Kernels {
    boxes_meet: CudaFunction,
    cores_within: CudaFunction,
    cores_gap: CudaFunction,
    pairs_within: CudaFunction,
    arm_within: CudaFunction,
    gather_poses: CudaFunction,
    scatter_verdicts: CudaFunction,
    scatter_gaps: CudaFunction,
}

/// A device with the kernels loaded.
#[derive(Debug)]
pub(crate) struct Device {
    context: Arc<CudaContext>,
    kernels: Kernels,
    pub name: String,
}

/// Queries that a kernel leaves open.
#[derive(Debug)]
pub(crate) struct OpenQueries {
    pub count: Buffer<u32>,
    pub list: Buffer<u32>,
}

/// Two cores on the device.
#[derive(Debug)]
pub(crate) struct DeviceCores {
    pub vertices: Buffer<Vertex>,
    pub count_a: u32,
    pub count_b: u32,
    pub radii: f32,
    pub inner: f32,
    pub scale: f32,
}

/// An arm on the device. The buffers may be longer than the counts.
#[derive(Debug)]
pub(crate) struct DeviceArm {
    pub joints: Buffer<Frame>,
    pub joint_count: u32,
    pub capsules: Buffer<LinkCapsule>,
    pub capsule_count: u32,
    pub obstacles: Buffer<Obstacle>,
    pub obstacle_count: u32,
}

/// Many bodies on the device. The buffers may be longer than the count.
#[derive(Debug)]
pub(crate) struct DeviceBodies {
    pub bodies: Buffer<Body>,
    pub count: u32,
    pub vertices: Buffer<Vertex>,
    pub poses: Buffer<f32>,
    pub scale: f32,
}

impl Device {
    /// The first device, if there is a driver.
    pub fn open() -> Result<Self, GpuError> {
        // SAFETY: it only tries to load the driver's library, whose initialisers any CUDA program runs.
        if !unsafe { sys::is_culib_present() } {
            return Err(GpuError::NoDevice("the CUDA driver is not installed".into()));
        }
        let none = |error: DriverError| GpuError::NoDevice(error.to_string());
        let context = CudaContext::new(0).map_err(none)?;
        let name = context.name().map_err(none)?;
        let capability = (context.attribute(MAJOR).map_err(none)?, context.attribute(MINOR).map_err(none)?);
        if capability < CAPABILITY {
            return Err(GpuError::NoDevice(format!("{name} has compute capability {}.{}", capability.0, capability.1)));
        }
        let module = context.load_module(cudarc::nvrtc::Ptx::from_src(PTX)).map_err(none)?;
        let load = |name: &str| module.load_function(name).map_err(none);
        let kernels = Kernels {
            boxes_meet: load("boxes_meet")?,
            cores_within: load("cores_within")?,
            cores_gap: load("cores_gap")?,
            pairs_within: load("pairs_within")?,
            arm_within: load("arm_within")?,
            gather_poses: load("gather_poses")?,
            scatter_verdicts: load("scatter_verdicts")?,
            scatter_gaps: load("scatter_gaps")?,
        };
        // SAFETY: every buffer is used on one stream only, which also frees it, in order. So the driver need not follow who uses which buffer.
        unsafe { context.disable_event_tracking() };
        Ok(Self { context, kernels, name })
    }

    /// A new stream.
    pub fn stream(&self) -> Result<Stream<'_>, GpuError> {
        Ok(Stream { stream: self.context.new_stream()?, device: self })
    }

    /// Host memory that the device can reach by itself, all zero.
    pub fn pinned<T: DeviceRepr + ValidAsZeroBits>(&self, len: usize) -> Result<PinnedHostSlice<T>, GpuError> {
        // SAFETY: the memory is set to zero below, before anyone reads it; zero bytes are a value of T.
        unsafe {
            let mut memory = self.context.alloc_pinned_with_flags::<T>(len, 0)?;
            std::ptr::write_bytes(memory.as_mut_ptr()?, 0, len);
            Ok(memory)
        }
    }
}

/// Launches and copies in order.
#[derive(Debug, Clone)]
pub(crate) struct Stream<'a> {
    stream: Arc<CudaStream>,
    device: &'a Device,
}

/// A thread for each query.
fn threads(count: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (count.div_ceil(tuning::THREADS).max(1), 1, 1),
        block_dim: (tuning::THREADS, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// Queries that a thread answers one after the other.
fn chunk(count: u32) -> u32 {
    (count / tuning::SEARCHING_THREADS).clamp(1, tuning::LONGEST_CHUNK)
}

impl Stream<'_> {
    /// Waits until everything is done.
    pub fn wait(&self) -> Result<(), GpuError> {
        Ok(self.stream.synchronize()?)
    }

    /// A moment in the order of the stream, for timing.
    pub fn event(&self) -> Result<CudaEvent, GpuError> {
        Ok(self.stream.record_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT))?)
    }

    /// Copies to new memory of the device, which has room for one element at least.
    pub fn upload<T: DeviceRepr + ValidAsZeroBits>(&self, host: &[T]) -> Result<Buffer<T>, GpuError> {
        if host.is_empty() {
            return self.zeros(1);
        }
        Ok(self.stream.clone_htod(host)?)
    }

    /// Marks all queries as open.
    pub fn leave_open(&self, verdicts: &mut ViewMut<'_, u8>) -> Result<(), GpuError> {
        let open = vec![OPEN; verdicts.len()];
        self.upload_into(&open, verdicts)?;
        self.wait()
    }

    /// Copies into memory of the device. The host's memory must not change until [`wait`](Self::wait) if it is pinned.
    pub fn upload_into<T: DeviceRepr>(&self, host: &[T], device: &mut ViewMut<'_, T>) -> Result<(), GpuError> {
        Ok(self.stream.memcpy_htod(host, device)?)
    }

    /// Copies from the device. The result is there after [`wait`](Self::wait) if the memory is pinned.
    pub fn download<T: DeviceRepr>(&self, device: &View<'_, T>, host: &mut [T]) -> Result<(), GpuError> {
        Ok(self.stream.memcpy_dtoh(device, host)?)
    }

    /// Zeros on the device.
    pub fn zeros<T: DeviceRepr + ValidAsZeroBits>(&self, len: usize) -> Result<Buffer<T>, GpuError> {
        Ok(self.stream.alloc_zeros(len.max(1))?)
    }

    /// A list of open queries.
    pub fn open_queries(&self, capacity: u32) -> Result<OpenQueries, GpuError> {
        Ok(OpenQueries { count: self.zeros(1)?, list: self.zeros(capacity as usize)? })
    }

    /// The number of poses in memory, as the kernels count.
    fn count(poses: &View<'_, f32>) -> u32 {
        assert!(poses.len().is_multiple_of(7), "poses have seven numbers");
        u32::try_from(poses.len() / 7).expect("the callers split longer lists")
    }

    /// `boxes_meet`.
    pub fn boxes_meet(
        &self,
        halves: &Halves,
        poses: &View<'_, f32>,
        verdicts: &mut ViewMut<'_, u8>,
        open: &mut OpenQueries,
    ) -> Result<(), GpuError> {
        let count = Self::count(poses);
        assert!(verdicts.len() >= count as usize, "a verdict for each query");
        let (a, b, capacity) = (halves.a, halves.b, open.list.len() as u32);
        let mut launch = self.stream.launch_builder(&self.device.kernels.boxes_meet);
        launch.arg(&a.x).arg(&a.y).arg(&a.z).arg(&b.x).arg(&b.y).arg(&b.z);
        launch.arg(poses).arg(&count).arg(verdicts).arg(&mut open.count).arg(&mut open.list).arg(&capacity);
        // SAFETY: the arguments are those of the entry point, and the buffers have the lengths it needs.
        unsafe { launch.launch(threads(count)) }?;
        Ok(())
    }

    /// `cores_within`.
    pub fn cores_within(
        &self,
        cores: &DeviceCores,
        reach: Reach,
        poses: &View<'_, f32>,
        verdicts: &mut ViewMut<'_, u8>,
        open: &mut OpenQueries,
    ) -> Result<(), GpuError> {
        let count = Self::count(poses);
        assert!(verdicts.len() >= count as usize, "a verdict for each query");
        let (chunk, capacity) = (chunk(count), open.list.len() as u32);
        let mut launch = self.stream.launch_builder(&self.device.kernels.cores_within);
        cores.check();
        launch.arg(&cores.vertices).arg(&cores.count_a).arg(&cores.count_b).arg(&cores.radii).arg(&cores.inner);
        launch.arg(&reach.lower).arg(&reach.upper).arg(&cores.scale);
        launch.arg(poses).arg(&count).arg(&chunk).arg(verdicts).arg(&mut open.count).arg(&mut open.list).arg(&capacity);
        // SAFETY: as above.
        unsafe { launch.launch(threads(count.div_ceil(chunk))) }?;
        Ok(())
    }

    /// `cores_gap`.
    pub fn cores_gap(
        &self,
        cores: &DeviceCores,
        reach: Reach,
        poses: &View<'_, f32>,
        gaps: &mut ViewMut<'_, f32>,
        open: &mut OpenQueries,
    ) -> Result<(), GpuError> {
        let count = Self::count(poses);
        assert!(gaps.len() >= 2 * count as usize, "two numbers for each query");
        // Most queries search, so lists of them gain nothing.
        let (chunk, capacity) = (1_u32, open.list.len() as u32);
        let mut launch = self.stream.launch_builder(&self.device.kernels.cores_gap);
        cores.check();
        launch.arg(&cores.vertices).arg(&cores.count_a).arg(&cores.count_b).arg(&cores.radii).arg(&cores.inner);
        launch.arg(&reach.lower).arg(&reach.upper).arg(&cores.scale);
        launch.arg(poses).arg(&count).arg(&chunk).arg(gaps).arg(&mut open.count).arg(&mut open.list).arg(&capacity);
        // SAFETY: as above.
        unsafe { launch.launch(threads(count)) }?;
        Ok(())
    }

    /// `pairs_within`.
    pub fn pairs_within(
        &self,
        bodies: &DeviceBodies,
        margin: Reach,
        pairs: &View<'_, u32>,
        verdicts: &mut ViewMut<'_, u8>,
        open: &mut OpenQueries,
    ) -> Result<(), GpuError> {
        let count = u32::try_from(pairs.len() / 2).expect("the callers split longer lists");
        let (body_count, vertex_count) = (bodies.count, bodies.vertices.len() as u32);
        assert!(verdicts.len() >= count as usize, "a verdict for each query");
        let bodies_in_memory = bodies.bodies.len().min(bodies.poses.len() / 7);
        assert!(bodies_in_memory >= body_count as usize, "a pose for each body");
        let (chunk, capacity) = (chunk(count), open.list.len() as u32);
        let mut launch = self.stream.launch_builder(&self.device.kernels.pairs_within);
        launch.arg(&bodies.bodies).arg(&body_count).arg(&bodies.vertices).arg(&vertex_count);
        launch.arg(&margin.lower).arg(&margin.upper).arg(&bodies.scale).arg(&bodies.poses);
        launch.arg(pairs).arg(&count).arg(&chunk).arg(verdicts).arg(&mut open.count).arg(&mut open.list).arg(&capacity);
        // SAFETY: as above; the kernel compares every number of a body and of a vertex with these lengths.
        unsafe { launch.launch(threads(count.div_ceil(chunk))) }?;
        Ok(())
    }

    /// `arm_within`.
    pub fn arm_within(
        &self,
        arm: &DeviceArm,
        margin: Reach,
        error: f32,
        angles: &View<'_, f32>,
        verdicts: &mut ViewMut<'_, u8>,
    ) -> Result<(), GpuError> {
        let DeviceArm { joints, joint_count, capsules, capsule_count, obstacles, obstacle_count } = arm;
        assert!(joints.len() >= *joint_count as usize && capsules.len() >= *capsule_count as usize);
        assert!(obstacles.len() >= *obstacle_count as usize && *joint_count > 0);
        let count = u32::try_from(angles.len() / *joint_count as usize).expect("the callers split longer lists");
        assert!(verdicts.len() >= count as usize, "a verdict for each query");
        let mut launch = self.stream.launch_builder(&self.device.kernels.arm_within);
        launch.arg(joints).arg(joint_count).arg(capsules).arg(capsule_count).arg(obstacles).arg(obstacle_count);
        launch.arg(&margin.lower).arg(&margin.upper).arg(&error).arg(angles).arg(&count).arg(verdicts);
        // SAFETY: as above.
        unsafe { launch.launch(threads(count)) }?;
        Ok(())
    }

    /// The poses of the listed queries.
    pub fn gather(&self, poses: &View<'_, f32>, list: &Buffer<u32>, count: u32) -> Result<Vec<PoseNumbers>, GpuError> {
        assert!(list.len() >= count as usize);
        let mut gathered = self.zeros::<f32>(7 * count as usize)?;
        let mut launch = self.stream.launch_builder(&self.device.kernels.gather_poses);
        launch.arg(poses).arg(list).arg(&count).arg(&mut gathered);
        // SAFETY: as above; the list has numbers of poses, since only the kernels write it.
        unsafe { launch.launch(threads(count)) }?;
        let numbers = self.stream.clone_dtoh(&gathered)?;
        self.wait()?;
        Ok(numbers.as_chunks::<7>().0.to_vec())
    }

    /// Writes verdicts of the listed queries.
    pub fn scatter_verdicts(
        &self,
        list: &Buffer<u32>,
        found: &[u8],
        verdicts: &mut Buffer<u8>,
    ) -> Result<(), GpuError> {
        let (count, found) = (found.len() as u32, self.upload(found)?);
        assert!(list.len() >= count as usize);
        let mut launch = self.stream.launch_builder(&self.device.kernels.scatter_verdicts);
        launch.arg(list).arg(&count).arg(&found).arg(verdicts);
        // SAFETY: as for `gather`.
        unsafe { launch.launch(threads(count)) }?;
        self.wait()
    }

    /// Writes brackets of the listed queries, two numbers each.
    pub fn scatter_gaps(&self, list: &Buffer<u32>, found: &[f32], gaps: &mut Buffer<f32>) -> Result<(), GpuError> {
        let (count, found) = ((found.len() / 2) as u32, self.upload(found)?);
        assert!(list.len() >= count as usize);
        let mut launch = self.stream.launch_builder(&self.device.kernels.scatter_gaps);
        launch.arg(list).arg(&count).arg(&found).arg(gaps);
        // SAFETY: as for `gather`.
        unsafe { launch.launch(threads(count)) }?;
        self.wait()
    }
}

impl DeviceCores {
    fn check(&self) {
        assert!(self.vertices.len() == (self.count_a + self.count_b) as usize && self.count_a > 0 && self.count_b > 0);
    }
}
