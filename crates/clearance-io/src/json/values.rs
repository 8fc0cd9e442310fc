//! The simplest values: numbers, vectors, texts and lists of anything.

use super::{Reader, Step};
use crate::count::counted;
use clearance::error::MAX_COORDINATE;
use clearance::math::{DQuat, DVec3};
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

/// Reads a number.
#[derive(Clone, Copy)]
pub(crate) struct Number;

impl<'de> DeserializeSeed<'de> for Number {
    type Value = f64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<f64, D::Error> {
        deserializer.deserialize_f64(self)
    }
}

impl Visitor<'_> for Number {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    fn visit_u64<E>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_i64<E>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }
}

/// Reads a text.
#[derive(Clone, Copy)]
pub(crate) struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Text {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, value: &str) -> Result<String, E> {
        Ok(value.to_owned())
    }
}

/// Reads a list of exactly as many values as there are names, each called by its name in the path.
pub(crate) struct Tuple<'r, 'c, S, const N: usize> {
    reader: &'r Reader<'c>,
    item: S,
    names: [&'static str; N],
    what: &'static str,
}

impl<'de, S: DeserializeSeed<'de> + Copy, const N: usize> Visitor<'de> for Tuple<'_, '_, S, N>
where
    S::Value: Copy + Default,
{
    type Value = [S::Value; N];

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.what)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut values = [S::Value::default(); N];
        let wrong = |count: &str| {
            self.reader.fail(format!("{} has {count}, but must be {}", self.reader.name("list"), self.what))
        };
        for (index, (value, name)) in values.iter_mut().zip(self.names).enumerate() {
            let next = self.reader.inside(Step::Field(name), || list.next_element_seed(self.item))?;
            *value = next.ok_or_else(|| wrong(&format!("only {}", counted(index as u64, "entry", "entries"))))?;
        }
        match list.next_element::<serde::de::IgnoredAny>()? {
            Some(_) => Err(wrong(&format!("more than {N} entries"))),
            None => Ok(values),
        }
    }
}

/// Reads `[x, y, z]`.
#[derive(Clone, Copy)]
pub(crate) struct Vector<'r, 'c>(pub &'r Reader<'c>);

impl<'de> DeserializeSeed<'de> for Vector<'_, '_> {
    type Value = DVec3;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<DVec3, D::Error> {
        let what = "a list of 3 numbers [x, y, z]";
        let tuple = Tuple { reader: self.0, item: Number, names: ["x", "y", "z"], what };
        deserializer.deserialize_seq(tuple).map(DVec3::from_array)
    }
}

/// Reads `[x, y, z, w]`.
#[derive(Clone, Copy)]
pub(crate) struct Quaternion<'r, 'c>(pub &'r Reader<'c>);

impl<'de> DeserializeSeed<'de> for Quaternion<'_, '_> {
    type Value = DQuat;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<DQuat, D::Error> {
        let what = "a list of 4 numbers [x, y, z, w]";
        let tuple = Tuple { reader: self.0, item: Number, names: ["x", "y", "z", "w"], what };
        deserializer.deserialize_seq(tuple).map(DQuat::from_array)
    }
}

/// Reads a list of any length.
#[derive(Clone, Copy)]
pub(crate) struct List<'r, 'c, S> {
    pub reader: &'r Reader<'c>,
    pub item: S,
    /// The name of its items, for "expected a list of bodies".
    pub of: &'static str,
}

impl<'de, S: DeserializeSeed<'de> + Copy> DeserializeSeed<'de> for List<'_, '_, S> {
    type Value = Vec<S::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, S: DeserializeSeed<'de> + Copy> Visitor<'de> for List<'_, '_, S> {
    type Value = Vec<S::Value>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a list of {}", self.of)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = self.reader.inside(Step::Index(values.len()), || list.next_element_seed(self.item))? {
            values.push(value);
        }
        Ok(values)
    }
}

/// Checks a number that no shape or pose will check.
pub(crate) fn finite<E: Error>(reader: &Reader, value: f64) -> Result<f64, E> {
    // JSON has no way to write anything else, but a text like 1e999 must not slip through as infinity either.
    if value.is_finite() {
        Ok(value)
    } else {
        Err(reader.fail(format!("{} must be a finite number", reader.name("number"))))
    }
}

/// Checks a time or a length that no shape or pose will check: finite, and small enough to compute with.
pub(crate) fn bounded<E: Error>(reader: &Reader, value: f64) -> Result<f64, E> {
    let value = finite(reader, value)?;
    if value.abs() <= MAX_COORDINATE {
        return Ok(value);
    }
    Err(reader.fail(format!("{} is {value:e}, which is beyond 1e60; choose a larger unit", reader.name("number"))))
}
