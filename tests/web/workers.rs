//! Workers from start to end. The test runner's module stands for the workers' own.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use discreet::audit::check::{Check, Finding};
use discreet::data::FileRole;
use discreet::data::genotypes::{Choice, Matches};
use discreet::engine::foresee::foresee;
use discreet::engine::prepare;
use discreet::model::{Missing, NoiseLaw};
use discreet::plan::bound::Encoding;
use discreet::plan::document::Bound;
use discreet::plan::number_format::NumberFormat;
use discreet::plan::{Plan, Purpose};
use discreet::privacy::ledger::State;
use discreet::release::Release;
use discreet::store;
use discreet::store::document::Made;
use discreet::worker::context::StartContext;
use discreet::worker::files::Files;
use discreet::worker::foresee::Forecaster;
use discreet::worker::pool::{Asked, Pool};
use discreet::worker::protocol::{Look, Progress, Question, Reason};
use js_sys::{Array, Uint8Array, WebAssembly};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::Blob;

use crate::golden::{TABLE, moments};
use crate::store::{ledger, plan};

/// Columns of the table that its plan has.
const COLUMNS: usize = 3;

/// What a release with a budget of ε asks for, without public moments.
fn asked(epsilon: f64) -> Asked {
    Asked { plan: plan(epsilon), columns: COLUMNS, public: None, seen: None }
}

/// What the worker's binary does.
#[wasm_bindgen]
pub fn start_worker() {
    discreet::worker::main::start();
}

/// A worker that traps as soon as it is there.
#[wasm_bindgen]
pub fn start_broken_worker() {
    discreet::worker::main::start();
    panic!("a secret of the table");
}

/// A pool whose workers run `entry` of the test's module.
async fn pool(entry: &str) -> Pool {
    let origin = web_sys::window().unwrap().location().origin().unwrap();
    let glue = format!(
        "const wasm_bindgen = async (options) => {{ const glue = await import('{origin}/wasm-bindgen-test.js'); \
         await glue.default(options); wasm_bindgen.work = glue.{entry}; }};"
    );
    let fetched = web_sys::window().unwrap().fetch_with_str(&format!("{origin}/wasm-bindgen-test_bg.wasm"));
    let response: web_sys::Response = JsFuture::from(fetched).await.unwrap().unchecked_into();
    let bytes = JsFuture::from(response.array_buffer().unwrap()).await.unwrap();
    let module = JsFuture::from(WebAssembly::compile(&bytes)).await.unwrap().unchecked_into();
    Pool::new(StartContext { build: "test".to_owned(), glue, module, samples: Vec::new(), words: None })
}

fn blob(parts: &[&[u8]]) -> Blob {
    let parts: Array = parts.iter().map(|part| JsValue::from(Uint8Array::from(*part))).collect();
    Blob::new_with_u8_array_sequence(&parts).unwrap()
}

/// A CSV.
fn csv(parts: &[&[u8]]) -> Files {
    Files::table(blob(parts))
}

/// The sample table many times over, so that several workers share it. Its records end with so many spaces, and are
/// those of no other test.
fn long_table(spaces: usize) -> Vec<u8> {
    let mut lines = TABLE.split_inclusive(|&byte| byte == b'\n');
    let mut table = lines.next().unwrap().to_vec();
    let body: Vec<u8> = lines
        .flat_map(|line| [line.trim_ascii_end(), b" ".repeat(spaces).as_slice(), b"\n"].concat())
        .collect();
    for _ in 0..41 {
        table.extend_from_slice(&body);
    }
    table
}

#[wasm_bindgen_test]
async fn a_worker_starts_fails_and_another_starts() {
    let good = pool("start_worker").await;
    good.check().await.unwrap();
    let broken = pool("start_broken_worker").await;
    // It said that it was there before it stopped; the request then has no answer but the failure.
    let failure = broken.identify(&csv(&[TABLE]), |_| {}).await.unwrap_err();
    assert!(!failure.charged);
    assert!(!failure.message.contains("secret"), "{failure}");
    let absent = pool("no_such_entry").await;
    assert!(absent.check().await.is_err());
    good.check().await.unwrap();
}

#[wasm_bindgen_test]
async fn a_table_is_known_by_its_bytes() {
    let pool = pool("start_worker").await;
    let first = pool.identify(&csv(&[TABLE]), |_| {}).await.unwrap();
    assert_eq!(first, pool.identify(&csv(&[&TABLE[..100], &TABLE[100..]]), |_| {}).await.unwrap());
    assert_ne!(first, pool.identify(&csv(&[TABLE, b"\n"]), |_| {}).await.unwrap());
}

/// A forecast that was made by a worker is the one that is made here, and one worker makes several.
#[wasm_bindgen_test]
async fn a_worker_forecasts_as_the_page_would() {
    let mut forecaster = Forecaster::new(&pool("start_worker").await);
    let header = str::from_utf8(TABLE).unwrap().lines().next().unwrap();
    let names: Vec<String> = header.split(',').map(str::to_owned).collect();
    for (rows, mechanism) in [(100_000, "adaptive-gauss"), (2, "adaptive-gauss"), (1_000, "analyze-gauss")] {
        let mut plan = plan(1.0);
        (plan.stated_rows, plan.mechanism.name) = (Some(rows), mechanism.to_owned());
        plan.mechanism.params.clear();
        let question = Question { plan: plan.clone(), names: names.clone(), delimiter: b',' };
        let here = foresee(&prepare(plan, &names, b',', Purpose::Simulate).unwrap());
        assert_eq!(forecaster.ask(&question).await.unwrap(), here, "{rows} rows");
        assert_eq!(here.is_some(), mechanism == "adaptive-gauss");
    }
}

/// A table of several chunks of the fingerprint: people of these numbers, some with a line break in their text.
fn crowd(name: &str, people: impl Iterator<Item = u32>) -> Vec<u8> {
    let mut table = b"id,age,text\n".to_vec();
    for n in people {
        let text =
            ["plain", "\"two\r\nlines, and a delimiter\"", "\"a \"\"quoted\"\"\n one\""][n as usize % 3];
        let line = format!("{name}{n:06},{},{text}{}\n", n % 90, "-".repeat(60));
        table.extend_from_slice(line.as_bytes());
    }
    table
}

#[wasm_bindgen_test]
async fn people_are_known_again_in_another_order_and_among_others() {
    let pool = pool("start_worker").await;
    let known = crowd("a", 0..120_000);
    assert!(known.len() > 8 << 20, "three chunks");
    let key = pool.identify(&csv(&[&known]), |_| {}).await.unwrap();
    let opened = store::create_ledger(&key, ledger(1.0), None).await.unwrap();
    let cut = crowd("a", (0..40_000).rev());
    let broken = [crowd("a", 60_000..90_000).as_slice(), b"ragged\n\"never closed, b000001"].concat();
    let tables = [
        ("in another order", crowd("a", (0..120_000).rev()), true),
        ("some rows removed", cut, true),
        ("half new", [crowd("a", 0..30_000), crowd("b", 0..30_000).split_off(12)].concat(), true),
        ("not well formed", broken, true),
        ("others", crowd("b", 0..50_000), false),
        ("no rows", b"id,age,text\n".to_vec(), false),
        ("nothing", Vec::new(), false),
    ];
    for (what, table, shares) in tables {
        let other = pool.identify(&csv(&[&table]), |_| {}).await.unwrap();
        assert_ne!(other, key, "{what}");
        let record = store::open_table(&other).await.unwrap();
        assert_eq!(record.as_ref().map(|record| record.ledger.id()), shares.then_some(opened.id()), "{what}");
        assert!(record.is_none_or(|record| record.joined && record.shared.is_empty()), "{what}");
    }
}

/// A PLINK set of people and so many variants, with phenotypes if there are any.
fn set(people: std::ops::Range<u32>, variants: usize, phenotypes: Option<&str>) -> Files {
    let fam: String = people.clone().map(|n| format!("f{} webpeople{n} 0 0 1 {}\n", n / 3, n % 9)).collect();
    let bim: String = (0..variants).map(|place| format!("1 rs{place} 0 {place} A G\n")).collect();
    let mut bed = vec![0x6c, 0x1b, 0x01];
    bed.resize(3 + variants * people.len().div_ceil(4), 0b1110_0011);
    let mut files = vec![
        (FileRole::Fam, blob(&[fam.as_bytes()])),
        (FileRole::Bed, blob(&[&bed])),
        (FileRole::Bim, blob(&[bim.as_bytes()])),
    ];
    files.extend(phenotypes.map(|text| (FileRole::Phenotypes, blob(&[text.as_bytes()]))));
    Files::new(files)
}

#[wasm_bindgen_test]
async fn people_are_known_again_in_other_genotypes() {
    let pool = pool("start_worker").await;
    let key = pool.identify(&set(0..500, 40, None), |_| {}).await.unwrap();
    assert_eq!(key, pool.identify(&set(0..500, 40, None), |_| {}).await.unwrap());
    let opened = store::create_ledger(&key, ledger(1.0), None).await.unwrap();
    let phenotypes = "IID,bmi\nwebpeople3,21\n";
    for (what, files, shares) in [
        ("with phenotypes", set(0..500, 40, Some(phenotypes)), true),
        ("with other variants", set(0..500, 7, None), true),
        ("fewer people", set(300..500, 7, Some("IID,age\n")), true),
        ("others", set(500..900, 40, None), false),
    ] {
        let other = pool.identify(&files, |_| {}).await.unwrap();
        assert_ne!(other, key, "{what}");
        let record = store::open_table(&other).await.unwrap();
        assert_eq!(
            record.map(|record| record.ledger.id().to_owned()),
            shares.then(|| opened.id().to_owned()),
            "{what}"
        );
    }
    let look = |variants: Vec<Choice>| Look {
        files: set(0..500, 40, Some(phenotypes)).roles(),
        variants,
        encoding: Encoding::Utf8,
        numbers: NumberFormat::default(),
    };
    let looked =
        pool.look(&set(0..500, 40, Some(phenotypes)), look(vec![Choice::of("rs1*")]), |_| {}).await.unwrap();
    assert_eq!((looked.total, looked.variants.len(), looked.rows.len()), (Some(40), 11, 8));
    assert_eq!((looked.names.last().map(String::as_str), looked.rows[3][4].as_str()), (Some("bmi"), "21"));
    assert_eq!((looked.own, looked.matches), (4, Some(Matches { samples: 500, matched: 1, rows_alone: 0 })));
    let broken = Files::new(vec![(FileRole::Vcf, blob(&[b"no VCF\n"]))]);
    let failure = pool.identify(&broken, |_| {}).await.unwrap_err();
    assert_eq!(failure.reason, Reason::Table, "{failure}");
}

/// Checks that what is released is the table's exact sums with no more than the noise.
fn near(release: &Release, table: &[u8]) {
    let released = release.moments.clone().unwrap();
    let Some(NoiseLaw::DiscreteGaussian { s, .. }) = &released.noise else {
        panic!("the noise is discrete Gaussian")
    };
    let s: i128 = s.parse().unwrap();
    let exact = moments(table);
    for (row, cells) in released.matrix.iter().flatten().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let off = cell.parse::<i128>().unwrap() - exact.get(row, column);
            // 16 cells beyond 8 standard deviations: less than one in 10^13.
            assert!(off.abs() <= 8 * s, "cell {row}, {column} is off by {off} at S = {s}");
        }
    }
}

#[wasm_bindgen_test]
async fn a_release_reads_every_slice_once_and_charges_once() {
    let table = long_table(1);
    let pool = pool("start_worker").await;
    let file = csv(&[&table]);
    let key = pool.identify(&file, |_| {}).await.unwrap();
    let refused = pool.release(&file, asked(1.0), key.clone(), |_| {}).await.unwrap_err();
    assert_eq!(refused.reason, Reason::Budget, "{refused}");
    // Enough budget that eight standard deviations of the noise are the part of a few dozen rows, far below a slice's.
    store::create_ledger(&key, ledger(16.0), None).await.unwrap();
    let last = Rc::new(Cell::new(0));
    let seen = Rc::clone(&last);
    let Made { release, document, ledger, kept } =
        pool.release(&file, asked(15.0), key.clone(), move |progress| seen.set(progress.done)).await.unwrap();
    assert!(kept);
    // The bytes that are summed are the ones that are hashed: the table is read once.
    assert!(last.get() > table.len() as u64 / 2 && last.get() <= table.len() as u64);

    near(&release, &table);
    assert_eq!(release.ledger.as_ref().unwrap().entry, 1);
    let record = store::open_table(&key).await.unwrap().unwrap();
    assert_eq!(record.ledger, ledger);
    assert_eq!(record.releases.len(), 1);
    assert_eq!(record.releases[0].release.as_ref(), Some(&release));
    assert_eq!(ledger.entries()[0].state, State::Released);
    assert_eq!(document.size().to_bits(), record.releases[0].document.size().to_bits());
}

#[wasm_bindgen_test]
async fn a_bad_record_stops_the_run_before_the_charge() {
    let pool = pool("start_worker").await;
    let file = csv(&[&long_table(2), b"P1,secret-cell\n"]);
    let key = pool.identify(&file, |_| {}).await.unwrap();
    store::create_ledger(&key, ledger(1.0), None).await.unwrap();
    let failure = pool.release(&file, asked(1.0), key.clone(), |_| {}).await.unwrap_err();
    assert_eq!(failure.reason, Reason::Table);
    assert!(!failure.charged && failure.message.contains("line "), "{failure}");
    assert!(!failure.message.contains("secret"), "{failure}");
    assert!(store::open_table(&key).await.unwrap().unwrap().ledger.entries().is_empty());
}

#[wasm_bindgen_test]
async fn a_cancelled_request_says_so_and_charges_nothing() {
    let pool = pool("start_worker").await;
    let file = csv(&[&long_table(3), b"\n"]);
    let key = pool.identify(&file, |_| {}).await.unwrap();
    store::create_ledger(&key, ledger(1.0), None).await.unwrap();
    let canceller = pool.clone();
    let failure =
        pool.release(&file, asked(1.0), key.clone(), move |_| canceller.cancel()).await.unwrap_err();
    assert_eq!(failure.reason, Reason::Cancelled);
    assert!(!failure.charged);
    assert!(store::open_table(&key).await.unwrap().unwrap().ledger.entries().is_empty());
}

#[wasm_bindgen_test]
async fn a_check_tells_what_it_finds_until_it_is_cancelled() {
    let pool = pool("start_worker").await;
    let found = Rc::new(RefCell::new(Vec::<Finding>::new()));
    let (seen, stop, other) = (Rc::clone(&found), pool.clone(), pool.apart());
    let take = move |finding| {
        seen.borrow_mut().push(finding);
        match seen.borrow().len() {
            2 => other.cancel(), // which ends nothing of this one
            4 => stop.cancel(),
            _ => {}
        }
    };
    let failure = pool.audit(5, take).await.unwrap_err();
    assert_eq!(failure.reason, Reason::Cancelled);
    let mut check = Check::new(5);
    let expected: Vec<Finding> = std::iter::from_fn(|| check.step().unwrap()).take(4).collect();
    assert_eq!(*found.borrow(), expected);
    let broken = self::pool("start_broken_worker").await;
    assert!(broken.audit(5, |_| {}).await.is_err());
}

/// A plan by which the cells of the sample table are counted.
fn described(plan: &Plan) -> Plan {
    Plan { stated_rows: None, ..plan.clone() }
}

/// Releases, and returns what is released with how many bytes were read between the click and the charge.
async fn released(pool: &Pool, file: &Files, asked: Asked, key: &str) -> (Made, u64) {
    let last = Rc::new(Cell::new(0));
    let seen = Rc::clone(&last);
    let on_progress = move |progress: Progress| {
        if progress.round.is_none() {
            seen.set(progress.done);
        }
    };
    let made = pool.release(file, asked, key.to_owned(), on_progress).await.unwrap();
    (made, last.get())
}

#[wasm_bindgen_test]
async fn one_reading_finds_what_each_of_three_does() {
    let table = long_table(5);
    let pool = pool("start_worker").await;
    let file = csv(&[&table]);
    let plan = plan(15.0);
    let read = pool.read_once(&file, asked(15.0), None, described(&plan), |_| {}).await.unwrap();
    store::create_ledger(&read.table, ledger(16.0), None).await.unwrap();
    let (made, after) = released(&pool, &file, asked(15.0), &read.table).await;
    assert_eq!(after, 0, "nothing is read after the click");
    near(&made.release, &table);
    assert_eq!(read.table, pool.identify(&file, |_| {}).await.unwrap());
    assert_eq!(read.inspected, Some(pool.inspect(&file, described(&plan), |_| {}).await.unwrap()));

    // The same people in another order have the same ledger, whichever of the two was read at once.
    let mut lines: Vec<&[u8]> = table.split_inclusive(|&byte| byte == b'\n').collect();
    lines[1..].reverse();
    let other = csv(&[&lines.concat()]);
    let by_itself = pool.identify(&other, |_| {}).await.unwrap();
    assert_ne!(by_itself, read.table);
    assert_eq!(store::open_table(&by_itself).await.unwrap().unwrap().ledger, made.ledger);
    let third = csv(&[&lines.concat(), b"\n"]);
    let at_once = pool.read_once(&third, asked(1.0), None, described(&plan), |_| {}).await.unwrap();
    assert_eq!(store::open_table(&at_once.table).await.unwrap().unwrap().ledger, made.ledger);
}

#[wasm_bindgen_test]
async fn what_was_read_serves_another_budget_which_is_charged_and_no_other_bounds() {
    let table = long_table(6);
    let pool = pool("start_worker").await;
    let file = csv(&[&table]);
    let plan = plan(2.0);
    let read = pool.read_once(&file, asked(2.0), None, described(&plan), |_| {}).await.unwrap();
    store::create_ledger(&read.table, ledger(32.0), None).await.unwrap();
    let (made, after) = released(&pool, &file, asked(15.0), &read.table).await;
    assert_eq!(after, 0, "nothing is read after the click");
    near(&made.release, &table);
    assert_eq!(made.release.plan.budget.epsilon, Some(15.0), "the budget of the click");
    let (again, after) = released(&pool, &file, asked(15.0), &read.table).await;
    assert!(after > 0, "what was read serves once");
    let charged = |made: &Made| made.ledger.entries().last().unwrap().charge;
    assert_eq!(charged(&made), charged(&again), "it costs as much as one that was not read ahead");

    // Sums by other bounds are others by far.
    let read = pool.read_once(&file, asked(15.0), Some(read.table), described(&plan), |_| {}).await.unwrap();
    let mut wider = asked(5.0);
    wider.plan.columns[0].upper = Some(Bound::Stated(1_000.0));
    let (made, after) = released(&pool, &file, wider.clone(), &read.table).await;
    assert!(after > 0, "the file is read for the new bounds");
    let (again, _) = released(&pool, &file, wider, &read.table).await;
    let corner = |made: &Made| {
        made.release.moments.as_ref().unwrap().matrix.as_ref().unwrap()[1][1].parse::<f64>().unwrap()
    };
    assert!((corner(&made) / corner(&again) - 1.0).abs() < 0.05, "{} {}", corner(&made), corner(&again));
}

#[wasm_bindgen_test]
async fn rows_that_are_kept_serve_another_budget_and_sums_of_a_map_are_read_again() {
    let table = long_table(7);
    let pool = pool("start_worker").await;
    let file = csv(&[&table]);
    let descent = |epsilon: f64, steps: u32| {
        let mut asked = asked(epsilon);
        asked.plan.mechanism.name = "dp-gd".to_owned();
        asked.plan.stated_rows = Some(50_000);
        asked.plan.mechanism.params.insert("steps".to_owned(), steps.into());
        asked
    };
    let key = pool.identify(&file, |_| {}).await.unwrap();
    store::create_ledger(&key, ledger(32.0), None).await.unwrap();
    for (steps, reads_again) in [(3, false), (1, true)] {
        let (first, second) = (descent(0.1, steps), descent(0.2, steps));
        let described = described(&first.plan);
        pool.read_once(&file, first, Some(key.clone()), described, |_| {}).await.unwrap();
        let (made, after) = released(&pool, &file, second, &key).await;
        assert_eq!(made.release.plan.budget.epsilon, Some(0.2), "the budget of the click");
        assert_eq!(after > 0, reads_again, "{steps} steps");
    }
}

#[wasm_bindgen_test]
async fn a_reading_that_fails_says_so_at_once_and_the_table_is_recognised() {
    let pool = pool("start_worker").await;
    let plan = plan(1.0);
    let file = csv(&[&long_table(8), b"P1,secret-cell\n"]);
    let failure = pool.read_once(&file, asked(1.0), None, described(&plan), |_| {}).await.unwrap_err();
    assert_eq!(failure.reason, Reason::Table, "{failure}");
    let key = pool.identify(&file, |_| {}).await.unwrap();
    store::create_ledger(&key, ledger(1.0), None).await.unwrap();
    let told = pool.release(&file, asked(1.0), key, |_| {}).await.unwrap_err();
    assert_eq!(told, failure, "as it is told without the one reading");
    // Cells that are counted by other rules than the release's are not counted beside it.
    let other = Plan { missing: Some(Missing::Midpoint), ..described(&plan) };
    assert!(pool.read_once(&csv(&[TABLE]), asked(1.0), None, other, |_| {}).await.is_err());
}

#[wasm_bindgen_test]
async fn a_file_that_is_not_the_ledgers_is_refused_when_it_was_read_before_the_click() {
    let pool = pool("start_worker").await;
    let (file, other) = (csv(&[&long_table(9)]), csv(&[&long_table(10)]));
    let key = pool.identify(&file, |_| {}).await.unwrap();
    store::create_ledger(&key, ledger(1.0), None).await.unwrap();
    pool.read_ahead(&other, asked(1.0), &key).await.unwrap();
    let failure = pool.release(&other, asked(1.0), key.clone(), |_| {}).await.unwrap_err();
    assert_eq!((failure.reason, failure.charged), (Reason::File, false), "{failure}");
    let plan = plan(1.0);
    let read = pool.read_once(&other, asked(1.0), Some(key.clone()), described(&plan), |_| {}).await.unwrap();
    assert_ne!(read.table, key);
    let failure = pool.release(&other, asked(1.0), key.clone(), |_| {}).await.unwrap_err();
    assert_eq!((failure.reason, failure.charged), (Reason::File, false), "{failure}");
    assert!(store::open_table(&key).await.unwrap().unwrap().ledger.entries().is_empty());
}
