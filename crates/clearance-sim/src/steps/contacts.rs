//! The pairs that may meet in a step, and their manifolds.
//!
//! **Boxes.** The box of a body contains all places that it may come to in the step by its own velocity. It is extended along the velocity. It is grown by the path of the farthest point by rotation, and by half of the
//! speculative distance. A broad phase keeps the pairs of overlapping boxes. Bodies that sleep keep their box.
//!
//! **Filter.** A pair has contacts if its bodies would meet if each one went on alone and the other stood still. So a body that falls onto another one has contacts before the floor stops that one, and
//! bodies that fall side by side have none.
//!
//! **Waiting.** A pair without contacts sleeps until both bodies have travelled as far as its proved distance allows.

use super::patch::{FoundPatch, KeptPatch};
use super::sleep::Sleep;
use super::{Form, StepBody};
use clearance::broad::{BroadPhase, SlotPair, Tree};
use clearance::math::{Aabb, DVec3};
use clearance::pair::{Manifold, ManifoldPoint};
use clearance::{Pair, Pose};

/// A pair of bodies whose boxes overlap.
pub(super) struct Entry {
    pub bodies: [usize; 2],
    pub pair: Pair,
    pub patches: Vec<KeptPatch>,
    /// A lower bound of the distance at the start of the step; negative if they overlap.
    pub gap: f64,
    /// Is it in the solver in this step?
    pub has_contacts: bool,
    /// Were all points of the manifolds apart at the start of the step?
    pub is_apart: bool,
    /// How far the bodies may travel before their contacts are searched again.
    wait: f64,
    /// A point was within the speculative distance in the step before.
    is_close: bool,
    /// The last step in which it was tested.
    stamp: u64,
}

/// A search for the contacts of pairs.
struct Search<'a> {
    forms: &'a [Form],
    reaches: &'a [Reach],
    poses: &'a [Pose],
    /// How far each body has moved in the step before.
    moved: &'a [f64],
    slack: f64,
    skin: f64,
    checks: u64,
}

impl Entry {
    fn new(bodies: [usize; 2], forms: &[Form]) -> Self {
        Self {
            bodies,
            pair: Pair::new(&forms[bodies[0]].shape, &forms[bodies[1]].shape),
            patches: Vec::new(),
            gap: 0.0,
            has_contacts: false,
            is_apart: true,
            wait: 0.0,
            is_close: false,
            stamp: 0,
        }
    }

    /// The manifolds that take part in the step, appended to a list.
    fn contacts(&mut self, number: u32, search: &mut Search<'_>, list: &mut Vec<FoundPatch>) {
        let [a, b] = self.bodies;
        let [one, other] = self.bodies.map(|body| search.reaches[body]);
        let poses = self.bodies.map(|body| search.poses[body]);
        (self.has_contacts, self.is_apart) = (false, true);
        let margin = search.slack + one.most() + other.most();
        let travelled = search.moved[a] + search.moved[b];
        self.wait -= travelled;
        self.gap -= travelled;
        if self.wait > margin {
            self.patches.clear();
            return;
        }
        // A pair in contact is not stopped by an impact, so that all points that it may come to belong to it.
        let whole = search.slack + one.whole + other.whole;
        let margin = if self.is_close { whole.max(margin) } else { margin };
        let is_surface = search.forms[a].is_surface || search.forms[b].is_surface;
        let slack = search.slack;
        let is_close = |list: &[Manifold]| list.iter().flat_map(Manifold::points).any(|point| point.distance <= slack);
        search.checks += 1 + u64::from(is_surface);
        // Points of the manifolds of meshes are not always the closest ones, and far from them normals say less.
        let of_surface = is_surface.then(|| self.pair.distance(poses[0], poses[1]).lower);
        let mut manifolds = self.pair.manifolds(poses[0], poses[1], margin);
        let was_close = std::mem::replace(&mut self.is_close, is_close(manifolds));
        if self.is_close && !was_close && whole > margin {
            manifolds = self.pair.manifolds(poses[0], poses[1], whole);
        }
        let mut gap = f64::INFINITY;
        for manifold in manifolds {
            let least = |of: fn(&ManifoldPoint) -> f64| manifold.points().iter().map(of).fold(f64::INFINITY, f64::min);
            let deepest = least(|point| point.distance);
            gap = gap.min(least(|point| point.lower));
            if deepest < 0.0 && of_surface.is_some_and(|distance| distance > 0.0) {
                continue;
            }
            self.is_apart &= deepest > 0.0;
            if is_surface || deepest <= 2.0 * search.skin + one.along(manifold.normal) + other.along(-manifold.normal) {
                list.push(FoundPatch::new((self.bodies, number), manifold, poses, &self.patches, is_surface));
                self.has_contacts = true;
            }
        }
        if self.has_contacts {
            (self.gap, self.wait) = (of_surface.unwrap_or(gap), 0.0);
            self.is_apart = of_surface.map_or(self.is_apart, |distance| distance > 0.0);
        } else {
            search.checks += 1;
            self.gap = self.pair.distance(poses[0], poses[1]).lower;
            self.wait = self.gap;
            self.patches.clear();
        }
    }
}

/// The reach of a body in a step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reach {
    /// Of the center, by the velocity and the acceleration.
    way: DVec3,
    /// Of the farthest point, by rotation.
    turn: f64,
    /// All of both, also that of fast bodies.
    whole: f64,
}

impl Reach {
    /// Fast bodies are stopped, so that their contacts are searched up to `most` only.
    pub fn new(body: &StepBody, form: &Form, step: f64, most: f64) -> Self {
        let way = (body.moving.velocity + body.acceleration * step) * step;
        let turn = if body.moving.spin == DVec3::ZERO { 0.0 } else { body.moving.spin.length() * form.reach * step };
        Self { way: way.clamp_length_max(most), turn: turn.min(most), whole: way.length() + turn }
    }

    /// Toward a direction.
    fn along(&self, direction: DVec3) -> f64 {
        self.way.dot(direction).max(0.0) + self.turn
    }

    fn most(&self) -> f64 {
        self.way.length() + self.turn
    }
}

/// See the module.
pub(super) struct Contacts {
    broad: Tree,
    entries: Vec<Option<Entry>>,
    free: Vec<u32>,
    /// Sorted by pair, with the number of the entry.
    order: Vec<(SlotPair, u32)>,
    /// Pairs that never collide, sorted.
    ignored: Vec<SlotPair>,
    /// The boxes of the last step.
    bounds: Vec<Aabb>,
    reaches: Vec<Reach>,
    /// Points up to this far apart belong to a manifold.
    slack: f64,
    skin: f64,
    stamp: u64,
    pub checks: u64,
}

impl Contacts {
    pub fn new(bodies: &[StepBody], ignored: &[[usize; 2]], slack: f64, skin: f64) -> Self {
        let mut ignored: Vec<SlotPair> = ignored.iter().map(|&[a, b]| SlotPair::new(a as u32, b as u32)).collect();
        ignored.sort_unstable();
        Self {
            broad: Tree::default(),
            entries: Vec::new(),
            free: Vec::new(),
            order: Vec::new(),
            ignored,
            bounds: vec![Aabb::EMPTY; bodies.len()],
            reaches: vec![Reach::default(); bodies.len()],
            slack,
            skin,
            stamp: 0,
            checks: 0,
        }
    }

    /// The entries of all pairs, in the order of their bodies.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.order.iter().map(|&(_, number)| number)
    }

    pub fn entry(&mut self, number: u32) -> Option<&mut Entry> {
        self.entries.get_mut(number as usize).and_then(Option::as_mut)
    }

    /// The manifolds of all pairs that may meet in a step of bodies that are at `poses` and have moved by `moved` since the step before. Sleeping bodies that may be met wake up.
    pub fn find(
        &mut self,
        bodies: &mut [StepBody],
        forms: &[Form],
        poses: &[Pose],
        (moved, step): (&[f64], f64),
        sleep: &mut Sleep,
    ) -> Vec<FoundPatch> {
        self.stamp += 1;
        for (number, body) in bodies.iter().enumerate() {
            // Bodies that do not move have their box from the first step.
            if self.stamp > 1 && !body.is_moving() {
                self.reaches[number] = Reach::default();
                continue;
            }
            let form = &forms[number];
            let most = if body.inertial.is_dynamic { form.stride } else { f64::INFINITY };
            let reach = Reach::new(body, form, step, most);
            self.reaches[number] = reach;
            let here = form.shape.aabb(&poses[number]).grown(0.5 * self.slack + reach.turn);
            let there = Aabb { min: here.min + reach.way, max: here.max + reach.way };
            self.bounds[number] = here.merged(&there);
            self.broad.set(number as u32, &self.bounds[number]);
        }
        self.update_pairs(bodies, forms);
        let mut search =
            Search { forms, reaches: &self.reaches, poses, moved, slack: self.slack, skin: self.skin, checks: 0 };
        let mut found: Vec<FoundPatch> = Vec::new();
        loop {
            let mut activated = Vec::new();
            for &(pair, number) in &self.order {
                let both = [pair.low() as usize, pair.high() as usize];
                let Some(entry) = &mut self.entries[number as usize] else { continue };
                if entry.stamp == self.stamp || !both.iter().any(|&body| bodies[body].is_moving()) {
                    continue;
                }
                entry.stamp = self.stamp;
                entry.contacts(number, &mut search, &mut found);
                if entry.has_contacts {
                    activated.extend(both.into_iter().filter(|&body| bodies[body].sleeps_with.is_some()));
                }
            }
            if activated.is_empty() {
                break;
            }
            for body in activated {
                sleep.activate(body, bodies);
            }
        }
        self.checks += search.checks;
        // Pairs of bodies that were activated came later.
        if !found.is_sorted_by_key(|patch| patch.bodies) {
            found.sort_by_key(|patch| patch.bodies);
        }
        found
    }

    /// The pairs of overlapping boxes.
    fn update_pairs(&mut self, bodies: &[StepBody], forms: &[Form]) {
        let changes = self.broad.update();
        if changes.added.is_empty() && changes.removed.is_empty() {
            return;
        }
        let mut removed = changes.removed.iter().peekable();
        let (entries, free) = (&mut self.entries, &mut self.free);
        self.order.retain(|&(pair, number)| {
            while removed.peek().is_some_and(|&&other| other < pair) {
                removed.next();
            }
            let stays = removed.peek().is_none_or(|&&other| other != pair);
            if !stays {
                entries[number as usize] = None;
                free.push(number);
            }
            stays
        });
        for &pair in changes.added {
            let both = [pair.low() as usize, pair.high() as usize];
            let can_move = both.iter().any(|&body| bodies[body].inertial.is_dynamic);
            if !can_move || self.ignored.binary_search(&pair).is_ok() {
                continue;
            }
            let entry = Some(Entry::new(both, forms));
            let number = match free.pop() {
                Some(number) => {
                    entries[number as usize] = entry;
                    number
                }
                None => {
                    entries.push(entry);
                    entries.len() as u32 - 1
                }
            };
            self.order.push((pair, number));
        }
        self.order.sort_unstable_by_key(|&(pair, _)| pair);
    }

    /// Makes sure that the pairs of a body whose path has left its box are in the table: its box contains the path then. Whether it has.
    pub fn extend(&mut self, body: usize, path: &Aabb) -> bool {
        let own = &self.bounds[body];
        if path.min.cmpge(own.min).all() && path.max.cmple(own.max).all() {
            return false;
        }
        self.bounds[body] = own.merged(path);
        self.broad.set(body as u32, &self.bounds[body]);
        true
    }

    /// Adds the pairs of bodies whose boxes were [extended](Self::extend). They are new, so nothing is known about their distance.
    pub fn add_extended(&mut self, bodies: &[StepBody], forms: &[Form]) {
        self.update_pairs(bodies, forms);
    }
}
