//! Which message of the catalogue stands for a value: a role, a verdict, a share, a list of names.

pub mod check;
pub mod genotypes;
pub mod public;

use super::draft::{BudgetKind, Filled};
use crate::inference::preview::{Preview, Verdict};
use crate::mechanisms::Scope;
use crate::model::{Assurance, Missing, Role};
use crate::plan::document::ColumnType;
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::privacy::calibrate::Split;
use crate::privacy::ledger::State as EntryState;
use crate::release::browse::{Chance, Only, Order};
use crate::release::format::{grouped, percent, short};
use crate::words;

pub fn role(role: Role) -> &'static str {
    match role {
        Role::Feature => words::columns::feature(),
        Role::Outcome => words::columns::outcome(),
        Role::Ignored => words::columns::ignored(),
    }
}

pub fn kind(kind: Option<ColumnType>) -> &'static str {
    match kind {
        Some(ColumnType::Number) => words::columns::number(),
        Some(ColumnType::Category) => words::columns::category(),
        None => words::columns::choose_kind(),
    }
}

pub fn missing(rule: Missing) -> &'static str {
    match rule {
        Missing::Skip => words::columns::rule_skip(),
        Missing::Midpoint => words::columns::rule_midpoint(),
    }
}

pub fn adjacency(adjacency: Adjacency) -> &'static str {
    match adjacency {
        Adjacency::AddRemove => words::privacy::add_remove(),
        Adjacency::ReplaceOne => words::privacy::replace_one(),
    }
}

pub fn adjacency_means(adjacency: Adjacency) -> &'static str {
    match adjacency {
        Adjacency::AddRemove => words::privacy::add_remove_means(),
        Adjacency::ReplaceOne => words::privacy::replace_one_means(),
    }
}

pub fn protect(protect: Protect) -> &'static str {
    match protect {
        Protect::Rows => words::privacy::protect_rows(),
        Protect::Labels => words::privacy::protect_labels(),
        Protect::Features => words::privacy::protect_features(),
    }
}

pub fn protect_means(protect: Protect) -> &'static str {
    match protect {
        Protect::Rows => words::privacy::protect_rows_means(),
        Protect::Labels => words::privacy::protect_labels_means(),
        Protect::Features => words::privacy::protect_features_means(),
    }
}

/// The words of a guarantee that protects one side of each row.
#[derive(Clone, Copy)]
pub struct Relaxed {
    pub why: &'static str,
    /// What a person types.
    phrase: &'static str,
    pub label: &'static str,
    pub wrong: &'static str,
    /// That the ledger is for it.
    pub turned: &'static str,
}

pub fn relaxed(protect: Protect) -> Relaxed {
    match protect {
        Protect::Features => Relaxed {
            why: words::privacy::outcomes_public_why(),
            phrase: words::privacy::outcomes_phrase(),
            label: words::privacy::outcomes_confirm(),
            wrong: words::privacy::outcomes_wrong(),
            turned: words::privacy::features_only(),
        },
        Protect::Rows | Protect::Labels => Relaxed {
            why: words::privacy::features_public_why(),
            phrase: words::privacy::features_phrase(),
            label: words::privacy::features_confirm(),
            wrong: words::privacy::features_wrong(),
            turned: words::privacy::outcomes_only(),
        },
    }
}

impl Relaxed {
    /// Returns whether the words were typed, whatever their capitals and spaces.
    pub fn is_typed(self, typed: &str) -> bool {
        let plain = typed.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        plain == self.phrase
    }
}

/// Says how often a fit reads its rows, and from where.
pub fn passes(count: u32, kept: Option<bool>) -> String {
    let from = match kept {
        Some(true) => words::method::rows_kept(),
        Some(false) => words::method::rows_reread(),
        None => words::method::rows_kept_if_they_fit(),
    };
    words::method::passes(count, from)
}

pub fn form(kind: BudgetKind) -> &'static str {
    match kind {
        BudgetKind::EpsilonDelta => words::privacy::form_epsilon(),
        BudgetKind::Rho => words::privacy::form_rho(),
        BudgetKind::Mu => words::privacy::form_mu(),
    }
}

pub fn one_in(delta: f64) -> String {
    words::page::one_in(grouped(1.0 / delta))
}

pub fn verdict(preview: &Preview) -> &'static str {
    match preview.verdict {
        Verdict::Clear => words::method::verdict_clear(),
        Verdict::Approximate => words::method::verdict_approximate(),
        Verdict::TooWide(_) => words::method::verdict_too_wide(),
        Verdict::Withheld => words::method::verdict_withheld(),
    }
}

/// Says what a mechanism's guarantee is limited to. `None` if it is not limited.
pub fn scope(scope: Scope) -> Option<&'static str> {
    match scope {
        Scope::Both | Scope::Relaxed(Protect::Rows) => None,
        Scope::ReplaceOne => Some(words::method::scope_replace_one()),
        Scope::Relaxed(Protect::Labels) => Some(words::method::scope_labels()),
        Scope::Relaxed(Protect::Features) => Some(words::method::scope_features()),
    }
}

/// Says which promise has to be chosen for such a guarantee.
pub fn needs_promise(scope: Scope) -> Option<&'static str> {
    match scope {
        Scope::Both => None,
        Scope::ReplaceOne | Scope::Relaxed(Protect::Rows) => Some(words::method::needs_replace_one()),
        Scope::Relaxed(Protect::Labels) => Some(words::method::needs_labels()),
        Scope::Relaxed(Protect::Features) => Some(words::method::needs_features()),
    }
}

pub fn kept(kept: Split) -> &'static str {
    match kept {
        Split::Gaussian => words::privacy::kept_gaussian(),
        Split::Other => words::privacy::kept_other(),
        Split::Both => words::privacy::kept_both(),
        Split::Explicit { .. } => words::privacy::kept_explicit(),
    }
}

pub fn assurance(assurance: Assurance) -> &'static str {
    match assurance {
        Assurance::Exact => words::method::proof_exact(),
        Assurance::Bounded => words::method::proof_bounded(),
        Assurance::Idealised => words::method::proof_idealised(),
        Assurance::Demo => words::method::proof_none(),
    }
}

pub fn entry_state(state: EntryState) -> &'static str {
    match state {
        EntryState::Reserved => words::ledger::reserved(),
        EntryState::Released => words::ledger::released(),
        EntryState::Burned => words::ledger::lost(),
    }
}

pub fn columns_line(described: usize, in_use: usize, open: usize) -> String {
    match (in_use, open) {
        (0, _) => words::columns::no_role_yet().to_owned(),
        (_, 0) => words::columns::described_line(whole(described)),
        (_, open) => words::columns::incomplete(open, whole(open)),
    }
}

pub fn shares_people(name: &str, others: &[String]) -> String {
    let more = match others {
        [] => String::new(),
        others => " ".to_owned() + &also_shares(others),
    };
    words::people::shares(name) + &more
}

pub fn also_shares(names: &[String]) -> String {
    words::people::also_shares(list(names, 3))
}

pub fn different_from(ledger: &str) -> String {
    words::people::different_from(ledger.get(..8).unwrap_or(ledger))
}

pub fn left_line(left: f64) -> String {
    words::page::left(percent(left))
}

pub fn needed(rest: usize) -> String {
    match rest {
        0 => String::new(),
        rest => words::release_bar::more_things(rest, whole(rest)),
    }
}

/// Says how far a reading is. `pass` is the number of the pass and how many there are.
pub fn progress(share: f64, pass: Option<(u32, u32)>, seconds: Option<f64>) -> String {
    let share = format!("{:.0} %", (100.0 * share).floor());
    let read = match pass {
        Some((number, of)) => words::progress::pass(number, of, share),
        None => share,
    };
    match seconds {
        Some(seconds) if seconds >= 90.0 => words::progress::minutes(read, format!("{:.0}", seconds / 60.0)),
        Some(seconds) if seconds >= 1.0 => words::progress::seconds(read, format!("{seconds:.0}")),
        _ => read,
    }
}

/// Writes two shares, or one where both read alike.
pub fn span((least, most): (f64, f64)) -> String {
    if percent(least) == percent(most) {
        percent(most)
    } else {
        words::page::from_to(percent(least), percent(most))
    }
}

/// The share of what is left of a budget from which on a charge takes all of it: numbers are rounded.
pub const ALL_LEFT: f64 = 0.9999;

pub fn cost(of_all: f64, of_left: f64, first: bool) -> String {
    let all = words::release_bar::of_budget(percent(of_all));
    match (of_left >= ALL_LEFT, first) {
        (true, true) => words::release_bar::whole_budget().to_owned(),
        (true, false) => words::release_bar::all_left(all),
        (false, true) => all,
        (false, false) => words::release_bar::of_left(all, percent(of_left)),
    }
}

pub fn number(value: f64) -> String {
    short(value, 3)
}

pub fn whole(count: usize) -> String {
    let count = count as f64;
    grouped(count)
}

pub fn list(names: &[String], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(String::as_str).collect();
    let more = names.len().saturating_sub(most);
    match (shown.as_slice(), more) {
        ([], _) => words::page::no_feature().to_owned(),
        ([one], 0) => (*one).to_owned(),
        ([first @ .., last], 0) => words::page::list_and(first.join(", "), last),
        (shown, more) => words::page::list_more(shown.join(", "), whole(more)),
    }
}

pub fn only(only: Only) -> &'static str {
    match only {
        Only::All => words::outcomes::show_all(),
        Only::Intervals => words::outcomes::show_intervals(),
        Only::ExcludesZero => words::outcomes::show_excludes_zero(),
    }
}

pub fn order(order: Order) -> &'static str {
    match order {
        Order::Released => words::outcomes::by_released(),
        Order::Name => words::outcomes::by_name(),
        Order::Estimate => words::result::estimate(),
        Order::Size => words::outcomes::by_size(),
        Order::Ratio => words::outcomes::estimate_standard_error(),
        Order::StdError => words::journal::std_error(),
        Order::NoiseShare => words::outcomes::by_noise_share(),
    }
}

pub fn direction(order: Order, descending: bool) -> &'static str {
    match (order, descending) {
        (Order::Released | Order::Name, false) => words::outcomes::first_to_last(),
        (Order::Released | Order::Name, true) => words::outcomes::last_to_first(),
        (_, false) => words::outcomes::smallest_first(),
        (_, true) => words::outcomes::largest_first(),
    }
}

/// Says that among many intervals some exclude 0 by chance. `level` is in percent.
pub fn chance(chance: &Chance, level: &str) -> String {
    if chance.intervals == 0 {
        return words::outcomes::no_interval().to_owned();
    }
    let expected = if chance.expected < 10.0 { short(chance.expected, 2) } else { grouped(chance.expected) };
    words::outcomes::chance(whole(chance.excluding), whole(chance.intervals), level, expected)
}

/// Says what a codebook has filled and what it has not.
pub fn codebook(file: &str, filled: &Filled) -> String {
    let Filled { described, untyped, unbounded, unknown } = filled;
    if described.is_empty() {
        return words::codebook::none(file);
    }
    let total = whole(described.len() + unknown.len());
    let mut told = vec![words::codebook::filled(described.len(), file, whole(described.len()), total)];
    let mut add = |names: &[String], say: fn(String) -> String| {
        if !names.is_empty() {
            told.push(say(list(names, 6)));
        }
    };
    add(unbounded, words::codebook::unbounded);
    add(untyped, words::codebook::untyped);
    add(unknown, words::codebook::unknown);
    told.join(" ")
}
