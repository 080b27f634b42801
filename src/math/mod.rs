//! Numbers only: special functions, directed rounding, linear algebra, root finding.

pub mod beta;
pub mod contour;
pub mod definite;
pub mod gamma;
pub mod graded;
pub mod jacobi;
pub mod linalg;
pub mod projection;
pub mod round;
pub mod search;
pub mod secular;
pub mod special;
pub mod student;
