//! Numbers only: special functions, directed rounding, linear algebra, root finding.
