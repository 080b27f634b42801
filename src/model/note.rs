//! Numbers and lists as the notes of a release write them. Their sentences are the messages `note` of the catalogue, in English always:
//! a document is not translated.

use crate::text::{about, grouped};
use crate::words;

/// Terms or outcomes that a note names; of the others it gives the number.
pub const NAMED: usize = 5;

/// The first names of a list, and how many there are in all.
pub type Listing = (Vec<String>, usize);

/// The rows that were shortened because of their features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shortened {
    /// Their number, as counted with noise.
    pub rows: f64,
    /// The standard deviation of that noise.
    pub deviation: f64,
    /// The share of rows that would be shortened if the features were normal.
    pub usual: f64,
    /// Whether most features are levels, so that a row is mostly far out by levels that are rare together.
    pub of_levels: bool,
}

impl Shortened {
    /// Returns whether clearly more of `rows` rows were shortened than normal features would have.
    fn is_unusual(&self, rows: f64) -> bool {
        self.rows - 2.0 * self.deviation > (1.5 * self.usual + 0.03) * rows
    }
}

/// Says that rows far out in their features count less, and how many do of all `rows`, as counted with noise of a standard deviation, where
/// these are known and stand out of it. It warns only where clearly more were than of normal features; where most
/// features are levels, these are rare together.
pub fn far_rows(shortened: Option<Shortened>, rows: Option<(f64, f64)>) -> String {
    let told = shortened.filter(|shortened| shortened.rows > 2.0 * shortened.deviation);
    let Some((shortened, (rows, of_rows))) = told.zip(rows) else {
        return format!("{} {}", words::note::far_rows(), words::note::far_rows_offer());
    };
    let Shortened { rows: beyond, deviation, .. } = shortened;
    let (beyond, of) = (grouped(beyond), about(rows, of_rows));
    if shortened.of_levels {
        return words::note::rare_rows(beyond, grouped(deviation), of);
    }
    let told = if shortened.is_unusual(rows) {
        words::note::far_rows_many(beyond, grouped(deviation), of)
    } else {
        words::note::far_rows_counted(beyond, grouped(deviation), of)
    };
    format!("{told} {}", words::note::far_rows_offer())
}

/// Says how many residuals of an outcome were clipped, the standard deviation of that number, and where in units of their spread.
pub fn clipped_outcome(name: &str, rows: f64, deviation: f64, radius: f64) -> String {
    let radius = format_args!("{radius:.1}");
    if rows < 2.0 * deviation {
        return words::note::clipped_few(name, radius);
    }
    words::note::clipped_outcome(name, radius, grouped(rows), grouped(deviation))
}

/// Says how many residuals of an outcome are beyond a radius in units of their spread, and the standard deviation of that number.
pub fn long_tail(name: &str, rows: f64, deviation: f64, radius: f64) -> String {
    words::note::long_tail_of(name, grouped(rows), grouped(deviation), two_digits(radius))
}

/// What a note is about, where its place among other text depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// That coefficients are log-odds.
    LogOdds,
    /// What a penalty weighs on, or that intervals cover the privacy noise alone.
    Estimator,
    /// What was clipped: to bounds, of rows far out, or of residuals.
    Clipping,
    /// That residuals are taken to spread equally.
    EqualSpread,
    /// That standard errors are robust.
    Robust,
    /// That they also take the rows of each person together.
    RobustOfPersons,
    /// Anything else.
    Other,
}

impl Kind {
    /// Tells it from the sentence, which is all that a document has.
    pub fn of(note: &str) -> Self {
        use words::note as told;
        let messages = [
            (Self::LogOdds, told::log_odds().to_owned()),
            (Self::Estimator, told::noise_alone().to_owned()),
            (Self::Estimator, told::own_unit_penalty().to_owned()),
            (Self::Estimator, told::whitened_penalty(ANY, ANY)),
            (Self::Estimator, told::heavy_penalty(ANY)),
            (Self::Clipping, told::clipped().to_owned()),
            (Self::Clipping, told::clipped_by_public_moments().to_owned()),
            (Self::Clipping, told::bounds_estimated(ANY, ANY)),
            (Self::Clipping, told::far_rows().to_owned()),
            (Self::Clipping, told::far_rows_counted(ANY, ANY, ANY)),
            (Self::Clipping, told::far_rows_many(ANY, ANY, ANY)),
            (Self::Clipping, told::rare_rows(ANY, ANY, ANY)),
            (Self::Clipping, told::clipped_residuals(ANY)),
            (Self::EqualSpread, told::equal_spread().to_owned()),
            (Self::RobustOfPersons, format!("{} {}", told::robust(), told::robust_of_persons())),
            (Self::Robust, told::robust().to_owned()),
        ];
        messages.iter().find(|(_, message)| says(note, message)).map_or(Self::Other, |(kind, _)| *kind)
    }
}

/// Stands for any argument of a message.
const ANY: &str = "\0";

/// Returns whether a note holds this message, whatever its arguments are.
fn says(note: &str, message: &str) -> bool {
    message.split(ANY).try_fold(note, |rest, part| Some(rest.split_once(part)?.1)).is_some()
}

/// Returns whether a note warns that coefficients mean something else than is usual: they are of most rows alone, may be biased by
/// a long tail of the outcome, or count the effects of columns that are left out.
pub fn warns(note: &str) -> bool {
    says(note, &words::note::far_rows_many(ANY, ANY, ANY))
        || says(note, &words::note::long_tail_counted(ANY))
        || says(note, &words::note::without_own_effect(ANY, ANY))
}

/// Returns whether a note holds for nearly every release with intervals, and says nothing of this one.
pub fn is_general(note: &str) -> bool {
    use words::note as told;
    [told::both_errors(), told::clipped(), told::bounds_fixed(), told::well_formed()].contains(&note)
}

/// Says that hardly any of the stated rows counted.
pub fn hardly_any_rows(stated: f64) -> String {
    words::note::hardly_any_rows(grouped(stated))
}

/// Writes how many times as wide an interval is: as a factor, but with a third digit below 2, where a tenth is much of what is above 1.
pub fn widening(times: f64) -> String {
    // Of what binary fractions add at the end nothing is made a digit.
    if times < 2.0 { format!("{:.2}", (times * 100.0 - 1e-9).ceil() / 100.0) } else { factor(times) }
}

/// Writes a factor with up to two digits, rounded up.
pub fn factor(factor: f64) -> String {
    if factor < 10.0 {
        format!("{:.1}", (factor * 10.0).ceil() / 10.0)
    } else {
        format!("{:.0}", factor.ceil())
    }
}

/// Writes a number from 0 with three significant digits.
pub fn three_digits(number: f64) -> String {
    let places = if number > 0.0 { (2.0 - libm::floor(libm::log10(number))).clamp(0.0, 17.0) } else { 0.0 };
    let step = libm::pow(10.0, places);
    format!("{}", (number * step).round() / step)
}

/// Writes a number above 0 with its two leading digits, rounded up.
pub fn two_digits(number: f64) -> String {
    let step = libm::pow(10.0, libm::floor(libm::log10(number)) - 1.0);
    let raised = (number / step * (1.0 - 1e-12)).ceil() * step;
    let places = if step >= 1.0 { 0 } else { 1 + usize::from(number < 1.0) };
    format!("{raised:.places$}")
}

/// Returns a number of rows, rounded up to two digits, in groups of three digits.
pub fn in_groups(rows: f64) -> String {
    let rounded = two_digits(rows);
    rounded.parse().map_or(rounded, grouped)
}

/// Returns which of a release's notes says why it has no coefficients: the first that is about neither their scale nor their estimator.
pub fn reason(notes: &[String]) -> Option<usize> {
    notes.iter().position(|note| !matches!(Kind::of(note), Kind::LogOdds | Kind::Estimator))
}

/// Returns the first of these names, and how many others there are.
pub fn quoted(columns: &[String]) -> String {
    listing(&(columns.iter().take(NAMED).cloned().collect(), columns.len()))
}

/// Writes "`a`, `b` and `c`", or "`a`, `b` and 7 more".
pub fn listing((first, all): &Listing) -> String {
    let quoted: Vec<String> = first.iter().map(|name| format!("`{name}`")).collect();
    match all.saturating_sub(first.len()) {
        0 if !quoted.is_empty() => enumerated(&quoted),
        more => words::note::list_more(quoted.join(", "), more),
    }
}

/// Writes "a, b and c".
pub fn enumerated(names: &[String]) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => words::note::list_and(rest.join(", "), last),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_on_far_rows_warns_where_more_were_shortened_than_of_normal_features() {
        let said = |rows, of| {
            far_rows(
                Some(Shortened { rows, deviation: 20.0, usual: 0.12, of_levels: false }),
                Some((of, 20.0)),
            )
        };
        assert!(said(1_700.0, 10_000.0).contains("features are extreme"));
        assert!(said(2_400.0, 10_000.0).contains("clearly more"));
        // Noise alone is no reason.
        assert!(said(230.0, 1_000.0).contains("features are extreme"));
        let uncounted =
            far_rows(Some(Shortened { rows: 49.0, deviation: 34.0, usual: 0.1, of_levels: false }), None);
        assert!(!uncounted.contains("49"), "{uncounted}");
        assert!(!said(26.0, 1_300.0).contains("26"), "within its noise");
        let levels = Shortened { rows: 806.0, deviation: 124.0, usual: 0.1, of_levels: true };
        let levels = far_rows(Some(levels), Some((6_000.0, 40.0)));
        assert!(levels.contains("less usual than the others") && !levels.contains("ogarithm"), "{levels}");
        assert!(levels.contains("Where the relation to a number is curved"), "{levels}");
        assert!(warns(&said(2_400.0, 10_000.0)));
        assert!(warns(&words::note::long_tail_counted(long_tail("y", 90.0, 20.0, 8.0))));
        assert!(!warns(&words::note::long_tail("`y`")), "the noise hides whether there is a tail");
        assert!(
            ![said(1_700.0, 10_000.0), uncounted, levels].iter().any(|note| warns(note) || is_general(note))
        );
    }

    #[test]
    fn a_count_within_its_noise_is_not_written() {
        assert!(clipped_outcome("y", 53.0, 29.0, 3.7).contains("too few to count"));
        assert!(clipped_outcome("y", 90.0, 29.0, 3.7).contains("about 90 ± 29"));
    }

    #[test]
    fn numbers_are_rounded_up_and_names_listed() {
        assert_eq!([1.01, 10.2].map(factor), ["1.1", "11"]);
        assert_eq!([1.012, 1.12, 1.131, 2.31, 10.2].map(widening), ["1.02", "1.12", "1.14", "2.4", "11"]);
        assert_eq!([0.42, 7.2, 93.0, 93_112.0].map(two_digits), ["0.42", "7.2", "93", "94000"]);
        assert_eq!(
            [22.5486, 0.25, 0.000_123_456, 1234.5, 0.0].map(three_digits),
            ["22.5", "0.25", "0.000123", "1235", "0"]
        );
        let listed =
            |first: &[&str], all| listing(&(first.iter().map(|name| (*name).to_owned()).collect(), all));
        assert_eq!(listed(&["a"], 1), "`a`");
        assert_eq!(listed(&["a", "b", "c"], 3), "`a`, `b` and `c`");
        assert_eq!(listed(&["a", "b"], 9), "`a`, `b` and 7 more");
    }

    #[test]
    fn the_reason_stands_after_scale_and_penalties() {
        let drowned = || words::note::labels_drowned("`y`");
        let odds = || words::note::log_odds().to_owned();
        assert_eq!(reason(&[odds(), words::note::whitened_penalty(0.5, 2.0), drowned()]), Some(2));
        assert_eq!(reason(&[drowned()]), Some(0));
        assert_eq!(reason(&[odds()]), None);
    }
}
