//! The two rounds as the engine runs them.

use std::sync::Arc;

use super::cells::{FIRST_CELLS, octave, second};
use super::forecast::{Outlook, Prospect};
use super::layout::Layout;
use super::octaves::Octaves;
use super::planted;
use super::reading::{self, Reading};
use super::units::Units;
use crate::data::encode::of_halves;
use crate::data::statistics::{RecordMap, Scratch};
use crate::data::{Exact, Statistic};
use crate::mechanisms::rounds::{Answer, Output, Round, RoundNoise, Rounds, Run, Task, Unsettled};
use crate::model::note::{NAMED, quoted, two_digits};
use crate::noise::discrete::gaussian_diagonal;
use crate::noise::entropy::Entropy;
use crate::plan::document::{Bound, Column};
use crate::privacy::calibrate::gaussian_charge;
use crate::privacy::event::Event;
use crate::privacy::mutants::{Mutant, is_active};
use crate::release::bounds::{CellLayout, EstimatedBounds, EstimatedColumn, State};
use crate::release::document::{Coefficients, Diagnostics};
use crate::words;

/// Number of rounds.
const ROUNDS: usize = 2;

/// A column whose bounds are to be found, and what is publicly known of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The column's name.
    pub name: String,
    /// Whether values are always whole.
    pub integer: bool,
    /// Nothing is below it.
    pub least: Option<f64>,
    /// Nothing is above it.
    pub greatest: Option<f64>,
}

impl Target {
    /// Returns what a plan's entry says of a column.
    pub fn new(name: String, entry: &Column) -> Self {
        Self {
            name,
            integer: entry.integer.unwrap_or(false),
            least: entry.lower.and_then(Bound::stated),
            greatest: entry.upper.and_then(Bound::stated),
        }
    }

    /// Returns the range as it is used: whole numbers outwards, and cut where a bound is stated. `None` if that leaves none.
    fn range(&self, (low, high): (f64, f64)) -> Option<(f64, f64)> {
        let (low, high) = if self.integer { (low.floor(), high.ceil()) } else { (low, high) };
        let low = self.least.map_or(low, |least| low.max(least));
        let high = self.greatest.map_or(high, |greatest| high.min(greatest));
        (low < high).then_some((low, high))
    }
}

/// What is fixed before a record is read: public.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Integer units and noise.
    pub units: Units,
    /// The columns in the order of a row.
    pub targets: Vec<Target>,
    /// The share of μ².
    pub share: f64,
    /// The forecast of the stage.
    pub outlook: Outlook,
}

impl Setting {
    /// Draws the noise of a round, from 0: that of all cells a column can have, whatever its layout is.
    pub fn noise<E: Entropy + ?Sized>(&self, round: usize, layouts: &[Layout], rng: &mut E) -> Vec<i128> {
        let Some(scale) = self.units.scales.get(round) else { return Vec::new() };
        let used = |cell: usize| {
            let wide = layouts.get(cell / Units::cells_of(round)) == Some(&Layout::Wide);
            !wide || cell % Units::cells_of(round) < FIRST_CELLS
        };
        let draw = |cell| {
            let is_left_out = is_active(Mutant::NoiseForUsedCellsAlone) && round == 1 && !used(cell);
            if is_left_out { 0 } else { gaussian_diagonal(rng, scale.get()) }
        };
        let drawn: Vec<i128> = (0..self.units.cells(round)).map(draw).collect();
        planted::noise(round, drawn)
    }

    /// Returns what one record adds to the integers of the round after these layouts were chosen; of the first, before any is.
    pub fn count(&self, layouts: Option<Arc<[Layout]>>) -> Count {
        Count { unit: i64::try_from(self.units.count).unwrap_or(0), columns: self.targets.len(), layouts }
    }

    /// Chooses the layouts of the second round by the noisy integers of the first.
    pub fn layouts(&self, first: &[i128]) -> Arc<[Layout]> {
        let first = planted::counts(Mutant::LayoutFromExactCounts, 0, first);
        let sd = self.units.sd()[0];
        let column = |cells: &[i128]| Layout::choose(&Octaves::new(self.units.rows(cells), sd).heaps());
        first.chunks(FIRST_CELLS).map(column).collect()
    }

    /// Reads the range of each column from the noisy integers of both rounds.
    pub fn read(&self, layouts: &[Layout], first: &[i128], second: &[i128]) -> Vec<Reading> {
        let first = planted::counts(Mutant::EndsFromExactCounts, 0, first);
        let second = planted::counts(Mutant::EndsFromExactCounts, 1, second);
        let sd = self.units.sd();
        let columns = first.chunks(Units::cells_of(0)).zip(second.chunks(Units::cells_of(1)));
        let read = |(layout, (first, second)): (&Layout, (&[i128], &[i128]))| {
            reading::read(layout, &self.units.rows(first), &self.units.rows(second), sd)
        };
        layouts.iter().zip(columns).map(read).collect()
    }

    /// Returns what a reader of these bounds has to know.
    pub fn notes(&self, bounds: &EstimatedBounds, stated_rows: u64) -> Vec<String> {
        let used = |column: &EstimatedColumn| {
            column.range().map(|(lower, upper)| words::note::bounds_of(&column.column, lower, upper))
        };
        let used: Vec<String> = bounds.columns.iter().filter_map(used).collect();
        let unseen = two_digits(bounds.unseen_rows());
        let (first, others) = used.split_at(used.len().min(NAMED));
        let first = first.join(", ");
        let mut notes = vec![match others.len() {
            _ if used.is_empty() => words::note::bounds_estimated_none(unseen),
            0 => words::note::bounds_estimated(first, unseen),
            others => words::note::bounds_estimated(words::note::bounds_more(first, others), unseen),
        }];
        if self.outlook.of(stated_rows) != Prospect::Good {
            notes.push(words::note::bounds_doubtful(stated_rows, self.outlook.rows_for_good()));
        }
        notes
    }

    fn charge(&self) -> u128 {
        let cost = |event: &Event| match event {
            Event::Gaussian { sensitivity_squared, scale, .. } => {
                gaussian_charge(sensitivity_squared, *scale).unwrap_or(u128::MAX)
            }
            Event::Pure { .. } | Event::Approximate { .. } => 0,
        };
        self.units.events().iter().map(cost).fold(0, u128::saturating_add)
    }

    /// Returns everything that is released.
    fn document(&self, layouts: &[Layout], first: &[i128], second: &[i128]) -> EstimatedBounds {
        let readings = self.read(layouts, first, second);
        let digits = |cells: &[i128]| cells.iter().map(i128::to_string).collect();
        let counts = first.chunks(Units::cells_of(0)).zip(second.chunks(Units::cells_of(1)));
        let columns = self.targets.iter().zip(layouts).zip(readings).zip(counts).enumerate();
        let columns = columns.map(|(place, (((target, layout), reading), (first, second)))| {
            let range = reading.range.and_then(|range| target.range(planted::widened(place, range)));
            EstimatedColumn {
                column: target.name.clone(),
                state: reading.state,
                lower: range.map(|(lower, _)| lower),
                upper: range.map(|(_, upper)| upper),
                layout: match layout {
                    Layout::Wide => CellLayout::Octaves,
                    Layout::Narrow(range) => CellLayout::Narrow { from: range.start(), step: range.step() },
                },
                first: digits(first),
                second: digits(second),
            }
        });
        EstimatedBounds {
            share: self.share,
            charge: self.charge().to_string(),
            ledger: None,
            unit: self.units.count.to_string(),
            noise: self.units.scales.map(|scale| scale.get().to_string()),
            columns: columns.collect(),
        }
    }
}

impl Rounds for Setting {
    fn count(&self) -> u32 {
        2
    }

    fn start(self: Arc<Self>) -> Box<dyn Run> {
        Box::new(Standing { setting: self, layouts: None, answers: Vec::new() })
    }
}

/// The state of the stage between two rounds: public.
struct Standing {
    setting: Arc<Setting>,
    layouts: Option<Arc<[Layout]>>,
    /// The noisy integers of the rounds so far.
    answers: Vec<Vec<i128>>,
}

impl Run for Standing {
    fn round(&self) -> Option<Round> {
        let round = self.answers.len();
        (round < ROUNDS).then(|| Round {
            statistic: Statistic::Map(Arc::new(self.setting.count(self.layouts.clone()))),
            noise: Arc::new(Drawn {
                setting: Arc::clone(&self.setting),
                round,
                layouts: self.layouts.clone(),
            }),
        })
    }

    fn take(&mut self, answer: Answer) {
        if self.answers.is_empty() {
            self.layouts = Some(self.setting.layouts(&answer.cells));
        }
        self.answers.push(answer.cells);
    }

    fn bounds(&self) -> Option<EstimatedBounds> {
        let [first, second] = self.answers.as_slice() else { return None };
        Some(self.setting.document(self.layouts.as_ref()?, first, second))
    }

    fn finish(self: Box<Self>, task: &Task) -> Result<Output, Unsettled> {
        let bounds = self.bounds().ok_or(Unsettled)?;
        let notes = self.setting.notes(&bounds, task.checked.public_rows().unwrap_or(0));
        let notes = notes.into_iter().chain(not_found(&bounds)).collect();
        Ok(Output {
            coefficients: Coefficients::List(Vec::new()),
            diagnostics: Diagnostics { notes, ..Diagnostics::default() },
            moments: None,
            steps: None,
        })
    }
}

/// Returns what is said of columns without a range.
fn not_found(bounds: &EstimatedBounds) -> Vec<String> {
    let named = |wanted: &dyn Fn(State) -> bool| {
        let missing = bounds.missing().filter(|column| wanted(column.state));
        let names: Vec<String> = missing.map(|column| column.column.clone()).collect();
        (!names.is_empty()).then(|| quoted(&names))
    };
    let notes = [
        named(&|state| state == State::NotFound).map(words::note::bounds_not_found),
        named(&|state| state == State::Zero).map(words::note::bounds_zero),
        named(&State::is_found).map(words::note::bounds_contradicted),
    ];
    notes.into_iter().flatten().collect()
}

/// What one record adds to the integers of a round: U to one cell of each column that is not missing.
#[derive(Clone, Debug)]
pub struct Count {
    unit: i64,
    columns: usize,
    /// The layouts of the second round; nothing in the first.
    layouts: Option<Arc<[Layout]>>,
}

impl RecordMap for Count {
    fn cells(&self) -> usize {
        self.columns * self.cells_of()
    }

    fn block(&self) -> u32 {
        // A record adds at most 2^42 to a cell.
        1 << 20
    }

    fn add(&self, row: &[i32], _: &mut Scratch, cells: &mut [i64]) {
        let values = row.chunks_exact(2).map(|half| match half {
            [high, low] => of_halves([*high, *low]),
            _ => f64::NAN,
        });
        for (place, (value, cells)) in values.zip(cells.chunks_mut(self.cells_of())).enumerate() {
            let cell = match &self.layouts {
                None => octave(value),
                Some(layouts) => layouts.get(place).and_then(|layout| second(layout, value)),
            };
            planted::seen(place, value);
            // The index range is the integer check: a record is in one cell or in none.
            if let Some(count) = cell.and_then(|cell| cells.get_mut(cell)) {
                *count += self.unit;
            }
        }
    }
}

impl Count {
    fn cells_of(&self) -> usize {
        Units::cells_of(usize::from(self.layouts.is_some()))
    }
}

/// The noise of one round.
#[derive(Debug)]
struct Drawn {
    setting: Arc<Setting>,
    round: usize,
    layouts: Option<Arc<[Layout]>>,
}

impl RoundNoise for Drawn {
    fn draw(&self, rng: &mut dyn Entropy) -> Vec<i128> {
        self.setting.noise(self.round, self.layouts.as_deref().unwrap_or_default(), rng)
    }

    fn answer(&self, drawn: Vec<i128>, sums: &Exact<'_>, _: &mut dyn Entropy) -> Option<Answer> {
        planted::exact(self.round, sums);
        Answer::noisy(drawn, sums)
    }
}
