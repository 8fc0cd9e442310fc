//! Units of length.

use std::fmt;
use std::str::FromStr;

/// A unit of length of a mesh file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// A millionth of a metre.
    Micrometre,
    /// A thousandth of a metre.
    Millimetre,
    /// A hundredth of a metre.
    Centimetre,
    /// The metre.
    Metre,
    /// 25.4 millimetres.
    Inch,
    /// 12 inches.
    Foot,
}

impl Unit {
    /// All units, from the smallest on.
    pub const ALL: [Self; 6] =
        [Self::Micrometre, Self::Millimetre, Self::Centimetre, Self::Inch, Self::Foot, Self::Metre];

    /// How many micrometres it has. All units here have a whole number of them.
    #[must_use]
    pub const fn micrometres(self) -> u64 {
        match self {
            Self::Micrometre => 1,
            Self::Millimetre => 1_000,
            Self::Centimetre => 10_000,
            Self::Metre => 1_000_000,
            Self::Inch => 25_400,
            Self::Foot => 304_800,
        }
    }

    /// How many of the other unit this one has, exactly: numerator and denominator, in lowest terms.
    #[must_use]
    pub const fn ratio_to(self, other: Self) -> (u64, u64) {
        let (a, b) = (self.micrometres(), other.micrometres());
        let common = common_divisor(a, b);
        (a / common, b / common)
    }

    /// How many of the other unit this one has, as the nearest double.
    ///
    /// ```
    /// use clearance_io::Unit;
    ///
    /// assert_eq!(Unit::Inch.factor_to(Unit::Millimetre), 25.4);
    /// assert_eq!(Unit::Inch.ratio_to(Unit::Millimetre), (127, 5));
    /// ```
    #[must_use]
    pub fn factor_to(self, other: Self) -> f64 {
        // Both are small whole numbers, so the one division rounds once.
        let (numerator, denominator) = self.ratio_to(other);
        numerator as f64 / denominator as f64
    }

    /// The text behind a number: `mm`.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Micrometre => "µm",
            Self::Millimetre => "mm",
            Self::Centimetre => "cm",
            Self::Metre => "m",
            Self::Inch => "in",
            Self::Foot => "ft",
        }
    }

    /// The name in full, as 3MF writes it but in British spelling.
    const fn name(self) -> &'static str {
        match self {
            Self::Micrometre => "micrometre",
            Self::Millimetre => "millimetre",
            Self::Centimetre => "centimetre",
            Self::Metre => "metre",
            Self::Inch => "inch",
            Self::Foot => "foot",
        }
    }
}

const fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Unit {
    type Err = UnknownUnit;

    /// Reads a symbol (mm) or a name (millimetre, millimeter, micron).
    fn from_str(text: &str) -> Result<Self, UnknownUnit> {
        Ok(match text {
            "um" | "µm" | "micrometre" | "micrometer" | "micron" => Self::Micrometre,
            "mm" | "millimetre" | "millimeter" => Self::Millimetre,
            "cm" | "centimetre" | "centimeter" => Self::Centimetre,
            "m" | "metre" | "meter" => Self::Metre,
            "in" | "inch" => Self::Inch,
            "ft" | "foot" => Self::Foot,
            _ => return Err(UnknownUnit(text.to_owned())),
        })
    }
}

/// A word that is no unit of length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownUnit(pub String);

impl fmt::Display for UnknownUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no unit of length; name one of um, mm, cm, m, in and ft", self.0)
    }
}

impl std::error::Error for UnknownUnit {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_back_from_their_names_and_their_factors_are_inverse() {
        for unit in Unit::ALL {
            assert_eq!(unit.to_string().parse(), Ok(unit));
            assert_eq!(unit.symbol().parse(), Ok(unit));
            for other in Unit::ALL {
                let (numerator, denominator) = unit.ratio_to(other);
                assert_eq!(other.ratio_to(unit), (denominator, numerator));
                assert_eq!(common_divisor(numerator, denominator), 1);
                assert_eq!(unit.factor_to(other), numerator as f64 / denominator as f64);
            }
        }
        assert!(Unit::ALL.windows(2).all(|pair| pair[0].micrometres() < pair[1].micrometres()));
        assert_eq!("meter".parse(), Ok(Unit::Metre));
        assert_eq!(Unit::Foot.ratio_to(Unit::Inch), (12, 1));
        assert_eq!(Unit::Millimetre.factor_to(Unit::Metre), 0.001);
        let error = "furlong".parse::<Unit>().unwrap_err().to_string();
        assert_eq!(error, "\"furlong\" is no unit of length; name one of um, mm, cm, m, in and ft");
    }
}
