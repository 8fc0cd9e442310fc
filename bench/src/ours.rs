//! Clearance's turn.

use crate::timing::Pass;
use crate::workloads::{QueryKind, Row, Scene};
use clearance::{Pair, Shape};
use std::hint::black_box;

/// A pass over a row that leaves one number per query: a signed distance, or 1 for yes.
pub fn pass<'a>(row: &'a Row, out: &'a mut [f64]) -> Pass<'a> {
    let Scene { shapes, queries, track, .. } = &*row.scene;
    let shapes: Vec<Shape> = shapes.iter().map(crate::workloads::Model::shape).collect();
    match row.kind {
        QueryKind::Distance | QueryKind::Depth => Box::new(move || {
            for (query, out) in queries.iter().zip(&mut *out) {
                let found = clearance::distance(&shapes[query.a], query.pose_a, &shapes[query.b], query.pose_b);
                black_box(&found);
                *out = found.distance;
            }
        }),
        QueryKind::WarmDistance => Box::new(move || {
            let mut pair = Pair::new(&shapes[0], &shapes[1]);
            for (index, (query, out)) in queries.iter().zip(&mut *out).enumerate() {
                if index % track == 0 {
                    pair = Pair::new(&shapes[query.a], &shapes[query.b]);
                }
                let found = pair.distance(query.pose_a, query.pose_b);
                black_box(&found);
                *out = found.distance;
            }
        }),
        QueryKind::WarmIntersects => Box::new(move || {
            for (queries, out) in queries.chunks(*track).zip(out.chunks_mut(*track)) {
                let mut pair = Pair::new(&shapes[queries[0].a], &shapes[queries[0].b]);
                for (query, out) in queries.iter().zip(out) {
                    *out = f64::from(u8::from(black_box(pair.intersects(query.pose_a, query.pose_b))));
                }
            }
        }),
        QueryKind::Intersects => Box::new(move || {
            for (query, out) in queries.iter().zip(&mut *out) {
                let found = clearance::intersects(&shapes[query.a], query.pose_a, &shapes[query.b], query.pose_b);
                *out = f64::from(u8::from(black_box(found)));
            }
        }),
    }
}
