//! The page: everything a person sees.
//!
//! These modules are pure and compile everywhere:
//! - [`draft`], [`variants`]: what a person types, and how it becomes a plan;
//! - [`files`]: what chosen files are;
//! - [`names`]: the names of downloads;
//! - [`public_form`]: the form of public moments;
//! - [`presets`]: public ranges;
//! - [`sentence`]: messages of other rooms;
//! - [`drawing`]: the drawings of the check.
//!
//! The rest is Leptos and exists in the browser alone. No mathematics happens here: numbers come from `engine`, `inference` and
//! `privacy`, texts from `words`.

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
mod forecasts;
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
