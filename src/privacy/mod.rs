//! What a release costs: measures, conversions, calibration, the ledger.
