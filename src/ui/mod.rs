//! The page: everything a person sees.
//!
//! What is typed and how it becomes a plan ([`draft`], [`variants`]), what chosen files are ([`files`]), how downloads are called ([`names`]), the public-moments form
//! ([`public_form`]), the public ranges ([`presets`]), messages of other rooms ([`sentence`]) and the check's drawings ([`drawing`]) are pure and compile everywhere; the rest
//! is Leptos and exists in the browser alone. No mathematics happens here: numbers come from `engine`, `inference` and `privacy`,
//! texts from `words`.

pub mod draft;
pub mod drawing;
pub mod files;
pub mod groups;
pub mod names;
pub mod presets;
pub mod public_form;
pub mod samples;
pub mod sentence;
pub mod step;
pub mod variants;

#[cfg(all(target_arch = "wasm32", feature = "app"))]
mod actions;
#[cfg(all(target_arch = "wasm32", feature = "app"))]
mod app;
#[cfg(all(target_arch = "wasm32", feature = "app"))]
mod check;
#[cfg(all(target_arch = "wasm32", feature = "app"))]
mod dom;
#[cfg(all(target_arch = "wasm32", feature = "app"))]
mod parts;
#[cfg(all(target_arch = "wasm32", feature = "app"))]
mod state;
#[cfg(all(target_arch = "wasm32", feature = "app"))]
mod steps;
#[cfg(all(target_arch = "wasm32", feature = "app"))]
mod table;
#[cfg(all(target_arch = "wasm32", feature = "app"))]
mod text;
#[cfg(all(target_arch = "wasm32", feature = "app"))]
mod view_model;

#[cfg(all(target_arch = "wasm32", feature = "app"))]
pub use app::start;
