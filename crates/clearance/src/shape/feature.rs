//! Names for the parts of a shape's boundary.

use std::fmt;

/// The part of a shape's boundary on which a point lies.
///
/// Numbers start at zero. [`Shape::cuboid`](crate::Shape::cuboid), [`Shape::segment`](crate::Shape::segment) and
/// [`Shape::triangle`](crate::Shape::triangle) say how they number; a hull's numbers are those of its
/// [`Polytope`](crate::shape::Polytope). Images and rounded shapes have the numbers of what is inside, and what is round has a surface only.
///
/// The text form is short and stable: `s`, `v12`, `e3`, `f7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Feature {
    /// A smooth surface without named features, as that of a ball.
    #[default]
    Surface,
    /// The vertex of that number.
    Vertex(u32),
    /// The edge of that number.
    Edge(u32),
    /// The face of that number.
    Face(u32),
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Surface => f.write_str("s"),
            Self::Vertex(number) => write!(f, "v{number}"),
            Self::Edge(number) => write!(f, "e{number}"),
            Self::Face(number) => write!(f, "f{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_is_a_letter_and_a_number() {
        let all = [Feature::default(), Feature::Vertex(12), Feature::Edge(3), Feature::Face(7)];
        assert_eq!(all.map(|feature| feature.to_string()), ["s", "v12", "e3", "f7"]);
    }
}
