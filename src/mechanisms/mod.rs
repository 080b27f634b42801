//! One file per mechanism of the contract, and the table of them all.
