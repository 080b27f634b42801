//! One field to one number, by the contract's rules.

/// The number that a field holds, or `None` where it counts as missing.
///
/// A number has digits, at most one decimal mark (`decimal`: `.` or `,`), a sign and an exponent if it likes; outer
/// white space does not matter. Nothing else is a number: no `inf`, no `nan`, no hexadecimal, no separators of
/// thousands, and no number beyond the largest finite one. The result is the nearest double, ties to even.
#[must_use]
pub fn parse(field: &str, decimal: u8) -> Option<f64> {
    let text = field.trim();
    let plain = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'e' | b'E') || *byte == decimal;
    // The letters of `inf` and `nan`, which the standard library reads, are not among these.
    if text.is_empty() || !text.bytes().all(|byte| plain(&byte)) {
        return None;
    }
    let number: f64 = if decimal == b'.' {
        text.parse().ok()?
    } else {
        text.replace(char::from(decimal), ".").parse().ok()?
    };
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn reads_what_the_contract_calls_a_number() {
        for (text, value) in [
            ("1", 1.0),
            (" +1.50 ", 1.5),
            ("\u{a0}-2\t", -2.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("1e3", 1000.0),
            ("1E-3", 0.001),
            ("-0", 0.0),
            ("9223372036854775808", 9_223_372_036_854_775_808.0),
            ("1e-400", 0.0),
            ("0.1", 0.1),
            ("2.2250738585072011e-308", 2.225_073_858_507_201e-308),
            ("9007199254740993", 9_007_199_254_740_992.0),
            ("9007199254740993.0000000000000000000000000000000000001", 9_007_199_254_740_994.0),
        ] {
            assert_eq!(parse(text, b'.'), Some(value), "{text}");
        }
        assert!(parse("-0", b'.').is_some_and(|zero| zero.is_sign_negative()));
    }

    #[test]
    fn everything_else_is_missing() {
        for text in [
            "",
            "  ",
            ".",
            "+",
            "-",
            "e",
            "e5",
            "1e",
            "1e+",
            "1e400",
            "-1e400",
            "inf",
            "-Infinity",
            "nan",
            "NaN",
            "NAN",
            "-nan",
            "nan(0x1)",
            "0x10",
            "1_000",
            "1,5",
            "1,000.5",
            "1 000",
            "1'000",
            "1.2.3",
            "--1",
            "+-1",
            "1-",
            "12kg",
            "\u{2212}1",
            "\u{0661}",
            "1f64",
            "1d3",
            "1#INF",
            "TRUE",
            "$5",
            "5%",
            "1/2",
        ] {
            assert_eq!(parse(text, b'.'), None, "{text}");
        }
    }

    #[test]
    fn a_decimal_comma_excludes_the_point() {
        assert_eq!(parse("1,5", b','), Some(1.5));
        assert_eq!(parse(" -,25e1 ", b','), Some(-2.5));
        assert_eq!(parse("15", b','), Some(15.0));
        for text in ["1.5", "1.000,5", "1,000,5", ",", "1;5"] {
            assert_eq!(parse(text, b','), None, "{text}");
        }
    }
}
