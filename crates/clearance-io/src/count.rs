//! Counts in sentences.

/// A count and its noun, in the singular for one: "1 pair", "0 pairs", "3 bodies".
#[must_use]
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_zero_is_not() {
        let counts = [0, 1, 2].map(|count| counted(count, "body", "bodies"));
        assert_eq!(counts, ["0 bodies", "1 body", "2 bodies"]);
    }
}
