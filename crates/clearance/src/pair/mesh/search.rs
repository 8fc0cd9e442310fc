//! A mesh against anything with a box: triangles are asked about through the pair pipeline, which has a closed form or an engine for
//! every kind; and two meshes of a size that only the pipeline can deal with.

use super::super::entry;
use super::{Clearance, Contact, Cost, Engine, Feature, Mesh, PairCache, PosedPair, beyond};
use crate::math::{Aabb, Frame, Pose, Vectorized, vectorized};
use crate::narrow::Outcome;
use crate::narrow::gjk;
use crate::narrow::meshes::{
    Around, NearSearch, SeenTriangles, SeparatingPlane, SurfaceSearch, any_leaves, closest_first, triangle_near,
};
use crate::shape::{Convex, Shape, Triangle};
use crate::tree::{LEAF, LoneBox, WideView};
use arrayvec::ArrayVec;
use fearless_simd::Simd;
use glam::DVec3;
use std::ops::ControlFlow;

/// What is known about two surfaces.
pub(super) enum Surfaces {
    /// They are apart: `lower` is positive.
    Apart(Clearance),
    /// These parts of them meet, or nothing tells that they do not.
    Meet(Clearance),
}

impl Surfaces {
    /// With the roles of A and B exchanged.
    pub fn swapped(self) -> Self {
        match self {
            Self::Apart(clearance) => Self::Apart(clearance.swapped()),
            Self::Meet(clearance) => Self::Meet(clearance.swapped()),
        }
    }
}

/// How far a point of either shape may be from where it is meant to be, in any frame that engines use, and what is rounded about it.
pub(super) fn rounding(pair: &PosedPair<'_>) -> f64 {
    let between = pair.pose_b.translation() - pair.pose_a.translation();
    let size = pair.a.bounding_radius() + pair.b.bounding_radius() + between.length();
    let slack = |shape: &Shape| shape.with_hull(|hull| hull.slack()).unwrap_or(0.0);
    crate::math::rounding::of_pair(size, slack(pair.a) + slack(pair.b))
}

/// One of two shapes: a mesh, or something convex with its box.
enum MeshSide<'a> {
    Mesh(&'a Mesh),
    Convex(&'a Shape, LoneBox),
}

impl<'a> MeshSide<'a> {
    /// Nothing for a shape of the caller's own that may be anywhere.
    fn new(shape: &'a Shape) -> Option<Self> {
        if let Some(mesh) = shape.as_mesh() {
            return Some(Self::Mesh(mesh));
        }
        let bounds = shape.aabb(&Pose::IDENTITY);
        (bounds.min.is_finite() && bounds.max.is_finite()).then(|| Self::Convex(shape, LoneBox::new(&bounds)))
    }

    fn view(&self) -> WideView<'_> {
        match self {
            Self::Mesh(mesh) => mesh.tree().view(),
            Self::Convex(_, bounds) => bounds.view(),
        }
    }

    /// Does it have a part of that number?
    fn has(&self, number: u32) -> bool {
        match self {
            Self::Mesh(mesh) => (number as usize) < mesh.triangles().len(),
            Self::Convex(..) => number == 0,
        }
    }

    /// A triangle of it, if it is a mesh.
    fn triangle(&self, number: u32) -> Option<Shape> {
        let Self::Mesh(mesh) = self else { return None };
        let [a, b, c] = mesh.corners(number);
        Triangle::new(a, b, c).ok().map(Shape::Triangle)
    }

    /// How far its making may have moved a point, where the part does not know that itself.
    fn slack(&self) -> f64 {
        match self {
            Self::Mesh(mesh) => mesh.slack(),
            Self::Convex(..) => 0.0,
        }
    }

    /// Its feature in an answer about a part.
    fn feature(&self, number: u32, of_part: Feature) -> Feature {
        match self {
            Self::Mesh(_) => Feature::Face(number),
            Self::Convex(..) => of_part,
        }
    }
}

/// Two shapes as parts.
struct Sides<'a> {
    pair: PosedPair<'a>,
    a: MeshSide<'a>,
    b: MeshSide<'a>,
    engine: Engine,
    slack: f64,
}

impl<'a> Sides<'a> {
    fn new(pair: PosedPair<'a>, engine: Engine) -> Option<Self> {
        let (a, b) = (MeshSide::new(pair.a)?, MeshSide::new(pair.b)?);
        let slack = a.slack() + b.slack();
        Some(Self { pair, a, b, engine, slack })
    }

    fn have(&self, [i, j]: [u32; 2]) -> bool {
        self.a.has(i) && self.b.has(j)
    }

    /// Asks about two parts.
    #[inline]
    fn with_parts<R>(&self, [i, j]: [u32; 2], ask: impl FnOnce(PosedPair<'_>) -> R) -> R {
        let (triangle_a, triangle_b) = (self.a.triangle(i), self.b.triangle(j));
        let a = triangle_a.as_ref().unwrap_or(self.pair.a);
        let b = triangle_b.as_ref().unwrap_or(self.pair.b);
        ask(PosedPair { a, b, ..self.pair })
    }

    /// The clearance of two parts, which is known beyond `limit` only to be that.
    fn ask(&self, parts: [u32; 2], limit: f64, cache: &mut PairCache) -> Clearance {
        let mut answer = self.with_parts(parts, |pair| entry::clearance(pair, limit, self.engine, cache));
        answer.lower -= self.slack;
        answer.upper += self.slack;
        answer
    }

    /// An answer about two parts, with features of the wholes.
    fn of_wholes(&self, [i, j]: [u32; 2], answer: Clearance) -> Clearance {
        let (triangle_a, triangle_b) = (self.a.triangle(i), self.b.triangle(j));
        let [a, b] =
            answer.features(triangle_a.as_ref().unwrap_or(self.pair.a), triangle_b.as_ref().unwrap_or(self.pair.b));
        Clearance { contact: Contact::of_features([self.a.feature(i, a), self.b.feature(j, b)]), ..answer }
    }

    /// How deep two parts overlap is not asked for: only those that do not may be apart by no more than their slack.
    fn do_meet(&self, parts: [u32; 2], cache: &mut PairCache) -> bool {
        self.with_parts(parts, |pair| entry::intersects(pair, self.engine, cache))
            || self.slack > 0.0 && !(self.ask(parts, self.slack, cache).lower > 0.0)
    }
}

/// The clearance of two triangles of meshes that meet.
pub(super) fn of_triangles(pair: PosedPair<'_>, triangles: [u32; 2], engine: Engine) -> Clearance {
    match Sides::new(pair, engine) {
        Some(sides) => sides.of_wholes(triangles, sides.ask(triangles, f64::INFINITY, &mut PairCache::default())),
        None => Clearance::unknown(pair.pose_a, Cost::default()),
    }
}

/// Do two surfaces meet? That they do not is proved.
pub(super) fn meeting(pair: PosedPair<'_>, engine: Engine, cache: &mut PairCache) -> bool {
    // A mesh is the first, see `closest`.
    let pair = if pair.a.as_mesh().is_some() { pair } else { pair.swapped() };
    let Some(sides) = Sides::new(pair, engine) else { return true };
    let mut own = PairCache::default();
    if super::remembered(cache).is_some_and(|first| sides.have(first) && sides.do_meet(first, &mut own)) {
        return true;
    }
    any_leaves([sides.a.view(), sides.b.view()], &pair.frame(), |of_a, of_b| {
        for parts in of_a.iter().flat_map(|&i| of_b.iter().map(move |&j| [i, j])) {
            if sides.do_meet(parts, &mut own) {
                cache.triangles = parts.map(|part| part + 1);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    })
    .is_break()
}

/// The closest parts of two surfaces; what is farther than `limit` is not looked at any closer.
pub(super) fn closest(pair: PosedPair<'_>, limit: f64, engine: Engine, cache: &mut PairCache) -> Surfaces {
    // A mesh is the first, so that the convex one is always on the same side of planes.
    if pair.a.as_mesh().is_none() {
        return closest(pair.swapped(), limit, engine, cache).swapped();
    }
    let Some(sides) = Sides::new(pair, engine) else {
        return Surfaces::Meet(Clearance::unknown(pair.pose_a, Cost::default()));
    };
    let frame = pair.frame();
    let mut search = ClosestParts {
        sides: &sides,
        frame: &frame,
        rounding: rounding(&pair),
        own: PairCache { gjk: cache.gjk, ..PairCache::default() },
        best: None,
        plane: None,
        enough: limit,
        lower: f64::INFINITY,
        upper: f64::INFINITY,
        cost: Cost::default(),
        is_plain: engine == Engine::Auto
            && super::is_ordinary(&pair)
            && !pair.is_foreign()
            && !matches!(pair.b, Shape::Sphere(_)),
        middle: pair.b.convex().map_or(DVec3::ZERO, |core| frame.point(core.center())),
    };
    if let Some(first) = super::remembered(cache).filter(|&first| sides.have(first)) {
        search.parts(first);
    }
    search.first_guess();
    if !NearSearch::is_over(&search) && !search.walk_around() {
        closest_first([sides.a.view(), sides.b.view()], &frame, &mut search);
    }
    let ClosestParts { best, lower, upper, cost, .. } = search;
    let Some((parts, best)) = best else { return Surfaces::Apart(beyond(&pair, lower, cost)) };
    cache.triangles = parts.map(|part| part + 1);
    cache.gjk = search.own.gjk;
    let best = sides.of_wholes(parts, best);
    if !(lower > 0.0) {
        return Surfaces::Meet(Clearance { cost, ..best });
    }
    let lower = lower.min(best.distance);
    Surfaces::Apart(Clearance { lower, upper: upper.max(best.distance), cost, ..best })
}

struct ClosestParts<'s, 'a> {
    sides: &'s Sides<'a>,
    frame: &'s Frame,
    rounding: f64,
    own: PairCache,
    best: Option<([u32; 2], Clearance)>,
    /// A plane across the normal of the best answer, and how high the convex shape is over it at least.
    plane: Option<SeparatingPlane>,
    /// Nothing that is farther is of interest.
    enough: f64,
    lower: f64,
    upper: f64,
    cost: Cost,
    /// Can a triangle and the convex shape be put to GJK as they are? Against balls they have a closed form.
    is_plain: bool,
    /// The middle of the convex shape in the frame of A.
    middle: DVec3,
}

impl<'s> ClosestParts<'s, '_> {
    #[inline(never)]
    fn parts(&mut self, parts: [u32; 2]) {
        if self.is_beyond_plane(parts) {
            return;
        }
        let answer = match self.by_gjk(parts) {
            Some(out) if out.lower - self.sides.slack > self.enough => {
                self.lower = self.lower.min(out.lower - self.sides.slack);
                self.cost += out.cost;
                return;
            }
            // What is apart is what the pipeline would find, which asks GJK too; but from the start, where the axis at hand did not lead to
            // the end.
            Some(out) if out.closed && out.lower > self.sides.slack => {
                let answer = Clearance::new(&out, self.sides.pair.pose_a);
                let slack = self.sides.slack;
                Clearance { lower: answer.lower - slack, upper: answer.upper + slack, ..answer }
            }
            Some(out) if out.lower > self.sides.slack => self.sides.ask(parts, self.enough, &mut PairCache::default()),
            _ => self.sides.ask(parts, self.enough, &mut self.own),
        };
        self.cost += answer.cost;
        self.lower = self.lower.min(answer.lower);
        // A pair whose search ended because it is too far says nothing but its lower bound.
        if answer.lower > self.enough {
            return;
        }
        self.upper = self.upper.min(answer.upper);
        if self.best.as_ref().is_none_or(|(_, best)| answer.distance < best.distance) {
            self.best = Some((parts, answer));
            self.enough = if answer.lower > 0.0 { self.enough.min(answer.distance) } else { 0.0 };
            self.plane = Some(self.plane_of(&answer));
        }
    }

    /// The mesh A and the convex shape B, if they can be asked about as they are.
    fn plain(&self) -> Option<(&'s Mesh, &'s dyn Convex)> {
        let sides = self.sides;
        match (&sides.a, &sides.b) {
            (MeshSide::Mesh(mesh), MeshSide::Convex(shape, _)) if self.is_plain => Some((mesh, shape.convex()?)),
            _ => None,
        }
    }

    /// A triangle near the middle of the convex shape, if nothing better is known: it is seldom far from the closest one.
    fn first_guess(&mut self) {
        if self.best.is_none()
            && let Some((mesh, _)) = self.plain()
            && let Some(first) = triangle_near(mesh, self.middle)
        {
            self.parts([first, 0]);
        }
    }

    /// Walks the tree of the mesh around the convex shape, if that can be asked about as it is; was that so?
    fn walk_around(&mut self) -> bool {
        let sides = self.sides;
        let (Some((mesh, core)), MeshSide::Convex(shape, _)) = (self.plain(), &sides.b) else { return false };
        let Some(bounds) = shape.aabb_in(self.frame) else { return false };
        let radius = core.center().length() + shape.bounding_radius() + self.rounding;
        let around = Around { bounds: bounds.grown(self.rounding), middle: self.middle, radius, frame: self.frame };
        let view = mesh.tree().view();
        if !around.is_near(&view) {
            return false;
        }
        let own_box = shape.aabb(&Pose::IDENTITY).grown(self.rounding);
        vectorized(WalkAround { around, view, own_box, search: self });
        true
    }

    /// The triangles of a leaf that may be closer to the convex shape than is enough, those first that look closest: four at a time along
    /// the normal of the best, then along the way from each to the middle of the shape, which takes a support point. Most are settled so.
    #[inline(always)]
    fn open_triangles<S: Simd>(&mut self, simd: S, items: &[u32]) -> Option<ArrayVec<(f64, u32), LEAF>> {
        let (mesh, core) = self.plain()?;
        let seen = SeenTriangles::new(simd, mesh, items, self.middle);
        let mut least = f64::INFINITY;
        let mut is_open = [true; LEAF];
        if let Some(SeparatingPlane { normal, height: Some(height) }) = self.plane {
            let base = height - normal.dot(self.middle) - self.rounding;
            // What is within rounding of the best is settled too: faces that are parallel have many closest pairs.
            let far = (self.enough - 4.0 * self.rounding).max(f64::MIN_POSITIVE);
            for (is_open, top) in is_open.iter_mut().zip(seen.tops(normal)) {
                if base - top >= far {
                    (*is_open, least) = (false, least.min(base - top));
                }
            }
        }
        let mut open = ArrayVec::new();
        if is_open.contains(&true) {
            let nearest = seen.nearest();
            let (ways, distances, lower) = (nearest.ways(), nearest.distances(), nearest.lower());
            for (lane, &item) in items.iter().enumerate().filter(|(lane, _)| is_open[*lane]) {
                let n = -ways[lane] / distances[lane];
                let reach = core.height(self.frame.direction_in_b(-n)) + core.radius();
                // All of the triangle is that far below the middle, and the shape reaches so far down to it.
                let apart = n.dot(self.frame.translation - self.middle) - reach + lower[lane] - 2.0 * self.rounding;
                if apart > self.enough {
                    least = least.min(apart);
                } else {
                    open.push((apart, item));
                }
            }
            open.sort_unstable_by(|x: &(f64, u32), y| x.0.total_cmp(&y.0));
        }
        self.lower = self.lower.min(least);
        Some(open)
    }

    /// How far a triangle of A is from the convex shape, without a detour through the pipeline, which has nothing better than GJK for them.
    fn by_gjk(&mut self, [i, _]: [u32; 2]) -> Option<Outcome> {
        let (mesh, core) = self.plain()?;
        let [a, b, c] = mesh.corners(i);
        let triangle = Triangle::new(a, b, c).ok()?;
        let mut cache = gjk::WarmSimplex::of_axis(self.own.gjk.axis());
        let limit = self.enough + self.sides.slack;
        let out = gjk::distance_or_overlap(&triangle, core, self.frame, limit, &mut cache);
        if out.lower > 0.0 {
            self.own.gjk.aim(cache.axis());
        }
        Some(out)
    }

    /// The plane across the normal of an answer: everything of B is above its height, if B is convex.
    fn plane_of(&self, answer: &Clearance) -> SeparatingPlane {
        let normal = self.sides.pair.pose_a.inverse_transform_vector(answer.normal);
        let lowest = |core: &dyn Convex| {
            let reach = core.height(self.frame.direction_in_b(-normal)) + core.radius();
            normal.dot(self.frame.translation) - reach - self.rounding
        };
        let height = match &self.sides.b {
            MeshSide::Convex(shape, _) if !shape.is_foreign() => shape.convex().map(lowest),
            MeshSide::Convex(..) | MeshSide::Mesh(_) => None,
        };
        SeparatingPlane { normal, height }
    }

    /// Is a triangle of A farther than is enough below the plane? That takes three products.
    fn is_beyond_plane(&mut self, [i, _]: [u32; 2]) -> bool {
        let (Some(SeparatingPlane { normal, height: Some(height) }), MeshSide::Mesh(mesh)) =
            (self.plane, &self.sides.a)
        else {
            return false;
        };
        let [a, b, c] = mesh.corners(i).map(|corner| normal.dot(corner));
        let apart = height - a.max(b).max(c) - self.rounding;
        // What is within rounding of the best is settled too: faces that are parallel have many closest pairs.
        if !(apart >= self.enough - 4.0 * self.rounding && apart > 0.0) {
            return false;
        }
        self.lower = self.lower.min(apart);
        true
    }
}

/// A walk over the tree of a mesh.
struct WalkAround<'w, 's, 'a> {
    around: Around<'s>,
    view: WideView<'s>,
    own_box: Aabb,
    search: &'w mut ClosestParts<'s, 'a>,
}

impl Vectorized for WalkAround<'_, '_, '_> {
    type Answer = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.around.closest(simd, &self.view, &self.own_box, self.search);
    }
}

impl NearSearch for ClosestParts<'_, '_> {
    #[inline(always)]
    fn enough(&self) -> f64 {
        self.enough
    }

    #[inline(always)]
    fn plane(&self) -> Option<SeparatingPlane> {
        self.plane
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        !(self.lower > 0.0)
    }

    fn pass(&mut self, lower: f64) {
        self.lower = self.lower.min(lower);
    }

    #[inline(always)]
    fn leaf<S: Simd>(&mut self, simd: S, items: &[u32]) {
        let Some(open) = self.open_triangles(simd, items) else { return };
        for (apart, item) in open {
            if apart > self.enough {
                self.lower = self.lower.min(apart);
            } else {
                self.parts([item, 0]);
            }
        }
    }
}

/// What is very far apart, and what only the pipeline can be asked about.
impl SurfaceSearch for ClosestParts<'_, '_> {
    fn enough(&self) -> f64 {
        self.enough
    }

    fn plane(&self) -> Option<SeparatingPlane> {
        self.plane
    }

    fn is_over(&self) -> bool {
        NearSearch::is_over(self)
    }

    fn pass(&mut self, lower: f64) {
        NearSearch::pass(self, lower);
    }

    fn leaves(&mut self, of_a: &[u32], of_b: &[u32]) -> f64 {
        for parts in of_a.iter().flat_map(|&i| of_b.iter().map(move |&j| [i, j])) {
            self.parts(parts);
        }
        0.0
    }
}
