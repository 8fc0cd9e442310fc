//! Bodies and scenes that cannot be simulated are refused with one sentence.

use clearance::math::{DMat3, DVec3};
use clearance::{Pose, Shape};
use clearance_sim::{Body, Mass, Material, Scene, Settings, Simulation};

fn refusal(body: Body) -> String {
    let mut scene = Scene::new([0.0, -9.81, 0.0]);
    scene.add(body);
    Simulation::new(&scene, Settings::default()).err().expect("refused").to_string()
}

fn ball(mass: Mass) -> Body {
    Body::new("rock", Shape::sphere(0.5).unwrap(), Pose::IDENTITY, mass)
}

#[test]
fn bad_bodies_are_refused() {
    for mass in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refusal(ball(Mass::Total(mass))).starts_with(&format!("the mass of \"rock\" is {mass}, but must be")));
        assert!(
            refusal(ball(Mass::Density(mass))).starts_with(&format!("the density of \"rock\" is {mass}, but must be"))
        );
    }
    for inertia in [f64::INFINITY, f64::NAN, 0.0, -1.0] {
        let mass = Mass::Given { mass: 1.0, center: DVec3::ZERO, inertia: DMat3::IDENTITY * inertia };
        assert!(refusal(ball(mass)).starts_with("the inertia of \"rock\" is not a positive definite matrix"));
    }
    let flat = Shape::hull(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).unwrap();
    for shape in [flat, Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap()] {
        let body = Body::new("sheet", shape, Pose::IDENTITY, Mass::Density(1.0));
        assert!(refusal(body).contains("without a volume that is known"));
    }
    let material = |friction, restitution, rolling_resistance| Material { friction, restitution, rolling_resistance };
    let whole = || ball(Mass::Total(1.0));
    assert!(refusal(whole().material(material(-1.0, 0.0, 0.0))).contains("friction of \"rock\" is -1"));
    assert!(refusal(whole().material(material(0.0, 1.5, 0.0))).contains("restitution of \"rock\" is 1.5"));
    assert!(refusal(whole().material(material(0.0, 0.0, f64::NAN))).contains("rolling resistance of \"rock\" is NaN"));
    assert!(refusal(whole().moving([f64::NAN, 0.0, 0.0], [0.0; 3])).contains("velocity of \"rock\""));
    let half_locked = Body {
        locked_rotation: [true, false, false],
        ..Body::new("bar", Shape::cuboid([1.0, 2.0, 3.0]).unwrap(), Pose::IDENTITY, Mass::Total(1.0))
    };
    assert!(refusal(half_locked).contains("may turn about two axes"));
}

#[test]
fn bad_scenes_are_refused() {
    let refusal =
        |scene: &Scene, settings: Settings| Simulation::new(scene, settings).err().expect("refused").to_string();
    assert_eq!(refusal(&Scene::default(), Settings::default()), "the scene has no bodies; add at least one");
    let mut scene = Scene::new([0.0; 3]);
    scene.add(ball(Mass::Total(1.0)));
    let wrong = Settings { envelope: Some(0.0), ..Settings::default() };
    assert_eq!(refusal(&scene, wrong), "the collision epsilon is 0, but must be a positive number");
    let mut twice = scene.clone();
    twice.add(ball(Mass::Total(1.0)));
    assert_eq!(refusal(&twice, Settings::default()), "two bodies have the name \"rock\"; rename one");
    twice.bodies[1].name = "stone".into();
    twice.bodies[1].pose = Pose::from_translation([0.75, 0.0, 0.0]);
    let overlap = refusal(&twice, Settings::default());
    assert!(overlap.starts_with("\"rock\" and \"stone\" overlap at the start, at least 2.500e-1 deep"), "{overlap}");
    twice.ignored.push([0, 1]);
    assert!(Simulation::new(&twice, Settings::default()).is_ok());
    twice.ignored.push([0, 7]);
    assert!(refusal(&twice, Settings::default()).contains("names body 7, but there are 2 bodies"));
    let nowhere = Scene { gravity: DVec3::NAN, ..scene.clone() };
    assert!(refusal(&nowhere, Settings::default()).starts_with("gravity is"));
    let mut simulation = Simulation::new(&scene, Settings::default()).unwrap();
    assert!(simulation.advance(f64::NAN).unwrap_err().to_string().contains("must be a finite number"));
    assert_eq!(simulation.time(), 0.0);
}
