//! A batch on a CUDA device, or on the CPU if there is none: the same answers.

use clearance::Shape;
use clearance_gpu::{Batches, GpuError, OnePair};

/// One pair at ten thousand poses, within a margin and by brackets.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: batch
    let batches = Batches::open();
    println!("{}", batches.describe());
    let cube = Shape::cuboid([0.5, 0.5, 0.5])?;
    let peg = Shape::hull(&[[0.0, 0.0, 0.0], [2.0, 0.1, 0.0], [2.0, -0.1, 0.0], [2.0, 0.0, 0.1]])?;
    let pair = OnePair::new(&cube, &peg);
    // Poses of the peg in the frame of the cube: translation x, y, z and quaternion x, y, z, w.
    let poses: Vec<[f32; 7]> = (0..10_000).map(|i| [-3.0 + 5e-4 * i as f32, 0.0, 0.0, 0.0, 0.0, 0.1, 1.0]).collect();
    let answers = batches.within(&pair, &poses, 0.25)?;
    println!("{} of {} poses are within the margin", answers.values.iter().filter(|near| **near).count(), poses.len());
    println!("{} queries were answered by the library", answers.by_library);
    let gaps = batches.gaps(&pair, &poses)?;
    assert!(gaps.values.iter().zip(&answers.values).all(|(gap, near)| if *near {
        gap.lower <= 0.25
    } else {
        gap.upper > 0.25
    }));
    // ANCHOR_END: batch
    // ANCHOR: device
    // On a device poses and verdicts stay where they are, from call to call.
    if let Some(gpu) = batches.gpu() {
        let on_device = gpu.upload(&poses)?;
        let meets = gpu.within(&pair, &on_device, 0.0)?;
        println!("the kernel took {} s, the library answered {}", meets.kernel_seconds, meets.by_library);
        assert_eq!(meets.to_host()?.values, batches.intersects(&pair, &poses)?.values);
    }
    // ANCHOR_END: device
    let nonsense = [[f32::NAN; 7]];
    assert!(matches!(batches.intersects(&pair, &nonsense), Err(GpuError::Pose { index: 0, .. })));
    Ok(())
}
