//! Finds how cells spell the levels that a person states: another case, first letters, or another word of a common pair.

/// Words for the two answers of common questions. Each line is one question; each half has the words of one answer in the order of the
/// other half.
const PAIRS: [[&[&str]; 2]; 2] = [
    [
        &["female", "f", "woman", "w", "femme", "weiblich", "frau"],
        &["male", "m", "man", "m", "homme", "männlich", "mann"],
    ],
    [
        &["yes", "y", "1", "true", "t", "ja", "j", "oui", "si", "positive", "pos"],
        &["no", "n", "0", "false", "f", "nein", "n", "non", "no", "negative", "neg"],
    ],
];

/// Returns the stated levels as the cells spell them, in their order. `None` where a cell is none of them in another spelling.
pub fn respell(levels: &[String], cells: &[String]) -> Option<Vec<String>> {
    by_pair(levels, cells).or_else(|| by_case(levels, cells)).or_else(|| by_first_letters(levels, cells))
}

fn covers(spelt: &[String], cells: &[String]) -> bool {
    let different = |place: usize, level: &String| !spelt.iter().take(place).any(|before| before == level);
    cells.iter().all(|cell| spelt.contains(cell))
        && spelt.iter().enumerate().all(|(place, level)| different(place, level))
}

/// Writes two levels as another pair of words for the same question, in the case of the cells.
fn by_pair(levels: &[String], cells: &[String]) -> Option<Vec<String>> {
    let [_, _] = levels else { return None };
    let lower: Vec<String> = levels.iter().map(|level| level.to_lowercase()).collect();
    for [one, two] in PAIRS {
        let side = |word: &String| match (one.contains(&word.as_str()), two.contains(&word.as_str())) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        };
        // A word of both halves, such as f, is the half that the other level is not.
        let sides: Vec<Option<bool>> = lower.iter().map(side).collect();
        let known = |word: &String| one.contains(&word.as_str()) || two.contains(&word.as_str());
        if !lower.iter().all(known) {
            continue;
        }
        let first = match sides.as_slice() {
            [Some(first), Some(second)] if first != second => *first,
            [Some(first), None] => *first,
            [None, Some(second)] => !*second,
            _ => continue,
        };
        for (a, b) in one.iter().zip(two) {
            let words = if first { [*a, *b] } else { [*b, *a] };
            for case in [str::to_owned as fn(&str) -> String, str::to_uppercase, capital] {
                let spelt: Vec<String> = words.iter().map(|word| case(word)).collect();
                if covers(&spelt, cells) {
                    return Some(spelt);
                }
            }
        }
    }
    None
}

/// Writes all levels in lower case, in upper case, or with a capital, without spaces, or with spaces around a hyphen.
fn by_case(levels: &[String], cells: &[String]) -> Option<Vec<String>> {
    let without_spaces = |level: &str| level.split_whitespace().collect::<String>();
    let with_spaces = |level: &str| level.replace('-', " - ");
    let cases: [fn(&str) -> String; 5] =
        [str::to_lowercase, str::to_uppercase, capital, without_spaces, with_spaces];
    let mut spelt = cases.into_iter().map(|case| levels.iter().map(|level| case(level)).collect::<Vec<_>>());
    spelt.find(|spelt| covers(spelt, cells))
}

/// Writes all levels by as many first letters as the cells have.
fn by_first_letters(levels: &[String], cells: &[String]) -> Option<Vec<String>> {
    let length = cells.iter().map(|cell| cell.chars().count()).max()?;
    let cases = [str::to_owned as fn(&str) -> String, str::to_lowercase, str::to_uppercase];
    let short = |level: &String| level.chars().take(length).collect::<String>();
    let mut spelt =
        cases.into_iter().map(|case| levels.iter().map(|level| case(&short(level))).collect::<Vec<_>>());
    spelt.find(|spelt| covers(spelt, cells))
}

pub(super) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters.flat_map(char::to_lowercase)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::respell;

    #[test]
    fn levels_are_spelt_as_cells_are() {
        for (levels, cells, spelt) in [
            (["18-29", "30-44"], ["18 - 29", "30 - 44"], Some(["18 - 29", "30 - 44"])),
            (["18 - 29", "30 - 44"], ["30-44", "18-29"], Some(["18-29", "30-44"])),
            (["Male", "Female"], ["F", "M"], Some(["M", "F"])),
            (["never", "former"], ["NEVER", "FORMER"], Some(["NEVER", "FORMER"])),
            (["18-29", "30-44"], ["18 - 29", "45 - 64"], None),
        ] {
            let owned = |texts: [&str; 2]| texts.map(str::to_owned).to_vec();
            assert_eq!(respell(&owned(levels), &owned(cells)), spelt.map(owned), "{levels:?} {cells:?}");
        }
    }
}
