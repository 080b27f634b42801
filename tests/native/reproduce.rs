//! `make reproduce-sheffet`, `make reproduce-primo` and `make reproduce-pmt` in small, so that they cannot rot.

use discreet::inference::pseudo::Pseudo;

use crate::reproduce_pmt;
use crate::reproduce_primo;
use crate::reproduce_sheffet::{Size, run};

/// The first three lengths of the document, of which two have printed errors.
const SMALL: Size = Size { log_rows: 14, several_log_rows: 0, repetitions: 15, whole: false };

#[test]
fn the_reproduction_of_sheffet_works() {
    let page = run(&SMALL);
    assert!(page.failures().is_empty(), "{:?}", page.failures());
    // Thirteen printed errors a length.
    assert!(page.text().contains("26 numbers were put beside reference numbers"), "{}", page.text());
    let shortest = Size { log_rows: 12, repetitions: 2, ..SMALL };
    assert_eq!(run(&shortest).text(), run(&shortest).text(), "the same program gives the same bytes");
}

#[test]
fn the_reproduction_of_primo_works() {
    let size = reproduce_primo::Size { rows: 5008, runs: 4, outcomes: 101, whole: false, full: false };
    let page = reproduce_primo::run(&size);
    assert!(page.failures().is_empty(), "{:?}", page.failures());
    // Three lengths of nine and of five printed columns.
    assert!(page.text().contains("42 numbers were put beside reference numbers"), "{}", page.text());
    let shortest = reproduce_primo::Size { outcomes: 11, ..size };
    let [first, second] = [reproduce_primo::run(&shortest), reproduce_primo::run(&shortest)];
    assert_eq!(first.text(), second.text(), "the same program gives the same bytes");
}

#[test]
fn the_reproduction_of_public_moments_works() {
    // Too few rows for the printed numbers: nothing is judged, and nothing may fail.
    let size = reproduce_pmt::Size { runs: 2, descents: 1, fits: 2, shrunk: 50 };
    let page = reproduce_pmt::run(&size, None);
    assert!(page.failures().is_empty(), "{:?}", page.failures());
    assert!(page.text().contains("## Figure 8"), "{}", page.text());
    assert!(page.text().contains("Skipped here: no folder was named."), "{}", page.text());
}

/// Files in the forms of the four real tables, made up: with and without a header, with either delimiter, and with levels.
#[test]
fn real_tables_are_read_where_a_person_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = Pseudo::new(41, &[]);
    let write = |file: &str, header: &str, line: &mut dyn FnMut(usize) -> String| {
        let lines: String = (0..400).map(|at| line(at) + "\r\n").collect();
        std::fs::write(folder.path().join(file), header.to_owned() + &lines).unwrap();
    };
    write("winequality-white.csv", "\"fixed acidity\";\"alcohol\";\"quality\"\r\n", &mut |_| {
        let (acid, alcohol) = (7.0 + rng.normal(), 10.0 + rng.normal());
        format!("{acid:.2};{alcohol:.2};{:.0}", (0.1 * acid + 0.5 * alcohol).round())
    });
    write("bank-full.csv", "\"age\";\"marital\";\"y\"\r\n", &mut |at| {
        let marital = ["married", "single", "divorced"][at % 3];
        format!("{};\"{marital}\";\"{}\"", 30 + at % 17, if rng.normal() > 0.5 { "yes" } else { "no" })
    });
    write("data_banknote_authentication.txt", "", &mut |_| {
        let cells = [rng.normal(), rng.normal(), rng.normal(), rng.normal()].map(|cell| format!("{cell:.4}"));
        format!("{},{}", cells.join(","), u8::from(rng.normal() > 0.0))
    });
    let bank = std::fs::read_to_string(folder.path().join("bank-full.csv")).unwrap();
    let numbers = reproduce_pmt::real::read(&bank, None, "y", false).unwrap();
    // Divorced is the reference.
    assert_eq!(numbers.rows[0].as_slice(), [30.0, 1.0, 0.0]);
    assert_eq!(numbers.rows[1].as_slice(), [31.0, 0.0, 1.0]);
    assert_eq!((numbers.rows[2].as_slice(), numbers.rows.len()), ([32.0, 0.0, 0.0].as_slice(), 400));
    assert!(numbers.y.iter().all(|y| [0.0, 1.0].contains(y)));
    let plant = reproduce_pmt::real::read("AT;PE\n14,96;463,26\n", None, "PE", true).unwrap();
    assert_eq!((plant.rows[0].as_slice(), plant.y[0]), ([1.0, 14.96].as_slice(), 463.26));
    assert!(reproduce_pmt::real::read("a,b\n1,2\n", None, "y", false).is_err());

    let size = reproduce_pmt::Size { runs: 2, descents: 1, fits: 5, shrunk: 50 };
    let mut page = reproduce_pmt::Page::default();
    reproduce_pmt::real::write(&mut page, &size, Some(folder.path()));
    let text = page.text();
    for expected in [
        "### white wine: 400 rows, 2 terms, 200 of the rows public",
        "### bank marketing: 400 rows, 3 terms",
        "### banknotes: 400 rows, 5 terms, 137 of the rows public",
        "Skipped here: power plant, whose file `Folds5x2_pp.csv` was not there.",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
}
