//! The algorithms of the library, and their names. [`NarrowPhase`](super::NarrowPhase) is the way to bring another one.

use std::str::FromStr;

/// The algorithm for the distance or depth of two convex shapes.
///
/// ```
/// use clearance::Engine;
///
/// assert_eq!("vclip".parse(), Ok(Engine::VClip));
/// assert_eq!(Engine::Gjk.to_string(), "gjk");
/// assert!("gjk2".parse::<Engine>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
#[doc(alias = "narrow_phase")]
pub enum Engine {
    /// A closed form where there is one, else the fastest engine that is right for the pair.
    #[default]
    Auto,
    /// GJK with the accurate subalgorithm (signed volumes).
    Gjk,
    /// V-Clip for two polytopes ([`Shape::hull`](crate::Shape::hull)), which walks from the features that were closest, or from those
    /// that witnessed a penetration; how deep that is, GJK says. GJK for all others.
    #[cfg_attr(feature = "serde", serde(rename = "vclip"))]
    VClip,
    /// The separating-vector search for intersection tests and [`within`](super::within): reflections of a vector until it separates. Distances are GJK's, from
    /// the vector that was found.
    SeparatingVector,
}

impl Engine {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Gjk, Self::VClip, Self::SeparatingVector];

    /// Its name in files and on the command line: `auto`, `gjk`, `vclip`, `separating_vector`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Gjk => "gjk",
            Self::VClip => "vclip",
            Self::SeparatingVector => "separating_vector",
        }
    }
}

impl std::fmt::Display for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Self, UnknownEngine> {
        Self::ALL.into_iter().find(|engine| engine.name() == name).ok_or_else(|| UnknownEngine::new(name))
    }
}

/// The error of [`Engine`]'s `FromStr`: no engine has that name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownEngine(String);

impl UnknownEngine {
    fn new(name: &str) -> Self {
        // Limit: names come from files, too; an error message is one line.
        const MOST: usize = 60;
        let short: String = name.chars().take(MOST).collect();
        Self(format!("{short:?}{}", if short.len() < name.len() { "…" } else { "" }))
    }
}

impl std::fmt::Display for UnknownEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = Engine::ALL.map(Engine::name).join(", ");
        write!(f, "the engine {} is unknown; use one of {names}", self.0)
    }
}

impl std::error::Error for UnknownEngine {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_is_found_by_its_name() {
        for engine in Engine::ALL {
            assert_eq!(engine.name().parse(), Ok(engine));
        }
        let error = "gjk2".parse::<Engine>().unwrap_err().to_string();
        assert!(error.starts_with("the engine \"gjk2\" is unknown; use one of auto, gjk, "), "{error}");
    }
}
