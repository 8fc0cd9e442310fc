//! The six pairs of features: their closest points, and the next pair when those are in the wrong regions.

use super::points::{Crossing, EdgeLine};
use super::{Claim, LinCannyStep, PointMarch, Tally, View};
use clearance::math::DVec3;
use clearance::shape::{Feature, Polytope};

impl<K: Tally> PointMarch<'_, K> {
    pub(super) fn vertex_vertex(&mut self, view: View<'_>, v: u32, w: u32) -> LinCannyStep {
        let (vertex, other) = (view.x.vertex(v), view.y.vertex(w));
        let p = self.point(&view, vertex);
        if let Some(next) = self.beyond_vertex(&view, w, p) {
            return LinCannyStep::Go([Feature::Vertex(v), next]);
        }
        let back = view.swapped();
        let q = self.point(&back, other);
        if let Some(next) = self.beyond_vertex(&back, v, q) {
            return LinCannyStep::Go([next, Feature::Vertex(w)]);
        }
        self.done(vertex, other, None, 0.0)
    }

    pub(super) fn vertex_edge(&mut self, view: View<'_>, v: u32, e: u32) -> LinCannyStep {
        let Some(edge) = view.y.tracked_edge(e) else { return LinCannyStep::DeadEnd };
        let vertex = view.x.vertex(v);
        let p = self.point(&view, vertex);
        if let Some(next) = self.beyond_edge(&view, edge, p) {
            return LinCannyStep::Go([Feature::Vertex(v), next]);
        }
        let line = EdgeLine::of(edge);
        let projection = line.at(line.closest(p));
        self.tally.dots(1);
        self.tally.flops(11);
        let back = view.swapped();
        let q = self.point(&back, projection);
        if let Some(next) = self.beyond_vertex(&back, v, q) {
            return LinCannyStep::Go([next, Feature::Edge(e)]);
        }
        self.done(vertex, projection, None, 0.0)
    }

    pub(super) fn vertex_face(&mut self, view: View<'_>, v: u32, f: u32) -> LinCannyStep {
        let vertex = view.x.vertex(v);
        let p = self.point(&view, vertex);
        if let Some(next) = self.beyond_face(&view, f, p) {
            return LinCannyStep::Go([Feature::Vertex(v), next]);
        }
        let face = view.y.face(f);
        let height = face.normal.dot(p) - face.offset;
        self.tally.planes(1);
        if height < 0.0 {
            return match self.closest_to_point(view.y, p) {
                Some(next) => LinCannyStep::Go([Feature::Vertex(v), next]),
                None => LinCannyStep::DeadEnd,
            };
        }
        let projection = p - height * face.normal;
        self.tally.flops(6);
        let back = view.swapped();
        let q = self.point(&back, projection);
        if let Some(next) = self.beyond_vertex(&back, v, q) {
            return LinCannyStep::Go([next, Feature::Face(f)]);
        }
        self.done(vertex, projection, Some(face.normal), outside(view.y, f, projection))
    }

    pub(super) fn edge_edge(&mut self, view: View<'_>, e: u32, g: u32) -> LinCannyStep {
        let (Some(edge_x), Some(edge_y)) = (view.x.tracked_edge(e), view.y.tracked_edge(g)) else {
            return LinCannyStep::DeadEnd;
        };
        let (x, y) = (self.line(&view, e), EdgeLine::of(edge_y));
        let Crossing { along: [s, t], is_inside } = self.crossing(&x, &y);
        let (point_x, point_y) = (x.at(s), y.at(t));
        self.tally.flops(12);
        if let Some(next) = self.beyond_edge(&view, edge_y, point_x) {
            return LinCannyStep::Go([Feature::Edge(e), next]);
        }
        let back = view.swapped();
        let q = self.point(&back, point_y);
        if let Some(next) = self.beyond_edge(&back, edge_x, q) {
            return LinCannyStep::Go([next, Feature::Edge(g)]);
        }
        // Across both edges; a small gap says less about that than they do.
        let above = is_inside.then(|| {
            let cross = x.direction.cross(y.direction).normalize();
            cross * 1.0_f64.copysign(cross.dot(point_x - point_y))
        });
        self.done(EdgeLine::of(edge_x).at(s), point_y, above, 0.0)
    }

    pub(super) fn edge_face(&mut self, view: View<'_>, e: u32, f: u32) -> LinCannyStep {
        let line = self.line(&view, e);
        let (normal, offset) = view.y.face_plane(f).unwrap_or_default();
        let [tail, head] = [line.tail, line.head()].map(|end| normal.dot(end) - offset);
        self.tally.planes(2);
        self.tally.flops(6);
        // The flares must not make an edge of this length seem parallel here and tilted elsewhere.
        let flare = f64::max(self.tolerances.edge_face_flare, self.tolerances.edge_vertex_flare);
        let same = self.tolerances.same_length * view.size + flare * line.length;
        self.tally.flops(8);
        let is_piercing = tail < 0.0 && head > 0.0 || tail > 0.0 && head < 0.0;
        if is_piercing && (tail - head).abs() > same {
            return LinCannyStep::Go([Feature::Edge(e), self.closest_side(view.y, f, &line)]);
        }
        // One end is closer to the plane than the other.
        if (tail.abs() - head.abs()).abs() > same {
            let is_tail = tail.abs() < head.abs();
            let (end, height) = if is_tail { (line.tail, tail) } else { (line.head(), head) };
            if !self.is_over(view.y, f, end) {
                return LinCannyStep::Go([Feature::Edge(e), self.closest_side(view.y, f, &line)]);
            }
            if height < 0.0 {
                return self.out_of_face(view, e, &line);
            }
            let ends = view.x.edge(e);
            return LinCannyStep::Go([Feature::Vertex(if is_tail { ends.tail } else { ends.head }), Feature::Face(f)]);
        }
        // "Parallel".
        *self.decisions += u64::from((tail - head).abs() > f64::EPSILON * (tail.abs() + view.size));
        let Some(cut) = self.cut(view.y, f, &line) else {
            return LinCannyStep::Go([Feature::Edge(e), self.closest_side(view.y, f, &line)]);
        };
        let [low, high] = self.heights(view.y, f, &line, cut);
        if low < 0.0 || high < 0.0 {
            return self.out_of_face(view, e, &line);
        }
        // The face must be turned towards the edge, and not towards one of its faces.
        let Some(edge) = view.x.tracked_edge(e) else { return LinCannyStep::DeadEnd };
        let back = self.direction_in_x(&view, normal);
        if let Some(sides) = edge.sides() {
            self.tally.planes(2);
            for (side, g) in sides.iter().zip([edge.ends.left, edge.ends.right]) {
                let own = view.x.face(g).normal;
                if -(side + self.tolerances.edge_face_flare * own).dot(back) > 0.0 {
                    return LinCannyStep::Go([Feature::Face(g), Feature::Face(f)]);
                }
            }
        }
        let (along, height) = if low <= high { (cut[0], low) } else { (cut[1], high) };
        let projection = line.at(along) - height * normal;
        self.tally.flops(12);
        self.done(EdgeLine::of(edge).at(along), projection, Some(normal), outside(view.y, f, projection))
    }

    /// An edge that is below the plane of a face: to the closest of all features.
    fn out_of_face(&mut self, view: View<'_>, e: u32, line: &EdgeLine) -> LinCannyStep {
        match self.closest_to_line(view.y, line) {
            Some(next) => LinCannyStep::Go([Feature::Edge(e), next]),
            None => LinCannyStep::DeadEnd,
        }
    }

    pub(super) fn face_face(&mut self, view: View<'_>, f: u32, g: u32) -> LinCannyStep {
        let back = view.swapped();
        if self.are_parallel(&view, f, g) {
            if self.do_overlap(view, f, g) {
                return self.parallel_faces(view, f, g);
            }
        } else {
            // To the feature of the one face that is closest to the plane of the other, if it is over that other face.
            for (view, f, g, is_swapped) in [(view, f, g, false), (back, g, f, true)] {
                let next = self.closest_to_plane(&view, f, g);
                let is_over = match next {
                    Feature::Vertex(v) => {
                        let p = self.point(&view, view.x.vertex(v));
                        self.is_over(view.y, g, p)
                    }
                    Feature::Edge(e) => {
                        let line = self.line(&view, e);
                        self.cut(view.y, g, &line).is_some()
                    }
                    _ => false,
                };
                if is_over {
                    let pair = [next, Feature::Face(g)];
                    return LinCannyStep::Go(if is_swapped { [pair[1], pair[0]] } else { pair });
                }
            }
        }
        let [e, h] = self.closest_edges(&view, f, g);
        LinCannyStep::Go([Feature::Edge(e), Feature::Edge(h)])
    }

    /// Seen along the normal, do two parallel faces overlap?
    fn do_overlap(&mut self, view: View<'_>, f: u32, g: u32) -> bool {
        for &e in view.x.face(f).edges {
            let line = self.line(&view, e);
            if self.cut(view.y, g, &line).is_some() {
                return true;
            }
        }
        // No edge of the one is over the other; but the other may be inside of it.
        let back = view.swapped();
        let p = self.point(&back, view.y.vertex(view.y.face(g).vertices[0]));
        self.beyond_face(&back, f, p).is_none()
    }

    /// Two faces that are parallel and overlap: the closest point is where a side of the one leaves the other.
    fn parallel_faces(&mut self, view: View<'_>, f: u32, g: u32) -> LinCannyStep {
        // The height, the point over the other face, and whether it is a point of Y.
        let mut least: Option<(f64, DVec3, DVec3, bool)> = None;
        for (view, f, g, is_swapped) in [(view, f, g, false), (view.swapped(), g, f, true)] {
            let normal = view.y.face(g).normal;
            for &e in view.x.face(f).edges {
                let (line, own) = (self.line(&view, e), view.x.tracked_edge(e));
                let (Some(cut), Some(own)) = (self.cut(view.y, g, &line), own) else { continue };
                for (along, height) in cut.into_iter().zip(self.heights(view.y, g, &line, cut)) {
                    if height < 0.0 && least.is_none_or(|(least, ..)| height < least) {
                        let next = self.closest_to_face(&view.swapped(), f);
                        let Some(next) = next else { return LinCannyStep::DeadEnd };
                        let pair = [Feature::Face(f), next];
                        return LinCannyStep::Go(if is_swapped { [pair[1], pair[0]] } else { pair });
                    }
                    if least.is_none_or(|(least, ..)| height < least) {
                        least =
                            Some((height, EdgeLine::of(own).at(along), line.at(along) - height * normal, is_swapped));
                    }
                }
            }
        }
        let Some((_, point, projection, is_swapped)) = least else { return LinCannyStep::DeadEnd };
        let normal = view.y.face(g).normal;
        if is_swapped {
            let above = -self.direction_in_y(&view, view.x.face(f).normal);
            return self.done(projection, point, Some(above), outside(view.x, f, projection));
        }
        self.done(point, projection, Some(normal), outside(view.y, g, projection))
    }

    fn direction_in_y(&mut self, view: &View<'_>, direction: DVec3) -> DVec3 {
        self.tally.dots(3);
        view.x_in_y.rotation * direction
    }

    /// The edge or vertex of a face of X that is closest to the plane of a face of Y; an edge if its ends are equally close.
    fn closest_to_plane(&mut self, view: &View<'_>, f: u32, g: u32) -> Feature {
        let same = self.tolerances.same_length * view.size;
        let (normal, offset) = view.y.face_plane(g).unwrap_or_default();
        let mut best = (f64::INFINITY, Feature::Edge(view.x.face(f).edges[0]));
        for &e in view.x.face(f).edges {
            let ends = view.x.edge(e);
            let [tail, head] = [ends.tail, ends.head].map(|v| {
                let p = self.point(view, view.x.vertex(v));
                (normal.dot(p) - offset).abs()
            });
            self.tally.planes(2);
            self.tally.flops(6);
            let (distance, feature) = if tail < head - same {
                (tail, Feature::Vertex(ends.tail))
            } else if head < tail - same {
                (head, Feature::Vertex(ends.head))
            } else {
                (tail.min(head), Feature::Edge(e))
            };
            let is_edge_for_vertex = matches!((best.1, feature), (Feature::Vertex(_), Feature::Edge(_)));
            if distance < best.0 || is_edge_for_vertex && distance < best.0 + same {
                best = (distance, feature);
            }
        }
        best.1
    }

    fn done(&mut self, x: DVec3, y: DVec3, above: Option<DVec3>, outside: f64) -> LinCannyStep {
        // The length of the difference.
        self.tally.dots(1);
        self.tally.flops(4);
        self.tally.divisions_and_roots(0, 1);
        LinCannyStep::Done(Claim { x, y, above, outside })
    }
}

/// The distance of a point in the plane of a face outside of the face: tolerances may lead to it.
fn outside(y: &Polytope, f: u32, projection: DVec3) -> f64 {
    let face = y.face(f);
    face.sides.iter().fold(0.0, |most: f64, side| most.max(side.offset - side.normal.dot(projection)))
}
