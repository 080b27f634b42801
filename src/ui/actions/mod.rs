//! What the page does when a person asks for it. Each action writes its outcome into the store and nothing else; no signal is
//! captured by a worker.

mod close;
mod documents;
mod draft;
mod files;
pub mod genotypes;
mod ledger;
mod navigation;
pub mod public;
mod release;
mod run;
mod save;
mod say;

pub use close::give_up;
pub use documents::{choose_document, use_bounds};
pub use draft::forget_draft;
pub use files::{begin, choose_files, choose_sample, reread, sample_names};
pub use ledger::{differ, erase, relax, take_back};
pub use navigation::{follow_address, go, go_to};
pub use release::{release, show_kept};
pub use run::cancel;
pub use save::{save_ledger, save_release};
