//! The formats in which a release is printed.

use super::super::Release;
use super::super::effect::PartialEffect;
use super::super::figure;
use super::super::supplement::Supplement;
use super::super::table::{self, Meaning};
use super::comparison::Comparison;
use super::ridge_path::RidgePath;
use super::stated;
use super::{
    DecimalMark, Labels, Publication, Table, draft, drawing, guarantee, html, latex, markdown, notes,
    one_of_several, report, scripts, tables,
};
use crate::plan::Plan;
use crate::words;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A page that prints well.
    Report,
    /// Tables that paste into a word processor.
    Word,
    /// Tables with pipes.
    Markdown,
    /// Tables for `booktabs`.
    Latex,
    /// Coefficients for a spreadsheet.
    Csv,
    /// A program in R.
    R,
    /// A program in Python.
    Python,
    /// The plot of one outcome.
    Svg,
    /// Drafts of the paragraphs on methods and results.
    Text,
    /// The methods in a few sentences.
    Short,
}

impl Format {
    /// All formats with their names on the command line.
    pub const ALL: [(&'static str, Self); 10] = [
        ("html", Self::Report),
        ("word", Self::Word),
        ("markdown", Self::Markdown),
        ("latex", Self::Latex),
        ("csv", Self::Csv),
        ("r", Self::R),
        ("python", Self::Python),
        ("svg", Self::Svg),
        ("text", Self::Text),
        ("short", Self::Short),
    ];

    /// Returns the format of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(own, _)| *own == name).map(|(_, format)| *format)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }

    /// Returns how a file of it is called and which media type it has.
    pub const fn file(self) -> (&'static str, &'static str) {
        match self {
            Self::Report => ("discreet-report.html", "text/html"),
            Self::Word => ("discreet-tables.doc", "application/msword"),
            Self::Markdown => ("discreet-tables.md", "text/markdown"),
            Self::Latex => ("discreet-tables.tex", "application/x-tex"),
            Self::Csv => ("discreet-coefficients.csv", "text/csv"),
            Self::R => ("discreet-coefficients.R", "text/plain"),
            Self::Python => ("discreet-coefficients.py", "text/x-python"),
            Self::Svg => ("discreet-figure.svg", "image/svg+xml"),
            Self::Text => ("discreet-paragraphs.txt", "text/plain"),
            Self::Short => ("discreet-methods.txt", "text/plain"),
        }
    }

    /// Writes two regressions beside each other. `None` if the format has no form for them, or nothing can be drawn.
    pub fn compared(self, comparison: &Comparison, decimal: DecimalMark) -> Option<String> {
        match self {
            Self::Csv => Some(decimal.of_csv(comparison.csv())),
            Self::Svg => drawing::compared(comparison, decimal),
            _ => self.printed(words::compared::title(), decimal.of_table(comparison.table())),
        }
    }

    /// Writes the line of an outcome over a column. `None` if the format has no form for it.
    pub fn effect(
        self,
        plan: &Plan,
        outcome: &str,
        effect: &PartialEffect,
        decimal: DecimalMark,
    ) -> Option<String> {
        match self {
            Self::Csv => Some(decimal.of_csv(effect.csv())),
            Self::Svg => Some(drawing::effect(plan, outcome, effect, &effect.note(plan), decimal)),
            _ => {
                self.printed(words::effect::title(), decimal.of_table(tables::effect(plan, outcome, effect)))
            }
        }
    }

    /// Writes how coefficients change with the ridge. `None` if the format has no form for it, or nothing can be drawn.
    pub fn ridge_path(self, path: &RidgePath, decimal: DecimalMark) -> Option<String> {
        match self {
            Self::Csv => Some(decimal.of_csv(path.csv())),
            Self::Svg => drawing::ridge_path(path, decimal),
            _ => self.printed(words::path::title(), decimal.of_table(path.table(decimal))),
        }
    }

    /// Writes one outcome's regression alone, for one that was fitted from a release. `None` if the format has no form for it, or
    /// nothing can be drawn.
    pub fn refitted(
        self,
        release: &Release,
        supplement: &Supplement,
        outcome: &str,
        labels: &Labels,
    ) -> Option<String> {
        match self {
            Self::Csv => Some(pieces(release, supplement, labels).collect()),
            Self::Svg => drawing::svg(release, supplement, outcome, labels),
            _ => {
                let tables = tables::regression(release, supplement, outcome, labels).into_iter();
                let mut caveats = notes(release);
                caveats.push(words::refit::refit_free().to_owned());
                self.written(&Publication {
                    title: words::refit::heading().to_owned(),
                    tables: tables.map(|table| labels.decimal.of_table(table)).collect(),
                    caveats,
                    guarantee: guarantee(release),
                    of_several: one_of_several(release),
                    setting: stated::setting(release),
                    ..Publication::default()
                })
            }
        }
    }

    /// Writes one table. `None` if the format has no tables.
    fn printed(self, title: &str, table: Table) -> Option<String> {
        self.written(&Publication { title: title.to_owned(), tables: vec![table], ..Publication::default() })
    }

    /// Writes tables and what stands beside them. `None` if the format has no tables.
    fn written(self, printed: &Publication) -> Option<String> {
        match self {
            Self::Word => Some(html::document(printed)),
            Self::Markdown => Some(markdown::document(printed)),
            Self::Latex => Some(latex::document(printed)),
            Self::Report | Self::Csv | Self::R | Self::Python | Self::Svg | Self::Text | Self::Short => None,
        }
    }

    /// Writes a release; `outcome` is that of a plot, the first where it is not given. `None` if there is nothing to draw.
    pub fn write(
        self,
        release: &Release,
        supplement: &Supplement,
        labels: &Labels,
        outcome: Option<&str>,
    ) -> Option<String> {
        let printed = || Publication::new(release, supplement, labels);
        Some(match self {
            Self::Report => report::html(release, supplement, labels),
            Self::Word | Self::Markdown | Self::Latex => self.written(&printed())?,
            Self::Csv => pieces(release, supplement, labels).collect(),
            Self::R => scripts::r(release, supplement, labels),
            Self::Python => scripts::python(release, supplement, labels),
            Self::Svg => {
                let first = || figure::outcomes(release).into_iter().next();
                let outcome = outcome.map(str::to_owned).or_else(first)?;
                drawing::svg(release, supplement, &outcome, labels)?
            }
            Self::Text => {
                let Publication { methods, results, .. } = printed();
                format!("{methods}\n\n{results}\n")
            }
            Self::Short => format!("{}\n", draft::short_methods(release, supplement)),
        })
    }
}

/// Writes the coefficients of a release as CSV piece by piece, because they may be many.
pub fn pieces<'a>(
    release: &'a Release,
    supplement: &Supplement,
    labels: &Labels,
) -> impl Iterator<Item = String> + use<'a> {
    let meaning = Meaning::of(release, supplement.log_odds, labels.scale());
    let decimal = labels.decimal;
    table::pieces(&release.coefficients, meaning).map(move |piece| decimal.of_csv(piece))
}
