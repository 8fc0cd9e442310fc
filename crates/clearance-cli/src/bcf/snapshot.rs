//! Pictures of findings: the two bodies in colour, before their surroundings in light grey, drawn by triangles with a depth buffer.

use super::{Camera, FIELD_OF_VIEW};
use crate::report::Surface;
use clearance::Shape;
use clearance::math::DVec3;
use clearance_io::Scene;
use png::{BitDepth, ColorType, Encoder};

/// Bodies beside the two that are drawn, at most. Limit: the time of a picture.
const MOST_OTHERS: usize = 40;

/// Triangles of a body that is only drawn in grey, at most. Limit: the time of a picture.
const MOST_TRIANGLES: usize = 50_000;

/// Colours of A, of B and of other bodies. Layout: red, green, blue up to 255.
const COLOURS: [[f64; 3]; 3] = [[216.0, 72.0, 60.0], [58.0, 110.0, 200.0], [225.0, 225.0, 225.0]];
/// The grey of the background. Layout: as the colours.
const BACKGROUND: u8 = 250;

/// The pixels of a picture, three bytes each, from the top left.
pub fn draw(scene: &Scene, pair: [u32; 2], camera: &Camera, [width, height]: [usize; 2]) -> Vec<u8> {
    let mut canvas = Canvas::new(camera, width, height);
    let [a, b] = pair.map(|body| scene.bodies[body as usize].shape.aabb(&scene.bodies[body as usize].pose));
    let near = a.merged(&b);
    let others = (0..scene.bodies.len() as u32).filter(|body| !pair.contains(body));
    let others = others.map(|body| &scene.bodies[body as usize]);
    let is_near = |body: &&clearance_io::Body| {
        !matches!(body.shape, Shape::HalfSpace(_)) && body.shape.aabb(&body.pose).overlaps(&near)
    };
    for body in others.filter(is_near).take(MOST_OTHERS) {
        if body.shape.as_mesh().is_none_or(|mesh| mesh.triangles().len() <= MOST_TRIANGLES) {
            canvas.draw(&Surface::of(&body.shape).placed(&body.pose), COLOURS[2]);
        }
    }
    // The two are what the picture is about: nothing hides them.
    canvas.nearness.fill(0.0);
    for (body, colour) in pair.into_iter().zip(COLOURS) {
        let body = &scene.bodies[body as usize];
        canvas.draw(&Surface::of(&body.shape).placed(&body.pose), colour);
    }
    canvas.pixels
}

/// A picture as a PNG file.
pub fn png(pixels: &[u8], [width, height]: [usize; 2]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    // Memory does not refuse bytes, and the picture has the size that the header says.
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(pixels));
    debug_assert!(written.is_ok(), "a picture of {width} x {height} with {} bytes", pixels.len());
    bytes
}

struct Canvas<'c> {
    camera: &'c Camera,
    right: DVec3,
    /// Pixels per unit of the image plane at distance 1.
    scale: f64,
    width: usize,
    height: usize,
    /// 1 over the distance along the view, which is linear on the screen.
    nearness: Vec<f64>,
    pixels: Vec<u8>,
}

impl<'c> Canvas<'c> {
    fn new(camera: &'c Camera, width: usize, height: usize) -> Self {
        let scale = 0.5 * height as f64 / (0.5 * FIELD_OF_VIEW.to_radians()).tan();
        Self {
            camera,
            right: camera.forward.cross(camera.up),
            scale,
            width,
            height,
            nearness: vec![0.0; width * height],
            pixels: vec![BACKGROUND; 3 * width * height],
        }
    }

    fn draw(&mut self, surface: &Surface, colour: [f64; 3]) {
        for &triangle in &surface.triangles {
            let corners = triangle.map(|v| surface.vertices[v as usize]);
            // The light comes from the eye, and a little from the side: both sides of a surface are lit.
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
            let light = 0.35 + 0.5 * normal.dot(self.camera.forward).abs() + 0.15 * normal.dot(self.right).abs();
            self.triangle(corners, colour.map(|c| (c * light.min(1.0)) as u8));
        }
    }

    /// Fills a triangle. One that reaches behind the camera is cut at the near plane.
    fn triangle(&mut self, corners: [DVec3; 3], colour: [u8; 3]) {
        let seen = corners.map(|corner| {
            let from_eye = corner - self.camera.eye;
            DVec3::new(from_eye.dot(self.right), from_eye.dot(self.camera.up), from_eye.dot(self.camera.forward))
        });
        let near = 1e-3 * seen.iter().map(|p| p.z.abs()).fold(0.0, f64::max);
        let mut polygon: Vec<DVec3> = Vec::with_capacity(4);
        for (i, &p) in seen.iter().enumerate() {
            let q = seen[(i + 1) % 3];
            if p.z >= near {
                polygon.push(p);
            }
            if (p.z >= near) != (q.z >= near) {
                polygon.push(p.lerp(q, (near - p.z) / (q.z - p.z)));
            }
        }
        let on_screen = |p: DVec3| {
            let (x, y) = (p.x / p.z * self.scale, p.y / p.z * self.scale);
            DVec3::new(0.5 * self.width as f64 + x, 0.5 * self.height as f64 - y, 1.0 / p.z)
        };
        let polygon: Vec<DVec3> = polygon.into_iter().map(on_screen).collect();
        if polygon.iter().all(|p| p.is_finite()) {
            for pair in polygon.windows(2).skip(1) {
                self.fill([polygon[0], pair[0], pair[1]], colour);
            }
        }
    }

    /// Fills a triangle of the screen, of which z is the nearness.
    fn fill(&mut self, [a, b, c]: [DVec3; 3], colour: [u8; 3]) {
        let area = (b - a).truncate().perp_dot((c - a).truncate());
        if area == 0.0 {
            return;
        }
        let (min, max) = (a.min(b).min(c), a.max(b).max(c));
        let range = |low: f64, high: f64, size: usize| {
            (low.floor().clamp(0.0, size as f64) as usize)..(high.ceil().clamp(0.0, size as f64) as usize)
        };
        for y in range(min.y, max.y, self.height) {
            for x in range(min.x, max.x, self.width) {
                let p = DVec3::new(x as f64 + 0.5, y as f64 + 0.5, 0.0);
                let part = |q: DVec3, r: DVec3| (q - p).truncate().perp_dot((r - p).truncate()) / area;
                let (u, v, w) = (part(b, c), part(c, a), part(a, b));
                if u < 0.0 || v < 0.0 || w < 0.0 {
                    continue;
                }
                let nearness = u * a.z + v * b.z + w * c.z;
                let pixel = y * self.width + x;
                if nearness > self.nearness[pixel] {
                    self.nearness[pixel] = nearness;
                    self.pixels[3 * pixel..3 * pixel + 3].copy_from_slice(&colour);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::Pose;
    use clearance_io::{Body, Motion, Tags};

    fn body(at: [f64; 3], radius: f64) -> Body {
        let (shape, pose) = (Shape::sphere(radius).expect("a ball"), Pose::from_translation(at));
        Body { name: "x".into(), shape, pose, group: None, motion: Motion::Fixed, tags: Tags::default(), written: None }
    }

    #[test]
    fn the_nearer_body_hides_the_other_and_sizes_are_those_of_the_perspective() {
        let bodies = vec![body([0.0, 0.0, 0.0], 1.0), body([0.0, 4.0, 0.0], 1.0)];
        let scene = Scene { bodies, ..Scene::default() };
        let size = [200, 100];
        let camera = |from: f64, toward: f64| Camera {
            eye: DVec3::new(0.0, from, 0.0),
            forward: DVec3::new(0.0, toward, 0.0),
            up: DVec3::Z,
        };
        let reds = |pixels: &[u8]| pixels.chunks(3).filter(|p| p[0] > p[2]).count();
        let blues = |pixels: &[u8]| pixels.chunks(3).filter(|p| p[2] > p[0]).count();
        let front = draw(&scene, [0, 1], &camera(-6.0, 1.0), size);
        let middle = 3 * (50 * 200 + 100);
        assert!(front[middle] > front[middle + 2], "the red ball is in front");
        assert_eq!(blues(&front), 0);
        let back = draw(&scene, [0, 1], &camera(10.0, -1.0), size);
        assert!(back[middle] < back[middle + 2], "the blue ball is in front");
        // A ball of radius 1 at distance 6 covers a disc of radius tan(asin(1/6)) / tan(30 degrees) * 50 pixels.
        let radius = (1.0_f64 / 6.0).asin().tan() / 30_f64.to_radians().tan() * 50.0;
        let area = std::f64::consts::PI * radius * radius;
        assert!((reds(&front) as f64 / area - 1.0).abs() < 0.02, "{} beside {area}", reds(&front));
        // A body behind the camera is not drawn.
        let away = draw(&scene, [0, 1], &camera(-6.0, -1.0), size);
        assert!(away.iter().all(|&byte| byte == BACKGROUND));
        let file = png(&front, size);
        assert!(file.starts_with(b"\x89PNG\r\n\x1a\n") && file.len() < front.len());
    }
}
