//! The command line: arguments, files, exit codes.

pub mod table;
