//! Infinite bounds as serde writes them: JSON has no infinities, so they are `null`, as in the answers of the program.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// For numbers of which only minus infinity is infinite.
pub(super) mod lower {
    use super::{Deserializer, Serializer, read, write};

    pub fn serialize<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        write(*x, serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        read(deserializer, f64::NEG_INFINITY)
    }
}

/// For the upper bound, of which infinity means that nothing is proved. Minus infinity, the bound of an overlap without end, is
/// written as the least finite number: it still is an upper bound.
pub(super) mod upper {
    use super::{Deserializer, Serializer, read, write};

    pub fn serialize<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        write(x.max(f64::MIN), serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        read(deserializer, f64::INFINITY)
    }
}

fn write<S: Serializer>(x: f64, serializer: S) -> Result<S::Ok, S::Error> {
    x.is_finite().then_some(x).serialize(serializer)
}

fn read<'de, D: Deserializer<'de>>(deserializer: D, infinite: f64) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(infinite))
}
