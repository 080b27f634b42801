//! Every sentence that a person reads on the page, but for the guarantee's own, which `release::statement` writes.

pub mod check;
pub mod genotypes;
pub mod public;

use super::draft::BudgetKind;
use crate::inference::preview::Verdict;
use crate::mechanisms::Scope;
use crate::model::{Assurance, Missing, Role};
use crate::plan::document::ColumnType;
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::privacy::calibrate::Split;
use crate::privacy::ledger::State as EntryState;
use crate::release::browse::{Chance, Only, Order};
use crate::release::format::{grouped, percent, short};

pub const NAME: &str = "discreet";
pub const TAGLINE: &str = "Regression on patient data that you may publish";
pub const WHAT: &str = "Fit a regression to a table of patients and publish the result with a privacy guarantee. The table \
    stays on this machine.";
pub const PROMISE: &str = "Nothing is uploaded: the page can reach no other computer once it has loaded. What leaves is \
    only what you download, and it holds nothing about the table but what you release.";
pub const CHECK: &str = "To check it, disconnect from the network now: everything here still works.";
pub const SKIP: &str = "Skip to the work";

pub const CHOOSE: &str = "Choose a CSV or genotypes";
pub const SAMPLE: &str = "Try a sample";
pub const OPEN: &str = "Open a saved plan or release";
pub const DROP: &str = "or drop it anywhere on this page";
pub const FORMS: &str = "Genotypes are a VCF, or the .bed, .bim and .fam files of a PLINK set chosen together, with a table of \
    phenotypes if you have one.";
pub const DOCUMENT_ALONE: &str = "A saved plan, release or ledger is opened by itself. Choose it alone";
pub const PRIVATE: &str = "On this machine only";
pub const RELEASED: &str = "Released";
pub const APPEARANCE: &str = "Appearance";
pub const STEPS: &str = "Steps";

pub const READING: &str = "Recognising the table";
pub const LOOKING: &str = "Reading the files";
pub const RELEASING: &str = "Reading the table";
pub const CANCEL: &str = "Cancel";
pub const CANCELLING: &str = "Cancelling";
pub const CANCELLED: &str = "Cancelled. Nothing was charged.";

pub const INSECURE: &str = "This page was loaded over plain http, where a browser offers neither locks nor safe storage. You \
    can look around, but nothing can be spent. Serve the page over https, from localhost or from a file.";
pub const NOT_DURABLE: &str = "This browser does not promise to keep the ledger: it may forget it when the window closes or \
    space runs short. Download the ledger after each release, and import it next time.";
pub const EXPORT_FIRST: &str = "Download the ledger before the next release: this browser may forget it.";

pub const SUGGESTED_BY_FILE: &str = "Types are suggested from the first rows. Bounds and levels never are: read off the data \
    they would reveal it, so you state them.";
pub const EMPTY_BOUND: &str = "What could this value be for any patient, whether or not in your file?";
pub const KEYS: &str =
    "Arrows and Enter move between cells. Paste a block of bounds from a spreadsheet into the first cell.";
pub const FILTER: &str = "Find columns";
pub const FILTER_HINT: &str = "part of a name, or a pattern such as snp_*";
pub const RANGES: &str = "Public ranges and where they come from";
pub const RANGES_NOTE: &str = "Each range says what a value could be for any patient; it is not a reference range of \
    healthy people. A narrower range gives less noise, and clips whoever lies outside.";

pub const BUDGET_WHY: &str = "The budget says how much all releases from this table together may reveal about any one \
    person. It is fixed before anything is asked, and cannot be raised afterwards.";
pub const BUDGET_FIXED: &str = "The budget of this table is fixed. It was set before its first release.";
pub const DIFFERENT: &str = "They are different people";
pub const DIFFERENT_WHY: &str = "Say so only if no person is in both tables. The word stands in both ledgers, for good, and \
    this table gets a ledger of its own with its first release. Nobody checks it: where a person is in both tables after \
    all, both budgets are spent on that person.";
pub const DIFFERENT_LABEL: &str = "To confirm, type: different people";
pub const DIFFERENT_DO: &str = "Open another ledger";
pub const DIFFERENT_WORDS: &str = "The words are: different people";
pub const TAKE_BACK: &str = "Take it back";
pub const ASSERTED: &str = "asserted";
pub const ROWS_LABEL: &str = "Rows in the table, about";
pub const ROWS_EXACT_LABEL: &str = "Rows in the table, exactly";
pub const ROWS_WHY: &str = "A number that may be public, for the preview and to propose delta. It is never compared with \
    the table.";
pub const ROWS_EXACT_WHY: &str =
    "This number becomes public with the release, and a table of another length is refused.";

pub const WITHHELD: &str = "Intervals are withheld: the noise is as large as the signal. Read the estimates as a rough sign at most.";
pub const WITHHELD_AS_NOTED: &str = "Intervals are withheld. The notes under the table say why.";
pub const ODDS: &str = " Its axis is logarithmic.";
pub const REFIT: &str = "Fit another regression from the same release";
pub const REFIT_FREE: &str = "This costs nothing: it uses only what is already published, and anyone who has the release \
    can do the same.";
pub const GAUSSIAN_WALLET: &str = "For Gaussian noise";
pub const OTHERS_WALLET: &str = "For others";
pub const OTHER_WALLET: &str =
    "This table's budget keeps nothing for this kind of mechanism, and cannot be divided anew";
pub const KEEP_WALLET: &str = "Keep a part of the budget for this kind of mechanism";
pub const SPLIT_WHY: &str = "Mechanisms with Gaussian noise share a budget best. Others are known by epsilon and delta alone, and \
    need a part of their own. It is fixed with the budget.";
pub const IDEALISED: &str = "I accept a proof that assumes real-number arithmetic. The computer's own arithmetic was hardened, but \
    is not proved private.";
pub const MECHANISM: &str = "Mechanism";
pub const RECOMMENDED: &str = "recommended";
pub const NEEDS_PUBLIC: &str = "needs public moments";
pub const NOT_NOW: &str = "not for this plan";
pub const COMPARE: &str = "Compare the mechanisms for this plan";
pub const COMPARE_NOTE: &str = "Each has the whole budget, epsilon and delta alike, and its own defaults. The numbers come from the plan \
    alone; no row was read.";
pub const PAPER: &str = "The paper's own scale, for comparison: it costs what it really costs, and is refused where that is more than \
    the paper claims";
pub const ONCE: &str = "A charge cannot be taken back, also if the result disappoints.";

pub const fn role(role: Role) -> &'static str {
    match role {
        Role::Feature => "Feature",
        Role::Outcome => "Outcome",
        Role::Ignored => "Ignored",
    }
}

pub const fn kind(kind: Option<ColumnType>) -> &'static str {
    match kind {
        Some(ColumnType::Number) => "Number",
        Some(ColumnType::Category) => "Category",
        None => "Choose",
    }
}

pub const fn missing(rule: Missing) -> &'static str {
    match rule {
        Missing::Skip => "The row is left out",
        Missing::Midpoint => "The cell counts as the middle of its bounds, or as the reference level",
    }
}

pub const fn adjacency(adjacency: Adjacency) -> &'static str {
    match adjacency {
        Adjacency::AddRemove => "Whether a person is in the table at all stays private",
        Adjacency::ReplaceOne => {
            "What is recorded about a person stays private; the number of people is public"
        }
    }
}

pub const fn adjacency_means(adjacency: Adjacency) -> &'static str {
    match adjacency {
        Adjacency::AddRemove => {
            "Add or remove one. For a person in the table: from the release nobody can tell well whether you took part. Choose \
             this where being in the table says something, such as having a disease."
        }
        Adjacency::ReplaceOne => {
            "Replace one. For a person in the table: people may know that you took part, but can tell little about your values. \
             Costs about 1.4 times the noise; the exact number of rows is published."
        }
    }
}

pub const fn protect(protect: Protect) -> &'static str {
    match protect {
        Protect::Rows => "Everything that is recorded about a person",
        Protect::Labels => "The outcomes alone: the features may be published",
        Protect::Features => "The features alone: the outcomes may be published",
    }
}

pub const fn protect_means(protect: Protect) -> &'static str {
    match protect {
        Protect::Rows => "The full promise. Choose this unless you know better.",
        Protect::Labels => {
            "For features that are public already, such as a published panel of genotypes. Their sums are released as they are, \
             and the whole budget goes to the outcomes."
        }
        Protect::Features => {
            "For outcomes that are public already. They are used as they are, and take noise off where there are very many."
        }
    }
}

/// The words that a relaxed guarantee takes.
const fn relax_phrase(protect: Protect) -> &'static str {
    match protect {
        Protect::Features => "outcomes are public",
        Protect::Rows | Protect::Labels => "features are public",
    }
}

/// Whether they were typed, whatever their capitals and spaces.
pub fn is_relax_phrase(protect: Protect, typed: &str) -> bool {
    let plain = typed.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    plain == relax_phrase(protect)
}

pub const fn relax_label(protect: Protect) -> &'static str {
    match protect {
        Protect::Features => "To confirm, type: outcomes are public",
        Protect::Rows | Protect::Labels => "To confirm, type: features are public",
    }
}

pub const fn relax_wrong(protect: Protect) -> &'static str {
    match protect {
        Protect::Features => "The words are: outcomes are public",
        Protect::Rows | Protect::Labels => "The words are: features are public",
    }
}

pub const fn relax_why(protect: Protect) -> &'static str {
    match protect {
        Protect::Features => {
            "Whoever reads the release may learn each person's outcomes, and that the person is in the table. In a clinic outcomes \
             are hardly ever public."
        }
        Protect::Rows | Protect::Labels => {
            "Whoever reads the release may learn each person's features, and that the person is in the table. In a clinic features \
             are hardly ever public."
        }
    }
}

pub const RELAX_FOR_GOOD: &str = "This table has a budget already. It is turned for good: what was charged stays charged, and \
    no release with full protection fits any more.";

pub const LEAST_ERRORS: &str = "Half of a 95 % interval, at least, from public numbers alone";
pub const LEAST_ERRORS_NOTE: &str = "The numbers come from the plan alone; no row was read. Assumed: what is publicly known of the columns, \
    or else values spread over a third of the half width of their bounds and unrelated predictors; an outcome as frequent as is publicly \
    known, or else in every second row; no record shortened. Predictors that say much about the outcome make it worse.";
pub const LEAST_ODDS_NOTE: &str =
    " An odds ratio lies between its estimate divided by its factor and its estimate times it.";
pub const NO_PREVIEW: &str = "This mechanism gives coefficients alone, without standard errors: what noise does to them is seen on \
    made-up data only.";
pub const NO_NOISE_PREVIEW: &str = "How large the noise in each coefficient will be is not forecast for this mechanism. The release says it, with \
    intervals.";
/// How often a fit reads its rows, and from where.
pub fn passes(count: u32, kept: Option<bool>) -> String {
    let from = match kept {
        Some(true) => "They are so few that they stay in memory meanwhile.",
        Some(false) => "They are too many to stay in memory, so the file is read again each time.",
        None => "They stay in memory meanwhile where they fit; else the file is read again each time.",
    };
    format!("This fit goes over the rows {count} times. {from}")
}

pub const FITTING: &str = "Fitting to rows in memory";
pub const FITTING_AGAIN: &str = "Fitting, the file is read again";
pub const SETTINGS: &str = "Settings of this mechanism";
pub const ROWS_NEEDED: &str = "This number is needed.";

pub const RELAX_DO: &str = "Confirm";

pub const CONFIRMED: &str = "Confirmed in words";

pub const fn turned(protect: Protect) -> &'static str {
    match protect {
        Protect::Features => "This table's budget is for its features alone, for good.",
        Protect::Rows | Protect::Labels => "This table's budget is for its outcomes alone, for good.",
    }
}

pub const fn form(kind: BudgetKind) -> &'static str {
    match kind {
        BudgetKind::EpsilonDelta => "Epsilon and delta",
        BudgetKind::Rho => "Rho (zero-concentrated)",
        BudgetKind::Mu => "Mu (Gaussian)",
    }
}

pub fn one_in(delta: f64) -> String {
    format!("one in {}", grouped(1.0 / delta))
}

pub fn delta_means(delta: f64) -> String {
    format!(
        "Delta is a small allowance: with a chance of at most {} the sentence above may fail. It should be well below one \
         over the number of people.",
        one_in(delta)
    )
}

pub const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Clear => "Intervals are expected",
        Verdict::Approximate => "Intervals will be approximate",
        Verdict::Withheld => "Intervals will be withheld: the noise is as large as the signal",
    }
}

/// What a mechanism's guarantee is limited to, where it is.
pub const fn scope(scope: Scope) -> Option<&'static str> {
    match scope {
        Scope::Both | Scope::Relaxed(Protect::Rows) => None,
        Scope::ReplaceOne => Some("replace one alone"),
        Scope::Relaxed(Protect::Labels) => Some("features not protected"),
        Scope::Relaxed(Protect::Features) => Some("outcomes not protected"),
    }
}

/// What has to be chosen for such a guarantee.
pub const fn needs_promise(scope: Scope) -> Option<&'static str> {
    match scope {
        Scope::Both => None,
        Scope::ReplaceOne | Scope::Relaxed(Protect::Rows) => {
            Some("Choose under Privacy that what is recorded about a person stays private (replace one)")
        }
        Scope::Relaxed(Protect::Labels) => {
            Some("Choose replace one under Privacy, and there that the outcomes alone stay private")
        }
        Scope::Relaxed(Protect::Features) => {
            Some("Choose replace one under Privacy, and there that the features alone stay private")
        }
    }
}

pub const fn kept(kept: Split) -> &'static str {
    match kept {
        Split::Gaussian => "Releases with Gaussian noise alone",
        Split::Other => "Other mechanisms alone",
        Split::Both => "Both: half of epsilon and a tenth of delta for the others",
        Split::Explicit { .. } => "Both, with a stated share for the others",
    }
}

pub const fn assurance(assurance: Assurance) -> &'static str {
    match assurance {
        Assurance::Exact => "the arithmetic itself",
        Assurance::Bounded => "the arithmetic, up to an error inside delta",
        Assurance::Idealised => "real numbers only",
        Assurance::Demo => "nothing",
    }
}

pub const fn entry_state(state: EntryState) -> &'static str {
    match state {
        EntryState::Reserved => "reserved",
        EntryState::Released => "released",
        EntryState::Burned => "lost: charged without a result",
    }
}

pub fn data_line(name: &str, columns: usize) -> String {
    let columns = if columns == 1 { "1 column".to_owned() } else { format!("{} columns", whole(columns)) };
    format!("{name}, {columns}")
}

pub fn columns_line(described: usize, in_use: usize, open: usize) -> String {
    match (in_use, open) {
        (0, _) => "No column has a role yet".to_owned(),
        (_, 0) => format!("{} described", whole(described)),
        (_, 1) => "1 still needs you".to_owned(),
        (_, open) => format!("{} still need you", whole(open)),
    }
}

pub fn shares_people(name: &str, others: &[String]) -> String {
    let more = match others {
        [] => String::new(),
        others => format!(" {}", also_shares(others)),
    };
    format!("This table shares people with {name}. Its releases are charged to the same ledger.{more}")
}

pub fn also_shares(names: &[String]) -> String {
    format!(
        "It also shares people with {}. Budgets of different ledgers about the same people add up.",
        list(names, 3)
    )
}

pub fn said_different(names: &[String]) -> String {
    format!(
        "You said that this table is about different people than {}. Both ledgers will say so from its first release on.",
        list(names, 3)
    )
}

pub fn different_from(ledger: &str) -> String {
    format!("different people than ledger {}", ledger.get(..8).unwrap_or(ledger))
}

pub fn left_line(left: f64) -> String {
    format!("{} left", percent(left))
}

pub fn needed(rest: usize) -> String {
    match rest {
        0 => String::new(),
        1 => "and 1 more thing".to_owned(),
        rest => format!("and {} more things", whole(rest)),
    }
}

/// How far a reading is; a pass is one of so many.
pub fn progress(share: f64, pass: Option<(u32, u32)>, seconds: Option<f64>) -> String {
    let share = format!("{:.0} %", (100.0 * share).floor());
    let read = match pass {
        Some((number, of)) => format!("pass {number} of {of}, {share}"),
        None => share,
    };
    match seconds {
        Some(seconds) if seconds >= 90.0 => format!("{read}, about {:.0} min left", seconds / 60.0),
        Some(seconds) if seconds >= 1.0 => format!("{read}, about {seconds:.0} s left"),
        _ => read,
    }
}

/// Two shares, as one where they read alike.
pub fn span((least, most): (f64, f64)) -> String {
    if percent(least) == percent(most) {
        percent(most)
    } else {
        format!("{} to {}", percent(least), percent(most))
    }
}

pub fn cost(of_left: f64, first: bool) -> String {
    let what = if first { "of the budget" } else { "of what is left" };
    if of_left >= 0.9999 { format!("all {what}") } else { format!("{} {what}", percent(of_left)) }
}

pub fn number(value: f64) -> String {
    short(value, 3)
}

pub fn whole(count: usize) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a count of columns")]
    let count = count as f64;
    grouped(count)
}

pub fn list(names: &[String], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(String::as_str).collect();
    let more = names.len().saturating_sub(most);
    match (shown.as_slice(), more) {
        ([], _) => "no feature".to_owned(),
        ([one], 0) => (*one).to_owned(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (shown, more) => format!("{} and {} more", shown.join(", "), whole(more)),
    }
}

pub fn not_yes_or_no(outcome: &str) -> String {
    format!(
        "Not for {outcome}: its outcome has to be yes or no, a category of two levels or a number from 0 to 1."
    )
}

/// The mechanism that is chosen, beside a group that is closed.
pub fn chosen(mechanism: &str) -> String {
    format!("chosen: {mechanism}")
}

pub fn wrong_table(column: &str) -> String {
    format!(
        "The plan needs a column `{column}` that this table does not have. Choose the table it was made for; the plan waits."
    )
}

pub const UNREADABLE: &str = "The file cannot be read: it changed on the disk or is gone, or there is no room for it. Close other tabs \
    and choose it again";
pub const OPENING: &str = "The file is being opened";
pub const MANY_OUTCOMES: &str = "Many outcomes";
pub const SAVED: &str = "The file is downloaded";
pub const NO_ROOM: &str = "There is no room for the file. Close other tabs, then try again";
pub const ALL_OUTCOMES: &str = "All outcomes for one term";
pub const SIDE_BY_SIDE: &str = "All outcomes for one term, side by side";
pub const FIND_OUTCOME: &str = "Find outcomes";
pub const FIND_HINT: &str = "Part of a name, or a pattern such as gene_*.";
pub const NONE_FOUND: &str = "No outcome fits. Search for another name, or show all.";

pub const fn only(only: Only) -> &'static str {
    match only {
        Only::All => "All",
        Only::Intervals => "With an interval",
        Only::ExcludesZero => "Interval excludes 0",
    }
}

pub const fn order(order: Order) -> &'static str {
    match order {
        Order::Released => "Order of the table",
        Order::Name => "Name",
        Order::Estimate => "Estimate",
        Order::Size => "Size of the estimate",
        Order::Ratio => "|Estimate| / standard error",
        Order::StdError => "Standard error",
        Order::NoiseShare => "Privacy noise",
    }
}

pub const fn direction(order: Order, descending: bool) -> &'static str {
    match (order, descending) {
        (Order::Released | Order::Name, false) => "First to last",
        (Order::Released | Order::Name, true) => "Last to first",
        (_, false) => "Smallest first",
        (_, true) => "Largest first",
    }
}

/// That among many intervals some exclude 0 by chance; `level` in percent.
pub fn chance(chance: &Chance, level: &str) -> String {
    if chance.intervals == 0 {
        return "No coefficient of this term has an interval.".to_owned();
    }
    let expected = if chance.expected < 10.0 { short(chance.expected, 2) } else { grouped(chance.expected) };
    format!(
        "{} of {} intervals exclude 0. With as many intervals at {level} %, about {expected} exclude 0 by chance alone, if every \
         true coefficient is 0; all share the noise on the features, so it can be many more or fewer at once.",
        whole(chance.excluding),
        whole(chance.intervals)
    )
}

pub const REFIT_ELSEWHERE: &str = "Another regression can be fitted from this release at no further cost: with so many columns by the command \
    line, `discreet refit`.";
pub const RULES: &str = "Describe many columns by a pattern or a range";
pub const PATTERN_HINT: &str = "A star stands for any characters, as in gene_*.";
pub const RULES_HINT: &str = "What you leave as it is stays as it is. The plan keeps a pattern in place of thousands of names where it \
    describes its columns alike.";

pub const NOT_JSON: &str = "This file is neither a plan nor a release: it is no JSON with the schema discreet.plan/1, \
    discreet.release/1 or discreet.ledger/1. Choose another file";
