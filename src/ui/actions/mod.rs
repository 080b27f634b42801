//! What the page does when a person asks for it. Each action writes its outcome into the store and nothing else; no signal is
//! captured by a worker.

mod close;
mod codebook;
mod confirm;
mod documents;
mod draft;
mod files;
pub mod genotypes;
mod inspect;
mod ledger;
mod letters;
mod navigation;
pub mod public;
mod release;
mod run;
mod save;
mod say;
mod unpack;

pub use close::give_up;
pub use codebook::choose_codebook;
pub use confirm::answer;
pub use documents::{choose_document, save_plan, use_bounds};
pub use draft::{forget_draft, undo};
pub use files::{
    begin, begin_again, choose_files, choose_sample, forget_last_table, read_as_latin_1, reread, sample_names,
};
pub use inspect::{inspect, inspect_on_the_way};
pub use ledger::{differ, erase, join, relax, take_back};
pub use letters::{Reading, read_in, readings};
pub use navigation::{follow_address, go, go_to, go_to_place, go_to_typical};
pub use release::{read_ahead_on_the_way, release, show_kept};
pub use run::cancel;
pub use save::{
    ask_to_save, named, refuse_to_save, release_saved, save_ledger, save_release, save_reserved, say_copied,
    say_saved,
};
pub use unpack::{choose_sheet, paste_table};

use confirm::guard;
