//! `discreet.plan/1` as read, checked and bound to a header.

pub mod bound;
