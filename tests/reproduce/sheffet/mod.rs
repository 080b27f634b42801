//! Sheffet, Old techniques in differentially private linear regression: its setting, its mechanisms, its claims.

mod clinic;
mod page;
mod scales;
mod setting;
mod several;
mod single;

pub use page::Page;

/// How much is run.
pub struct Size {
    /// The largest table of the single regression has 2 to this many rows; the smallest has 2¹².
    pub log_rows: u32,
    /// The same for many regressions from one release, from 2¹⁶ rows on; nothing is run below.
    pub several_log_rows: u32,
    /// Tables of each length.
    pub repetitions: usize,
    /// Whether the scales, a second ε, the claims and the clinic are run as well.
    pub whole: bool,
}

/// Runs all of a size.
#[must_use]
pub fn run(size: &Size) -> Page {
    let mut page = Page::new(size);
    if size.whole {
        scales::write(&mut page);
    }
    single::write(&mut page, size);
    if size.several_log_rows >= 16 {
        several::write(&mut page, size);
    }
    if size.whole {
        clinic::write(&mut page);
    }
    page
}
