//! Plan, moments, charge and randomness in; release out.
