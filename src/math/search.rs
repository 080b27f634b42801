//! Bracketed search that returns an end at which the property holds.

/// The most halvings, more than separate any two numbers of one binade and many binades below.
const HALVINGS: u32 = 200;

/// Returns the largest number found in `low..=high` at which `holds` is true, for a property that is true up to some point and
/// false beyond it. `holds(low)` is assumed. The result is `low` or a number at which `holds` was evaluated as true.
pub fn last_true(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    if holds(high) {
        return high;
    }
    bisect(low, high, holds)
}

/// Returns the smallest number found in `low..=high` at which `holds` is true, for a property that is false up to some point
/// and true beyond it. `holds(high)` is assumed. The result is `high` or a number at which `holds` was evaluated as true.
pub fn first_true(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    if holds(low) {
        return low;
    }
    bisect(high, low, holds)
}

/// Moves `good` towards `bad`, never past a point where `holds` is false.
fn bisect(mut good: f64, mut bad: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = good + (bad - good) / 2.0;
        let between = if good < bad { good < middle && middle < bad } else { bad < middle && middle < good };
        if !between {
            break;
        }
        if holds(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_with_the_good_end() {
        let root = last_true(0.0, 2.0, |x| x * x <= 2.0);
        assert!(root * root <= 2.0 && root.next_up() * root.next_up() > 2.0);
        let root = first_true(0.0, 2.0, |x| x * x >= 2.0);
        assert!(root * root >= 2.0 && root.next_down() * root.next_down() < 2.0);
    }

    #[test]
    fn keeps_to_the_bracket() {
        assert_eq!(last_true(1.0, 2.0, |_| false).to_bits(), 1.0_f64.to_bits());
        assert_eq!(last_true(1.0, 2.0, |_| true).to_bits(), 2.0_f64.to_bits());
        assert_eq!(first_true(1.0, 2.0, |_| false).to_bits(), 2.0_f64.to_bits());
        assert_eq!(first_true(1.0, 2.0, |_| true).to_bits(), 1.0_f64.to_bits());
    }
}
