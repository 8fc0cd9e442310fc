//! Are two moving shapes of any number of parts apart from the start to a time?
//!
//! The evidence is a tree of sets of pairs of parts, as for shapes at rest (`crate::cover`), that goes on in time as it goes down. A node
//! has links, along which all pairs of its two sets are apart, one after the other from the end of its parent. Then it divides one of the
//! sets. A leaf has to get to the end. So what is far away is done with in a few links for very many pairs, and only what
//! comes close is divided. Sets are in the order that the evidence gives, and what a set reaches is what the highest of its parts does.
//!
//! Both bodies keep to one law in a link. There may be several trees, each from where the one before has proved all pairs apart to:
//! one for each stretch of time between key frames.

use super::body::BodyParts;
use super::chain::MovingPair;
use super::course::{Course, Law};
use super::{ChainLink, ImpactEvidence, ImpactNode, MovingQuery};
use crate::cover::{halves, ordered};
use crate::number::{Interval, Real, Wide, meter};
use crate::parts::Side;
use crate::shape::Trouble;
use std::ops::Range;

fn fault<T>(what: String) -> Result<T, Trouble> {
    Err(Trouble::Fault(what))
}

/// The pairs of two sets of parts, and until when they are known to be apart.
struct OpenSet {
    a: Range<usize>,
    b: Range<usize>,
    reached: f64,
}

/// Both shapes while they keep to one law each, as far as they have been asked for.
struct Shapes<'a, N> {
    a: BodyParts<'a, N>,
    b: BodyParts<'a, N>,
}

impl<'a, N: Real> Shapes<'a, N> {
    fn new(sides: [&[Side<'a>]; 2], [law_a, law_b]: &[Law<'_>; 2]) -> Result<Self, Trouble> {
        let [a, b] = sides;
        Ok(Self { a: BodyParts::new(a, Course::new(law_a)?), b: BodyParts::new(b, Course::new(law_b)?) })
    }
}

/// Does the evidence prove that the bodies are apart by more than a gap from the start to a time? If so, whether their hulls are apart at the
/// start: then nothing is inside of anything.
pub(super) fn is_apart(
    query: &MovingQuery,
    [a, b]: [&[Side<'_>]; 2],
    evidence: &ImpactEvidence,
    until: f64,
    gap: f64,
) -> Result<bool, Trouble> {
    let (a, b) = (ordered(a, &evidence.a)?, ordered(b, &evidence.b)?);
    let mut walk = Walk { query, sides: [&a, &b], until, gap, laws: None, doubles: None, wide: None, links: 0 };
    let mut reached = query.from;
    let mut are_hulls_apart = false;
    if evidence.cover.is_empty() {
        let all = OpenSet { a: 0..a.len(), b: 0..b.len(), reached };
        reached = walk.along(&all, &evidence.chain)?;
        are_hulls_apart = covers(&evidence.chain, query.from);
    } else if !evidence.chain.is_empty() {
        return fault("there is a chain for all pairs beside a cover".into());
    }
    for nodes in &evidence.cover {
        if reached >= until {
            break;
        }
        if reached == query.from {
            are_hulls_apart = nodes.first().is_some_and(|root| covers(&root.chain, query.from));
        }
        let next = walk.tree(nodes, reached)?;
        if !(next > reached) {
            return fault(format!("a cover does not go on from {reached:e}"));
        }
        reached = next;
    }
    if reached >= until {
        Ok(are_hulls_apart)
    } else {
        fault(format!("the chain ends at {reached:e}, before {until:e}"))
    }
}

/// Is the start in the first link of a chain?
fn covers(chain: &[ChainLink], start: f64) -> bool {
    chain.first().is_some_and(|link| link.from <= start && start <= link.to)
}

struct Walk<'q, 'a> {
    query: &'q MovingQuery,
    sides: [&'q [Side<'a>]; 2],
    until: f64,
    gap: f64,
    /// The shapes that the bodies below belong to.
    laws: Option<[Law<'q>; 2]>,
    doubles: Option<Shapes<'a, Interval>>,
    wide: Option<Shapes<'a, Wide>>,
    /// The number of links checked so far.
    links: usize,
}

impl<'a> Walk<'_, 'a> {
    /// Until when all pairs are apart, which they are until `reached`, by a tree.
    fn tree(&mut self, nodes: &[ImpactNode], reached: f64) -> Result<f64, Trouble> {
        let [a, b] = self.sides;
        let mut open = vec![OpenSet { a: 0..a.len(), b: 0..b.len(), reached }];
        let mut least = f64::INFINITY;
        for node in nodes {
            meter::charge(1);
            let Some(set) = open.pop() else { return fault("a cover has nodes after its end".into()) };
            let reached = self.along(&set, &node.chain)?;
            let OpenSet { a, b, .. } = set;
            match (node.split_a, node.split_b) {
                (None, None) => least = least.min(reached),
                (Some(at), None) => {
                    let [low, high] = halves(a, at)?;
                    open.extend([high, low].map(|a| OpenSet { a, b: b.clone(), reached }));
                }
                (None, Some(at)) => {
                    let [low, high] = halves(b, at)?;
                    open.extend([high, low].map(|b| OpenSet { a: a.clone(), b, reached }));
                }
                (Some(_), Some(_)) => return fault("a node of a cover divides both sets".into()),
            }
        }
        if open.is_empty() { Ok(least) } else { fault("a cover leaves out pairs of parts".into()) }
    }

    /// Until when all pairs of two sets are apart by a chain.
    fn along(&mut self, set: &OpenSet, chain: &[ChainLink]) -> Result<f64, Trouble> {
        let query = self.query;
        let mut reached = set.reached;
        let mut at = 0;
        while at < chain.len() && reached < self.until {
            let (law_a, end_a) = Law::at(&query.start.pose_a, &query.motion_a, chain[at].from);
            let (law_b, end_b) = Law::at(&query.start.pose_b, &query.motion_b, chain[at].from);
            let laws = [law_a, law_b];
            if self.laws != Some(laws) {
                (self.laws, self.doubles, self.wide) = (Some(laws), None, None);
            }
            // All links of one motion segment are about the same two bodies.
            let end = end_a.min(end_b);
            let later = chain[at..].iter().position(|link| link.from >= end).unwrap_or(chain.len() - at).max(1);
            reached = self.stretch(set, &chain[at..at + later], reached, end)?;
            at += later;
        }
        Ok(reached)
    }

    /// The same for links of one law, which ends at a time.
    fn stretch(&mut self, set: &OpenSet, chain: &[ChainLink], mut reached: f64, end: f64) -> Result<f64, Trouble> {
        let [a, b] = self.sides;
        if self.doubles.is_none()
            && let Some(laws) = &self.laws
        {
            self.doubles = Shapes::new([a, b], laws).map(Some).or_else(none_if_unclear)?;
        }
        let mut doubles = match &self.doubles {
            Some(shapes) => pair(shapes, set).map(Some).or_else(none_if_unclear)?,
            None => None,
        };
        let mut wide = None;
        for link in chain {
            if reached >= self.until {
                break;
            }
            if meter::is_exhausted() {
                return Err(Trouble::Unclear);
            }
            let number = self.links;
            self.links += 1;
            let is_time = link.from.is_finite() && link.to.is_finite() && link.from < link.to;
            if !is_time || link.from > reached {
                return fault(format!("link {number} of the chain is empty, or there is a hole before it"));
            }
            if link.to > end {
                return fault(format!("link {number} of the chain goes beyond a key frame"));
            }
            // Intervals of doubles count their work too.
            meter::charge(2000);
            let mut found = match &mut doubles {
                Some(pair) => pair.is_apart(link, self.gap),
                None => Err(Trouble::Unclear),
            };
            if found == Err(Trouble::Unclear) {
                meter::charge(2000);
                if wide.is_none() {
                    if self.wide.is_none()
                        && let Some(laws) = &self.laws
                    {
                        self.wide = Some(Shapes::new([a, b], laws)?);
                    }
                    wide = self.wide.as_ref().map(|shapes| pair(shapes, set)).transpose()?;
                }
                if let Some(pair) = &mut wide {
                    found = pair.is_apart(link, self.gap);
                }
            }
            match found {
                Ok(true) => reached = reached.max(link.to),
                Ok(false) => return fault(format!("link {number} of the chain does not keep the bodies apart")),
                Err(Trouble::Unclear) => {
                    return fault(format!("link {number} of the chain cannot be decided with 256 bits"));
                }
                Err(Trouble::Fault(what)) => return fault(format!("link {number} of the chain: {what}")),
            }
        }
        Ok(reached)
    }
}

fn pair<'s, 'a, N: Real>(shapes: &'s Shapes<'a, N>, set: &OpenSet) -> Result<MovingPair<'s, 'a, N>, Trouble> {
    MovingPair::new(shapes.a.body(set.a.clone())?, shapes.b.body(set.b.clone())?)
}

/// Retries with wide intervals where intervals of doubles leave a sign open.
fn none_if_unclear<T>(trouble: Trouble) -> Result<Option<T>, Trouble> {
    match trouble {
        Trouble::Unclear => Ok(None),
        fault => Err(fault),
    }
}
