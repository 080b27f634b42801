//! Asks whether the last record is a row of totals, which a spreadsheet has below its rows and which would count as a person. It is for the
//! person at this machine.

use super::header::Header;
use super::latin1;
use super::mismatch::are_numbers_somehow;
use crate::plan::bound::CsvRules;

/// Bytes at the end of a file that are looked at.
pub const LAST_BYTES: u64 = 65_536;

/// What the first cell of such a row says, in small letters: in English, and then in other languages of Europe.
const TOTALS: &[&str] = &[
    "total", "totals", "subtotal", "sum", "sums", "mean", "average", "median", "count", "summe", "gesamt",
    "insgesamt", "gesamtsumme", "mittelwert", "durchschnitt", "anzahl", "totaal", "som", "gemiddelde",
    "aantal", "totalt", "summa", "totalsumma", "i alt", "ialt", "sammenlagt", "medelvärde", "medel",
    "gennemsnit", "gjennomsnitt", "antal", "antall", "samtals", "alls", "meðaltal", "yhteensä", "keskiarvo",
    "totaux", "somme", "moyenne", "totale", "totali", "somma", "media", "totales", "suma", "totais", "soma",
    "média", "medie", "ogółem", "razem", "łącznie", "średnia", "celkem", "součet", "průměr", "spolu",
    "súčet", "priemer", "skupaj", "vsota", "povprečje", "ukupno", "zbroj", "prosjek", "összesen", "összeg",
    "átlag", "kokku", "keskmine", "kopā", "summā", "iš viso", "viso", "vidurkis", "σύνολο", "общо", "итого",
    "всего", "всього", "разом", "сума", "toplam", "ortalama",
];

/// Returns the column and the cell by which the last record looks like a row of totals: a word for it, of which the first `rows` have none,
/// beside numbers alone. `bytes` are the last ones of the file, without its header.
pub fn totals(
    bytes: &[u8],
    header: &Header,
    rows: &[Vec<String>],
    rules: &CsvRules,
) -> Option<(usize, String)> {
    let line = bytes.trim_ascii_end().rsplit(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let line = match std::str::from_utf8(line) {
        Ok(line) => line.to_owned(),
        Err(_) => latin1::characters(line).collect(),
    };
    let cells: Vec<&str> =
        line.split(char::from(header.delimiter)).map(|cell| cell.trim().trim_matches('"').trim()).collect();
    if cells.len() != header.names.len() {
        return None;
    }
    let is_word = |cell: &str| TOTALS.contains(&cell.trim_end_matches(':').trim().to_lowercase().as_str());
    let place = cells.iter().position(|cell| is_word(cell))?;
    let others =
        cells.iter().enumerate().filter(|(column, cell)| *column != place && !rules.is_missing(cell));
    let numbers: Vec<bool> = others.map(|(_, cell)| are_numbers_somehow(&[cell], rules)).collect();
    let is_level = rows.iter().filter_map(|row| row.get(place)).any(|cell| cell.trim() == cells[place]);
    (!numbers.is_empty() && numbers.iter().all(|is| *is) && !is_level)
        .then(|| (place, cells[place].to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::bound::Encoding;
    use crate::plan::kinds::DEFAULT_NA;
    use crate::plan::number_format::NumberFormat;

    fn in_utf_8(text: &str) -> Option<(usize, String)> {
        in_bytes(text, text.as_bytes())
    }

    fn found(text: &str) -> Option<(usize, String)> {
        let found = in_utf_8(text);
        let byte = |letter: char| if letter == '€' { 0x80 } else { u8::try_from(letter).unwrap() };
        let latin_1: Vec<u8> = text.chars().map(byte).collect();
        assert_eq!(in_bytes(text, &latin_1), found, "in Latin-1");
        found
    }

    /// Looks at a file of these bytes, whose first rows are those of the text.
    fn in_bytes(text: &str, bytes: &[u8]) -> Option<(usize, String)> {
        let names = ["id", "age", "cost"].map(str::to_owned).to_vec();
        let header = Header { names, delimiter: b';', body_offset: 0, lines: 1, marked: false };
        let na = DEFAULT_NA.iter().map(|mark| (*mark).to_owned()).collect();
        let rules = CsvRules {
            delimiter: b';',
            numbers: NumberFormat::plain(b','),
            by_field: Vec::new(),
            encoding: Encoding::Utf8,
            na,
        };
        let rows: Vec<Vec<String>> =
            text.lines().take(2).map(|line| line.split(';').map(str::to_owned).collect()).collect();
        totals(bytes, &header, &rows, &rules)
    }

    #[test]
    fn a_row_of_totals_is_told_by_its_word_beside_numbers() {
        for (last, place, word) in [
            ("Total;24400;10800,5", 0, "Total"),
            ("Summe:;;10800,5\r\n\r\n", 0, "Summe:"),
            ("\"Mean\";61,5;", 0, "Mean"),
            (";Gesamt;12", 1, "Gesamt"),
            ("Summe;61,0;10.800,50 €", 0, "Summe"),
            ("Totalt;24400;10800,5", 0, "Totalt"),
            ("SUMMA :;24400;10800,5", 0, "SUMMA :"),
            ("I alt;24400;10800,5", 0, "I alt"),
            ("YHTEENSÄ;24400;10800,5", 0, "YHTEENSÄ"),
        ] {
            let text = format!("P1;61;1,5\nP2;55;2,5\n{last}");
            assert_eq!(found(&text), Some((place, word.to_owned())), "{last}");
        }
        for word in ["Ogółem:", "Razem", "Összesen", "Celkem", "Totaal", "Σύνολο", "Итого"] {
            let bytes = format!("P1;61;1,5\nP2;55;2,5\n{word};24400;10800,5");
            assert_eq!(in_utf_8(&bytes), Some((0, word.to_owned())));
        }
        for last in ["P3;60;1,0", "Total;;", "Total;old;3", "Total;1;2;3", "sum", ""] {
            assert_eq!(found(&format!("P1;61;1,5\nP2;55;2,5\n{last}")), None, "{last}");
        }
        assert_eq!(found("average;61;1,5\nlow;55;2,5\naverage;60;1,0"), None, "it is a level");
    }
}
