//! The steps of the page, one line each in [`STEPS`]: navigation, headings, addresses and views follow from it.

mod assumptions;
mod bounds;
mod cells;
mod chooser;
mod columns;
mod comparison;
mod contradictions;
mod data;
mod derived;
mod effect;
mod errors;
mod estimates;
mod expectations;
mod exports;
mod ledger;
mod many;
mod method;
mod only;
mod outcomes;
mod parameters;
mod people;
mod privacy;
mod protect;
mod public;
mod refit;
mod result;
mod roles;
mod save;
mod side_by_side;
mod table;
mod variants;
mod whole_file;
mod widths;

use leptos::prelude::*;

pub use data::OtherEncodings;

use super::state::App;
use super::step::Step;
use crate::words;

/// A step of the page.
pub struct StepInfo {
    /// Which.
    pub step: Step,
    /// Its name in the navigation.
    pub name: fn() -> &'static str,
    /// Its heading.
    pub title: fn() -> &'static str,
    /// The chapter of the documentation that explains it: its place beside the page, and the words of the link.
    pub chapter: (&'static str, fn() -> &'static str),
    /// Its status in one line.
    pub status: fn(App) -> Status,
    /// What it shows.
    pub view: fn() -> AnyView,
}

/// The status of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// In one line.
    pub words: String,
    /// Whether something is still missing in it.
    pub open: bool,
}

impl From<String> for Status {
    fn from(words: String) -> Self {
        Self { words, open: false }
    }
}

/// All steps, in their order.
pub static STEPS: [StepInfo; 5] = [
    StepInfo {
        step: Step::Data,
        name: words::step::data,
        title: words::step::data_title,
        chapter: ("docs/spreadsheet.html", words::step::data_chapter),
        status: data::status,
        view: || view! { <data::Data/> }.into_any(),
    },
    StepInfo {
        step: Step::Columns,
        name: words::step::columns,
        title: words::step::columns_title,
        chapter: (
            "docs/spreadsheet.html#bounds-come-from-knowledge-not-from-the-table",
            words::step::columns_chapter,
        ),
        status: columns::status,
        view: || view! { <columns::Columns/> }.into_any(),
    },
    StepInfo {
        step: Step::Privacy,
        name: words::step::privacy,
        title: words::step::privacy_title,
        chapter: ("docs/epsilon.html", words::step::privacy_chapter),
        status: privacy::status,
        view: || view! { <privacy::PrivacyStep/> }.into_any(),
    },
    StepInfo {
        step: Step::Method,
        name: words::step::method,
        title: words::step::method_title,
        chapter: ("docs/methods.html", words::step::method_chapter),
        status: method::status,
        view: || view! { <method::Method/> }.into_any(),
    },
    StepInfo {
        step: Step::Result,
        name: words::step::result,
        title: words::step::result_title,
        chapter: ("docs/questions.html#about-results", words::step::result_chapter),
        status: result::status,
        view: || view! { <result::ResultStep/> }.into_any(),
    },
];

impl StepInfo {
    /// Returns the line of a step. Falls back to the first, so that there is always one.
    pub fn of(step: Step) -> &'static Self {
        let [first, ..] = &STEPS;
        STEPS.iter().find(|info| info.step == step).unwrap_or(first)
    }

    /// Returns the step after one.
    pub fn next(step: Step) -> Option<&'static Self> {
        let place = STEPS.iter().position(|info| info.step == step)?;
        STEPS.get(place + 1)
    }
}

/// Returns the step of an address. An empty address means the first step.
pub fn of_address(address: &str) -> Option<Step> {
    let leads = |step: &Step| step.address() == address || (address.is_empty() && *step == Step::default());
    STEPS.iter().map(|info| info.step).find(leads)
}
