//! The promises of the dispatcher: answers that agree with parry's within what parry proves, manifolds that solvers can warm start from, shapes that are never stale, and rapier's stacks.

mod answers;
mod casts;
mod manifolds;
mod meshes;
mod models;
mod stale;
