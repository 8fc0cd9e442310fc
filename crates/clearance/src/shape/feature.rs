//! Names of the parts of a shape's boundary.
use std::fmt;
/// A part of a shape's boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Feature {
    /// A smooth surface.
    #[default]
    Surface,
    /// A vertex.
    Vertex(u32),
    /// An edge.
    Edge(u32),
    /// A face.
    Face(u32),
}
impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Surface => write!(f, "s"),
            Self::Vertex(i) => write!(f, "v{i}"),
            Self::Edge(i) => write!(f, "e{i}"),
            Self::Face(i) => write!(f, "f{i}"),
        }
    }
}
