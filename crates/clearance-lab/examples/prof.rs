//! temp
use clearance::world::{Config, Detail};
use clearance::{BodyId, Engine, World};
use clearance_lab::swarm::{Setting, Swarm};
use std::time::Instant;
fn main() {
    let arg: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let (bodies, vertices, frames, rounds) = (arg[0], arg[1], arg[2], arg[3]);
    let mut swarm = Swarm::new(&Setting { bodies, vertices, ..Setting::USUAL }, 6);
    let mut poses = Vec::new();
    for _ in 0..frames {
        poses.push((0..bodies).map(|b| swarm.pose(b)).collect::<Vec<_>>());
        swarm.step();
    }
    let mut best = f64::MAX;
    let mut count = (0, 0);
    for _ in 0..rounds {
        let mut world = World::new(Config { detail: Detail::YesNo, engine: Engine::Auto, ..Config::default() });
        let ids: Vec<BodyId> =
            (0..bodies).map(|b| world.insert(swarm.shapes()[swarm.shape_of(b)].clone(), poses[0][b])).collect();
        world.update();
        count = (0, 0);
        let start = Instant::now();
        for poses in &poses[1..] {
            for (&id, &pose) in ids.iter().zip(poses) {
                world.set_pose(id, pose);
            }
            let u = world.update();
            count.0 += u.overlapping().count();
            count.1 += u.candidates();
        }
        best = best.min(start.elapsed().as_secs_f64() / (frames - 1) as f64);
    }
    println!("{:.1} us per frame, {:?}", best * 1e6, count);
}
