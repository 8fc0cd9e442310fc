//! Closest points of two edges, edges cut by the prism over a face, and scans for the closest feature of all.
//!
//! The algorithm scans when a feature is below the plane of a face: no neighbour is closer, so it visits every feature. It visits faces first, then
//! edges, then vertices, and only a strictly closer feature replaces another: the higher dimension has priority. A distance that is not that of the
//! closest points of a face is left out, since another feature has it.

use super::{PointMarch, Tally, View};
use clearance::internals::TrackedEdge;
use clearance::math::DVec3;
use clearance::shape::{Feature, Polytope};

/// An edge in the frame of the other polytope.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EdgeLine {
    pub tail: DVec3,
    pub direction: DVec3,
    pub length: f64,
}

impl EdgeLine {
    pub(super) fn of(edge: &TrackedEdge) -> Self {
        Self { tail: edge.tail, direction: edge.direction, length: edge.length }
    }

    pub(super) fn at(&self, along: f64) -> DVec3 {
        self.tail + along * self.direction
    }

    pub(super) fn head(&self) -> DVec3 {
        self.at(self.length)
    }

    /// The point that is closest to p, by its distance from the tail.
    pub(super) fn closest(&self, p: DVec3) -> f64 {
        (p - self.tail).dot(self.direction).clamp(0.0, self.length)
    }
}

/// The closest points of two edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Crossing {
    /// The position along each edge.
    pub along: [f64; 2],
    /// True if the difference is perpendicular to both, by the choice of the points.
    pub is_inside: bool,
}

impl<K: Tally> PointMarch<'_, K> {
    /// A point of X in the frame of Y.
    pub(super) fn point(&mut self, view: &View<'_>, point: DVec3) -> DVec3 {
        self.tally.dots(3);
        self.tally.flops(3);
        view.x_in_y.point(point)
    }

    /// A direction of Y in the frame of X.
    pub(super) fn direction_in_x(&mut self, view: &View<'_>, direction: DVec3) -> DVec3 {
        self.tally.dots(3);
        view.y_in_x.rotation * direction
    }

    /// An edge of X in the frame of Y.
    pub(super) fn line(&mut self, view: &View<'_>, e: u32) -> EdgeLine {
        let tail = self.point(view, view.x.vertex(view.x.edge(e).tail));
        self.tally.dots(3);
        EdgeLine { tail, direction: view.x_in_y.rotation * view.x.edge_direction(e), length: view.x.edge_length(e) }
    }

    /// The closest points of two edges. If they are parallel, to the tolerance, those are in the middle of the overlap.
    pub(super) fn crossing(&mut self, x: &EdgeLine, y: &EdgeLine) -> Crossing {
        let cosine = x.direction.dot(y.direction);
        let w = y.tail - x.tail;
        let (wx, wy) = (x.direction.dot(w), y.direction.dot(w));
        self.tally.dots(3);
        self.tally.flops(6);
        if cosine.abs() > 1.0 - self.tolerances.parallel {
            *self.decisions += u64::from(x.direction.cross(y.direction).length_squared() > f64::EPSILON);
            self.tally.flops(14);
            // The ends of x, seen along y as if it were parallel.
            let sign = 1.0_f64.copysign(cosine);
            let (from, to) = (-wy, sign * x.length - wy);
            let middle = 0.5 * (from.min(to).max(0.0) + from.max(to).min(y.length));
            let s = (sign * (middle - from)).clamp(0.0, x.length);
            return Crossing { along: [s, middle.clamp(0.0, y.length)], is_inside: false };
        }
        // The difference of x(s) and y(t) is perpendicular to both.
        let square = 1.0 - cosine * cosine;
        let (s, t) = ((wx - cosine * wy) / square, (cosine * wx - wy) / square);
        self.tally.flops(14);
        self.tally.divisions_and_roots(2, 0);
        let is_within = |along: f64, line: &EdgeLine| (0.0..=line.length).contains(&along);
        if is_within(s, x) && is_within(t, y) {
            return Crossing { along: [s, t], is_inside: true };
        }
        // Else the closest points are at an end that was overshot.
        let mut best = (f64::INFINITY, [s.clamp(0.0, x.length), t.clamp(0.0, y.length)]);
        let mut consider = |along: [f64; 2]| {
            let square = (x.at(along[0]) - y.at(along[1])).length_squared();
            if square < best.0 {
                best = (square, along);
            }
        };
        if !is_within(s, x) {
            let end = s.clamp(0.0, x.length);
            consider([end, y.closest(x.at(end))]);
            self.tally.dots(2);
            self.tally.flops(16);
        }
        if !is_within(t, y) {
            let end = t.clamp(0.0, y.length);
            consider([x.closest(y.at(end)), end]);
            self.tally.dots(2);
            self.tally.flops(16);
        }
        Crossing { along: best.1, is_inside: false }
    }

    /// The part of an edge that is above or below a face of Y, from and to; none if it misses the face.
    pub(super) fn cut(&mut self, y: &Polytope, f: u32, line: &EdgeLine) -> Option<[f64; 2]> {
        let face = y.face(f);
        let (mut low, mut high) = (0.0, line.length);
        for side in face.sides {
            let normal = side.normal + self.tolerances.face_flare * face.normal;
            let value = normal.dot(line.tail) - (side.offset + self.tolerances.face_flare * face.offset);
            let slope = normal.dot(line.direction);
            self.tally.planes(2);
            self.tally.flops(2);
            self.tally.divisions_and_roots(usize::from(slope != 0.0), 0);
            if slope > 0.0 {
                low = f64::max(low, -value / slope);
            } else if slope < 0.0 {
                high = f64::min(high, -value / slope);
            } else if value < 0.0 {
                return None;
            }
            if low > high {
                return None;
            }
        }
        Some([low, high])
    }

    /// The distances from the plane of a face of Y at the ends of that part.
    pub(super) fn heights(&mut self, y: &Polytope, f: u32, line: &EdgeLine, cut: [f64; 2]) -> [f64; 2] {
        let (normal, offset) = y.face_plane(f).unwrap_or_default();
        self.tally.planes(2);
        self.tally.flops(12);
        cut.map(|along| normal.dot(line.at(along)) - offset)
    }

    /// The side or corner of a face of Y that is closest to an edge.
    pub(super) fn closest_side(&mut self, y: &Polytope, f: u32, line: &EdgeLine) -> Feature {
        let mut best = (f64::INFINITY, Feature::Edge(y.face(f).edges[0]));
        for &e in y.face(f).edges {
            let Some(edge) = y.tracked_edge(e) else { continue };
            let (square, along) = self.between(line, &EdgeLine::of(edge));
            if square < best.0 {
                let side = if along <= 0.0 {
                    Feature::Vertex(edge.ends.tail)
                } else if along >= edge.length {
                    Feature::Vertex(edge.ends.head)
                } else {
                    Feature::Edge(e)
                };
                best = (square, side);
            }
        }
        best.1
    }

    /// The squared distance of two edges, and its position on the second.
    fn between(&mut self, x: &EdgeLine, y: &EdgeLine) -> (f64, f64) {
        let Crossing { along: [s, t], .. } = self.crossing(x, y);
        self.tally.dots(1);
        self.tally.flops(15);
        ((x.at(s) - y.at(t)).length_squared(), t)
    }

    /// The square of the distance of an edge from a face of Y, if the edge is above the face wherever it is over it.
    fn distance_to_face(&mut self, y: &Polytope, f: u32, line: &EdgeLine) -> Option<f64> {
        let cut = self.cut(y, f, line)?;
        let [low, high] = self.heights(y, f, line, cut);
        (low >= 0.0 && high >= 0.0).then(|| low.min(high).powi(2))
    }

    /// The feature of Y that is closest to a point.
    pub(super) fn closest_to_point(&mut self, y: &Polytope, p: DVec3) -> Option<Feature> {
        let mut best = BestPoint::default();
        for f in 0..y.face_count() as u32 {
            let (normal, offset) = y.face_plane(f).unwrap_or_default();
            self.tally.planes(1);
            let height = normal.dot(p) - offset;
            if self.is_over(y, f, p) && height >= 0.0 {
                best.consider(height * height, Feature::Face(f));
            }
        }
        for e in 0..y.edge_count() as u32 {
            let Some(edge) = y.tracked_edge(e) else { continue };
            let line = EdgeLine::of(edge);
            self.tally.dots(2);
            self.tally.flops(14);
            best.consider((p - line.at(line.closest(p))).length_squared(), Feature::Edge(e));
        }
        for (v, vertex) in (0..).zip(y.vertices()) {
            self.tally.dots(1);
            self.tally.flops(4);
            best.consider((p - *vertex).length_squared(), Feature::Vertex(v));
        }
        best.feature
    }

    /// The feature of Y that is closest to an edge.
    pub(super) fn closest_to_line(&mut self, y: &Polytope, line: &EdgeLine) -> Option<Feature> {
        let mut best = BestPoint::default();
        for f in 0..y.face_count() as u32 {
            if let Some(square) = self.distance_to_face(y, f, line) {
                best.consider(square, Feature::Face(f));
            }
        }
        for e in 0..y.edge_count() as u32 {
            let Some(edge) = y.tracked_edge(e) else { continue };
            let (square, _) = self.between(line, &EdgeLine::of(edge));
            best.consider(square, Feature::Edge(e));
        }
        for (v, vertex) in (0..).zip(y.vertices()) {
            self.tally.dots(2);
            self.tally.flops(14);
            best.consider((*vertex - line.at(line.closest(*vertex))).length_squared(), Feature::Vertex(v));
        }
        best.feature
    }

    /// The feature of X that is closest to a face of Y: a parallel face, an edge or a vertex above it; none if all are beside
    /// the face or below.
    pub(super) fn closest_to_face(&mut self, view: &View<'_>, f: u32) -> Option<Feature> {
        let (x, y) = (view.x, view.y);
        let (normal, offset) = y.face_plane(f).unwrap_or_default();
        let mut best = BestPoint::default();
        for g in 0..x.face_count() as u32 {
            if let Some(square) = self.between_faces(view, g, f) {
                best.consider(square, Feature::Face(g));
            }
        }
        for e in 0..x.edge_count() as u32 {
            let line = self.line(view, e);
            if let Some(square) = self.distance_to_face(y, f, &line) {
                best.consider(square, Feature::Edge(e));
            }
        }
        for (v, &vertex) in (0..).zip(x.vertices()) {
            let p = self.point(view, vertex);
            let height = normal.dot(p) - offset;
            self.tally.planes(1);
            if self.is_over(y, f, p) && height >= 0.0 {
                best.consider(height * height, Feature::Vertex(v));
            }
        }
        best.feature
    }

    /// The squared distance of two faces that are parallel to the tolerance.
    fn between_faces(&mut self, view: &View<'_>, f: u32, g: u32) -> Option<f64> {
        if !self.are_parallel(view, f, g) {
            return None;
        }
        let mut least = None;
        for (view, f, g) in [(*view, f, g), (view.swapped(), g, f)] {
            for &e in view.x.face(f).edges {
                let line = self.line(&view, e);
                let found = self.distance_to_face(view.y, g, &line);
                least = [least, found].into_iter().flatten().min_by(f64::total_cmp);
            }
        }
        least
    }

    /// Are a face of X and one of Y parallel to the tolerance, facing each other or not?
    pub(super) fn are_parallel(&mut self, view: &View<'_>, f: u32, g: u32) -> bool {
        let back = self.direction_in_x(view, view.y.face(g).normal);
        let normal = view.x.face(f).normal;
        self.tally.planes(1);
        let is_parallel = normal.dot(back).abs() > 1.0 - self.tolerances.parallel;
        *self.decisions += u64::from(is_parallel && normal.cross(back).length_squared() > f64::EPSILON);
        is_parallel
    }

    /// The squared distance and the numbers of the closest two edges of a face of X and a face of Y; among almost equal
    /// distances one that is not at corners.
    pub(super) fn closest_edges(&mut self, view: &View<'_>, f: u32, g: u32) -> [u32; 2] {
        let slack = self.tolerances.same_length * view.size;
        let mut best = (f64::INFINITY, 3, [view.x.face(f).edges[0], view.y.face(g).edges[0]]);
        for &e in view.x.face(f).edges {
            let line = self.line(view, e);
            for &h in view.y.face(g).edges {
                let Some(edge) = view.y.tracked_edge(h) else { continue };
                let other = EdgeLine::of(edge);
                let Crossing { along: [s, t], .. } = self.crossing(&line, &other);
                self.tally.dots(1);
                self.tally.flops(20);
                self.tally.divisions_and_roots(0, 1);
                let distance = (line.at(s) - other.at(t)).length();
                let is_end = |along: f64, line: &EdgeLine| u8::from(along <= 0.0 || along >= line.length);
                let ends = is_end(s, &line) + is_end(t, &other);
                if distance < best.0 || distance < best.0 + slack && ends < best.1 {
                    best = (distance, ends, [e, h]);
                }
            }
        }
        best.2
    }
}

/// The closest feature so far.
struct BestPoint {
    square: f64,
    feature: Option<Feature>,
}

impl Default for BestPoint {
    fn default() -> Self {
        Self { square: f64::INFINITY, feature: None }
    }
}

impl BestPoint {
    fn consider(&mut self, square: f64, feature: Feature) {
        if square < self.square {
            (self.square, self.feature) = (square, Some(feature));
        }
    }
}
