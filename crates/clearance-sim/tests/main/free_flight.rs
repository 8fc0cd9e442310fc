//! Flight without contact has closed forms: the parabola, and Jacobi's elliptic functions for the rotation without torque.

use clearance::math::{DMat3, DVec3};
use clearance::{Pose, Shape};
use clearance_sim::{Body, Mass, Scene, Settings, Simulation};

#[test]
fn a_body_falls_along_a_parabola() {
    let mut scene = Scene::new([0.0, -9.81, 0.5]);
    let body = Body::new("stone", Shape::sphere(0.1).unwrap(), Pose::IDENTITY, Mass::Total(2.0));
    scene.add(body.moving([3.0, 4.0, 0.0], [1.0, 2.0, 3.0]));
    let mut simulation = Simulation::new(&scene, Settings::default()).unwrap();
    for step in 1..=10 {
        let t = 0.3 * f64::from(step);
        simulation.advance(t).unwrap();
        let truth = DVec3::new(3.0 * t, 4.0 * t - 0.5 * 9.81 * t * t, 0.25 * t * t);
        assert!(simulation.pose(0).translation().distance(truth) < 1e-12);
        assert!(simulation.velocity(0).distance(DVec3::new(3.0, 4.0 - 9.81 * t, 0.5 * t)) < 1e-12);
    }
}

/// sn, cn and dn by the arithmetic-geometric mean (Abramowitz and Stegun, 16.4), and the quarter period.
fn jacobi(u: f64, m: f64) -> ([f64; 3], f64) {
    let (mut a, mut b, mut c) = (vec![1.0], (1.0 - m).sqrt(), vec![m.sqrt()]);
    while c[c.len() - 1].abs() > 1e-17 && a.len() < 40 {
        let last = a[a.len() - 1];
        c.push(0.5 * (last - b));
        a.push(0.5 * (last + b));
        b = (last * b).sqrt();
    }
    let n = a.len() - 1;
    let mut phi = 2.0_f64.powi(n as i32) * a[n] * u;
    let mut before = phi;
    for i in (1..=n).rev() {
        before = phi;
        phi = 0.5 * (phi + (c[i] / a[i] * phi.sin()).asin());
    }
    let dn = phi.cos() / (before - phi).cos();
    ([phi.sin(), phi.cos(), dn], std::f64::consts::FRAC_PI_2 / a[n])
}

#[test]
fn dzhanibekov_flips_at_the_times_of_the_elliptic_solution() {
    // Moments 1 < 2 < 3; nearly about the middle axis, with energies such that 2 E I2 > L².
    let inertia = DMat3::from_diagonal(DVec3::new(3.0, 2.0, 1.0));
    let [i1, i2, i3] = [3.0, 2.0, 1.0];
    let mass = Mass::Given { mass: 1.0, center: DVec3::ZERO, inertia };
    let spin = DVec3::new(0.0, 2.0, 0.05);
    let mut scene = Scene::new([0.0; 3]);
    scene.add(Body::new("nut", Shape::cuboid([0.1, 0.2, 0.3]).unwrap(), Pose::IDENTITY, mass).moving([0.0; 3], spin));
    let mut simulation = Simulation::new(&scene, Settings::default()).unwrap();
    let (energy, momentum) = (simulation.energy(), simulation.angular_momentum());
    // Landau and Lifshitz, Mechanics, section 37, with the axes named so that I1 > I2 > I3 and the roles of the first and third exchanged.
    let (e2, l2) = (i2 * spin.y * spin.y + i3 * spin.z * spin.z, i2 * i2 * spin.y * spin.y + i3 * i3 * spin.z * spin.z);
    let (top, bottom) = (e2 * i1 - l2, l2 - e2 * i3);
    assert!(l2 < e2 * i2, "about the axis of the least moment");
    let rate = ((i2 - i3) * top / (i1 * i2 * i3)).sqrt();
    let m = (i1 - i2) * bottom / ((i2 - i3) * top);
    assert!(m < 1.0);
    let amplitude = (bottom / (i2 * (i2 - i3))).sqrt();
    // At time zero ω1 = 0, where |ω2| is largest: a quarter period of sn.
    let (_, quarter) = jacobi(0.0, m);
    let mut flips = 0;
    let mut sign = 1.0;
    for step in 1..=3000 {
        let t = 0.01 * f64::from(step);
        simulation.advance(t).unwrap();
        let own = simulation.pose(0).rotation().conjugate() * simulation.angular_velocity(0);
        let ([sn, _, _], _) = jacobi(rate * t + quarter, m);
        assert!((own.y - amplitude * sn).abs() < 1e-7, "{t}: {} {}", own.y, amplitude * sn);
        if own.y * sign < 0.0 {
            // The first zero of sn after a quarter period is at two of them, and the next ones two later each.
            let flip = f64::from(2 * flips + 1) * quarter / rate;
            assert!(flip <= t && t < flip + 0.0101, "{t} {flip}");
            (flips, sign) = (flips + 1, -sign);
        }
        assert!((simulation.energy() - energy).abs() < 1e-12 * energy, "{}", simulation.energy() / energy - 1.0);
        assert!(simulation.angular_momentum().distance(momentum) < 1e-5);
    }
    assert!(flips >= 3, "{flips}");
}

#[test]
fn locked_axes_stay() {
    let mut scene = Scene::new([1.0, -9.81, 0.0]);
    let body = Body::new("door", Shape::cuboid([0.5, 1.0, 0.02]).unwrap(), Pose::IDENTITY, Mass::Total(1.0));
    let body = Body { locked_translation: [true, true, false], locked_rotation: [true, false, true], ..body };
    scene.add(body.moving([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]));
    let mut simulation = Simulation::new(&scene, Settings::default()).unwrap();
    simulation.advance(1.0).unwrap();
    assert!(simulation.pose(0).translation().distance(DVec3::new(0.0, 0.0, 3.0)) < 1e-12);
    assert_eq!(simulation.angular_velocity(0), DVec3::new(0.0, 2.0, 0.0));
}
