//! The page: everything a person sees.
//!
//! What is typed and how it becomes a plan ([`draft`]) and the public ranges ([`presets`]) are pure and compile
//! everywhere; the rest is Leptos and exists in the browser alone. No mathematics happens here: numbers come from
//! `engine`, `inference` and `privacy`, sentences from [`text`](self) and `release::statement`.

pub mod draft;
pub mod presets;

#[cfg(all(target_arch = "wasm32", feature = "app"))]
mod browser;
#[cfg(all(target_arch = "wasm32", feature = "app"))]
pub use browser::start;
