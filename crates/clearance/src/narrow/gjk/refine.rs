//! What happens to a search that rounding stopped while its bracket was open.

use super::search::Search;
use crate::narrow::Difference;
use crate::narrow::simplex::Simplex;
use crate::shape::Convex;

pub(super) fn refine<A, B>(_difference: &Difference<'_, A, B>, _simplex: &mut Simplex, search: &mut Search)
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    search.cost.rescues += 1;
}
