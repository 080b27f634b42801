//! Private regression: a plan applied to a table gives a release.
//!
//! Data flows one way. Bytes become records, a record alone becomes a bounded integer vector, vectors become exact
//! second moments, the ledger is charged, integer noise is added, and everything after that is post-processing of what
//! is already published. `ARCHITECTURE.md` lists the modules and says who may use whom.
//!
//! Invariants:
//!
//! - The page thread never holds a moment. It holds file handles, plans and releases, and what it shows to the person alone: the first rows,
//!   and counts of the cells that do not fit.
//! - Exact moments live in the workers of one request and die with them.
//! - [`noise::entropy`] is the only module that reads random bytes, and [`privacy::ledger`] the only one that lets a
//!   release happen.
//! - No function below [`engine`] knows what a file, a clock, a thread or a screen is.
//! - A number that reaches a release came out of a mechanism, or was in the plan.
//! - All transcendental functions come from the `libm` crate, so that a native test and the browser give the same bits.
//!
//! # From a table to a release
//!
//! A plan and a header say everything that is public: the grid, the noise and the cost. Then records are encoded one by one, and
//! summed exactly:
//!
//! ```
//! use discreet::data::csv::Parser;
//! use discreet::data::encode::{Encoded, Encoder};
//! use discreet::engine::{Prepared, prepare};
//! use discreet::plan::{Plan, Purpose};
//!
//! const PLAN: &str = r#"{
//!   "schema": "discreet.plan/1",
//!   "adjacency": "add-remove",
//!   "columns": [
//!     {"name": "age", "role": "feature", "type": "number", "lower": 0, "upper": 100},
//!     {"name": "sbp", "role": "outcome", "type": "number", "lower": 60, "upper": 260}
//!   ],
//!   "mechanism": {"name": "analyze-gauss"},
//!   "budget": {"epsilon": 1, "delta": 1e-6}
//! }"#;
//!
//! let names = ["age".to_owned(), "sbp".to_owned()];
//! let prepared = prepare(Plan::parse(PLAN)?, &names, b',', Purpose::Release)?;
//!
//! let mut moments = prepared.moments();
//! let mut encoder = Encoder::new(prepared.bound());
//! let mut parser = Parser::new(names.len(), &prepared.bound().csv, 0, u64::MAX);
//! parser.feed(b"50,120\n61,135\n,140\n", |record| {
//!     // A record with a missing cell is skipped, unless the plan says otherwise.
//!     if let Encoded::Row(row) = encoder.encode(&record) {
//!         moments.add(row);
//!     }
//! })?;
//! assert_eq!(moments.rows(), 2);
//! assert!(moments.get(0, 1) > 0, "age and the constant: an exact integer");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The ledger is charged, and only then is the noise drawn. What comes out may be published, and other regressions follow from it at
//! no cost:
//!
//! ```
//! use discreet::data::RowSink;
//! use discreet::engine::{Computation, prepare};
//! use discreet::inference::options::{Repair, Ridge};
//! use discreet::inference::refit::refit;
//! use discreet::noise::entropy::{PrivateRng, random_id};
//! use discreet::plan::{Plan, Purpose};
//! use discreet::privacy::adjacency::{Adjacency, Protect};
//! use discreet::privacy::calibrate::{Budget, Split};
//! use discreet::privacy::ledger::{Ledger, Opening, Terms};
//! use discreet::privacy::measure::{Delta, Epsilon};
//! use discreet::release::document::{LedgerReference, Software};
//!
//! # const PLAN: &str = r#"{
//! #   "schema": "discreet.plan/1",
//! #   "adjacency": "add-remove",
//! #   "columns": [
//! #     {"name": "age", "role": "feature", "type": "number", "lower": 0, "upper": 100},
//! #     {"name": "sbp", "role": "outcome", "type": "number", "lower": 60, "upper": 260}
//! #   ],
//! #   "mechanism": {"name": "analyze-gauss"},
//! #   "budget": {"epsilon": 1, "delta": 1e-6}
//! # }"#;
//! let mut ledger = Ledger::open(&Opening {
//!     id: random_id()?,
//!     created: "2026-11-23",
//!     terms: Terms { adjacency: Adjacency::AddRemove, protect: Protect::Rows, max_rows_per_person: 1 },
//!     budget: Budget::EpsilonDelta { epsilon: Epsilon::try_new(1.0)?, delta: Delta::try_new(1e-6)? },
//!     split: Split::Gaussian,
//! })?;
//! let names = ["age".to_owned(), "sbp".to_owned()];
//! let prepared = prepare(Plan::parse(PLAN)?, &names, b',', Purpose::Release)?;
//! let mut sums = prepared.sums();
//! sums.row(&vec![0; prepared.row_width()]); // the encoded records of the table
//!
//! let entry = ledger.reserve(&prepared.request())?; // and written to the disk, so that it survives a crash
//! let charge = LedgerReference::new(&ledger, entry);
//! let mut computation = Computation::new(&prepared, PrivateRng::from_os()?);
//! while computation.next_statistic().is_some() {
//!     computation.answer(&sums)?;
//! }
//! let released = computation.release(charge, Software::new("example".to_owned()))?;
//! ledger.release(entry)?;
//! assert!(ledger.check(&prepared.request()).is_err(), "the plan asked for the whole budget");
//!
//! let mean = refit(&released, "age", &["sbp".to_owned()], Ridge::default(), Repair::default(), 0.95)?;
//! assert_eq!(mean.outcome, "age");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a budget buys, and what several releases cost together, is rounded to the safe side:
//!
//! ```
//! use discreet::privacy::convert::{gdp_compose, gdp_epsilon, gdp_mu};
//! use discreet::privacy::measure::{Delta, Epsilon};
//!
//! let delta = Delta::try_new(1e-6)?;
//! let mu = gdp_mu(Epsilon::try_new(1.0)?, delta)?;
//! let twice = gdp_epsilon(gdp_compose(&[mu, mu])?, delta)?;
//! assert!(twice.get() > 1.4 && twice.get() < 1.6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod audit;
pub mod data;
pub mod engine;
pub mod inference;
pub mod math;
pub mod mechanisms;
pub mod model;
pub mod noise;
pub mod plan;
pub mod pld;
pub mod privacy;
pub mod release;
pub mod store;
pub mod text;
pub mod words;
pub mod worker;

#[cfg(not(target_arch = "wasm32"))]
pub mod cli;

pub mod ui;
