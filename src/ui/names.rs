//! Names of downloads: each says which table it is about, and which release.

/// Most letters of the table's name.
const LONGEST: usize = 40;

/// Returns the name of a download, such as `discreet-release-ward-3.json` for `discreet-release.json`, the table `ward.csv` and the
/// release 3.
pub fn download(file: &str, table: Option<&str>, release: Option<u64>) -> String {
    let (stem, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    let table = table.map(plain).filter(|table| !table.is_empty());
    let parts = [Some(stem.to_owned()), table, release.map(|release| release.to_string())];
    let stem = parts.into_iter().flatten().collect::<Vec<_>>().join("-");
    if ending.is_empty() { stem } else { [&stem, ending].join(".") }
}

/// Returns the name of a table or a column without endings, in letters that every system allows.
pub fn plain(table: &str) -> String {
    let mut name = table;
    while let Some((stem, ending)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
        if ending.len() > 5 || ending.contains(' ') {
            break;
        }
        name = stem;
    }
    let letters = name.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' });
    let joined = letters.take(LONGEST).collect::<String>();
    joined.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::download;

    #[test]
    fn a_download_says_table_and_release() {
        for (table, release, expected) in [
            (Some("ward.csv"), Some(3), "discreet-release-ward-3.json"),
            (Some("Ward 7, May.csv.gz"), None, "discreet-release-Ward-7-May.json"),
            (Some("../../etc/x:y*.xlsx"), Some(1), "discreet-release-etc-x-y-1.json"),
            (Some("Übersicht"), Some(2), "discreet-release-Übersicht-2.json"),
            (Some("..."), None, "discreet-release.json"),
            (None, Some(9), "discreet-release-9.json"),
            (None, None, "discreet-release.json"),
        ] {
            assert_eq!(download("discreet-release.json", table, release), expected);
        }
        let long = download("a.b", Some(&"x".repeat(99)), None);
        assert_eq!(long.len(), 44);
    }
}
