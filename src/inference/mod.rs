//! Standard errors, intervals and diagnostics, from released values only.
