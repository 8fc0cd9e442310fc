//! Manifolds on triangle meshes and height fields.

use crate::manifolds::Frames;
use crate::models;
use clearance_parry::ClearanceDispatcher;
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::PersistentQueryDispatcher;
use parry3d_f64::shape::{Ball, Cuboid, HeightField, Shape, TriMesh, TriMeshFlags};
use parry3d_f64::utils::Array2;

fn flat_field() -> HeightField {
    HeightField::new(Array2::repeat(25, 25, 0.0), Vector::new(6.0, 1.0, 6.0))
}

/// A box slides over inner edges, farther in a frame than the prediction, and out of the box that its triangles were collected for.
#[test]
fn a_box_slides_over_triangles_without_a_bump_and_keeps_its_data() {
    let cube = Cuboid::new([0.5; 3].into());
    let floors: [(&str, &dyn Shape); 2] =
        [("mesh", &models::floor(24, 0.25, |_, _| 0.0)), ("height field", &flat_field())];
    for (name, floor) in floors {
        for step in [0.003, 0.05] {
            let mut frames = Frames::default();
            for frame in 0..100 {
                let x = -1.5 + step * f64::from(frame % 60);
                if frame % 60 == 0 {
                    frames = Frames::default();
                }
                let pos12 = Pose::from_parts(Vector::new(x, 0.499, 0.1), Rotation::from_rotation_y(0.3));
                frames.update(&pos12, floor, &cube);
                frames.check(&pos12);
                let held: Vec<_> = frames.manifolds.iter().filter(|manifold| !manifold.points.is_empty()).collect();
                assert_eq!((held.len(), held[0].points.len()), (1, 4), "{name}, frame {frame}");
                assert!((held[0].local_n1 - Vector::Y).length() < 1e-9, "{name}: {:?}", held[0].local_n1);
                assert!((frames.deepest() + 0.001).abs() < 1e-12);
                let id = held[0].subshape1;
                assert!(floor.as_trimesh().is_none_or(|mesh| (id as usize) < mesh.num_triangles()));
                frames.number();
                let mut numbers: Vec<u32> = frames.points().map(|(data, _)| data).collect();
                numbers.sort_unstable();
                assert_eq!(numbers, [1, 2, 3, 4], "{name}, frame {frame}");
            }
        }
    }
}

#[test]
fn names_on_a_mesh_stay_while_its_triangles_do() {
    let (floor, cube) = (models::floor(24, 0.25, |_, _| 0.0), Cuboid::new([0.5; 3].into()));
    let mut frames = Frames::default();
    let names = |frames: &Frames| {
        let mut names: Vec<_> = frames.points().map(|(_, names)| names).collect();
        names.sort_unstable();
        names
    };
    frames.update(&Pose::translation(0.01, 0.499, 0.03), &floor, &cube);
    let first = names(&frames);
    for frame in 0..50 {
        frames.update(&Pose::translation(0.01 + 1e-3 * f64::from(frame), 0.4995, 0.03), &floor, &cube);
        assert_eq!(names(&frames), first);
    }
}

#[test]
fn a_room_holds_what_is_in_it() {
    // A closed mesh is a surface for parry: a ball inside rests on its floor.
    let (vertices, triangles) = Cuboid::new([1.0; 3].into()).to_trimesh();
    let room = TriMesh::new(vertices, triangles).expect("a box");
    let ball = Ball::new(0.25);
    let mut frames = Frames::default();
    let at = Pose::translation(0.1, -0.76, 0.2);
    frames.update(&at, &room, &ball);
    frames.check(&at);
    assert!((frames.deepest() + 0.01).abs() < 1e-12);
    let held: Vec<_> = frames.manifolds.iter().filter(|manifold| !manifold.points.is_empty()).collect();
    assert!(held.len() == 1 && (held[0].local_n1 - Vector::Y).length() < 1e-12);
    frames.update(&Pose::translation(0.0, 0.0, 0.0), &room, &ball);
    assert!(frames.points().next().is_none());
    // Also where all of its triangles are near.
    frames.update(&Pose::translation(0.0, -0.11, 0.0), &room, &Ball::new(0.9));
    assert!((frames.deepest() + 0.01).abs() < 1e-12);
}

#[test]
fn meshes_meet_meshes_planes_and_compounds() {
    let (vertices, triangles) = Cuboid::new([0.5; 3].into()).to_trimesh();
    let cube = TriMesh::new(vertices, triangles).expect("a box");
    let floor = models::floor(24, 0.25, |_, _| 0.0);
    let at = Pose::translation(0.1, 0.499, 0.2);
    for (name, below) in [("mesh", &floor as &dyn Shape), ("plane", &models::ground())] {
        let mut frames = Frames::default();
        frames.update(&at, below, &cube);
        frames.check(&at);
        assert!((frames.deepest() + 0.001).abs() < 1e-9, "{name}: {}", frames.deepest());
        assert!(frames.points().count() >= 4, "{name}");
        // The other way round.
        let mut swapped = Frames::default();
        swapped.update(&at.inverse(), &cube, below);
        swapped.check(&at.inverse());
        assert!((swapped.deepest() + 0.001).abs() < 1e-9, "{name}");
    }
    let mut frames = Frames::default();
    let at = Pose::translation(0.0, -1e-3, 0.0);
    frames.update(&at, &floor, &models::table());
    frames.check(&at);
    let feet: Vec<u32> =
        frames.manifolds.iter().filter(|found| !found.points.is_empty()).map(|found| found.subshape2).collect();
    assert_eq!(feet.len(), 4, "four legs: {feet:?}");
}

#[test]
fn a_deformable_mesh_is_left_to_the_next_dispatcher() {
    let floor = models::floor(2, 1.0, |_, _| 0.0);
    let soft = TriMesh::with_flags(floor.vertices().to_vec(), floor.indices().to_vec(), TriMeshFlags::DEFORMABLE);
    let (mut manifolds, mut workspace) = (Vec::<parry3d_f64::query::ContactManifold<u32, u32>>::new(), None);
    let soft = soft.expect("a mesh");
    let at = Pose::translation(0.0, 0.4, 0.0);
    let done = ClearanceDispatcher::default().contact_manifolds(
        &at,
        &soft,
        &Ball::new(0.5),
        0.1,
        &mut manifolds,
        &mut workspace,
    );
    assert!(done.is_err() && workspace.is_none() && manifolds.is_empty());
}
