//! The state of a pair in one word: the same in the table, in JSON, in CSV and on the page.

/// The state of a pair, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Not proved apart, where the bodies are or at the start.
    Overlap,
    /// Proved to meet later.
    Collision,
    /// Rounding cannot tell whether they meet.
    Graze,
    /// Neither proved to collide nor to be clear; there is a reason.
    Undecided,
    /// Apart where the bodies are.
    Gap,
    /// Apart at all times.
    Clear,
}

impl State {
    /// All states, worst first.
    const ALL: [Self; 6] = [Self::Overlap, Self::Collision, Self::Graze, Self::Undecided, Self::Gap, Self::Clear];

    /// The state of that [name](Self::name).
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// For programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overlap => "overlap",
            Self::Collision => "collision",
            Self::Graze => "graze",
            Self::Undecided => "undecided",
            Self::Gap => "gap",
            Self::Clear => "clear",
        }
    }

    /// For people: states that fail a check are in capitals.
    pub fn word(self) -> String {
        match self {
            Self::Gap | Self::Clear => self.name().to_owned(),
            _ => self.name().to_uppercase(),
        }
    }
}
